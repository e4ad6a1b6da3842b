//! Live terminals: one task each, found by the hub.
//!
//! A [`Session`] is a handle; behind it one task owns the PTY, the engine, the journal, the waits and the commands of
//! a terminal, so there are no locks to hold and order is plain. What decides (waits, commands, policy) is pure and
//! told the time. What must outlive the daemon lies in the [`journal`], whose memory the keeper holds.

mod commands;
mod environment;
mod error;
mod hub;
mod id;
mod journal;
mod meta;
mod policy;
mod reading;
mod recording;
mod recovery;
mod session;
mod shell;
mod task;
mod typing;
mod viewers;
mod wait;

pub use error::SessionError;
pub use hub::{Create, Destroyed, Hub, HubOptions, Purge};
pub use journal::disk::{Capture, Page, Purged, RecordingFormat, RecordingLimits, RecordingState};
pub use meta::{Actor, ActorKind, Meta, Origin};
pub use policy::{Policy, Verdict};
pub use reading::{Reading, View};
pub use session::{Activity, Ended, Info, Input, RunOutcome, RunResult, Session, Typed, Waited};
pub use viewers::{Frame, Viewer};
pub use wait::{Met, Wait};

/// Keys and paste modes are the engine's own.
pub use cotty_vt::{Allow, Key, KeyCode, Paste, UnknownKey};
