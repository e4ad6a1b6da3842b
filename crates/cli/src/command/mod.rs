//! One command, one file: its help, its arguments, its `run`.

mod allow;
pub(crate) mod attach;
pub(crate) mod daemon;
pub(crate) mod kill;
pub(crate) mod ls;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod render;
pub(crate) mod restart;
pub(crate) mod run;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod stop;
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

/// The size of the terminal we stand in, if we stand in one.
fn terminal_size() -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    (size.ws_col >= 2 && size.ws_row >= 1).then_some((size.ws_col, size.ws_row))
}
