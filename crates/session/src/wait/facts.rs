//! What is asked of the kernel about the program in a terminal. `task/program.rs` asks the kernel; tests answer themselves.

use cotty_pty::facts::{LineMode, Waiting};

/// What the kernel knows of a program. Each question costs a system call or more, and is asked only when it is needed.
pub(crate) trait Facts {
    /// How the line discipline treats input.
    fn line_mode(&self) -> Option<LineMode>;
    /// What the program in the foreground waits for, where the kernel tells.
    fn waiting(&self) -> Option<Waiting>;
    /// Whether the program in the foreground waits for input, or for anything to happen as an editor does.
    fn waits_for_input(&self) -> Option<bool> {
        self.waiting().map(|waiting| waiting != Waiting::No)
    }
    /// Whether input was typed that the program has not been given.
    fn queued(&self) -> bool;
    /// Bytes that were typed and that the program has not read.
    fn unread_input(&self) -> Option<u64>;
    /// Whether the program has said something that has not been read.
    fn unread_output(&self) -> bool;
    /// The name of the program in the foreground.
    fn name(&self) -> Option<String>;
    /// Whether the session's first program is in the foreground, or nobody knows.
    fn leads(&self) -> bool;
    /// Whether the shell that marked became a program that does not.
    fn was_replaced(&self) -> bool;
}
