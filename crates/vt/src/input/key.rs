use alloc::vec::Vec;

use crate::input::{kitty, legacy};
use crate::{Modes, Vt};

/// A key and its modifiers; `Key { ctrl: true, ..KeyCode::Char('c').into() }` builds one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// Control is held.
    pub ctrl: bool,
    /// Alt (Option, or what Emacs calls Meta) is held.
    pub alt: bool,
    /// Shift is held.
    pub shift: bool,
    /// Super (Command, Windows) is held.
    pub super_key: bool,
    /// Hyper is held.
    pub hyper: bool,
    /// A Meta key, distinct from Alt, is held.
    pub meta: bool,
    /// What happened to the key.
    pub action: KeyAction,
}

/// The kinds of key event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyAction {
    /// The key went down.
    #[default]
    Press,
    /// The key was held until it repeated.
    Repeat,
    /// The key went up; reported only to programs that enabled it.
    Release,
}

/// The keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character; a capital letter is that letter with shift, unless control is held.
    Char(char),
    /// Return.
    Enter,
    /// Tab.
    Tab,
    /// Erase backwards.
    Backspace,
    /// Escape.
    Escape,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Beginning of line.
    Home,
    /// End of line.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Insert.
    Insert,
    /// Erase forwards.
    Delete,
    /// A function key, 1 to 35.
    F(u8),
    /// A key of the numeric keypad.
    Keypad(Keypad),
    /// The key that opens a context menu.
    Menu,
    /// Caps Lock.
    CapsLock,
    /// Scroll Lock.
    ScrollLock,
    /// Num Lock.
    NumLock,
    /// Print Screen.
    PrintScreen,
    /// Pause.
    Pause,
    /// A media or volume key.
    Media(Media),
    /// A modifier, pressed as a key.
    Modifier(ModifierKey),
}

/// The keys of the numeric keypad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keypad {
    /// A digit, 0 to 9.
    Digit(u8),
    /// The decimal point.
    Decimal,
    /// `/`.
    Divide,
    /// `*`.
    Multiply,
    /// `-`.
    Subtract,
    /// `+`.
    Add,
    /// Enter.
    Enter,
    /// `=`.
    Equal,
    /// The thousands separator, a comma.
    Separator,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Beginning of line.
    Home,
    /// End of line.
    End,
    /// Insert.
    Insert,
    /// Erase forwards.
    Delete,
    /// The middle key, when Num Lock is off.
    Begin,
}

/// The media and volume keys, in the order of their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Media {
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// Play or pause.
    PlayPause,
    /// Play backwards.
    Reverse,
    /// Stop.
    Stop,
    /// Fast forward.
    FastForward,
    /// Rewind.
    Rewind,
    /// Next track.
    TrackNext,
    /// Previous track.
    TrackPrevious,
    /// Record.
    Record,
    /// Volume down.
    LowerVolume,
    /// Volume up.
    RaiseVolume,
    /// Mute.
    MuteVolume,
}

/// The modifier keys, in the order of their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModifierKey {
    /// Left Shift.
    LeftShift,
    /// Left Control.
    LeftControl,
    /// Left Alt.
    LeftAlt,
    /// Left Super.
    LeftSuper,
    /// Left Hyper.
    LeftHyper,
    /// Left Meta.
    LeftMeta,
    /// Right Shift.
    RightShift,
    /// Right Control.
    RightControl,
    /// Right Alt.
    RightAlt,
    /// Right Super.
    RightSuper,
    /// Right Hyper.
    RightHyper,
    /// Right Meta.
    RightMeta,
    /// AltGr.
    IsoLevel3Shift,
    /// ISO level 5 shift.
    IsoLevel5Shift,
}

impl From<KeyCode> for Key {
    fn from(code: KeyCode) -> Key {
        Key {
            code,
            ctrl: false,
            alt: false,
            shift: false,
            super_key: false,
            hyper: false,
            meta: false,
            action: KeyAction::Press,
        }
    }
}

impl Vt {
    /// The bytes that a key sends in the current modes, in xterm's encoding or that of the kitty
    /// keyboard protocol; empty for a key that sends nothing.
    pub fn encode_key(&self, key: &Key) -> Vec<u8> {
        encode(key, &self.term.modes)
    }
}

/// The bytes that a key sends in these modes.
pub(crate) fn encode(key: &Key, modes: &Modes) -> Vec<u8> {
    let key = &with_implied_shift(key);
    if modes.kitty_keyboard != 0 {
        kitty::encode(key, modes)
    } else if key.action == KeyAction::Release {
        Vec::new()
    } else {
        legacy::encode(key, modes)
    }
}

/// A capital letter implies shift, except with control: `Ctrl-C` is how people write ctrl+c.
fn with_implied_shift(key: &Key) -> Key {
    match key.code {
        KeyCode::Char(c) if !key.ctrl && unshifted(c) != c => Key { shift: true, ..*key },
        _ => *key,
    }
}

/// The capital form of a letter; for other characters it depends on the keyboard layout, which is unknown here.
pub(crate) fn shifted(c: char) -> char {
    only(c.to_uppercase()).filter(|upper| only(upper.to_lowercase()) == Some(c)).unwrap_or(c)
}

/// The lower-case form of a capital letter.
pub(crate) fn unshifted(c: char) -> char {
    only(c.to_lowercase()).filter(|lower| only(lower.to_uppercase()) == Some(c)).unwrap_or(c)
}

fn only(mut chars: impl Iterator<Item = char>) -> Option<char> {
    chars.next().filter(|_| chars.next().is_none())
}

#[cfg(test)]
pub(crate) mod tests {
    use alloc::string::String;

    use super::*;
    use crate::Size;

    /// What a key, named as in [`Key::parse`], sends after the program wrote `setup`. The prefixes
    /// `repeat:` and `release:` select the action.
    pub(crate) fn sent(setup: &str, key: &str) -> String {
        let mut vt = Vt::new(Size::default());
        vt.feed(setup.as_bytes());
        let (action, name) = match key.split_once(':') {
            Some(("repeat", name)) => (KeyAction::Repeat, name),
            Some(("release", name)) => (KeyAction::Release, name),
            _ => (KeyAction::Press, key),
        };
        let key = Key { action, ..Key::parse(name).unwrap() };
        String::from_utf8(vt.encode_key(&key)).unwrap()
    }

    /// Checks a table of keys and the text they send after `setup`.
    pub(crate) fn check(setup: &str, table: &[(&str, &str)]) {
        for (key, expected) in table {
            assert_eq!(sent(setup, key), *expected, "{key} after {setup:?}");
        }
    }

    #[test]
    fn only_letters_have_a_shifted_form() {
        for (small, capital) in [('a', 'A'), ('é', 'É'), ('я', 'Я'), ('ω', 'Ω')] {
            assert_eq!(shifted(small), capital);
            assert_eq!(unshifted(capital), small);
            assert_eq!((shifted(capital), unshifted(small)), (capital, small));
        }
        for c in ['1', '!', ' ', 'ß', '日'] {
            assert_eq!((shifted(c), unshifted(c)), (c, c));
        }
    }

    #[test]
    fn releases_send_nothing_unless_enabled() {
        for setup in ["", "\x1b[>4;2m", "\x1b[>1u", "\x1b[>4u", "\x1b[>8u", "\x1b[>29u"] {
            for key in ["release:a", "release:ctrl+a", "release:up", "release:enter", "release:kp_1"] {
                assert_eq!(sent(setup, key), "", "{key} after {setup:?}");
            }
        }
    }

    #[test]
    fn every_key_can_be_encoded_in_every_mode() {
        let codes = [
            KeyCode::Char('\0'),
            KeyCode::Char('\u{10ffff}'),
            KeyCode::F(0),
            KeyCode::F(36),
            KeyCode::F(255),
            KeyCode::Keypad(Keypad::Digit(10)),
            KeyCode::Keypad(Keypad::Digit(255)),
            KeyCode::Media(Media::MuteVolume),
            KeyCode::Modifier(ModifierKey::IsoLevel5Shift),
        ];
        for kitty_keyboard in 0..32 {
            for (code, action) in
                codes.iter().flat_map(|code| [(code, KeyAction::Press), (code, KeyAction::Release)])
            {
                let modes = Modes { kitty_keyboard, modify_other_keys: 2, ..Modes::default() };
                let key = Key { alt: true, shift: true, action, ..Key::from(*code) };
                assert!(encode(&key, &modes).len() < 32);
            }
        }
    }
}
