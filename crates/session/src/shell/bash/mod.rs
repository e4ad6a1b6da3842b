use super::{Shell, Start};

pub(super) static BASH: Shell = Shell {
    name: "bash",
    files: &[("bash.rc", include_str!("bash.rc"))],
    start: |start: &mut Start<'_>| {
        // With `-l` bash would not read our file, so our file does what a login shell does.
        if start.args.iter().any(|arg| arg.contains('l')) {
            start.added.insert("COTTY_LOGIN".to_owned(), "1".to_owned());
        }
        let rc = start.file("bash.rc")?;
        start.args = ["--rcfile".to_owned(), rc, "-i".to_owned()].into();
        Some(())
    },
    argument: None,
};
