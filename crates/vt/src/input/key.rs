use alloc::vec::Vec;

use crate::input::{kitty, legacy};
use crate::{Modes, Vt};

/// A key with the modifiers held; `Key { ctrl: true, ..KeyCode::Char('c').into() }` builds one.
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
    /// A Meta key of its own, besides Alt, is held.
    pub meta: bool,
    /// What happened to the key.
    pub action: KeyAction,
}

/// What can happen to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyAction {
    /// It went down.
    #[default]
    Press,
    /// It was held until it repeated.
    Repeat,
    /// It went up; only programs that ask are told.
    Release,
}

/// The keys there are.
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
    /// Begin of line.
    Home,
    /// End of line.
    End,
    /// A page up.
    PageUp,
    /// A page down.
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
    /// A key for music and volume.
    Media(Media),
    /// A modifier as a key of its own.
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
    /// The separator of thousands, a comma.
    Separator,
    /// Cursor left.
    Left,
    /// Cursor right.
    Right,
    /// Cursor up.
    Up,
    /// Cursor down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Begin of line.
    Home,
    /// End of line.
    End,
    /// Insert.
    Insert,
    /// Erase forwards.
    Delete,
    /// The key in the middle, when it is no 5.
    Begin,
}

/// The keys for music and volume, in the order of their codes.
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
    /// Wind forwards.
    FastForward,
    /// Wind back.
    Rewind,
    /// The next track.
    TrackNext,
    /// The track before.
    TrackPrevious,
    /// Record.
    Record,
    /// Softer.
    LowerVolume,
    /// Louder.
    RaiseVolume,
    /// Silent.
    MuteVolume,
}

/// The modifiers as keys, in the order of their codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModifierKey {
    /// Shift at the left.
    LeftShift,
    /// Control at the left.
    LeftControl,
    /// Alt at the left.
    LeftAlt,
    /// Super at the left.
    LeftSuper,
    /// Hyper at the left.
    LeftHyper,
    /// Meta at the left.
    LeftMeta,
    /// Shift at the right.
    RightShift,
    /// Control at the right.
    RightControl,
    /// Alt at the right.
    RightAlt,
    /// Super at the right.
    RightSuper,
    /// Hyper at the right.
    RightHyper,
    /// Meta at the right.
    RightMeta,
    /// AltGr.
    IsoLevel3Shift,
    /// The shift to a fifth level.
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
    /// The bytes a key sends in the modes that are set, xterm's or those of the kitty keyboard
    /// protocol; empty for a key that has none.
    pub fn encode_key(&self, key: &Key) -> Vec<u8> {
        encode(key, &self.term.modes)
    }
}

/// The bytes a key sends in these modes.
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

/// A capital letter is typed with shift. Not with control: `Ctrl-C` is how people write ctrl+c.
fn with_implied_shift(key: &Key) -> Key {
    match key.code {
        KeyCode::Char(c) if !key.ctrl && unshifted(c) != c => Key { shift: true, ..*key },
        _ => *key,
    }
}

/// The capital of a letter; other characters depend on a layout that nobody here knows.
pub(crate) fn shifted(c: char) -> char {
    only(c.to_uppercase()).filter(|upper| only(upper.to_lowercase()) == Some(c)).unwrap_or(c)
}

/// The small form of a capital letter.
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

    /// What a key, named as in [`Key::parse`], sends after the program wrote `setup`. A `repeat:` or
    /// `release:` before the name says what happened to it.
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

    /// Checks a table of keys and of what they send after `setup`.
    pub(crate) fn check(setup: &str, table: &[(&str, &str)]) {
        for (key, expected) in table {
            assert_eq!(sent(setup, key), *expected, "{key} after {setup:?}");
        }
    }

    #[test]
    fn only_letters_have_a_form_that_everyone_shifts_to() {
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
    fn releases_are_silent_unless_asked_for() {
        for setup in ["", "\x1b[>4;2m", "\x1b[>1u", "\x1b[>4u", "\x1b[>8u", "\x1b[>29u"] {
            for key in ["release:a", "release:ctrl+a", "release:up", "release:enter", "release:kp_1"] {
                assert_eq!(sent(setup, key), "", "{key} after {setup:?}");
            }
        }
    }

    #[test]
    fn no_key_fails_in_any_mode() {
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
