//! Hidden commands, for cotty itself and its developers.

use std::process::ExitCode;

use super::{daemon, docs};
use crate::out;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Hidden {
    #[command(name = "__docs", hide = true)]
    Docs(docs::Args),
    #[command(name = "__typescript", hide = true)]
    Typescript,
    #[command(name = "__formats", hide = true)]
    Formats,
    #[command(name = "__launch", hide = true)]
    Launch(daemon::Guarded),
    #[command(name = "__guard", hide = true)]
    Guard,
    #[command(name = "__keeper", hide = true)]
    Keeper(daemon::Guarded),
    #[command(name = "__daemon", hide = true)]
    Daemon(daemon::Args),
    #[command(name = "__child", hide = true)]
    Child,
}

impl Hidden {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Hidden::Docs(args) => docs::run(args),
            Hidden::Typescript => {
                out::text(&cotty_server::describe::typescript());
                Ok(ExitCode::SUCCESS)
            }
            Hidden::Formats => {
                out::json(&serde_json::to_value(cotty_server::formats())?)?;
                Ok(ExitCode::SUCCESS)
            }
            Hidden::Launch(args) => daemon::launch(args),
            Hidden::Guard => daemon::guard(),
            Hidden::Keeper(args) => daemon::keeper(args),
            Hidden::Daemon(args) => daemon::run(args),
            Hidden::Child => daemon::child(),
        }
    }
}
