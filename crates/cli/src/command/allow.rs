use clap::ValueEnum;
use cotty_protocol::op::create;

/// What output can do to the one who shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allow {
    /// Have the title sent back, as if it were typed
    Title,
    /// Have what it put into the clipboard sent back
    Clipboard,
    /// Have sums of what the screen shows sent back
    Checksum,
    /// Change the terminal's size
    Resize,
}

impl Allow {
    /// Every one.
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
