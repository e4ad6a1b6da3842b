//! One command, one file: its help, its arguments, its `run`.

mod allow;
pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod attach;
pub(crate) mod commands;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod daemon;
pub(crate) mod docs;
pub(crate) mod host;
pub(crate) mod kill;
pub(crate) mod ls;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod pleas;
pub(crate) mod purge;
pub(crate) mod recording;
pub(crate) mod render;
pub(crate) mod resize;
pub(crate) mod restart;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod token;
pub(crate) mod view;
pub(crate) mod wait;

use std::future::Future;

use cotty_client::{Client, Home};
use cotty_protocol::ActorKind;

/// A client for a person at a shell.
fn client() -> anyhow::Result<Client> {
    Ok(Client::new(Home::open()?, ActorKind::Person, "cotty cli")?)
}

/// Runs a client's future on a thread of its own making: commands are short.
fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}

/// The size of the terminal we stand in, if we stand in one: its output may well go elsewhere, as in `$(cotty new)`.
fn terminal_size() -> Option<(u16, u16)> {
    use rustix::stdio::{stderr, stdin, stdout};
    let size =
        [stdout(), stderr(), stdin()].into_iter().find_map(|fd| rustix::termios::tcgetwinsize(fd).ok())?;
    (size.ws_col >= 2 && size.ws_row >= 1).then_some((size.ws_col, size.ws_row))
}

/// How wide a line may be, if a terminal shows it.
pub(crate) fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col >= 2).then_some(size.ws_col.into())
}

/// Whether a person sits here: what is typed and what is shown are a terminal's.
fn in_terminal() -> bool {
    rustix::termios::isatty(rustix::stdio::stdin()) && rustix::termios::isatty(rustix::stdio::stdout())
}
