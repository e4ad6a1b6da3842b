//! Live terminals: one task each, found by the hub.
//!
//! A [`Session`] is a handle; behind it one task owns the PTY, the engine, the journal, the waits and the commands of
//! a terminal, so there are no locks to hold and order is plain. What decides (waits, commands, policy) is pure and
//! told the time. What must outlive the daemon lies in the journal (`durable/journal`), whose memory the keeper holds.

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

pub use commands::history::{Ran, RanCommand};
pub use commands::result::CommandState;
pub use durable::checkpoint::{Format, Formats, Lost, formats};
pub use durable::journal::disk::{
    Capture, Page, Purged, Recorded, RecordingFormat, RecordingLimits, RecordingState, SearchedRecordings,
};
pub use error::{SessionError, is_nested};
pub use handle::{Control, Ended, Info, Input, RanBefore, RunResult, Session, Typed, Waited};
pub use handoff::state::{HandoffEnd, HandoffOutcome, HandoffRequest, one_line, short_name};
pub use handoff::{Ask, HandoffReply};
pub use hub::meta::{Actor, ActorKind, Meta, Origin, Typist};
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
pub use output::{Found, FoundAt, Reading, View};
pub use policy::{Policy, PolicyError, Verdict};
pub use viewers::pace::Shared;
pub use viewers::presence::{HandoffNotice, HeldBy, Presence, TurnedAway, Watcher};
pub use viewers::updates::{Batch, Line, Run, Snapshot, Subscription, Update};
pub use viewers::{Frame, Viewer};
pub use wait::USUAL_WAIT;
pub use wait::pattern::{literal, pattern};

/// What travels as it is.
pub use cotty_protocol::ApiError;
pub use cotty_protocol::op::{Activity, Met, Wait};
pub use cotty_protocol::update::{Cursor, Reason, Region};

/// Patterns are compiled here, within bounds.
pub use regex::Regex;

/// Keys, paste modes and looks are the engine's own.
pub use cotty_vt::{
    Allow, Color, Key, KeyAction, KeyCode, MouseButton, Paste, Style, UnderlineStyle, UnknownKey,
    edit_distance,
};
