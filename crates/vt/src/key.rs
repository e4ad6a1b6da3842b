use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::Vt;

/// A key with the modifiers held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key itself.
    pub code: KeyCode,
    /// Control is held.
    pub ctrl: bool,
    /// Alt (Meta, Option) is held.
    pub alt: bool,
    /// Shift is held.
    pub shift: bool,
}

/// The keys there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character.
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
    /// A function key, 1 to 24.
    F(u8),
}

impl From<KeyCode> for Key {
    fn from(code: KeyCode) -> Key {
        Key { code, ctrl: false, alt: false, shift: false }
    }
}

impl Vt {
    /// The bytes xterm sends for a key in the modes that are set; empty for a key that has none.
    pub fn encode_key(&self, key: &Key) -> Vec<u8> {
        let modes = &self.term.modes;
        let application = modes.application_cursor;
        match key.code {
            KeyCode::Char(c) => with_alt(key, character(c, key)),
            KeyCode::Enter if modes.newline => with_alt(key, "\r\n".into()),
            KeyCode::Enter => with_alt(key, "\r".into()),
            KeyCode::Tab if key.shift => with_alt(key, "\x1b[Z".into()),
            KeyCode::Tab => with_alt(key, "\t".into()),
            KeyCode::Backspace if key.ctrl => with_alt(key, "\x08".into()),
            KeyCode::Backspace => with_alt(key, "\x7f".into()),
            KeyCode::Escape => with_alt(key, "\x1b".into()),
            KeyCode::Up => cursor(key, 'A', application),
            KeyCode::Down => cursor(key, 'B', application),
            KeyCode::Right => cursor(key, 'C', application),
            KeyCode::Left => cursor(key, 'D', application),
            KeyCode::Home => cursor(key, 'H', application),
            KeyCode::End => cursor(key, 'F', application),
            KeyCode::Insert => numbered(key, 2),
            KeyCode::Delete => numbered(key, 3),
            KeyCode::PageUp => numbered(key, 5),
            KeyCode::PageDown => numbered(key, 6),
            KeyCode::F(n) => function(key, n),
        }
    }
}

fn with_alt(key: &Key, text: String) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 1);
    if key.alt {
        out.push(0x1b);
    }
    out.extend_from_slice(text.as_bytes());
    out
}

fn character(c: char, key: &Key) -> String {
    if key.ctrl
        && let Some(control) = control(c)
    {
        return String::from(control);
    }
    if key.shift { c.to_uppercase().collect() } else { String::from(c) }
}

/// The control character a key gives with Ctrl, where xterm's keyboard has one.
fn control(c: char) -> Option<char> {
    Some(match c {
        'a'..='z' | 'A'..='Z' => char::from(c as u8 & 0x1f),
        ' ' | '@' | '2' => '\0',
        '[' | '{' | '3' => '\x1b',
        '\\' | '|' | '4' => '\x1c',
        ']' | '}' | '5' => '\x1d',
        '^' | '~' | '`' | '6' => '\x1e',
        '_' | '/' | '-' | '7' => '\x1f',
        '?' | '8' => '\x7f',
        _ => return None,
    })
}

/// xterm's number for the modifiers: 1 plus shift, twice alt, four times control.
fn modifier(key: &Key) -> u8 {
    1 + u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl)
}

fn cursor(key: &Key, last: char, application: bool) -> Vec<u8> {
    match (modifier(key), application) {
        (1, true) => format!("\x1bO{last}").into(),
        (1, false) => format!("\x1b[{last}").into(),
        (modifier, _) => format!("\x1b[1;{modifier}{last}").into(),
    }
}

fn numbered(key: &Key, number: u8) -> Vec<u8> {
    match modifier(key) {
        1 => format!("\x1b[{number}~").into(),
        modifier => format!("\x1b[{number};{modifier}~").into(),
    }
}

fn function(key: &Key, n: u8) -> Vec<u8> {
    match n {
        // SS3 whatever the cursor key mode.
        1..=4 => cursor(key, char::from(b'P' + n - 1), true),
        5 => numbered(key, 15),
        6..=10 => numbered(key, 11 + n),
        11 | 12 => numbered(key, 12 + n),
        // As terminfo's xterm has it: F13 is shift F1.
        13..=24 => function(&Key { shift: true, ..*key }, n - 12),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    fn encode(setup: &str, key: &str) -> String {
        let mut vt = Vt::new(Size::default());
        vt.feed(setup.as_bytes());
        let bytes = vt.encode_key(&Key::parse(key).unwrap());
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn cursor_keys_follow_the_mode() {
        assert_eq!(encode("", "up"), "\x1b[A");
        assert_eq!(encode("\x1b[?1h", "up"), "\x1bOA");
        assert_eq!(encode("\x1b[?1h", "ctrl+up"), "\x1b[1;5A");
        assert_eq!(encode("", "home"), "\x1b[H");
        assert_eq!(encode("\x1b[?1h", "end"), "\x1bOF");
        assert_eq!(encode("", "shift+alt+left"), "\x1b[1;4D");
    }

    #[test]
    fn function_keys() {
        let expected = [
            ("f1", "\x1bOP"),
            ("f4", "\x1bOS"),
            ("shift+f1", "\x1b[1;2P"),
            ("f5", "\x1b[15~"),
            ("f6", "\x1b[17~"),
            ("f10", "\x1b[21~"),
            ("f11", "\x1b[23~"),
            ("f12", "\x1b[24~"),
            ("ctrl+f5", "\x1b[15;5~"),
            ("f13", "\x1b[1;2P"),
            ("f24", "\x1b[24;2~"),
        ];
        for (key, bytes) in expected {
            assert_eq!(encode("", key), bytes, "{key}");
        }
    }

    #[test]
    fn characters_and_controls() {
        let expected = [
            ("c", "c"),
            ("é", "é"),
            ("ctrl+c", "\x03"),
            ("ctrl+space", "\0"),
            ("C-[", "\x1b"),
            ("C-\\", "\x1c"),
            ("^]", "\x1d"),
            ("^^", "\x1e"),
            ("^_", "\x1f"),
            ("ctrl+?", "\x7f"),
            ("ctrl+2", "\0"),
            ("ctrl+8", "\x7f"),
            ("ctrl+1", "1"),
            ("ctrl+é", "é"),
            ("alt+f", "\x1bf"),
            ("ctrl+alt+x", "\x1b\x18"),
            ("shift+a", "A"),
        ];
        for (key, bytes) in expected {
            assert_eq!(encode("", key), bytes, "{key}");
        }
    }

    #[test]
    fn editing_keys() {
        let expected = [
            ("enter", "\r"),
            ("alt+enter", "\x1b\r"),
            ("tab", "\t"),
            ("shift+tab", "\x1b[Z"),
            ("backspace", "\x7f"),
            ("ctrl+backspace", "\x08"),
            ("alt+backspace", "\x1b\x7f"),
            ("esc", "\x1b"),
            ("alt+esc", "\x1b\x1b"),
            ("insert", "\x1b[2~"),
            ("delete", "\x1b[3~"),
            ("pageup", "\x1b[5~"),
            ("shift+pagedown", "\x1b[6;2~"),
        ];
        for (key, bytes) in expected {
            assert_eq!(encode("", key), bytes, "{key}");
        }
        assert_eq!(encode("\x1b[20h", "enter"), "\r\n");
    }
}
