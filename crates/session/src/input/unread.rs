//! Input that the shell may not have read yet. Until the shell has read all of it, its prompt is not free: a line that was
//! typed earlier runs next.

/// Input that was typed since the shell was last seen waiting for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unread {
    /// The shell has read all input.
    Nothing,
    /// Keys without Enter.
    Keys,
    /// Whole lines, each of which may be a command.
    Lines,
}

impl Unread {
    /// Adds input with this many line ends.
    pub(super) fn and_typed(self, lines: u32) -> Unread {
        self.max(if lines > 0 { Unread::Lines } else { Unread::Keys })
    }
}
