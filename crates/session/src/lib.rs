//! Live terminals: one task each, found by the hub.
//!
//! A [`Session`] is a handle. Behind it one task owns the PTY, the engine, the journal, the waits and the commands of
//! a terminal, so no locks are needed and the order of events is clear. The code that decides (waits, commands, policy) is
//! pure and gets the time as an argument. State that must outlive the daemon is in the journal (`durable/journal`), whose
//! memory the keeper holds.

mod clock;
mod commands;
pub mod counts;
mod durable;
mod error;
#[cfg(test)]
mod fixture;
mod handle;
mod handoff;
mod hub;
mod input;
mod keyboard;
mod output;
mod policy;
mod request;
mod shell;
mod task;
mod viewers;
mod wait;

pub use clock::steady_ms;
pub use commands::history::{Ran, RanCommand};
pub use commands::result::CommandState;
pub use durable::checkpoint::{Format, Formats, Lost, formats};
pub use durable::journal::disk::{
    Capture, Page, Purged, Recorded, RecordingFormat, RecordingLimits, RecordingState, SearchedRecordings,
};
pub use error::{SessionError, is_nested};
pub use handle::{Control, Ended, Info, Input, LastCommand, RunResult, Session, Typed, Waited};
pub use handoff::state::{HandoffEnd, HandoffOutcome, HandoffRequest, one_line, short_name};
pub use handoff::{Ask, HandoffReply};
pub use hub::meta::{Actor, ActorKind, Meta, Origin, Typist, timestamp};
pub use hub::panel::{OpenPanel, Panel};
pub use hub::{Create, Destroyed, Hub, HubOptions, Present, Purge, Purpose, Retention, TerminalOptions};
pub use input::lease::InputLease;
pub use input::mouse::{Gesture, Mouse, Target};
pub use input::notation::with_keys;
pub use input::reaction::Reaction;
pub use keyboard::secret::has_a_terminal_inside;
pub use keyboard::state::Returned;
pub use keyboard::{Hold, Holder, KeyboardState};
pub use output::head_tail::{Cut, LeftOut};
pub use output::{Found, FoundAt, ReadResult, View};
pub use policy::{Policy, PolicyError, Verdict};
pub use viewers::pace::Shared;
pub use viewers::presence::{HandoffNotice, HeldBy, Presence, TurnedAway, Watcher};
pub use viewers::updates::{Batch, Line, Run, Snapshot, Subscription, Update};
pub use viewers::{Frame, Viewer};
pub use wait::DEFAULT_WAIT;
pub use wait::pattern::{literal, pattern};

/// Types of the protocol that are used unchanged.
pub use cotty_protocol::ApiError;
pub use cotty_protocol::op::{Activity, Met, Wait};
pub use cotty_protocol::update::{Cursor, Reason, Region};

/// The type of compiled patterns; [`pattern()`] bounds their size.
pub use regex::Regex;

/// Keys, paste modes and styles come from the engine.
pub use cotty_vt::{
    Allow, Color, Key, KeyAction, KeyCode, MouseButton, Paste, Style, UnderlineStyle, UnknownKey,
    edit_distance,
};
