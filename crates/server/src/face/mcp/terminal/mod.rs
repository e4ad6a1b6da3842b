//! The tool set `terminal`: the default.

mod create_session;
mod destroy_session;
mod get_info;
mod list_sessions;
mod read;
mod run;
mod send;
mod wait;

use super::tool::{Entry, entry};

/// In the order in which an agent needs them.
pub(super) static TOOLS: &[Entry] = &[
    entry::<create_session::CreateSession>(),
    entry::<run::Run>(),
    entry::<send::Send>(),
    entry::<read::Read>(),
    entry::<wait::Wait>(),
    entry::<list_sessions::ListSessions>(),
    entry::<get_info::GetInfo>(),
    entry::<destroy_session::DestroySession>(),
];
