use clap::ValueEnum;
use cotty_protocol::op::create;

/// What a program's output can be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allow {
    /// Read the title back; it arrives as typed input
    Title,
    /// Read back what it put into the clipboard
    Clipboard,
    /// Read checksums of the screen
    Checksum,
    /// Change the terminal's size
    Resize,
}

impl Allow {
    /// All of them.
    pub(crate) const ALL: [Allow; 4] = [Allow::Title, Allow::Clipboard, Allow::Checksum, Allow::Resize];

    pub(crate) fn named(self) -> create::Allow {
        match self {
            Allow::Title => create::Allow::Title,
            Allow::Clipboard => create::Allow::Clipboard,
            Allow::Checksum => create::Allow::Checksum,
            Allow::Resize => create::Allow::Resize,
        }
    }
}
