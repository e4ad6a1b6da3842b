//! What a person sees in their own terminal: the widget that shows a session, and `attach`, the widget full screen.
//!
//! Paints from the daemon go into an engine of our own, whose cells the widget draws wherever there is room: any
//! window shows any session, and nothing of the program's bytes reaches the outer terminal.

mod attach;
mod keys;
mod widget;

pub use attach::{AttachEnd, attach};
pub use widget::TerminalWidget;
