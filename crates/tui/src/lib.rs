//! What a person sees in their own terminal: the widget that shows a session, and `attach`, the widget full screen.
//!
//! Paints from the daemon go into an engine of our own, whose cells the widget draws wherever there is room: any
//! window shows any session, and nothing of the program's bytes reaches the outer terminal.
//!
//! | to change | open |
//! |---|---|
//! | what a screen looks like, its border | `widget.rs`; which part is shown: `pan.rs` |
//! | attach: what happens, what is drawn | `attach.rs`, `attach/app.rs`, `attach/draw.rs` |
//! | its keys, its status line | `attach/prefix.rs`, `attach/status.rs`, `keys.rs` |
//! | how the person's terminal is taken and given back | `attach/outer.rs` |
//! | scrolling, searching, copying | `copy/` |

mod attach;
mod copy;
mod keys;
mod pan;
mod widget;

pub use attach::{AttachEnd, AttachOptions, attach};
pub use keys::Chord;
pub use widget::TerminalWidget;
