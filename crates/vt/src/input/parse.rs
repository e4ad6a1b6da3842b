use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::distance::edit_distance;
use crate::input::key::shifted;
use crate::{Key, KeyCode, Keypad};

/// The error for a key name that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The name as given.
    pub given: String,
    /// The nearest valid name, if one is close enough.
    pub did_you_mean: Option<String>,
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown key {:?}", self.given)?;
        match &self.did_you_mean {
            Some(key) => write!(f, "; did you mean {key:?}?"),
            None => write!(f, "; keys are written like \"enter\", \"ctrl+c\", \"f5\" or a single character"),
        }
    }
}

impl core::error::Error for UnknownKey {}

impl Key {
    /// The key with more modifiers. Shift with a letter is the capital letter: terminals do not distinguish the two.
    pub fn with(self, ctrl: bool, alt: bool, shift: bool) -> Key {
        let code = match self.code {
            KeyCode::Char(c) if shift => KeyCode::Char(shifted(c)),
            code => code,
        };
        Key { code, ctrl: self.ctrl | ctrl, alt: self.alt | alt, shift: self.shift | shift, ..self }
    }

    /// Parses a key in any of the usual notations: `enter`, `f5`, `c`, `ctrl+c`, `C-c`, `^C`, `[UP]`,
    /// `<Esc>`, `<C-x>`, `M-f`, `shift+tab`, `super+x`, `kp_5`. Names are case-insensitive. Meta means
    /// alt, as in Emacs.
    pub fn parse(s: &str) -> Result<Key, UnknownKey> {
        if let Some(c) = only_char(s) {
            return Ok(KeyCode::Char(c).into());
        }
        let inner = unwrapped(s).unwrap_or(s).trim();
        if let Some(c) = inner.strip_prefix('^').and_then(only_char) {
            return Ok(Key { ctrl: true, ..KeyCode::Char(c.to_ascii_lowercase()).into() });
        }
        let (modifiers, name) = split_modifiers(inner);
        let mut key = Key::from(KeyCode::Escape);
        for modifier in &modifiers {
            match modifier {
                Modifier::Ctrl => key.ctrl = true,
                Modifier::Alt => key.alt = true,
                Modifier::Shift => key.shift = true,
                Modifier::Super => key.super_key = true,
                Modifier::Hyper => key.hyper = true,
            }
        }
        match named(name) {
            Some((code, shift)) => {
                key.code = match code {
                    KeyCode::Char(c) if key.ctrl => KeyCode::Char(c.to_ascii_lowercase()),
                    code => code,
                };
                key.shift |= shift;
                Ok(key)
            }
            None => Err(UnknownKey { given: s.to_string(), did_you_mean: nearest(&modifiers, name) }),
        }
    }
}

#[derive(Clone, Copy)]
enum Modifier {
    Ctrl,
    Alt,
    Shift,
    Super,
    Hyper,
}

/// The key names, and whether each implies shift.
const NAMES: &[(&str, KeyCode, bool)] = &[
    ("enter", KeyCode::Enter, false),
    ("return", KeyCode::Enter, false),
    ("ret", KeyCode::Enter, false),
    ("cr", KeyCode::Enter, false),
    ("tab", KeyCode::Tab, false),
    ("backtab", KeyCode::Tab, true),
    ("btab", KeyCode::Tab, true),
    ("backspace", KeyCode::Backspace, false),
    ("bspace", KeyCode::Backspace, false),
    ("bs", KeyCode::Backspace, false),
    ("escape", KeyCode::Escape, false),
    ("esc", KeyCode::Escape, false),
    ("up", KeyCode::Up, false),
    ("down", KeyCode::Down, false),
    ("left", KeyCode::Left, false),
    ("right", KeyCode::Right, false),
    ("arrowup", KeyCode::Up, false),
    ("arrowdown", KeyCode::Down, false),
    ("arrowleft", KeyCode::Left, false),
    ("arrowright", KeyCode::Right, false),
    ("home", KeyCode::Home, false),
    ("end", KeyCode::End, false),
    ("pageup", KeyCode::PageUp, false),
    ("pgup", KeyCode::PageUp, false),
    ("ppage", KeyCode::PageUp, false),
    ("prior", KeyCode::PageUp, false),
    ("pagedown", KeyCode::PageDown, false),
    ("pgdn", KeyCode::PageDown, false),
    ("pgdown", KeyCode::PageDown, false),
    ("npage", KeyCode::PageDown, false),
    ("next", KeyCode::PageDown, false),
    ("insert", KeyCode::Insert, false),
    ("ins", KeyCode::Insert, false),
    ("ic", KeyCode::Insert, false),
    ("delete", KeyCode::Delete, false),
    ("del", KeyCode::Delete, false),
    ("dc", KeyCode::Delete, false),
    ("space", KeyCode::Char(' '), false),
    ("spc", KeyCode::Char(' '), false),
    ("plus", KeyCode::Char('+'), false),
    ("minus", KeyCode::Char('-'), false),
    ("lt", KeyCode::Char('<'), false),
    ("gt", KeyCode::Char('>'), false),
    ("menu", KeyCode::Menu, false),
    ("caps_lock", KeyCode::CapsLock, false),
    ("scroll_lock", KeyCode::ScrollLock, false),
    ("num_lock", KeyCode::NumLock, false),
    ("print_screen", KeyCode::PrintScreen, false),
    ("prtsc", KeyCode::PrintScreen, false),
    ("pause", KeyCode::Pause, false),
];

/// The names of the keypad keys after `kp_`, except digits.
const KEYPAD: &[(&str, Keypad)] = &[
    ("decimal", Keypad::Decimal),
    ("period", Keypad::Decimal),
    (".", Keypad::Decimal),
    ("divide", Keypad::Divide),
    ("/", Keypad::Divide),
    ("multiply", Keypad::Multiply),
    ("*", Keypad::Multiply),
    ("subtract", Keypad::Subtract),
    ("minus", Keypad::Subtract),
    ("-", Keypad::Subtract),
    ("add", Keypad::Add),
    ("plus", Keypad::Add),
    ("+", Keypad::Add),
    ("enter", Keypad::Enter),
    ("equal", Keypad::Equal),
    ("=", Keypad::Equal),
    ("separator", Keypad::Separator),
    ("comma", Keypad::Separator),
    (",", Keypad::Separator),
    ("left", Keypad::Left),
    ("right", Keypad::Right),
    ("up", Keypad::Up),
    ("down", Keypad::Down),
    ("pageup", Keypad::PageUp),
    ("pagedown", Keypad::PageDown),
    ("home", Keypad::Home),
    ("end", Keypad::End),
    ("insert", Keypad::Insert),
    ("delete", Keypad::Delete),
    ("begin", Keypad::Begin),
];

/// The highest function key.
const FUNCTIONS: u8 = 35;

fn only_char(s: &str) -> Option<char> {
    let mut chars = s.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// The inside of `[UP]` or `<Esc>`.
fn unwrapped(s: &str) -> Option<&str> {
    let inner = s
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .or_else(|| s.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')))?;
    (!inner.is_empty()).then_some(inner)
}

fn split_modifiers(s: &str) -> (Vec<Modifier>, &str) {
    let mut modifiers = Vec::new();
    let mut rest = s;
    while let Some((at, separator)) = rest.char_indices().find(|(_, c)| matches!(c, '+' | '-')) {
        let (word, after) = (rest[..at].trim(), rest[at + 1..].trim_start());
        // Single letters are modifiers only in the Emacs notation.
        let modifier = match (word.to_ascii_lowercase().as_str(), separator) {
            ("ctrl" | "control" | "ctl", _) | ("c", '-') => Modifier::Ctrl,
            ("alt" | "meta" | "option" | "opt", _) | ("m" | "a", '-') => Modifier::Alt,
            ("shift", _) | ("s", '-') => Modifier::Shift,
            ("super" | "cmd" | "command" | "win" | "windows", _) => Modifier::Super,
            ("hyper", _) => Modifier::Hyper,
            _ => break,
        };
        if after.is_empty() || modifiers.len() == 8 {
            break;
        }
        modifiers.push(modifier);
        rest = after;
    }
    (modifiers, rest)
}

/// Normalizes a name for comparison: `Page Up`, `page_up` and `pageup` are equal.
fn folded(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '_')).flat_map(char::to_lowercase).collect()
}

fn named(name: &str) -> Option<(KeyCode, bool)> {
    if let Some(c) = only_char(name) {
        return Some((KeyCode::Char(c), false));
    }
    let folded_name = folded(name);
    if let Some(number) = folded_name.strip_prefix('f')
        && let Ok(n @ 1..=FUNCTIONS) = number.parse::<u8>()
    {
        return Some((KeyCode::F(n), false));
    }
    if let Some(rest) = folded_name.strip_prefix("kp") {
        return keypad(rest).map(|pad| (KeyCode::Keypad(pad), false));
    }
    NAMES.iter().find(|(known, ..)| folded(known) == folded_name).map(|(_, code, shift)| (*code, *shift))
}

fn keypad(name: &str) -> Option<Keypad> {
    match name.as_bytes() {
        [digit @ b'0'..=b'9'] => Some(Keypad::Digit(digit - b'0')),
        _ => KEYPAD.iter().find(|(known, _)| *known == name).map(|(_, pad)| *pad),
    }
}

/// The nearest name, if at most a third of it differs.
fn nearest(modifiers: &[Modifier], name: &str) -> Option<String> {
    let given: String = folded(name).chars().take(32).collect();
    let functions = (1..=FUNCTIONS).map(|n| format!("f{n}"));
    let words = KEYPAD.iter().map(|(name, _)| format!("kp_{name}"));
    let digits = (0..=9).map(|n| format!("kp_{n}"));
    let names =
        NAMES.iter().map(|(name, ..)| (*name).to_string()).chain(functions).chain(words).chain(digits);
    let (distance, best) =
        names.map(|known| (edit_distance(&given, &folded(&known)), known)).min_by_key(|(d, _)| *d)?;
    if distance * 3 > best.len().max(3) {
        return None;
    }
    let mut out = String::new();
    for modifier in modifiers {
        out.push_str(match modifier {
            Modifier::Ctrl => "ctrl+",
            Modifier::Alt => "alt+",
            Modifier::Shift => "shift+",
            Modifier::Super => "super+",
            Modifier::Hyper => "hyper+",
        });
    }
    out.push_str(&best);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: &str) -> Key {
        Key {
            ctrl: modifiers.contains('c'),
            alt: modifiers.contains('a'),
            shift: modifiers.contains('s'),
            super_key: modifiers.contains('w'),
            hyper: modifiers.contains('h'),
            ..code.into()
        }
    }

    #[test]
    fn shift_with_a_letter_is_its_capital() {
        for (letter, capital) in [('a', 'A'), ('ü', 'Ü'), ('ß', 'ß'), ('1', '1')] {
            let pressed = Key::from(KeyCode::Char(letter)).with(true, false, true);
            assert_eq!(pressed, key(KeyCode::Char(capital), "cs"));
        }
    }

    #[test]
    fn every_notation_is_parsed() {
        let ctrl_c = key(KeyCode::Char('c'), "c");
        for notation in ["ctrl+c", "C-c", "^C", "^c", "<C-c>", "Ctrl-C", "control + c", "[ctrl+c]"] {
            assert_eq!(Key::parse(notation).unwrap(), ctrl_c, "{notation}");
        }
        let cases = [
            ("enter", key(KeyCode::Enter, "")),
            ("Return", key(KeyCode::Enter, "")),
            ("[UP]", key(KeyCode::Up, "")),
            ("<Esc>", key(KeyCode::Escape, "")),
            ("pgup", key(KeyCode::PageUp, "")),
            ("Page Up", key(KeyCode::PageUp, "")),
            ("page_down", key(KeyCode::PageDown, "")),
            ("F5", key(KeyCode::F(5), "")),
            ("alt+f", key(KeyCode::Char('f'), "a")),
            ("M-f", key(KeyCode::Char('f'), "a")),
            ("M-F", key(KeyCode::Char('F'), "a")),
            ("shift+tab", key(KeyCode::Tab, "s")),
            ("backtab", key(KeyCode::Tab, "s")),
            ("C-M-x", key(KeyCode::Char('x'), "ca")),
            ("A", key(KeyCode::Char('A'), "")),
            ("^", key(KeyCode::Char('^'), "")),
            ("+", key(KeyCode::Char('+'), "")),
            ("ctrl++", key(KeyCode::Char('+'), "c")),
            ("C--", key(KeyCode::Char('-'), "c")),
            ("[", key(KeyCode::Char('['), "")),
            ("^[", key(KeyCode::Char('['), "c")),
            (" ", key(KeyCode::Char(' '), "")),
            ("日", key(KeyCode::Char('日'), "")),
            ("meta+f", key(KeyCode::Char('f'), "a")),
            ("super+f", key(KeyCode::Char('f'), "w")),
            ("cmd-f", key(KeyCode::Char('f'), "w")),
            ("ctrl+super+hyper+shift+up", key(KeyCode::Up, "cwhs")),
            ("f25", key(KeyCode::F(25), "")),
            ("<F35>", key(KeyCode::F(35), "")),
            ("Menu", key(KeyCode::Menu, "")),
            ("CapsLock", key(KeyCode::CapsLock, "")),
            ("num lock", key(KeyCode::NumLock, "")),
            ("Scroll_Lock", key(KeyCode::ScrollLock, "")),
            ("PrintScreen", key(KeyCode::PrintScreen, "")),
            ("pause", key(KeyCode::Pause, "")),
            ("kp_0", key(KeyCode::Keypad(Keypad::Digit(0)), "")),
            ("KP9", key(KeyCode::Keypad(Keypad::Digit(9)), "")),
            ("kp_enter", key(KeyCode::Keypad(Keypad::Enter), "")),
            ("KPEnter", key(KeyCode::Keypad(Keypad::Enter), "")),
            ("ctrl+kp_add", key(KeyCode::Keypad(Keypad::Add), "c")),
            ("KP+", key(KeyCode::Keypad(Keypad::Add), "")),
            ("KP-", key(KeyCode::Keypad(Keypad::Subtract), "")),
            ("ctrl+kp_-", key(KeyCode::Keypad(Keypad::Subtract), "c")),
            ("KP*", key(KeyCode::Keypad(Keypad::Multiply), "")),
            ("kp_page_up", key(KeyCode::Keypad(Keypad::PageUp), "")),
            ("kp_begin", key(KeyCode::Keypad(Keypad::Begin), "")),
        ];
        for (notation, expected) in cases {
            assert_eq!(Key::parse(notation).unwrap(), expected, "{notation}");
        }
    }

    #[test]
    fn an_unknown_key_suggests_the_nearest_name() {
        let error = |s: &str| Key::parse(s).unwrap_err();
        assert_eq!(error("entr").did_you_mean.as_deref(), Some("enter"));
        assert_eq!(error("ctrl+dwon").did_you_mean.as_deref(), Some("ctrl+down"));
        assert_eq!(error("ctrl+ddown").did_you_mean.as_deref(), Some("ctrl+down"));
        assert_eq!(error("f36").did_you_mean.as_deref(), Some("f3"));
        assert_eq!(error("kp_entr").did_you_mean.as_deref(), Some("kp_enter"));
        assert_eq!(error("super+kp_subtrac").did_you_mean.as_deref(), Some("super+kp_subtract"));
        assert_eq!(error("capslok").did_you_mean.as_deref(), Some("caps_lock"));
        assert_eq!(error("").did_you_mean, None);
        assert_eq!(error("qwertyuiop").did_you_mean, None);
        assert!(error("entr").to_string().contains("did you mean \"enter\""));
    }
}
