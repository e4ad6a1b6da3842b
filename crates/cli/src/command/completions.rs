use std::process::ExitCode;

use clap_complete::Shell;

use super::docs;
use crate::out;

/// Print a script that completes cotty's commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty completions bash > ~/.local/share/bash-completion/completions/cotty\n  \
                  cotty completions zsh > ~/.zfunc/_cotty    # a folder of your fpath\n  \
                  cotty completions fish > ~/.config/fish/completions/cotty.fish"
)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut docs::visible(), "cotty", &mut script);
    out::text(&String::from_utf8_lossy(&script));
    Ok(ExitCode::SUCCESS)
}
