//! What was typed and may not have reached the shell yet. A prompt that is shown before the shell has read it all is not the
//! place to type at: the next line that runs is somebody else's.

/// What was typed since the shell was last seen to wait for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unread {
    /// All of it was read.
    Nothing,
    /// Keys without Enter.
    Keys,
    /// Whole lines, each of which may be a command.
    Lines,
}

impl Unread {
    /// Something with so many line ends was typed, too.
    pub(super) fn and_typed(self, lines: u32) -> Unread {
        self.max(if lines > 0 { Unread::Lines } else { Unread::Keys })
    }
}
