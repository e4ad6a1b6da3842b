//! Live terminals: one task each, found by the hub.
//!
//! A [`Session`] is a handle; behind it one task owns the PTY, the engine, the journal, the waits and the commands of
//! a terminal, so there are no locks to hold and order is plain. What decides (waits, commands, policy) is pure and
//! told the time. What must outlive the daemon lies in the [`journal`], whose memory the keeper holds.

mod activity;
mod answered;
mod commands;
mod company;
pub mod counts;
mod cut;
mod environment;
mod error;
#[cfg(test)]
mod fixture;
mod holding;
mod hub;
mod id;
mod images;
mod journal;
mod keyboard;
mod lane;
mod line;
mod meta;
mod notation;
mod panel;
mod pattern;
mod plea;
mod pleading;
mod pointing;
mod policy;
mod ran;
mod reaction;
mod reading;
mod recording;
mod recovery;
mod running;
mod secret;
mod session;
mod share;
mod shell;
mod sizing;
mod task;
mod typing;
mod unread;
mod updates;
mod viewers;
mod wait;

pub use company::{Asked, Company, HeldBy, TurnedAway, Watcher};
pub use cut::{Cut, LeftOut};
pub use error::{SessionError, is_nested};
pub use holding::{Hold, Holder, KeyboardState};
pub use hub::{Create, Destroyed, Hub, HubOptions, Present, Purge, Purpose, Retention, TerminalOptions};
pub use images::{ImageKind, Images};
pub use journal::disk::{
    Capture, Page, Purged, Recorded, RecordingFormat, RecordingLimits, RecordingState, SearchedRecordings,
};
pub use keyboard::Returned;
pub use lane::Lane;
pub use meta::{Actor, ActorKind, Meta, Origin, Typist};
pub use notation::with_keys;
pub use panel::{OpenPanel, Panel};
pub use pattern::{literal, pattern};
pub use plea::{Plea, PleaEnd, PleaOutcome, one_line, short_name};
pub use pleading::{Ask, Pleaded};
pub use pointing::{Gesture, Mouse, Target};
pub use policy::{Policy, PolicyError, Verdict};
pub use ran::{Ran, RanCommand, RanState};
pub use reaction::Reaction;
pub use reading::{Found, FoundAt, Reading, View};
pub use recovery::{Format, Formats, Lost, formats};
pub use secret::has_a_terminal_inside;
pub use session::{Control, Ended, Info, Input, RanBefore, RunOutcome, RunResult, Session, Typed, Waited};
pub use share::Shared;
pub use updates::{Batch, Line, Run, Snapshot, Subscription, Update};
pub use viewers::{Frame, Viewer};
pub use wait::USUAL_WAIT;

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
