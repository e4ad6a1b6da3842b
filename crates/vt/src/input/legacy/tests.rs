use alloc::format;
use alloc::string::String;

use crate::input::key::tests::{check, sent};
use crate::{Key, KeyCode, Media, ModifierKey, Size, Vt};

#[test]
fn cursor_keys_follow_the_mode() {
    let keys = ["up", "down", "right", "left", "home", "end"];
    for (key, last) in keys.iter().zip("ABCDHF".chars()) {
        for key in ["", "kp_", "super+hyper+"].map(|before| format!("{before}{key}")) {
            assert_eq!(sent("", &key), format!("\x1b[{last}"), "{key}");
            assert_eq!(sent("\x1b[?1h", &key), format!("\x1bO{last}"), "{key}");
            assert_eq!(sent("\x1b[?1h\x1b[?1l", &key), format!("\x1b[{last}"), "{key}");
            // A sequence with modifiers is CSI in both modes.
            for setup in ["", "\x1b[?1h"] {
                assert_eq!(sent(setup, &format!("ctrl+{key}")), format!("\x1b[1;5{last}"), "{key}");
            }
        }
    }
}

#[test]
fn modifiers_are_encoded_as_numbers() {
    let numbers = [
        ("shift", 2),
        ("alt", 3),
        ("shift+alt", 4),
        ("ctrl", 5),
        ("shift+ctrl", 6),
        ("alt+ctrl", 7),
        ("shift+alt+ctrl", 8),
    ];
    for (modifiers, n) in numbers {
        assert_eq!(sent("", &format!("{modifiers}+left")), format!("\x1b[1;{n}D"), "{modifiers}");
        assert_eq!(sent("", &format!("{modifiers}+f2")), format!("\x1b[1;{n}Q"), "{modifiers}");
        assert_eq!(sent("", &format!("{modifiers}+f7")), format!("\x1b[18;{n}~"), "{modifiers}");
        assert_eq!(sent("", &format!("{modifiers}+delete")), format!("\x1b[3;{n}~"), "{modifiers}");
    }
    let vt = Vt::new(Size::default());
    let meta = Key { meta: true, ..KeyCode::Up.into() };
    assert_eq!(vt.encode_key(&meta), b"\x1b[1;9A");
    assert_eq!(vt.encode_key(&Key { ctrl: true, shift: true, alt: true, ..meta }), b"\x1b[1;16A");
    assert_eq!(vt.encode_key(&Key { code: KeyCode::Char('x'), ..meta }), b"\x1bx");
}

#[test]
fn function_keys() {
    let table = [
        ("f1", "\x1bOP"),
        ("f2", "\x1bOQ"),
        ("f3", "\x1bOR"),
        ("f4", "\x1bOS"),
        ("shift+f1", "\x1b[1;2P"),
        ("ctrl+f3", "\x1b[1;5R"),
        ("f5", "\x1b[15~"),
        ("f6", "\x1b[17~"),
        ("f7", "\x1b[18~"),
        ("f8", "\x1b[19~"),
        ("f9", "\x1b[20~"),
        ("f10", "\x1b[21~"),
        ("f11", "\x1b[23~"),
        ("f12", "\x1b[24~"),
        ("ctrl+f5", "\x1b[15;5~"),
        ("f13", "\x1b[1;2P"),
        ("f16", "\x1b[1;2S"),
        ("f17", "\x1b[15;2~"),
        ("f24", "\x1b[24;2~"),
        ("f25", "\x1b[1;5P"),
        ("f35", "\x1b[23;5~"),
        ("menu", "\x1b[29~"),
        ("shift+menu", "\x1b[29;2~"),
    ];
    check("", &table);
    check("\x1b[?1h", &table);
    check("\x1b[>4;2m", &table);
}

#[test]
fn characters_and_controls() {
    let table = [
        ("c", "c"),
        ("A", "A"),
        ("é", "é"),
        ("shift+a", "A"),
        ("shift+é", "É"),
        ("shift+1", "1"),
        ("ctrl+c", "\x03"),
        ("ctrl+shift+c", "\x03"),
        ("ctrl+space", "\0"),
        ("C-@", "\0"),
        ("ctrl+`", "\0"),
        ("C-[", "\x1b"),
        ("C-\\", "\x1c"),
        ("^]", "\x1d"),
        ("^^", "\x1e"),
        ("ctrl+~", "\x1e"),
        ("^_", "\x1f"),
        ("ctrl+/", "\x1f"),
        ("ctrl+?", "\x7f"),
        ("ctrl+1", "1"),
        ("ctrl+2", "\0"),
        ("ctrl+3", "\x1b"),
        ("ctrl+4", "\x1c"),
        ("ctrl+5", "\x1d"),
        ("ctrl+6", "\x1e"),
        ("ctrl+7", "\x1f"),
        ("ctrl+8", "\x7f"),
        ("ctrl+9", "9"),
        ("ctrl+0", "0"),
        ("ctrl+;", ";"),
        ("ctrl+minus", "-"),
        ("ctrl+é", "é"),
        ("alt+f", "\x1bf"),
        ("alt+F", "\x1bF"),
        ("alt+shift+f", "\x1bF"),
        ("alt+é", "\x1bé"),
        ("alt+[", "\x1b["),
        ("ctrl+alt+x", "\x1b\x18"),
        ("super+x", "x"),
        ("repeat:x", "x"),
    ];
    check("", &table);
    for (n, c) in (1..).zip('a'..='z') {
        assert_eq!(sent("", &format!("ctrl+{c}")), String::from(char::from(n)));
    }
}

#[test]
fn editing_keys() {
    let table = [
        ("enter", "\r"),
        ("shift+enter", "\r"),
        ("ctrl+enter", "\r"),
        ("alt+enter", "\x1b\r"),
        ("tab", "\t"),
        ("ctrl+tab", "\t"),
        ("shift+tab", "\x1b[Z"),
        ("alt+tab", "\x1b\t"),
        ("alt+shift+tab", "\x1b\x1b[Z"),
        ("esc", "\x1b"),
        ("shift+esc", "\x1b"),
        ("alt+esc", "\x1b\x1b"),
        ("insert", "\x1b[2~"),
        ("delete", "\x1b[3~"),
        ("pageup", "\x1b[5~"),
        ("shift+pagedown", "\x1b[6;2~"),
    ];
    check("", &table);
    let newline = [("enter", "\r\n"), ("alt+enter", "\x1b\r\n"), ("kp_enter", "\r\n")];
    check("\x1b[20h", &newline);
}

#[test]
fn backspace_follows_the_backarrow_mode() {
    let del = [
        ("backspace", "\x7f"),
        ("shift+backspace", "\x7f"),
        ("ctrl+backspace", "\x08"),
        ("alt+backspace", "\x1b\x7f"),
        ("ctrl+alt+backspace", "\x1b\x08"),
    ];
    check("", &del);
    check("\x1b[?67h\x1b[?67l", &del);
    let bs = [
        ("backspace", "\x08"),
        ("ctrl+backspace", "\x7f"),
        ("alt+backspace", "\x1b\x08"),
        ("ctrl+alt+backspace", "\x1b\x7f"),
    ];
    check("\x1b[?67h", &bs);
}

#[test]
fn the_keypad_follows_its_mode() {
    let numeric = [
        ("kp_0", "0"),
        ("kp_9", "9"),
        ("kp_decimal", "."),
        ("kp_divide", "/"),
        ("kp_multiply", "*"),
        ("kp_subtract", "-"),
        ("kp_add", "+"),
        ("kp_enter", "\r"),
        ("kp_equal", "="),
        ("kp_separator", ","),
        ("ctrl+kp_5", "5"),
    ];
    check("", &numeric);
    check("\x1b=\x1b>", &numeric);
    check("\x1b[?66h\x1b[?66l", &numeric);
    check("\x1b[>4;2m", &numeric);
    let application = [
        ("kp_0", "\x1bOp"),
        ("kp_1", "\x1bOq"),
        ("kp_2", "\x1bOr"),
        ("kp_3", "\x1bOs"),
        ("kp_4", "\x1bOt"),
        ("kp_5", "\x1bOu"),
        ("kp_6", "\x1bOv"),
        ("kp_7", "\x1bOw"),
        ("kp_8", "\x1bOx"),
        ("kp_9", "\x1bOy"),
        ("kp_decimal", "\x1bOn"),
        ("kp_divide", "\x1bOo"),
        ("kp_multiply", "\x1bOj"),
        ("kp_subtract", "\x1bOm"),
        ("kp_add", "\x1bOk"),
        ("kp_enter", "\x1bOM"),
        ("kp_equal", "\x1bOX"),
        ("kp_separator", "\x1bOl"),
        ("ctrl+kp_0", "\x1bO5p"),
    ];
    check("\x1b=", &application);
    check("\x1b[?66h", &application);
    // This mode does not affect the main keyboard.
    check("\x1b=", &[("5", "5"), ("enter", "\r"), ("+", "+")]);
    let moving = [
        ("kp_begin", "\x1b[E"),
        ("kp_insert", "\x1b[2~"),
        ("kp_delete", "\x1b[3~"),
        ("kp_pageup", "\x1b[5~"),
        ("kp_pagedown", "\x1b[6~"),
        ("alt+kp_pagedown", "\x1b[6;3~"),
    ];
    check("", &moving);
    check("\x1b=", &moving);
    check("\x1b[?1h", &[("kp_begin", "\x1bOE"), ("shift+kp_begin", "\x1b[1;2E")]);
}

#[test]
fn keys_without_an_xterm_encoding_send_nothing() {
    check("", &[("capslock", ""), ("scrolllock", ""), ("numlock", ""), ("printscreen", ""), ("pause", "")]);
    let vt = Vt::new(Size::default());
    assert_eq!(vt.encode_key(&KeyCode::Media(Media::Play).into()), b"");
    assert_eq!(vt.encode_key(&KeyCode::Modifier(ModifierKey::LeftShift).into()), b"");
}

#[test]
fn modify_other_keys_1_keeps_well_known_bytes() {
    let table = [
        // Keys without well-known bytes become escape codes.
        ("ctrl+1", "\x1b[27;5;49~"),
        ("ctrl+9", "\x1b[27;5;57~"),
        ("ctrl+;", "\x1b[27;5;59~"),
        ("ctrl+.", "\x1b[27;5;46~"),
        ("ctrl+!", "\x1b[27;5;33~"),
        ("ctrl+shift+!", "\x1b[27;6;33~"),
        ("ctrl+minus", "\x1b[27;5;45~"),
        ("ctrl+?", "\x1b[27;5;63~"),
        ("ctrl+é", "\x1b[27;5;233~"),
        ("ctrl+alt+1", "\x1b[27;7;49~"),
        ("ctrl+alt+space", "\x1b[27;7;32~"),
        ("ctrl+tab", "\x1b[27;5;9~"),
        ("shift+enter", "\x1b[27;2;13~"),
        ("ctrl+enter", "\x1b[27;5;13~"),
        ("ctrl+shift+enter", "\x1b[27;6;13~"),
        ("alt+shift+enter", "\x1b[27;4;13~"),
        ("ctrl+alt+esc", "\x1b[27;7;27~"),
        // The others are unchanged.
        ("a", "a"),
        ("A", "A"),
        ("shift+a", "A"),
        ("ctrl+a", "\x01"),
        ("ctrl+i", "\t"),
        ("ctrl+m", "\r"),
        ("ctrl+shift+a", "\x01"),
        ("alt+a", "\x1ba"),
        ("alt+shift+a", "\x1bA"),
        ("ctrl+alt+a", "\x1b\x01"),
        ("ctrl+[", "\x1b"),
        ("ctrl+@", "\0"),
        ("ctrl+space", "\0"),
        ("shift+space", " "),
        ("ctrl+2", "\0"),
        ("ctrl+8", "\x7f"),
        ("ctrl+/", "\x1f"),
        ("alt+1", "\x1b1"),
        ("enter", "\r"),
        ("alt+enter", "\x1b\r"),
        ("ctrl+alt+enter", "\x1b\r"),
        ("tab", "\t"),
        ("shift+tab", "\x1b[Z"),
        ("ctrl+shift+tab", "\x1b[Z"),
        ("alt+tab", "\x1b\t"),
        ("esc", "\x1b"),
        ("ctrl+esc", "\x1b"),
        ("alt+esc", "\x1b\x1b"),
        ("backspace", "\x7f"),
        ("ctrl+backspace", "\x08"),
        ("shift+backspace", "\x7f"),
        ("alt+backspace", "\x1b\x7f"),
        ("ctrl+up", "\x1b[1;5A"),
        ("shift+delete", "\x1b[3;2~"),
    ];
    check("\x1b[>4;1m", &table);
    check("\x1b[>4;2m\x1b[>4;1m", &table);
}

#[test]
fn modify_other_keys_2_escapes_most_modified_keys() {
    let table = [
        ("a", "a"),
        ("1", "1"),
        ("!", "!"),
        ("shift+!", "!"),
        ("shift+é", "É"),
        ("shift+a", "\x1b[27;2;65~"),
        ("A", "\x1b[27;2;65~"),
        ("ctrl+a", "\x1b[27;5;97~"),
        ("ctrl+shift+a", "\x1b[27;6;65~"),
        ("alt+a", "\x1b[27;3;97~"),
        ("alt+A", "\x1b[27;4;65~"),
        ("ctrl+alt+a", "\x1b[27;7;97~"),
        ("ctrl+[", "\x1b[27;5;91~"),
        ("ctrl+2", "\x1b[27;5;50~"),
        ("alt+1", "\x1b[27;3;49~"),
        ("alt+é", "\x1b[27;3;233~"),
        ("shift+space", "\x1b[27;2;32~"),
        ("ctrl+space", "\x1b[27;5;32~"),
        ("enter", "\r"),
        ("shift+enter", "\x1b[27;2;13~"),
        ("alt+enter", "\x1b[27;3;13~"),
        ("ctrl+enter", "\x1b[27;5;13~"),
        ("tab", "\t"),
        ("shift+tab", "\x1b[Z"),
        ("ctrl+tab", "\x1b[27;5;9~"),
        ("ctrl+shift+tab", "\x1b[27;6;9~"),
        ("alt+tab", "\x1b[27;3;9~"),
        ("esc", "\x1b"),
        ("shift+esc", "\x1b[27;2;27~"),
        ("alt+esc", "\x1b[27;3;27~"),
        ("ctrl+esc", "\x1b[27;5;27~"),
        ("backspace", "\x7f"),
        ("ctrl+backspace", "\x08"),
        ("shift+backspace", "\x1b[27;2;127~"),
        ("alt+backspace", "\x1b[27;3;127~"),
        ("ctrl+shift+backspace", "\x1b[27;6;8~"),
        ("ctrl+up", "\x1b[1;5A"),
        ("f1", "\x1bOP"),
    ];
    check("\x1b[>4;2m", &table);
    check("\x1b[>4;2m\x1b[?67h", &[("shift+backspace", "\x1b[27;2;8~"), ("ctrl+backspace", "\x7f")]);
    check("\x1b[>4;2m\x1b[>4m", &[("ctrl+a", "\x01"), ("shift+enter", "\r")]);
}

#[test]
fn format_other_keys_selects_the_csi_u_form() {
    let table = [("ctrl+1", "\x1b[49;5u"), ("shift+enter", "\x1b[13;2u"), ("ctrl+a", "\x01")];
    check("\x1b[>4;1m\x1b[>4;1f", &table);
    check("\x1b[>4;1f", &[("ctrl+1", "1")]);
}
