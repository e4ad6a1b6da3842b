//! Facts about the program in a terminal. `task/program.rs` asks the kernel for them; tests provide their own.

use cotty_pty::facts::{LineMode, Waiting};

/// What the kernel knows about a program. Each method costs a system call or more, so callers use it only when needed.
pub(crate) trait Facts {
    /// How the line discipline treats input.
    fn line_mode(&self) -> Option<LineMode>;
    /// What the program in the foreground waits for, if the kernel can tell.
    fn waiting(&self) -> Option<Waiting>;
    /// Whether the program in the foreground waits for input, or for any event, as an editor does.
    fn waits_for_input(&self) -> Option<bool> {
        self.waiting().map(|waiting| waiting != Waiting::No)
    }
    /// Whether typed input still waits in the queue.
    fn queued(&self) -> bool;
    /// Bytes that the terminal was given and the program has not read.
    fn unread_input(&self) -> Option<u64>;
    /// Whether the program has written output that the daemon has not read.
    fn unread_output(&self) -> bool;
    /// The name of the program in the foreground.
    fn name(&self) -> Option<String>;
    /// Whether the session's first program is in the foreground, or the foreground is unknown.
    fn leads(&self) -> bool;
    /// Whether a shell with marks was replaced (`exec`) by a program without marks.
    fn was_replaced(&self) -> bool;
}
