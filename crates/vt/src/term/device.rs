use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::Term;
use crate::effect::{EffectKind, ImageKind};
use crate::parse::Header;

/// The most capabilities that one XTGETTCAP can query.
const MAX_CAPABILITIES: usize = 32;
const MAX_CAPABILITY_NAME: usize = 64;

impl Term {
    /// DA1: a VT220 with colour.
    pub(super) fn primary_attributes(&mut self) {
        self.reply("\x1b[?62;22c");
    }

    /// DA2: a VT220; programs enable SGR mouse reports for this "patch level".
    pub(super) fn secondary_attributes(&mut self) {
        self.reply("\x1b[>1;388;0c");
    }

    /// DA3: a unit id of zeros.
    pub(super) fn tertiary_attributes(&mut self) {
        self.reply("\x1bP!|00000000\x1b\\");
    }

    /// XTVERSION.
    pub(super) fn report_version(&mut self) {
        self.reply(concat!("\x1bP>|cotty ", env!("CARGO_PKG_VERSION"), "\x1b\\"));
    }

    /// Performs a device control string.
    pub(crate) fn dcs(&mut self, header: &Header, payload: &[u8]) {
        match (header.private, header.intermediate, header.last) {
            (0, b'$', b'q') => self.report_setting(payload),
            (0, b'+', b'q') => self.report_capabilities(payload),
            (0, 0, b'q') => {
                self.image(ImageKind::Sixel, payload);
            }
            _ => {}
        }
    }

    /// Performs an application program command; only kitty images are supported.
    pub(crate) fn apc(&mut self, payload: &[u8]) {
        if let Some(image) = payload.strip_prefix(b"G") {
            self.image(ImageKind::Kitty, image);
        }
    }

    pub(super) fn image(&mut self, kind: ImageKind, payload: &[u8]) {
        self.effect(EffectKind::Image { kind, size: payload.len() as u64, bytes: payload.to_vec() });
    }

    /// Reports an image that was too long to keep. `beginning` is all that is left of the string; strings that
    /// are not images are ignored.
    pub(crate) fn image_dropped(&mut self, introducer: u8, header: &Header, beginning: &[u8], size: u64) {
        const ITERM: &[u8] = b"1337;File=";
        let sixel = (header.private, header.intermediate, header.last) == (0, 0, b'q');
        let (kind, before) = match introducer {
            b'P' if sixel => (ImageKind::Sixel, 0),
            b'_' if beginning.starts_with(b"G") => (ImageKind::Kitty, 1),
            b']' if beginning.starts_with(ITERM) => (ImageKind::Iterm, ITERM.len() as u64),
            _ => return,
        };
        self.effect(EffectKind::Image { kind, size: size.saturating_sub(before), bytes: Vec::new() });
    }

    /// DECRQSS. The reply never echoes the query, so that output cannot inject input.
    fn report_setting(&mut self, what: &[u8]) {
        let value = match what {
            b"m" => {
                let mut value = String::new();
                self.cursor.look.style().write_parameters(&mut value);
                format!("{value}m")
            }
            b"r" => format!("{};{}r", self.top + 1, self.bottom + 1),
            b" q" => format!("{} q", self.cursor_code),
            b"\"q" => format!("{}\"q", u8::from(self.cursor.look.protected())),
            // DECSCL: the VT level.
            b"\"p" => "62;1\"p".to_string(),
            b"t" => format!("{}t", self.size.rows),
            b"$|" => format!("{}$|", self.size.cols),
            b"*|" => format!("{}*|", self.size.rows),
            _ => return self.reply("\x1bP0$r\x1b\\"),
        };
        self.reply(&format!("\x1bP1$r{value}\x1b\\"));
    }

    /// XTGETTCAP: names in hexadecimal, separated by semicolons.
    fn report_capabilities(&mut self, names: &[u8]) {
        for name in names.split(|b| *b == b';').take(MAX_CAPABILITIES) {
            let Some(plain) = decode_hex(name).filter(|plain| plain.len() <= MAX_CAPABILITY_NAME) else {
                self.reply("\x1bP0+r\x1b\\");
                continue;
            };
            // Echoing the name is safe: it consists of hexadecimal digits.
            let name = String::from_utf8_lossy(name);
            let value = match plain.as_slice() {
                b"TN" | b"name" => "xterm-256color",
                b"Co" | b"colors" => "256",
                b"RGB" => "8/8/8",
                _ => {
                    self.reply(&format!("\x1bP0+r{name}\x1b\\"));
                    continue;
                }
            };
            let value = hex(value);
            self.reply(&format!("\x1bP1+r{name}={value}\x1b\\"));
        }
    }
}

pub(super) fn hex(text: &str) -> String {
    text.bytes().map(|b| format!("{b:02X}")).collect()
}

pub(super) fn decode_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16);
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks_exact(2).map(|pair| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8)).collect()
}
