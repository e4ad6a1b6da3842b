//! `cotty config`: shows, checks and edits the configuration.

mod check;
mod edit;
mod show;

use std::process::ExitCode;

use clap::Subcommand;

/// Show, check or edit the configuration
///
/// The configuration is one TOML file: $COTTY_HOME/config.toml, or ~/.config/cotty/config.toml. Variables
/// (COTTY_LIMITS_MAX_SESSIONS=50) override it; flags override variables.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  cotty config show\n  cotty config edit\n  cotty config check && cotty restart"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Show(show::Args),
    Check(check::Args),
    Edit(edit::Args),
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        What::Show(args) => show::run(args),
        What::Check(args) => check::run(args),
        What::Edit(args) => edit::run(args),
    }
}
