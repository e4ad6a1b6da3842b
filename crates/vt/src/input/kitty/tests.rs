use super::*;
use crate::input::key::tests::{check, sent};
use crate::{Media, Size, Vt};

/// Checks a table under these flags.
fn flags(flags: u8, table: &[(&str, &str)]) {
    check(&format!("\x1b[>{flags}u"), table);
}

#[test]
fn disambiguate_keeps_text_as_text() {
    let table = [
        ("a", "a"),
        ("A", "A"),
        ("shift+a", "A"),
        ("shift+space", " "),
        ("!", "!"),
        ("é", "é"),
        ("日", "日"),
        ("repeat:a", "a"),
        ("kp_5", "5"),
        ("kp_add", "+"),
    ];
    for value in [1, 3, 5, 7, 17] {
        flags(value, &table);
    }
    // The protocol ignores application keypad mode.
    check("\x1b=\x1b[>1u", &table);
}

#[test]
fn disambiguate_gives_each_key_its_own_code() {
    let table = [
        ("esc", "\x1b[27u"),
        ("ctrl+a", "\x1b[97;5u"),
        ("ctrl+c", "\x1b[99;5u"),
        ("ctrl+i", "\x1b[105;5u"),
        ("ctrl+m", "\x1b[109;5u"),
        ("ctrl+shift+a", "\x1b[97;6u"),
        ("Ctrl-A", "\x1b[97;5u"),
        ("alt+a", "\x1b[97;3u"),
        ("alt+A", "\x1b[97;4u"),
        ("alt+shift+a", "\x1b[97;4u"),
        ("ctrl+alt+a", "\x1b[97;7u"),
        ("alt+[", "\x1b[91;3u"),
        ("ctrl+[", "\x1b[91;5u"),
        ("ctrl+space", "\x1b[32;5u"),
        ("ctrl+1", "\x1b[49;5u"),
        ("ctrl+é", "\x1b[233;5u"),
        ("super+a", "\x1b[97;9u"),
        ("hyper+a", "\x1b[97;17u"),
        ("super+shift+a", "\x1b[97;10u"),
        ("ctrl+shift+alt+super+hyper+a", "\x1b[97;32u"),
        ("repeat:ctrl+a", "\x1b[97;5u"),
    ];
    flags(1, &table);
    // Flag 16 is undefined without flag 8.
    flags(17, &table);
    let vt = kitty(1);
    assert_eq!(vt.encode_key(&Key { meta: true, ..KeyCode::Char('a').into() }), b"\x1b[97;33u");
}

#[test]
fn enter_tab_and_backspace_keep_their_plain_bytes() {
    let table = [
        ("enter", "\r"),
        ("tab", "\t"),
        ("backspace", "\x7f"),
        ("repeat:enter", "\r"),
        ("repeat:backspace", "\x7f"),
        ("release:enter", ""),
        ("release:tab", ""),
        ("release:backspace", ""),
    ];
    for value in [1, 2, 3, 4, 7, 16, 23] {
        flags(value, &table);
    }
    let modified = [
        ("shift+enter", "\x1b[13;2u"),
        ("ctrl+enter", "\x1b[13;5u"),
        ("alt+enter", "\x1b[13;3u"),
        ("shift+tab", "\x1b[9;2u"),
        ("ctrl+shift+tab", "\x1b[9;6u"),
        ("ctrl+tab", "\x1b[9;5u"),
        ("ctrl+backspace", "\x1b[127;5u"),
        ("alt+backspace", "\x1b[127;3u"),
        ("super+enter", "\x1b[13;9u"),
        ("release:shift+enter", ""),
    ];
    for value in [1, 3, 5, 7] {
        flags(value, &modified);
    }
    // The modes that change these bytes still apply.
    check("\x1b[20h\x1b[?67h\x1b[>1u", &[("enter", "\r\n"), ("backspace", "\x08")]);
}

#[test]
fn functional_keys_are_csi_in_every_mode() {
    let table = [
        ("up", "\x1b[A"),
        ("down", "\x1b[B"),
        ("right", "\x1b[C"),
        ("left", "\x1b[D"),
        ("end", "\x1b[F"),
        ("home", "\x1b[H"),
        ("ctrl+up", "\x1b[1;5A"),
        ("super+left", "\x1b[1;9D"),
        ("insert", "\x1b[2~"),
        ("delete", "\x1b[3~"),
        ("pageup", "\x1b[5~"),
        ("shift+pagedown", "\x1b[6;2~"),
        ("f1", "\x1b[P"),
        ("f2", "\x1b[Q"),
        ("f3", "\x1b[13~"),
        ("f4", "\x1b[S"),
        ("shift+f1", "\x1b[1;2P"),
        ("ctrl+f3", "\x1b[13;5~"),
        ("f5", "\x1b[15~"),
        ("f6", "\x1b[17~"),
        ("f10", "\x1b[21~"),
        ("f11", "\x1b[23~"),
        ("f12", "\x1b[24~"),
        ("f13", "\x1b[57376u"),
        ("f24", "\x1b[57387u"),
        ("f25", "\x1b[57388u"),
        ("f35", "\x1b[57398u"),
        ("shift+f35", "\x1b[57398;2u"),
        ("menu", "\x1b[57363u"),
        ("printscreen", "\x1b[57361u"),
        ("pause", "\x1b[57362u"),
    ];
    for value in [1, 3, 8, 9, 31] {
        flags(value, &table);
        check(&format!("\x1b[?1h\x1b=\x1b[>{value}u"), &table);
    }
}

#[test]
fn keypad_keys_have_their_own_codes() {
    let moving = [
        ("kp_enter", "\x1b[57414u"),
        ("kp_left", "\x1b[57417u"),
        ("kp_right", "\x1b[57418u"),
        ("kp_up", "\x1b[57419u"),
        ("kp_down", "\x1b[57420u"),
        ("kp_pageup", "\x1b[57421u"),
        ("kp_pagedown", "\x1b[57422u"),
        ("kp_home", "\x1b[57423u"),
        ("kp_end", "\x1b[57424u"),
        ("kp_insert", "\x1b[57425u"),
        ("kp_delete", "\x1b[57426u"),
        ("kp_begin", "\x1b[E"),
        ("ctrl+kp_begin", "\x1b[1;5E"),
        ("ctrl+kp_0", "\x1b[57399;5u"),
        ("ctrl+kp_9", "\x1b[57408;5u"),
    ];
    for value in [1, 8, 9] {
        flags(value, &moving);
    }
    let typing = [
        ("kp_0", "\x1b[57399u"),
        ("kp_9", "\x1b[57408u"),
        ("kp_decimal", "\x1b[57409u"),
        ("kp_divide", "\x1b[57410u"),
        ("kp_multiply", "\x1b[57411u"),
        ("kp_subtract", "\x1b[57412u"),
        ("kp_add", "\x1b[57413u"),
        ("kp_equal", "\x1b[57415u"),
        ("kp_separator", "\x1b[57416u"),
    ];
    flags(8, &typing);
    flags(24, &[("kp_0", "\x1b[57399;;48u"), ("kp_add", "\x1b[57413;;43u"), ("kp_up", "\x1b[57419u")]);
}

#[test]
fn event_types_are_reported_when_enabled() {
    let table = [
        ("up", "\x1b[A"),
        ("repeat:up", "\x1b[1;1:2A"),
        ("release:up", "\x1b[1;1:3A"),
        ("release:ctrl+up", "\x1b[1;5:3A"),
        ("repeat:delete", "\x1b[3;1:2~"),
        ("release:f3", "\x1b[13;1:3~"),
        ("release:f13", "\x1b[57376;1:3u"),
        ("ctrl+a", "\x1b[97;5u"),
        ("repeat:ctrl+a", "\x1b[97;5:2u"),
        ("release:ctrl+a", "\x1b[97;5:3u"),
        ("release:esc", "\x1b[27;1:3u"),
        ("repeat:shift+enter", "\x1b[13;2:2u"),
        // Text is sent as text, but a release has no text.
        ("repeat:a", "a"),
        ("release:a", "\x1b[97;1:3u"),
        ("release:shift+a", "\x1b[97;2:3u"),
        ("release:A", "\x1b[97;2:3u"),
    ];
    flags(3, &table);
    // Without other flags, a press keeps its legacy bytes; repeats and releases become escape codes.
    let alone = [
        ("esc", "\x1b"),
        ("ctrl+a", "\x01"),
        ("alt+a", "\x1ba"),
        ("up", "\x1b[A"),
        ("f1", "\x1bOP"),
        ("repeat:up", "\x1b[1;1:2A"),
        ("release:up", "\x1b[1;1:3A"),
        ("release:f1", "\x1b[1;1:3P"),
        ("repeat:ctrl+a", "\x1b[97;5:2u"),
        ("release:ctrl+a", "\x1b[97;5:3u"),
        ("release:esc", "\x1b[27;1:3u"),
        ("release:a", "\x1b[97;1:3u"),
        ("repeat:a", "a"),
        // Keypad keys are not distinguished without the first flag.
        ("kp_left", "\x1b[D"),
        ("repeat:kp_left", "\x1b[1;1:2D"),
        ("release:kp_5", "\x1b[53;1:3u"),
        ("repeat:kp_enter", "\r"),
        ("release:kp_enter", ""),
    ];
    flags(2, &alone);
    check("\x1b[?1h\x1b[>2u", &[("up", "\x1bOA"), ("release:up", "\x1b[1;1:3A")]);
    let all = [
        ("a", "\x1b[97u"),
        ("repeat:a", "\x1b[97;1:2u"),
        ("release:a", "\x1b[97;1:3u"),
        ("repeat:enter", "\x1b[13;1:2u"),
        ("release:enter", "\x1b[13;1:3u"),
        ("release:tab", "\x1b[9;1:3u"),
        ("release:backspace", "\x1b[127;1:3u"),
    ];
    flags(10, &all);
    flags(8, &[("repeat:a", "\x1b[97u"), ("repeat:up", "\x1b[A"), ("release:enter", "")]);
}

#[test]
fn alternate_keys_only_extend_escape_codes() {
    let alone = [("a", "a"), ("shift+a", "A"), ("ctrl+a", "\x01"), ("esc", "\x1b"), ("alt+A", "\x1bA")];
    flags(4, &alone);
    let table = [
        ("shift+a", "A"),
        ("ctrl+a", "\x1b[97;5u"),
        ("ctrl+shift+a", "\x1b[97:65;6u"),
        ("alt+A", "\x1b[97:65;4u"),
        ("ctrl+shift+é", "\x1b[233:201;6u"),
        // The shifted form depends on the keyboard layout, which is unknown.
        ("ctrl+shift+1", "\x1b[49;6u"),
        ("shift+up", "\x1b[1;2A"),
        ("shift+enter", "\x1b[13;2u"),
    ];
    flags(5, &table);
    let all = [("a", "\x1b[97u"), ("shift+a", "\x1b[97:65;2u"), ("release:shift+a", "\x1b[97:65;2:3u")];
    flags(14, &all);
}

#[test]
fn the_all_keys_flag_sends_every_key_as_an_escape_code() {
    let table = [
        ("a", "\x1b[97u"),
        ("A", "\x1b[97;2u"),
        ("shift+a", "\x1b[97;2u"),
        ("ctrl+a", "\x1b[97;5u"),
        ("space", "\x1b[32u"),
        ("!", "\x1b[33u"),
        ("日", "\x1b[26085u"),
        ("esc", "\x1b[27u"),
        ("enter", "\x1b[13u"),
        ("ctrl+enter", "\x1b[13;5u"),
        ("tab", "\x1b[9u"),
        ("shift+tab", "\x1b[9;2u"),
        ("backspace", "\x1b[127u"),
        ("up", "\x1b[A"),
        ("capslock", "\x1b[57358u"),
        ("scrolllock", "\x1b[57359u"),
        ("numlock", "\x1b[57360u"),
    ];
    flags(8, &table);
    flags(9, &table);
    flags(10, &table);
}

#[test]
fn text_is_reported_with_the_all_keys_flag() {
    let table = [
        ("a", "\x1b[97;;97u"),
        ("shift+a", "\x1b[97;2;65u"),
        ("A", "\x1b[97;2;65u"),
        ("é", "\x1b[233;;233u"),
        ("space", "\x1b[32;;32u"),
        ("ctrl+a", "\x1b[97;5u"),
        ("alt+a", "\x1b[97;3u"),
        ("enter", "\x1b[13u"),
        ("up", "\x1b[A"),
    ];
    flags(24, &table);
    flags(25, &table);
    let everything = [
        ("a", "\x1b[97;;97u"),
        ("shift+a", "\x1b[97:65;2;65u"),
        ("repeat:a", "\x1b[97;1:2;97u"),
        ("release:a", "\x1b[97;1:3u"),
        ("release:shift+a", "\x1b[97:65;2:3u"),
        ("ctrl+shift+a", "\x1b[97:65;6u"),
    ];
    flags(31, &everything);
    // Alone the flag is undefined and changes nothing.
    flags(16, &[("a", "a"), ("ctrl+a", "\x01"), ("esc", "\x1b"), ("f1", "\x1bOP")]);
}

fn kitty(flags: u8) -> Vt {
    let mut vt = Vt::new(Size::default());
    vt.feed(format!("\x1b[={flags}u").as_bytes());
    vt
}

#[test]
fn modifier_keys_are_reported_only_with_the_all_keys_flag() {
    let shift = Key::from(KeyCode::Modifier(ModifierKey::LeftShift));
    let release = Key { action: KeyAction::Release, ..shift };
    for flags in [1, 3, 7] {
        assert_eq!(kitty(flags).encode_key(&shift), b"");
        assert_eq!(kitty(flags).encode_key(&release), b"");
    }
    assert_eq!(kitty(8).encode_key(&shift), b"\x1b[57441;2u");
    assert_eq!(kitty(8).encode_key(&release), b"");
    assert_eq!(kitty(10).encode_key(&release), b"\x1b[57441;1:3u");
    // The other shift is still held.
    assert_eq!(kitty(10).encode_key(&Key { shift: true, ..release }), b"\x1b[57441;2:3u");
    let codes = [
        (ModifierKey::RightMeta, &b"\x1b[57452;33u"[..]),
        (ModifierKey::LeftControl, b"\x1b[57442;5u"),
        (ModifierKey::IsoLevel5Shift, b"\x1b[57454u"),
    ];
    for (modifier, bytes) in codes {
        assert_eq!(kitty(8).encode_key(&KeyCode::Modifier(modifier).into()), bytes);
    }
}

#[test]
fn media_keys_have_codes() {
    assert_eq!(kitty(1).encode_key(&KeyCode::Media(Media::Play).into()), b"\x1b[57428u");
    assert_eq!(kitty(1).encode_key(&KeyCode::Media(Media::MuteVolume).into()), b"\x1b[57440u");
}

#[test]
fn a_control_character_is_sent_unchanged() {
    for flags in [1, 8, 31] {
        assert_eq!(kitty(flags).encode_key(&KeyCode::Char('\x03').into()), b"\x03");
    }
}

#[test]
fn the_kitty_protocol_overrides_modify_other_keys() {
    check("\x1b[>4;2m\x1b[>1u", &[("shift+a", "A"), ("ctrl+a", "\x1b[97;5u"), ("enter", "\r")]);
    check("\x1b[>4;2m\x1b[>4u", &[("ctrl+a", "\x01")]);
    assert_eq!(sent("\x1b[>4;2m\x1b[>1u\x1b[<u", "ctrl+a"), "\x1b[27;5;97~");
}
