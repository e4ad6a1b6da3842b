use serde::{Deserialize, Serialize};

/// The modes that matter to readers, viewers and input encoders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Modes {
    /// The alternate screen is shown (47, 1047, 1049).
    pub alt_screen: bool,
    /// Cursor keys send SS3 sequences (DECCKM).
    pub application_cursor: bool,
    /// The keypad sends application sequences (DECKPAM).
    pub application_keypad: bool,
    /// Pasted text is sent in brackets (2004).
    pub bracketed_paste: bool,
    /// Focus changes are reported (1004).
    pub focus_events: bool,
    /// A frame is being drawn; readers do not see it until it ends (2026).
    pub synchronized: bool,
    /// Which mouse events are reported.
    pub mouse: MouseMode,
    /// How mouse events are written.
    pub mouse_encoding: MouseEncoding,
    /// The Backspace key sends BS instead of DEL (DECBKM, 67).
    pub backarrow_backspace: bool,
    /// The kitty keyboard flags of the current screen; 0 selects xterm's encoding.
    pub kitty_keyboard: u8,
    /// Which keys with modifiers become escape codes (xterm's modifyOtherKeys level): 0, 1 or 2.
    pub modify_other_keys: u8,
    /// These escape codes are written `CSI code ; modifiers u` (xterm's formatOtherKeys).
    pub format_other_keys: bool,
    /// A line feed also returns the carriage, and Enter sends CR LF (LNM).
    pub newline: bool,
    /// Foreground and background of the whole screen are swapped (DECSCNM).
    pub reverse_screen: bool,
}

/// Which mouse events the program asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MouseMode {
    /// None.
    #[default]
    Off,
    /// Presses only, without modifiers (9).
    X10,
    /// Presses and releases (1000).
    Normal,
    /// Also motion while a button is held (1002).
    Button,
    /// Also motion without a button (1003).
    Any,
}

/// How mouse events are written to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum MouseEncoding {
    /// One byte per coordinate, up to column 223.
    #[default]
    Legacy,
    /// One UTF-8 character per coordinate (1005).
    Utf8,
    /// Decimal cells (1006).
    Sgr,
    /// Decimal pixels (1016).
    SgrPixels,
}

/// Where the cursor is and how it looks; rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// Row from the top.
    pub row: u16,
    /// Column from the left.
    pub col: u16,
    /// Whether the program wants it shown (DECTCEM).
    pub visible: bool,
    /// Its shape.
    pub shape: CursorShape,
    /// Whether it blinks.
    pub blink: bool,
}

/// The cursor's shape (DECSCUSR).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CursorShape {
    /// The whole cell.
    #[default]
    Block,
    /// A line below.
    Underline,
    /// A line at the left.
    Bar,
}
