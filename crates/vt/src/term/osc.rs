use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode;

use super::{MAX_LABEL, Term};
use crate::effect::{EffectKind, ImageKind, Mark, MarkKind};

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Term {
    /// Performs an operating system command; an unknown one does nothing.
    pub(crate) fn osc(&mut self, payload: &[u8], bell: bool) {
        let text = String::from_utf8_lossy(payload);
        let (number, rest) = text.split_once(';').unwrap_or((&text, ""));
        match number {
            "0" | "1" | "2" => self.set_titles(number, rest),
            "4" => self.palette_colors(rest, bell),
            "7" => self.set_directory(payload.get(2..).unwrap_or_default()),
            "8" => self.set_link(rest),
            "9" => self.notify_plain(rest),
            "10" | "11" | "12" => self.dynamic_colors(number, rest, bell),
            "52" => self.set_clipboard(rest, bell),
            "99" => self.notify_kitty(rest),
            "104" => self.reset_palette(rest),
            "110" | "111" | "112" => self.reset_dynamic(number),
            "133" | "633" => self.mark(rest),
            "777" => self.notify_urxvt(rest),
            "1337" => {
                if let Some(file) = rest.strip_prefix("File=") {
                    self.image(ImageKind::Iterm, file.as_bytes());
                }
            }
            _ => {}
        }
    }

    /// OSC 8: parameters, then the address; an empty address ends the link.
    fn set_link(&mut self, text: &str) {
        let address = text.split_once(';').map_or("", |(_, address)| address);
        self.link = (!address.is_empty()).then(|| address.into());
        self.link_changed();
    }

    /// OSC 7: a file URL. The host is ignored, because over ssh it is another machine.
    fn set_directory(&mut self, url: &[u8]) {
        let path = match url.strip_prefix(b"file://") {
            Some(rest) => {
                let slash = rest.iter().position(|b| *b == b'/').unwrap_or(rest.len());
                rest.get(slash..).unwrap_or_default()
            }
            None => url,
        };
        if path.first() != Some(&b'/') {
            return;
        }
        let directory = label(&percent_decode(path).decode_utf8_lossy());
        if self.directory.as_ref() != Some(&directory) {
            self.directory = Some(directory.clone());
            self.effect(EffectKind::Directory(directory));
        }
    }

    /// OSC 133 and 633: a letter, then its parameters.
    fn mark(&mut self, text: &str) {
        let mut rest = text.chars();
        let Some(letter) = rest.next() else { return };
        let params = rest.as_str();
        let params = truncated(params.strip_prefix(';').unwrap_or(params)).to_string();
        let kind = MarkKind::from_letter(letter);
        // At a prompt no full-screen program is running. If it was killed, it left the alternate screen or a
        // frame behind.
        if matches!(kind, MarkKind::CommandEnd | MarkKind::PromptStart) {
            self.set_dec_mode(2026, false);
            if self.modes.alt_screen {
                self.set_dec_mode(1049, false);
            }
        }
        self.effect(EffectKind::Mark(Mark {
            kind,
            position: self.position(),
            stamp: self.cursor_stamp(),
            alt_screen: self.modes.alt_screen,
            params,
        }));
    }

    /// OSC 52. Reading needs permission, because any output could read the clipboard. The reply is the text
    /// that was last set through this terminal.
    fn set_clipboard(&mut self, text: &str, bell: bool) {
        let Some((selection, data)) = text.split_once(';') else { return };
        if data == "?" {
            if self.allow.clipboard {
                let data = BASE64.encode(self.clipboard.as_bytes());
                let selection = label(selection);
                let end = if bell { "\x07" } else { "\x1b\\" };
                self.reply(&format!("\x1b]52;{selection};{data}{end}"));
            }
            return;
        }
        let text = match decode_base64(data) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            // Invalid base64 clears the clipboard if the program may read it.
            None if self.allow.clipboard => String::new(),
            None => return,
        };
        if self.allow.clipboard {
            self.clipboard.clone_from(&text);
        }
        self.effect(EffectKind::Clipboard { selection: label(selection), text });
    }

    /// OSC 9: a message, or one of ConEmu's numbered commands, which are ignored (4 is a progress bar).
    fn notify_plain(&mut self, text: &str) {
        let command = text.split(';').next().unwrap_or_default();
        let numbered = !command.is_empty() && command.bytes().all(|b| b.is_ascii_digit());
        if !numbered {
            self.notify("", text);
        }
    }

    /// OSC 777;notify;title;body.
    fn notify_urxvt(&mut self, text: &str) {
        if let Some(message) = text.strip_prefix("notify;") {
            let (title, body) = message.split_once(';').unwrap_or((message, ""));
            self.notify(title, body);
        }
    }

    /// OSC 99: each part becomes a separate notification; only the keys `p` and `e` are used.
    fn notify_kitty(&mut self, text: &str) {
        let Some((metadata, payload)) = text.split_once(';') else { return };
        let value =
            |key: &str| metadata.split(':').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
        let payload = match value("e") {
            Some("1") => match decode_base64(payload) {
                Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
                None => return,
            },
            _ => Cow::Borrowed(payload),
        };
        match value("p") {
            None | Some("title") => self.notify(&payload, ""),
            Some("body") => self.notify("", &payload),
            Some(_) => {}
        }
    }

    fn notify(&mut self, title: &str, body: &str) {
        let (title, body) = (label(title), label(body));
        if !(title.is_empty() && body.is_empty()) {
            self.effect(EffectKind::Notification { title, body });
        }
    }
}

/// Text for display: without control characters, and of limited length.
pub(super) fn label(text: &str) -> String {
    truncated(text).chars().filter(|c| !c.is_control()).collect()
}

fn truncated(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_LABEL)).unwrap_or_default()
}

/// Decodes both base64 alphabets, with or without padding: programs send all of them. An incomplete last byte is dropped.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut digits = text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    if digits.len() % 4 == 1 && digits.ends_with(is_digit) {
        digits.pop();
    }
    BASE64.decode(digits).ok()
}

fn is_digit(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/')
}
