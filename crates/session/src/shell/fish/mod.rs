use super::{Shell, Start};

const INIT: &str = "--init-command";

pub(super) static FISH: Shell = Shell {
    name: "fish",
    files: &[("cotty.fish", include_str!("cotty.fish"))],
    start: |start: &mut Start<'_>| {
        let file = start.file("cotty.fish")?.replace('\\', "\\\\").replace('\'', "\\'");
        start.args.extend([INIT.to_owned(), format!("source '{file}'")]);
        Some(())
    },
    // fish unsets our variables only after it has read the user's files.
    argument: Some(INIT),
};
