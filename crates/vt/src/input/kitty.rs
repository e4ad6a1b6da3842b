//! Encodes keys in the kitty keyboard protocol, with its five enhancements.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::input::key::{shifted, unshifted};
use crate::input::legacy;
use crate::input::protocol::{ALL_KEYS, ALTERNATES, DISAMBIGUATE, EVENTS, TEXT};
use crate::{Key, KeyAction, KeyCode, Keypad, Modes, ModifierKey};

/// Encodes a key event when at least one enhancement is on.
pub(crate) fn encode(key: &Key, modes: &Modes) -> Vec<u8> {
    let flags = modes.kitty_keyboard;
    // Only these two flags distinguish keypad keys from main keys.
    let code = match key.code {
        KeyCode::Keypad(pad) if flags & (DISAMBIGUATE | ALL_KEYS) == 0 => legacy::main_key(pad),
        code => code,
    };
    let reported = &Key { code, ..*key };
    if !is_reported(reported, flags) {
        Vec::new()
    } else if is_legacy(reported, flags) {
        legacy::plain(key, modes)
    } else if flags & ALL_KEYS == 0
        && key.action != KeyAction::Release
        && let Some(c) = text(reported)
    {
        String::from(c).into_bytes()
    } else {
        sequence(reported, flags)
    }
}

fn is_reported(key: &Key, flags: u8) -> bool {
    let all = flags & ALL_KEYS != 0;
    match key.code {
        KeyCode::Modifier(_) | KeyCode::CapsLock | KeyCode::ScrollLock | KeyCode::NumLock if !all => false,
        // A person must be able to type `reset` after a program died with its flags set.
        KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace if !all => key.action != KeyAction::Release,
        // A control character is raw input, not a key: no code exists for it.
        KeyCode::Char(c) if c.is_control() => key.action != KeyAction::Release,
        _ => key.action != KeyAction::Release || flags & EVENTS != 0,
    }
}

/// Whether a key sends the same bytes as without the protocol.
fn is_legacy(key: &Key, flags: u8) -> bool {
    match key.code {
        KeyCode::Char(c) if c.is_control() => true,
        _ if flags & ALL_KEYS != 0 => false,
        KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace if modifiers(key) == 0 => true,
        _ if flags & DISAMBIGUATE != 0 => false,
        // The other flags only extend escape codes, but legacy bytes cannot express a repeat or release.
        _ => key.action == KeyAction::Press || flags & EVENTS == 0,
    }
}

/// `CSI key:shifted ; modifiers:event ; text u`; the oldest keys have another final letter.
fn sequence(key: &Key, flags: u8) -> Vec<u8> {
    let Some((number, last)) = code(key.code) else { return Vec::new() };
    let mut first = format!("{number}");
    if flags & ALTERNATES != 0
        && let Some(c) = shifted_key(key)
    {
        first.push_str(&format!(":{}", u32::from(c)));
    }
    let event = match key.action {
        KeyAction::Repeat if flags & EVENTS != 0 => ":2",
        KeyAction::Release => ":3",
        _ => "",
    };
    let modifiers = modifiers(key);
    let second = match (modifiers, event) {
        (0, "") => String::new(),
        _ => format!("{}{event}", modifiers + 1),
    };
    // Without `ALL_KEYS`, `TEXT` has no effect, and text is sent as text.
    let with_text = flags & ALL_KEYS != 0 && flags & TEXT != 0 && key.action != KeyAction::Release;
    match text(key).filter(|_| with_text) {
        Some(c) => format!("\x1b[{first};{second};{}{last}", u32::from(c)).into(),
        None if !second.is_empty() => format!("\x1b[{first};{second}{last}").into(),
        None if number == 1 => format!("\x1b[{last}").into(),
        None => format!("\x1b[{first}{last}").into(),
    }
}

/// The protocol's bits for the modifiers. A modifier that goes down counts as held. When it goes up,
/// only the caller knows whether the other key of the pair is still held.
fn modifiers(key: &Key) -> u8 {
    use ModifierKey as M;
    let down = match key.code {
        KeyCode::Modifier(modifier) if key.action != KeyAction::Release => match modifier {
            M::LeftShift | M::RightShift => 1,
            M::LeftAlt | M::RightAlt => 2,
            M::LeftControl | M::RightControl => 4,
            M::LeftSuper | M::RightSuper => 8,
            M::LeftHyper | M::RightHyper => 16,
            M::LeftMeta | M::RightMeta => 32,
            M::IsoLevel3Shift | M::IsoLevel5Shift => 0,
        },
        _ => 0,
    };
    let held = [key.shift, key.alt, key.ctrl, key.super_key, key.hyper, key.meta];
    held.iter().zip(0..).fold(down, |bits, (held, bit)| bits | u8::from(*held) << bit)
}

/// The text that the key types; with modifiers other than shift it types nothing.
fn text(key: &Key) -> Option<char> {
    if key.alt || key.ctrl || key.super_key || key.hyper || key.meta {
        return None;
    }
    match key.code {
        KeyCode::Char(c) if key.shift => Some(shifted(c)),
        KeyCode::Char(c) => Some(c),
        KeyCode::Keypad(pad) => legacy::keypad_text(pad),
        _ => None,
    }
}

/// The shifted form of the key, which is only known for letters.
fn shifted_key(key: &Key) -> Option<char> {
    match key.code {
        KeyCode::Char(c) if key.shift => Some(shifted(c)).filter(|upper| unshifted(*upper) != *upper),
        _ => None,
    }
}

/// The protocol's number and final letter for a key.
fn code(code: KeyCode) -> Option<(u32, char)> {
    Some(match code {
        KeyCode::Char(c) => (u32::from(unshifted(c)), 'u'),
        KeyCode::Escape => (27, 'u'),
        KeyCode::Enter => (13, 'u'),
        KeyCode::Tab => (9, 'u'),
        KeyCode::Backspace => (127, 'u'),
        KeyCode::Insert => (2, '~'),
        KeyCode::Delete => (3, '~'),
        KeyCode::PageUp => (5, '~'),
        KeyCode::PageDown => (6, '~'),
        KeyCode::Up => (1, 'A'),
        KeyCode::Down => (1, 'B'),
        KeyCode::Right => (1, 'C'),
        KeyCode::Left => (1, 'D'),
        KeyCode::End => (1, 'F'),
        KeyCode::Home => (1, 'H'),
        KeyCode::CapsLock => (57358, 'u'),
        KeyCode::ScrollLock => (57359, 'u'),
        KeyCode::NumLock => (57360, 'u'),
        KeyCode::PrintScreen => (57361, 'u'),
        KeyCode::Pause => (57362, 'u'),
        KeyCode::Menu => (57363, 'u'),
        KeyCode::F(n) => return function(n),
        KeyCode::Keypad(pad) => return keypad(pad),
        KeyCode::Media(media) => (57428 + media as u32, 'u'),
        KeyCode::Modifier(modifier) => (57441 + modifier as u32, 'u'),
    })
}

fn function(n: u8) -> Option<(u32, char)> {
    let number = u32::from(n);
    Some(match n {
        1 => (1, 'P'),
        2 => (1, 'Q'),
        // `CSI R` would be a cursor position.
        3 => (13, '~'),
        4 => (1, 'S'),
        5 => (15, '~'),
        6..=10 => (11 + number, '~'),
        11 | 12 => (12 + number, '~'),
        13..=35 => (57376 - 13 + number, 'u'),
        _ => return None,
    })
}

fn keypad(pad: Keypad) -> Option<(u32, char)> {
    let number = match pad {
        Keypad::Digit(n @ 0..=9) => 57399 + u32::from(n),
        Keypad::Digit(_) => return None,
        Keypad::Decimal => 57409,
        Keypad::Divide => 57410,
        Keypad::Multiply => 57411,
        Keypad::Subtract => 57412,
        Keypad::Add => 57413,
        Keypad::Enter => 57414,
        Keypad::Equal => 57415,
        Keypad::Separator => 57416,
        Keypad::Left => 57417,
        Keypad::Right => 57418,
        Keypad::Up => 57419,
        Keypad::Down => 57420,
        Keypad::PageUp => 57421,
        Keypad::PageDown => 57422,
        Keypad::Home => 57423,
        Keypad::End => 57424,
        Keypad::Insert => 57425,
        Keypad::Delete => 57426,
        Keypad::Begin => return Some((1, 'E')),
    };
    Some((number, 'u'))
}

#[cfg(test)]
mod tests;
