//! Encodes keys as xterm does, including modifyOtherKeys.
//!
//! The settings are those that most terminals share: Alt and Meta send ESC before a character, and
//! Backspace sends DEL unless DECBKM is set. Modifiers that xterm drops are kept here: alt+shift+Tab
//! has its ESC, and modifyOtherKeys 1 distinguishes alt+shift+Enter from shift+Enter.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::input::key::shifted;
use crate::{Key, KeyCode, Keypad, Modes};

/// Encodes a key press.
pub(crate) fn encode(key: &Key, modes: &Modes) -> Vec<u8> {
    match other_key(key, modes) {
        Some(code) if modes.format_other_keys => format!("\x1b[{code};{}u", modifier(key)).into(),
        Some(code) => format!("\x1b[27;{};{code}~", modifier(key)).into(),
        None => plain(key, modes),
    }
}

/// Encodes a key press without modifyOtherKeys.
pub(crate) fn plain(key: &Key, modes: &Modes) -> Vec<u8> {
    let application = modes.application_cursor;
    match key.code {
        KeyCode::Char(c) => with_alt(key, character(c, key).into()),
        KeyCode::Enter => with_alt(key, enter(modes).into()),
        KeyCode::Tab if key.shift => with_alt(key, "\x1b[Z".into()),
        KeyCode::Tab => with_alt(key, "\t".into()),
        KeyCode::Backspace => with_alt(key, backspace(key, modes).into()),
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
        KeyCode::Menu => numbered(key, 29),
        KeyCode::F(n) => function(key, n),
        KeyCode::Keypad(pad) => keypad(key, pad, modes),
        KeyCode::CapsLock
        | KeyCode::ScrollLock
        | KeyCode::NumLock
        | KeyCode::PrintScreen
        | KeyCode::Pause
        | KeyCode::Media(_)
        | KeyCode::Modifier(_) => Vec::new(),
    }
}

/// The character that a keypad key types.
pub(crate) fn keypad_text(pad: Keypad) -> Option<char> {
    Some(match pad {
        Keypad::Digit(n @ 0..=9) => char::from(b'0' + n),
        Keypad::Decimal => '.',
        Keypad::Divide => '/',
        Keypad::Multiply => '*',
        Keypad::Subtract => '-',
        Keypad::Add => '+',
        Keypad::Equal => '=',
        Keypad::Separator => ',',
        _ => return None,
    })
}

/// The equivalent key of the main keyboard; the keypad key itself if there is none.
pub(crate) fn main_key(pad: Keypad) -> KeyCode {
    match pad {
        Keypad::Enter => KeyCode::Enter,
        Keypad::Left => KeyCode::Left,
        Keypad::Right => KeyCode::Right,
        Keypad::Up => KeyCode::Up,
        Keypad::Down => KeyCode::Down,
        Keypad::PageUp => KeyCode::PageUp,
        Keypad::PageDown => KeyCode::PageDown,
        Keypad::Home => KeyCode::Home,
        Keypad::End => KeyCode::End,
        Keypad::Insert => KeyCode::Insert,
        Keypad::Delete => KeyCode::Delete,
        _ => keypad_text(pad).map_or(KeyCode::Keypad(pad), KeyCode::Char),
    }
}

fn with_alt(key: &Key, text: String) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 1);
    if key.alt || key.meta {
        out.push(0x1b);
    }
    out.extend_from_slice(text.as_bytes());
    out
}

fn enter(modes: &Modes) -> &'static str {
    if modes.newline { "\r\n" } else { "\r" }
}

/// Control swaps BS and DEL.
fn backspace(key: &Key, modes: &Modes) -> char {
    if key.ctrl == modes.backarrow_backspace { '\x7f' } else { '\x08' }
}

fn character(c: char, key: &Key) -> char {
    match control(c) {
        Some(control) if key.ctrl => control,
        _ if key.shift => shifted(c),
        _ => c,
    }
}

/// The control character that a key sends with Ctrl, if X and xterm define one.
fn control(c: char) -> Option<char> {
    Some(match c {
        ' ' | '@'..='~' => char::from(c as u8 & 0x1f),
        '2' => '\0',
        '3'..='7' => char::from(c as u8 - b'3' + 0x1b),
        '/' => '\x1f',
        '?' | '8' => '\x7f',
        _ => return None,
    })
}

/// The code of a key that modifyOtherKeys turns into an escape code. Level 1 excludes keys with
/// well-known bytes; level 2 excludes little more than shifted text.
fn other_key(key: &Key, modes: &Modes) -> Option<u32> {
    let (ctrl, shift, alt) = (key.ctrl, key.shift, key.alt || key.meta);
    if modifier(key) == 1 {
        return None;
    }
    let (escaped, code) = match (key.code, modes.modify_other_keys) {
        (_, 0) => return None,
        (KeyCode::Char(c), level) => {
            let c = if shift { shifted(c) } else { c };
            let letter = matches!(c, '@'..='\x7f');
            let escaped = match level {
                // xterm maps ctrl+? to DEL only after this step, so the escape code wins.
                1 => ctrl && !letter && (alt || c == '?' || control(c).is_none()),
                _ => ctrl || alt || letter || c == ' ',
            };
            (escaped, c)
        }
        (KeyCode::Enter, 1) => (shift || !alt, '\r'),
        (KeyCode::Enter, _) => (true, '\r'),
        (KeyCode::Tab, 1) => (ctrl && !alt && !shift, '\t'),
        (KeyCode::Tab, _) => (ctrl || alt, '\t'),
        (KeyCode::Escape, 1) => (alt && (ctrl || shift), '\x1b'),
        (KeyCode::Escape, _) => (true, '\x1b'),
        (KeyCode::Backspace, 2) => (shift || alt, backspace(key, modes)),
        _ => return None,
    };
    escaped.then_some(u32::from(code))
}

/// xterm's number for the modifiers: 1, plus 1 for shift, 2 alt, 4 control, 8 meta. It has no others.
fn modifier(key: &Key) -> u8 {
    1 + u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl) + 8 * u8::from(key.meta)
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
        // Always SS3, regardless of the cursor key mode.
        1..=4 => cursor(key, char::from(b'P' + n - 1), true),
        5 => numbered(key, 15),
        6..=10 => numbered(key, 11 + n),
        11 | 12 => numbered(key, 12 + n),
        // As in terminfo's xterm entry: F13 is shift F1, F25 is control F1.
        13..=24 => function(&Key { shift: true, ..*key }, n - 12),
        25..=35 => function(&Key { ctrl: true, ..*key }, n - 24),
        _ => Vec::new(),
    }
}

/// Keypad cursor keys (Num Lock off) act like the main cursor keys. DECKPAM affects only the other
/// keypad keys; in numeric mode xterm ignores their modifiers.
fn keypad(key: &Key, pad: Keypad, modes: &Modes) -> Vec<u8> {
    if pad == Keypad::Begin {
        return cursor(key, 'E', modes.application_cursor);
    }
    let last = match (keypad_text(pad), main_key(pad)) {
        (None, KeyCode::Enter) if modes.application_keypad => 'M',
        (None, KeyCode::Enter) => return enter(modes).into(),
        // Not a real key.
        (None, KeyCode::Keypad(_)) => return Vec::new(),
        (None, code) => return plain(&Key { code, ..*key }, modes),
        (Some(c), _) if !modes.application_keypad => return String::from(c).into(),
        (Some('='), _) => 'X',
        // The DEC keypad's letters follow ASCII: `*` is j, 9 is y.
        (Some(c), _) => char::from(c as u8 + 0x40),
    };
    match modifier(key) {
        1 => format!("\x1bO{last}").into(),
        modifier => format!("\x1bO{modifier}{last}").into(),
    }
}

#[cfg(test)]
mod tests;
