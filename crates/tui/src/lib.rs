//! The terminal user interface: the widget that shows a session, and `attach`, which shows it full screen.
//!
//! Paints from the daemon go into a local engine. The widget draws its cells, so any window can show any session, and no
//! byte of the program reaches the outer terminal.
//!
//! | to change | open |
//! |---|---|
//! | how a screen and its border are drawn | `widget.rs`; which part is shown: `pan.rs` |
//! | attach: events, drawing | `attach.rs`, `attach/app.rs`, `attach/draw.rs` |
//! | its keys, its status line | `attach/prefix.rs`, `attach/status.rs`, `keys.rs` |
//! | how the person's terminal is set up and restored | `attach/outer.rs` |
//! | scrolling, searching, copying | `copy/` |

mod attach;
mod copy;
mod keys;
mod pan;
mod widget;

pub use attach::{AttachEnd, AttachOptions, attach};
pub use keys::Chord;
pub use widget::TerminalWidget;
