use std::fmt;
use std::str::FromStr;

use cotty_protocol::op::mouse::{Action, Button, Mouse};
use cotty_protocol::op::send::Paste;
use cotty_protocol::view::FromViewer;
use cotty_vt::Key;
use crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// A key for attach itself: the prefix, or the key that detaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// The notation that the person gave; the daemon parses it, too.
    notation: String,
    pub(crate) key: Key,
}

impl Default for Chord {
    /// `Ctrl-]`: hardly any program uses it.
    fn default() -> Chord {
        let key = Key { ctrl: true, ..cotty_vt::KeyCode::Char(']').into() };
        Chord { notation: "ctrl+]".to_owned(), key }
    }
}

impl FromStr for Chord {
    type Err = String;

    /// Parses the usual notations: `ctrl+]`, `C-b`, `^A`, `f12`.
    fn from_str(notation: &str) -> Result<Chord, String> {
        let key = Key::parse(notation).map_err(|unknown| unknown.to_string())?;
        Ok(Chord { notation: notation.to_owned(), key: plain(key) })
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            Key { code: cotty_vt::KeyCode::Char(c), ctrl: true, alt: false, .. } => write!(f, "Ctrl-{c}"),
            _ => f.write_str(&self.notation),
        }
    }
}

impl Chord {
    /// The message that types this key into the program.
    pub(crate) fn message(&self) -> FromViewer {
        FromViewer::Key { key: self.notation.clone(), ctrl: false, alt: false, shift: false }
    }
}

/// A key of the outer terminal as an engine key, for comparison.
pub(crate) fn key(event: &KeyEvent) -> Option<Key> {
    use cotty_vt::KeyCode as Code;
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let code = match event.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::F(n) => Code::F(n),
        KeyCode::Enter => Code::Enter,
        KeyCode::Tab | KeyCode::BackTab => Code::Tab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Esc => Code::Escape,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Insert => Code::Insert,
        KeyCode::Delete => Code::Delete,
        _ => return None,
    };
    let held = |modifier| event.modifiers.contains(modifier);
    let shift = held(KeyModifiers::SHIFT) || event.code == KeyCode::BackTab;
    let (ctrl, alt) = (held(KeyModifiers::CONTROL), held(KeyModifiers::ALT));
    Some(plain(Key { ctrl, alt, shift, ..code.into() }))
}

/// One form for keys that terminals cannot distinguish: Ctrl-5 and Ctrl-] are the same byte.
fn plain(mut key: Key) -> Key {
    use cotty_vt::KeyCode::Char;
    if let Char(c) = key.code {
        // The character already includes Shift.
        key.shift = false;
        key.code = Char(match c {
            _ if !key.ctrl => c,
            '3' => '[',
            '4' => '\\',
            '5' => ']',
            '6' => '^',
            '7' | '/' => '_',
            '2' | '@' => ' ',
            c => c.to_ascii_lowercase(),
        });
    }
    key
}

/// The message for a key of the outer terminal, by name. The daemon encodes it for the program's modes.
pub(crate) fn message(event: &KeyEvent) -> Option<FromViewer> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let key = match event.code {
        // The character already includes Shift.
        KeyCode::Char(c) => {
            shift = false;
            c.to_string()
        }
        KeyCode::F(n) => format!("f{n}"),
        KeyCode::BackTab => {
            shift = true;
            "tab".to_owned()
        }
        code => name(code)?.to_owned(),
    };
    let (ctrl, alt) =
        (event.modifiers.contains(KeyModifiers::CONTROL), event.modifiers.contains(KeyModifiers::ALT));
    if let (KeyCode::Char(c), true, false) = (event.code, alt, ctrl) {
        // The terminal sent ESC and the character, which might be two keys typed fast. A program that distinguishes Alt
        // (modifyOtherKeys, kitty) must get the typed bytes, not a guess.
        return Some(FromViewer::Text { text: format!("\x1b{c}"), paste: Paste::Never });
    }
    Some(FromViewer::Key { key, ctrl, alt, shift })
}

fn name(code: KeyCode) -> Option<&'static str> {
    Some(match code {
        KeyCode::Enter => "enter",
        KeyCode::Tab => "tab",
        KeyCode::Backspace => "backspace",
        KeyCode::Esc => "escape",
        KeyCode::Up => "up",
        KeyCode::Down => "down",
        KeyCode::Left => "left",
        KeyCode::Right => "right",
        KeyCode::Home => "home",
        KeyCode::End => "end",
        KeyCode::PageUp => "pageup",
        KeyCode::PageDown => "pagedown",
        KeyCode::Insert => "insert",
        KeyCode::Delete => "delete",
        _ => return None,
    })
}

/// The message for a mouse event over a cell of the session, counted from 0.
pub(crate) fn mouse(event: &MouseEvent, row: u16, col: u16) -> Option<FromViewer> {
    let button = |button| match button {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    };
    let (mut action, mut pressed, mut down, mut right) = (Action::Scroll, Button::Left, None, None);
    match event.kind {
        MouseEventKind::Down(which) => (action, pressed) = (Action::Press, button(which)),
        MouseEventKind::Up(which) => (action, pressed) = (Action::Release, button(which)),
        MouseEventKind::Drag(which) => (action, pressed) = (Action::Move, button(which)),
        MouseEventKind::ScrollUp => down = Some(-1),
        MouseEventKind::ScrollDown => down = Some(1),
        MouseEventKind::ScrollLeft => right = Some(-1),
        MouseEventKind::ScrollRight => right = Some(1),
        MouseEventKind::Moved => return None,
    }
    let held = |modifier| event.modifiers.contains(modifier);
    let mouse = Mouse {
        action,
        button: pressed,
        row: Some(row + 1),
        col: Some(col + 1),
        down,
        right,
        ..Mouse::default()
    };
    let (ctrl, alt) = (held(KeyModifiers::CONTROL), held(KeyModifiers::ALT));
    Some(FromViewer::Mouse { mouse, ctrl, alt, shift: held(KeyModifiers::SHIFT) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_equals_the_key_that_the_terminal_reports() {
        // Terminals send one byte for Ctrl-] and Ctrl-5; crossterm reports the latter.
        let pressed = key(&KeyEvent::new(KeyCode::Char('5'), KeyModifiers::CONTROL)).unwrap();
        for notation in ["ctrl+]", "C-]", "^]"] {
            assert_eq!(notation.parse::<Chord>().unwrap().key, pressed, "{notation}");
        }
        let pressed = key(&KeyEvent::new(KeyCode::Char('b'), KeyModifiers::CONTROL)).unwrap();
        assert_eq!("ctrl+B".parse::<Chord>().unwrap().key, pressed);
        let pressed = key(&KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT)).unwrap();
        assert_eq!("shift+tab".parse::<Chord>().unwrap().key, pressed);
        assert!("ctrl+nothing".parse::<Chord>().unwrap_err().contains("nothing"));
        assert_eq!("ctrl+]".parse::<Chord>().unwrap(), Chord::default());
        assert_eq!(Chord::default().to_string(), "Ctrl-]");
        assert_eq!("f12".parse::<Chord>().unwrap().to_string(), "f12");
    }
}
