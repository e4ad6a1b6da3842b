use alloc::format;

use super::Term;
use crate::parse::params::Params;

/// The only supported resource of XTMODKEYS and XTFMTKEYS.
const OTHER_KEYS: u16 = 4;

impl Term {
    /// Performs the keyboard sequences: kitty's (`u`), XTMODKEYS (`m`, `n`) and XTFMTKEYS (`f`, `g`).
    pub(super) fn keyboard_sequence(&mut self, private: u8, params: &Params, last: u8) {
        if params.has_subs() {
            return;
        }
        let shown = usize::from(self.modes.alt_screen);
        let keyboard = &mut self.keyboards[shown];
        match (private, last) {
            (b'=', b'u') => keyboard.set(params.get(0), params.count(1)),
            (b'>', b'u') => keyboard.push(params.get(0)),
            (b'<', b'u') if params.is_empty() => keyboard.pop(1),
            (b'<', b'u') => keyboard.pop(params.get(0)),
            (b'?', b'u') => {
                let flags = keyboard.current();
                self.reply(&format!("\x1b[?{flags}u"));
            }
            (b'?', b'm') if params.get(0) == OTHER_KEYS => {
                self.reply(&format!("\x1b[>{OTHER_KEYS};{}m", self.modes.modify_other_keys));
            }
            (b'?', b'g') if params.get(0) == OTHER_KEYS => {
                self.reply(&format!("\x1b[>{OTHER_KEYS};{}f", u8::from(self.modes.format_other_keys)));
            }
            // Without parameters, the sequence resets all resources.
            (b'>', b'm' | b'f') if !params.is_empty() && params.get(0) != OTHER_KEYS => {}
            (b'>', b'm') => {
                if let level @ 0..=2 = params.get(1) {
                    self.modes.modify_other_keys = level as u8;
                }
            }
            (b'>', b'n') if params.get(0) == OTHER_KEYS => self.modes.modify_other_keys = 0,
            (b'>', b'f') => {
                if let format @ 0..=1 = params.get(1) {
                    self.modes.format_other_keys = format == 1;
                }
            }
            _ => {}
        }
        self.keyboard_changed();
    }

    /// Copies the flags of the current screen into the modes; call it after any change of screen or flags.
    pub(super) fn keyboard_changed(&mut self) {
        self.modes.kitty_keyboard = self.keyboards[usize::from(self.modes.alt_screen)].current();
    }

    /// DECSTR: resets the keyboard, like xterm.
    pub(super) fn soft_reset_keyboard(&mut self) {
        self.keyboards[usize::from(self.modes.alt_screen)].reset();
        self.modes.modify_other_keys = 0;
        self.modes.format_other_keys = false;
        self.keyboard_changed();
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use crate::{EffectKind, Size, Vt};

    /// The replies to these bytes.
    fn answers(vt: &mut Vt, bytes: &str) -> String {
        vt.feed(bytes.as_bytes());
        vt.verify().unwrap();
        let effects = vt.take_effects();
        let replies = effects.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Reply(bytes) => Some(core::str::from_utf8(bytes).unwrap()),
            _ => None,
        });
        replies.collect()
    }

    fn answer(bytes: &str) -> String {
        answers(&mut Vt::new(Size::default()), bytes)
    }

    #[test]
    fn kitty_flags_are_stored_and_reported() {
        let cases = [
            ("\x1b[?u", "\x1b[?0u"),
            ("\x1b[>u\x1b[?u", "\x1b[?0u"),
            ("\x1b[>5u\x1b[?u", "\x1b[?5u"),
            ("\x1b[>255u\x1b[?u", "\x1b[?31u"),
            ("\x1b[=3u\x1b[?u", "\x1b[?3u"),
            ("\x1b[=3;1u\x1b[=8;2u\x1b[?u\x1b[=1;3u\x1b[?u", "\x1b[?11u\x1b[?10u"),
            ("\x1b[>1u\x1b[>2u\x1b[<u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?1u\x1b[?0u"),
            ("\x1b[>1u\x1b[>2u\x1b[>3u\x1b[<2u\x1b[?u", "\x1b[?1u"),
            ("\x1b[=4u\x1b[>1u\x1b[<1u\x1b[?u", "\x1b[?4u"),
            ("\x1b[=4u\x1b[<u\x1b[?u", "\x1b[?0u"),
            ("\x1b[>1u\x1bc\x1b[?u", "\x1b[?0u"),
            ("\x1b[>1u\x1b[!p\x1b[?u", "\x1b[?0u"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(answer(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn each_screen_has_its_own_flags() {
        let mut vt = Vt::new(Size::default());
        assert_eq!(answers(&mut vt, "\x1b[>1u\x1b[?1049h\x1b[?u"), "\x1b[?0u");
        assert_eq!(vt.modes().kitty_keyboard, 0);
        assert_eq!(answers(&mut vt, "\x1b[>15u\x1b[?u"), "\x1b[?15u");
        assert_eq!(answers(&mut vt, "\x1b[?1049l\x1b[?u"), "\x1b[?1u");
        assert_eq!(vt.modes().kitty_keyboard, 1);
        assert_eq!(answers(&mut vt, "\x1b[?47h\x1b[?u"), "\x1b[?15u", "kept while the screen is hidden");
    }

    #[test]
    fn modify_other_keys_is_stored_and_reported() {
        let cases = [
            ("\x1b[?4m", "\x1b[>4;0m"),
            ("\x1b[>4;1m\x1b[?4m", "\x1b[>4;1m"),
            ("\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"),
            ("\x1b[>4;2m\x1b[>4;9m\x1b[?4m", "\x1b[>4;2m"),
            ("\x1b[>4;2m\x1b[>4m\x1b[?4m", "\x1b[>4;0m"),
            ("\x1b[>4;2m\x1b[>m\x1b[?4m", "\x1b[>4;0m"),
            ("\x1b[>4;2m\x1b[>4n\x1b[?4m", "\x1b[>4;0m"),
            ("\x1b[>4;2m\x1b[>1;0m\x1b[>1n\x1b[?4m", "\x1b[>4;2m"),
            ("\x1b[>4;2m\x1b[?1049h\x1b[?4m", "\x1b[>4;2m"),
            ("\x1b[>4;2m\x1b[!p\x1b[?4m", "\x1b[>4;0m"),
            ("\x1b[>4;2m\x1bc\x1b[?4m", "\x1b[>4;0m"),
            ("\x1b[?4g", "\x1b[>4;0f"),
            ("\x1b[>4;1f\x1b[?4g", "\x1b[>4;1f"),
            ("\x1b[>4;1f\x1b[>4f\x1b[?4g", "\x1b[>4;0f"),
            ("\x1b[>4;1f\x1b[>f\x1b[?4g", "\x1b[>4;0f"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(answer(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn keyboard_sequences_change_neither_style_nor_cursor() {
        let mut vt = Vt::new(Size::default());
        vt.feed(b"\x1b[3;3H\x1b[>4;2m\x1b[>1u\x1b[<u\x1b[=1u");
        assert_eq!((vt.cursor().row, vt.cursor().col), (2, 2));
        assert_eq!(vt.term.cursor.look, crate::grid::attributes::Attributes::default());
    }

    #[test]
    fn a_restored_terminal_has_the_same_keyboard() {
        let mut vt = Vt::new(Size::default());
        vt.feed(b"\x1b[>1u\x1b[>3u\x1b[?1049h\x1b[>8u\x1b[>4;1m\x1b[?67h");
        let mut restored = Vt::restore(&vt.state()).unwrap();
        assert_eq!(restored.modes(), vt.modes());
        assert_eq!(answers(&mut restored, "\x1b[?u\x1b[?1049l\x1b[<u\x1b[?u"), "\x1b[?8u\x1b[?1u");
    }

    #[test]
    fn the_backarrow_mode_is_reported() {
        assert_eq!(answer("\x1b[?67$p\x1b[?67h\x1b[?67$p"), "\x1b[?67;2$y\x1b[?67;1$y");
    }
}
