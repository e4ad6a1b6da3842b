//! cotty: the terminal that agents and people share. `command/mod.rs` lists the commands; each has its own file there.

mod advice;
mod command;
mod log;
mod out;
mod settings;

use std::process::ExitCode;

use clap::Parser;

use self::command::{Command, host, shell};

/// The terminal that agents and people share.
///
/// A daemon holds live terminals. Agents use them over MCP; people watch and type in the same terminals. Sessions keep
/// running when a client disconnects or the daemon is replaced.
///
/// Without a command: starts a shell in this terminal that agents may join. Ctrl-] d leaves it; it keeps running.
#[derive(Debug, Parser)]
#[command(name = "cotty", version, max_term_width = 100, after_long_help = out::EXIT_CODES)]
struct Cli {
    /// Run the command on another machine, over ssh
    #[arg(long, value_name = "USER@BOX")]
    host: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.host {
        Some(host) => host::run(&host),
        None => cli.command.map_or_else(shell::run, Command::run),
    };
    result.map_or_else(|error| out::failure(&error), out::printed)
}
