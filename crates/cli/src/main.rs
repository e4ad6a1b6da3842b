//! cotty: the terminal that agents and people share. This file lists the commands; each is a file in `command/`.

mod advice;
mod command;
mod log;
mod out;
mod settings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use command::*;

/// The terminal that agents and people share.
///
/// A daemon holds live terminals. Agents drive them over MCP, people watch and type in the same ones. Nothing is lost
/// when a client, a person or the daemon goes away.
///
/// Without a command: a shell in this terminal that agents may join; Ctrl-] d leaves it, and it goes on.
#[derive(Debug, Parser)]
#[command(name = "cotty", version, max_term_width = 100, after_long_help = out::EXIT_CODES)]
struct Cli {
    /// Do it with the cotty on another machine, over ssh
    #[arg(long, value_name = "USER@BOX")]
    host: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
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
    Ask(ask::Args),
    Pleas(pleas::Args),
    Answer(answer::Args),
    Commands(commands::Args),
    Search(search::Args),
    Resize(resize::Args),
    Kill(kill::Args),
    Recording(recording::Args),
    Purge(purge::Args),
    Serve(serve::Args),
    Status(status::Args),
    Restart(restart::Args),
    Stop(stop::Args),
    Token(token::Args),
    Config(config::Args),
    Mcp(mcp::Args),
    Render(render::Args),
    Completions(completions::Args),
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

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.host {
        Some(host) => host::run(&host),
        None => cli.command.map_or_else(shell::run, dispatch),
    };
    result.map_or_else(|error| out::failure(&error), out::printed)
}

fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::New(args) => new::run(args),
        Command::Ls(args) => ls::run(args),
        Command::Run(args) => run::run(args),
        Command::View(args) => view::run(args),
        Command::Send(args) => send::run(args),
        Command::Wait(args) => wait::run(args),
        Command::Attach(args) => attach::run(args),
        Command::Ask(args) => ask::run(args),
        Command::Pleas(args) => pleas::run(args),
        Command::Answer(args) => answer::run(args),
        Command::Commands(args) => commands::run(args),
        Command::Search(args) => search::run(args),
        Command::Resize(args) => resize::run(args),
        Command::Kill(args) => kill::run(args),
        Command::Recording(args) => recording::run(args),
        Command::Purge(args) => purge::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Status(args) => status::run(args),
        Command::Restart(args) => restart::run(args),
        Command::Stop(args) => stop::run(args),
        Command::Token(args) => token::run(args),
        Command::Config(args) => config::run(args),
        Command::Mcp(args) => mcp::run(args),
        Command::Render(args) => render::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Docs(args) => docs::run(args),
        Command::Typescript => {
            out::text(&cotty_server::describe::typescript());
            Ok(ExitCode::SUCCESS)
        }
        Command::Formats => {
            out::json(&serde_json::to_value(cotty_server::formats())?)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Launch(args) => daemon::launch(args),
        Command::Guard => daemon::guard(),
        Command::Keeper(args) => daemon::keeper(args),
        Command::Daemon(args) => daemon::run(args),
        Command::Child => daemon::child(),
    }
}
