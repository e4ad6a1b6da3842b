//! cotty's terminal engine: it only computes.
//!
//! Program output goes in through [`Vt::feed`]; a screen, a history of logical lines and a list of
//! [`Effect`]s (replies owed to the program, bell, title, prompt marks…) come out. Nothing here does
//! I/O, reads a clock, panics on input or grows without bound, and where a read cut the bytes never
//! matters.
//!
//! The shape is `parser → term → rows`. A cell is eight bytes: a character or the number of a cluster,
//! and the number of a style; both tables know only what the screens show, and are swept when they
//! have grown. What scrolls off becomes text with style runs, in chunks that stand alone.
//!
//! | to change | open |
//! |---|---|
//! | which bytes make a sequence, UTF-8 | `parser.rs`, `params.rs`, `scan.rs` |
//! | what a sequence does | `term/csi.rs`, `term/esc.rs`, `term/mode.rs`, `term/osc.rs`, `term/sgr.rs` |
//! | what is answered | `term/report.rs`, `term/device.rs`, `term/color.rs`, `term/title.rs`, `term/checksum.rs` |
//! | printing, clusters, wrapping, scrolling, line ids | `term/print.rs`, `term/scroll.rs`, `unicode.rs`, `build.rs` |
//! | erasing and shifting | `term/edit.rs`, `row.rs`, `cell.rs` |
//! | cursor, tabs, saved cursor, resets | `term/cursor.rs`, `term/reset.rs` |
//! | a new size | `term/resize.rs` |
//! | what cells name by number | `tables.rs`, `styles.rs`, `look.rs`, `clusters.rs`, `links.rs` |
//! | what scrolled off, what full-screen programs showed | `history/`, `kept.rs` |
//! | reading text out, finding it | `read.rs`, `excerpt.rs`, `written.rs`, `search.rs` |
//! | exact state, invariants | `state.rs`, `verify.rs` |
//! | keys, paste, mouse, focus | `key.rs`, `key_legacy.rs`, `key_kitty.rs`, `key_parse.rs`, `keyboard.rs`, `paste.rs`, `mouse.rs` |
//! | drawing for another terminal | `paint.rs` |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod cell;
mod clusters;
mod distance;
mod effect;
mod excerpt;
mod hash;
mod history;
mod kept;
mod key;
mod key_kitty;
mod key_legacy;
mod key_parse;
mod keyboard;
mod links;
mod look;
mod modes;
mod mouse;
mod paint;
mod params;
mod parser;
mod paste;
mod read;
mod row;
mod scan;
mod screen;
mod search;
mod size;
mod state;
mod style;
mod styles;
mod tables;
mod term;
mod unicode;
mod varint;
mod verify;
mod vt;
mod written;

pub use distance::edit_distance;
pub use effect::{Effect, EffectKind, ImageKind, Mark, MarkKind};
pub use excerpt::{Excerpt, Line, LineId, Position};
pub use hash::hash;
pub use history::LineRef;
pub use kept::KeptRow;
pub use key::{Key, KeyAction, KeyCode, Keypad, Media, ModifierKey};
pub use key_parse::UnknownKey;
pub use modes::{Cursor, CursorShape, Modes, MouseEncoding, MouseMode};
pub use mouse::{MouseAction, MouseButton, MouseEvent};
pub use paint::{Painter, RowVersion};
pub use paste::Paste;
pub use read::{CellRef, CellText};
pub use search::{Match, Place};
pub use size::{Allow, Options, Size};
pub use state::BadState;
pub use style::{Color, Style, UnderlineStyle};
pub use vt::Vt;
pub use written::Until;
