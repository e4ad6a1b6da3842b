//! cotty's terminal engine: it only computes.
//!
//! Program output goes in through [`Vt::feed`]; a screen, a history of logical lines and a list of
//! [`Effect`]s (replies to the program, bell, title, prompt marks…) come out. Nothing here does
//! I/O, reads a clock, panics on input or grows without bound. The result does not depend on how
//! reads split the bytes.
//!
//! Data flows `parse → term → grid`. A cell is eight bytes: a character or a cluster index, and a
//! style index. The cluster and style tables hold only what the screens show; unused entries are
//! removed when a table has grown. Lines that scroll off become text with style runs, in
//! self-contained chunks.
//!
//! | to change | open |
//! |---|---|
//! | which bytes make a sequence, UTF-8 | `parse/` |
//! | what a sequence does | `term/csi.rs`, `term/esc.rs`, `term/mode.rs`, `term/osc.rs`, `term/sgr.rs` |
//! | replies to queries | `term/report.rs`, `term/device.rs`, `term/color.rs`, `term/title.rs`, `term/checksum.rs` |
//! | printing, clusters, wrapping, scrolling, line ids | `term/print.rs`, `term/scroll.rs`, `unicode/`, `build.rs` |
//! | erasing, inserting and deleting | `term/edit.rs`, `grid/row.rs`, `grid/cell.rs` |
//! | cursor, tabs, saved cursor, resets | `term/cursor.rs`, `term/reset.rs` |
//! | resizing | `term/resize.rs` |
//! | the tables that cells index | `grid/`: `tables`, `styles`, `attributes`, `clusters`, `links` |
//! | history, alternate-screen history | `history/`, `history/alternate.rs` |
//! | reading and searching text | `text/` |
//! | saving and restoring, invariants | `state.rs`, `verify.rs` |
//! | keys, paste, mouse, focus | `input/` |
//! | drawing for another terminal | `paint.rs` |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod distance;
mod effect;
mod grid;
mod hash;
mod history;
mod input;
mod modes;
mod paint;
mod parse;
mod size;
mod state;
mod term;
mod text;
mod unicode;
mod varint;
mod verify;
mod vt;

pub use distance::edit_distance;
pub use effect::{Effect, EffectKind, ImageKind, Mark, MarkKind};
pub use grid::style::{Color, Style, UnderlineStyle};
pub use hash::hash;
pub use history::LineRef;
pub use history::alternate::AlternateRow;
pub use input::key::{Key, KeyAction, KeyCode, Keypad, Media, ModifierKey};
pub use input::mouse::{MouseAction, MouseButton, MouseEvent};
pub use input::parse::UnknownKey;
pub use input::paste::Paste;
pub use modes::{Cursor, CursorShape, Modes, MouseEncoding, MouseMode};
pub use paint::{Painter, RowVersion};
pub use size::{Allow, Options, Size};
pub use state::BadState;
pub use text::excerpt::{Excerpt, Line, LineId, Position};
pub use text::read::{CellRef, CellText};
pub use text::search::{Match, MatchPlace};
pub use text::written::Until;
pub use vt::Vt;
