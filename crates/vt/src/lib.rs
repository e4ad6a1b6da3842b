//! cotty's terminal engine: it only computes.
//!
//! Program output goes in through [`Vt::feed`]; a screen, a history of logical lines and a list of
//! [`Effect`]s (replies owed to the program, bell, title, prompt marks…) come out. Nothing here does
//! I/O, reads a clock, panics on input or grows without bound, and where a read cut the bytes never
//! matters.
//!
//! The shape is `parser → term → rows`:
//!
//! | to change | open |
//! |---|---|
//! | which bytes make a sequence, UTF-8 | `parser.rs`, `params.rs` |
//! | what a sequence does | `term/csi.rs`, `term/esc.rs`, `term/mode.rs`, `term/osc.rs`, `term/sgr.rs` |
//! | what is answered | `term/report.rs`, `term/device.rs` |
//! | printing, wrapping, scrolling, line ids | `term/print.rs`, `term/scroll.rs` |
//! | erasing and shifting | `term/edit.rs`, `row.rs`, `cell.rs` |
//! | cursor, tabs, saved cursor | `term/cursor.rs` |
//! | a new size | `term/resize.rs` |
//! | what scrolled off | `history.rs` |
//! | reading text out | `read.rs`, `excerpt.rs` |
//! | exact state, invariants | `state.rs`, `verify.rs` |
//! | keys, paste, mouse, focus | `key.rs`, `key_parse.rs`, `paste.rs`, `mouse.rs` |
//! | drawing for another terminal | `paint.rs` |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod cell;
mod effect;
mod excerpt;
mod history;
mod key;
mod key_parse;
mod modes;
mod mouse;
mod paint;
mod params;
mod parser;
mod paste;
mod read;
mod row;
mod size;
mod state;
mod style;
mod term;
mod verify;
mod vt;

pub use effect::{Effect, EffectKind, ImageKind, Mark, MarkKind};
pub use excerpt::{Excerpt, Line, LineId, Position};
pub use history::LineRef;
pub use key::{Key, KeyCode};
pub use key_parse::UnknownKey;
pub use modes::{Cursor, CursorShape, Modes, MouseEncoding, MouseMode};
pub use mouse::{MouseAction, MouseButton, MouseEvent};
pub use paint::Painter;
pub use paste::Paste;
pub use read::CellRef;
pub use size::{Options, Size};
pub use state::BadState;
pub use style::{Color, Style, UnderlineStyle};
pub use vt::Vt;
