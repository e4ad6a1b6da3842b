//! The commands. Each file has one command: its help, its arguments, its `run`.

mod allow;
mod answer;
mod ask;
mod attach;
mod commands;
mod completions;
mod config;
mod daemon;
mod docs;
mod hidden;
pub(crate) mod host;
mod kill;
mod ls;
mod manage;
mod mcp;
mod new;
mod purge;
mod recording;
mod render;
mod requests;
mod resize;
mod restart;
mod run;
mod search;
mod send;
mod serve;
pub(crate) mod shell;
mod status;
mod stop;
mod token;
mod view;
mod wait;

use std::future::Future;
use std::process::ExitCode;

use cotty_client::{Client, Home};
use cotty_protocol::ActorKind;

/// Declares the commands: each name with its file.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident: $file:ident,)*) => {
        /// A command, with its arguments.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Command {
            $($(#[$attribute])* $name($file::Args),)*
            #[command(flatten)]
            Hidden(hidden::Hidden),
        }

        impl Command {
            pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
                match self {
                    $(Command::$name(args) => $file::run(args),)*
                    Command::Hidden(hidden) => hidden.run(),
                }
            }
        }
    };
}

// In the order of the help.
commands! {
    New: new,
    Ls: ls,
    Run: run,
    View: view,
    Send: send,
    Wait: wait,
    Attach: attach,
    Ask: ask,
    Requests: requests,
    Answer: answer,
    Commands: commands,
    Search: search,
    Resize: resize,
    Kill: kill,
    Recording: recording,
    Purge: purge,
    Serve: serve,
    Status: status,
    Restart: restart,
    Stop: stop,
    Token: token,
    Config: config,
    Mcp: mcp,
    Render: render,
    Completions: completions,
}

/// A client that acts for a person.
fn client() -> anyhow::Result<Client> {
    Ok(Client::new(Home::open()?, ActorKind::Person, "cotty cli")?.on_lost(crate::out::lost))
}

/// Runs a client's future on the current thread.
fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}

/// The size of this process's terminal, if it has one. Stdout alone might be redirected, as in `$(cotty new)`.
fn terminal_size() -> Option<(u16, u16)> {
    use rustix::stdio::{stderr, stdin, stdout};
    let size =
        [stdout(), stderr(), stdin()].into_iter().find_map(|fd| rustix::termios::tcgetwinsize(fd).ok())?;
    (size.ws_col >= 2 && size.ws_row >= 1).then_some((size.ws_col, size.ws_row))
}

/// The width of the terminal that shows stdout, if there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col >= 2).then_some(size.ws_col.into())
}

/// Whether stdin and stdout are a terminal.
fn in_terminal() -> bool {
    rustix::termios::isatty(rustix::stdio::stdin()) && rustix::termios::isatty(rustix::stdio::stdout())
}
