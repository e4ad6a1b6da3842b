//! cotty: the terminal that agents and people share. This file lists the commands; each is a file in `command/`.

mod command;
mod out;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use command::{
    attach, daemon, kill, ls, mcp, new, render, restart, run, send, serve, status, stop, view, wait,
};

/// The terminal that agents and people share.
///
/// A daemon holds live terminals. Agents drive them over MCP, people watch and type in the same ones. Nothing is lost
/// when a client, a person or the daemon goes away.
#[derive(Debug, Parser)]
#[command(name = "cotty", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    New(new::Args),
    Ls(ls::Args),
    Run(run::Args),
    View(view::Args),
    Send(send::Args),
    Wait(wait::Args),
    Attach(attach::Args),
    Kill(kill::Args),
    Serve(serve::Args),
    Status(status::Args),
    Restart(restart::Args),
    Stop(stop::Args),
    Mcp(mcp::Args),
    Render(render::Args),
    #[command(name = "__launch", hide = true)]
    Launch,
    #[command(name = "__keeper", hide = true)]
    Keeper,
    #[command(name = "__daemon", hide = true)]
    Daemon(daemon::Args),
    #[command(name = "__child", hide = true)]
    Child,
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::New(args) => new::run(args),
        Command::Ls(args) => ls::run(args),
        Command::Run(args) => run::run(args),
        Command::View(args) => view::run(args),
        Command::Send(args) => send::run(args),
        Command::Wait(args) => wait::run(args),
        Command::Attach(args) => attach::run(args),
        Command::Kill(args) => kill::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Status(args) => status::run(args),
        Command::Restart(args) => restart::run(args),
        Command::Stop(args) => stop::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Render(args) => render::run(args),
        Command::Launch => daemon::launch(),
        Command::Keeper => daemon::keeper(),
        Command::Daemon(args) => daemon::run(args),
        Command::Child => daemon::child(),
    };
    result.unwrap_or_else(|error| out::failure(&error))
}
