//! Every key, click and paste can be encoded in every mode, and the name of a key parses to that key.
//!
//! An input consists of three bytes for a key, one for the mouse, a key's name up to a newline, and
//! output that sets modes.
#![no_main]

use cotty_fuzz::assert_sound;
use cotty_vt::{
    Key, KeyAction, KeyCode, Keypad, Media, ModifierKey, MouseAction, MouseButton, MouseEvent, Paste, Size,
    Vt,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [code, value, held, mouse, rest @ ..] = data else { return };
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let (name, setup) = rest.split_at(end);
    let mut vt = Vt::new(Size { cols: 20, rows: 4 });
    vt.feed(setup);
    assert_sound(&vt);
    let name = String::from_utf8_lossy(name);
    let given = key(*code, *value, *held);
    // The longest encodings are kitty's, with five numbers.
    assert!(vt.encode_key(&given).len() < 64, "{given:?}");
    match Key::parse(&name) {
        Ok(parsed) => {
            vt.encode_key(&parsed);
            assert_parses_back(&parsed);
        }
        Err(unknown) => {
            unknown.to_string();
            if let Some(better) = unknown.did_you_mean {
                assert!(Key::parse(&better).is_ok(), "the suggestion {better:?} is not a key");
            }
        }
    }
    vt.encode_mouse(&event(*mouse, *value, *held));
    vt.encode_focus(held & 1 != 0);
    let pasted = vt.encode_text(&name, Paste::Always);
    let inside = pasted.strip_prefix(b"\x1b[200~").expect("no opening bracket");
    let ends = inside.windows(6).filter(|window| window == b"\x1b[201~").count();
    assert_eq!(ends, 1, "the pasted text closes its bracket");
});

fn key(code: u8, value: u8, held: u8) -> Key {
    let media = [Media::Play, Media::Pause, Media::Stop, Media::MuteVolume];
    let modifiers = [ModifierKey::LeftShift, ModifierKey::RightControl, ModifierKey::IsoLevel5Shift];
    let keypad = [Keypad::Decimal, Keypad::Enter, Keypad::Equal, Keypad::Left, Keypad::Begin];
    let plain = [
        KeyCode::Enter,
        KeyCode::Tab,
        KeyCode::Backspace,
        KeyCode::Escape,
        KeyCode::Up,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::Delete,
        KeyCode::Menu,
        KeyCode::CapsLock,
        KeyCode::Pause,
    ];
    let at = usize::from(value);
    let code = match code % 8 {
        0 => KeyCode::Char(char::from(value)),
        1 => KeyCode::Char(char::from_u32(u32::from(code) << 8 | u32::from(value)).unwrap_or('é')),
        2 => KeyCode::F(value),
        3 => KeyCode::Keypad(Keypad::Digit(value)),
        4 => KeyCode::Keypad(keypad[at % keypad.len()]),
        5 => KeyCode::Media(media[at % media.len()]),
        6 => KeyCode::Modifier(modifiers[at % modifiers.len()]),
        _ => plain[at % plain.len()],
    };
    let action = match held >> 6 {
        0 | 1 => KeyAction::Press,
        2 => KeyAction::Repeat,
        _ => KeyAction::Release,
    };
    let bit = |bit: u8| held & (1 << bit) != 0;
    Key {
        code,
        ctrl: bit(0),
        alt: bit(1),
        shift: bit(2),
        super_key: bit(3),
        hyper: bit(4),
        meta: bit(5),
        action,
    }
}

fn event(mouse: u8, place: u8, held: u8) -> MouseEvent {
    let buttons = [
        MouseButton::None,
        MouseButton::Left,
        MouseButton::Middle,
        MouseButton::Right,
        MouseButton::WheelUp,
        MouseButton::WheelRight,
    ];
    let actions = [MouseAction::Press, MouseAction::Release, MouseAction::Move];
    MouseEvent {
        action: actions[usize::from(mouse >> 4) % actions.len()],
        button: buttons[usize::from(mouse & 15) % buttons.len()],
        row: u16::from(place & 7),
        col: u16::from(place >> 3),
        ctrl: held & 1 != 0,
        alt: held & 2 != 0,
        shift: held & 4 != 0,
    }
}

/// Fails unless the key, written in the plainest notation, parses to the same key.
fn assert_parses_back(key: &Key) {
    let name = match key.code {
        KeyCode::Char(' ') => "space".into(),
        // Blanks around a name are ignored.
        KeyCode::Char(c) if c.is_whitespace() => return,
        KeyCode::Char(c) => c.to_string(),
        KeyCode::F(n) => format!("f{n}"),
        KeyCode::Keypad(Keypad::Digit(n)) => format!("kp_{n}"),
        KeyCode::Keypad(pad) => format!("kp_{pad:?}"),
        KeyCode::PageUp => "pageup".into(),
        code => format!("{code:?}"),
    };
    let held = [
        (key.ctrl, "ctrl+"),
        (key.alt, "alt+"),
        (key.shift, "shift+"),
        (key.super_key, "super+"),
        (key.hyper, "hyper+"),
    ];
    let prefix: String = held.iter().filter(|(held, _)| *held).map(|(_, word)| *word).collect();
    assert_eq!(Key::parse(&format!("{prefix}{name}")).as_ref(), Ok(key));
}
