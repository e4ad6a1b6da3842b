use alloc::string::String;
use alloc::vec::Vec;

use crate::Vt;

/// Whether typed text is enclosed in paste brackets (mode 2004).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Paste {
    /// Only if the program enabled brackets and the text contains a newline before its end.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

const BEGIN: &str = "\x1b[200~";
const END: &str = "\x1b[201~";

impl Vt {
    /// The bytes that type this text. A newline is the Enter key, except inside brackets, where it is
    /// text. A final newline is sent after the closing bracket, because otherwise the shell would not
    /// run the line.
    pub fn encode_text(&self, text: &str, paste: Paste) -> Vec<u8> {
        let (body, enter) = match text.strip_suffix('\n') {
            Some(body) => (body.strip_suffix('\r').unwrap_or(body), true),
            None => (text, false),
        };
        let bracketed = match paste {
            Paste::Auto => self.term.modes.bracketed_paste && body.contains('\n'),
            Paste::Always => true,
            Paste::Never => false,
        };
        if !bracketed {
            return text.replace("\r\n", "\r").replace('\n', "\r").into_bytes();
        }
        let mut out = String::from(BEGIN);
        out.push_str(&without_end(&body.replace("\r\n", "\n")));
        out.push_str(END);
        if enter {
            out.push('\r');
        }
        out.into_bytes()
    }

    /// The bytes that report a focus change to the program; `None` if it did not enable focus reports.
    pub fn encode_focus(&self, gained: bool) -> Option<Vec<u8>> {
        let bytes: &[u8] = if gained { b"\x1b[I" } else { b"\x1b[O" };
        self.term.modes.focus_events.then(|| bytes.to_vec())
    }
}

/// Removes closing brackets, including those that appear only after another is removed.
fn without_end(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.push(c);
        if c == '~' && out.ends_with(END) {
            out.truncate(out.len() - END.len());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    fn vt(setup: &str) -> Vt {
        let mut vt = Vt::new(Size::default());
        vt.feed(setup.as_bytes());
        vt
    }

    #[test]
    fn newlines_outside_brackets_send_enter() {
        assert_eq!(vt("").encode_text("a\nb\r\nc\n", Paste::Auto), b"a\rb\rc\r");
        assert_eq!(vt("\x1b[?2004h").encode_text("a\nb", Paste::Never), b"a\rb");
    }

    #[test]
    fn auto_brackets_only_multi_line_text() {
        let vt = vt("\x1b[?2004h");
        assert_eq!(vt.encode_text("ls\n", Paste::Auto), b"ls\r");
        assert_eq!(vt.encode_text("ls", Paste::Auto), b"ls");
        assert_eq!(vt.encode_text("a\nb\n", Paste::Auto), b"\x1b[200~a\nb\x1b[201~\r");
        assert_eq!(vt.encode_text("a\r\nb\r\n", Paste::Auto), b"\x1b[200~a\nb\x1b[201~\r");
        assert_eq!(vt.encode_text("a\nb", Paste::Auto), b"\x1b[200~a\nb\x1b[201~");
        assert_eq!(vt.encode_text("\n\n", Paste::Auto), b"\x1b[200~\n\x1b[201~\r");
    }

    #[test]
    fn pasted_text_cannot_close_the_bracket() {
        let vt = vt("");
        assert_eq!(vt.encode_text("a\x1b[201~b", Paste::Always), b"\x1b[200~ab\x1b[201~");
        assert_eq!(vt.encode_text("a\x1b[20\x1b[201~1~b", Paste::Always), b"\x1b[200~ab\x1b[201~");
    }

    #[test]
    fn focus_is_reported_only_when_enabled() {
        assert_eq!(vt("").encode_focus(true), None);
        assert_eq!(vt("\x1b[?1004h").encode_focus(true).unwrap(), b"\x1b[I");
        assert_eq!(vt("\x1b[?1004h").encode_focus(false).unwrap(), b"\x1b[O");
    }
}
