//! Encodes input as a terminal does, in the encodings that the program asked for.

use cotty_pty::Pty;
use cotty_vt::{Paste, Vt};
use rustix::termios::{SpecialCodeIndex, tcgetattr};

use crate::SessionError;
use crate::handle::{Control, Input};

/// The state of the engine and the terminal that an encoding depends on.
pub(crate) struct Encoder<'a> {
    pub(crate) vt: &'a Vt,
    /// The name of the program in the foreground, for errors.
    pub(crate) program: &'a dyn Fn() -> Option<String>,
    /// The character that the program set for a control function.
    pub(crate) control: &'a dyn Fn(Control) -> u8,
}

impl Encoder<'_> {
    /// The bytes of an input.
    pub(crate) fn encode(&self, input: &Input) -> Result<Vec<u8>, SessionError> {
        Ok(match input {
            Input::Text { text, paste } => self.vt.encode_text(text, *paste),
            Input::Key(key) => self.vt.encode_key(key),
            Input::Mouse(mouse) => self.point(mouse)?,
            Input::Bytes(bytes) => bytes.clone(),
            Input::Control(control) => vec![(self.control)(*control)],
            Input::Several(inputs) => {
                let parts: Result<Vec<Vec<u8>>, _> = inputs.iter().map(|input| self.encode(input)).collect();
                parts?.concat()
            }
        })
    }
}

/// The character that a terminal's program set for a control function, or else the usual one.
pub(crate) fn control_character(pty: &Pty, control: Control) -> u8 {
    let (index, usual) = match control {
        Control::Interrupt => (SpecialCodeIndex::VINTR, 0x03),
        Control::Eof => (SpecialCodeIndex::VEOF, 0x04),
        Control::Suspend => (SpecialCodeIndex::VSUSP, 0x1a),
    };
    let set = tcgetattr(pty).ok().map(|termios| termios.special_codes[index]);
    set.filter(|&code| code != 0).unwrap_or(usual)
}

/// A command and Enter. Several lines, and characters that would act as keys (a tab completes), are sent as one paste. For a
/// shell without bracketed paste, Ctrl-V before each control character makes it text.
pub(crate) fn command_line(vt: &Vt, command: &str) -> Vec<u8> {
    if !command.contains(char::is_control) {
        return format!("{command}\r").into_bytes();
    }
    if vt.modes().bracketed_paste {
        return vt.encode_text(&format!("{command}\n"), Paste::Always);
    }
    let mut typed = String::with_capacity(command.len() + 16);
    for c in command.replace("\r\n", "\n").chars() {
        if c.is_ascii_control() {
            typed.push('\u{16}');
        }
        typed.push(c);
    }
    typed.push('\r');
    typed.into_bytes()
}

#[cfg(test)]
mod tests {
    use cotty_vt::{KeyCode, Size};

    use super::*;

    fn encoded(modes: &str, input: &Input) -> Vec<u8> {
        let mut vt = Vt::new(Size { cols: 20, rows: 3 });
        vt.feed(modes.as_bytes());
        let encoder = Encoder { vt: &vt, program: &|| None, control: &|_| 0x1c };
        encoder.encode(input).unwrap()
    }

    #[test]
    fn each_kind_of_input_is_encoded() {
        let text = |text: &str| Input::Text { text: text.into(), paste: Paste::Auto };
        assert_eq!(encoded("", &text("ls\n")), b"ls\r");
        assert_eq!(encoded("", &Input::Key(KeyCode::Up.into())), b"\x1b[A");
        assert_eq!(encoded("\x1b[?1h", &Input::Key(KeyCode::Up.into())), b"\x1bOA", "in application mode");
        assert_eq!(encoded("", &Input::Bytes(vec![0, 255])), [0, 255]);
        assert_eq!(encoded("", &Input::Control(Control::Interrupt)), [0x1c], "the program's character");
        let several = Input::Several(vec![text("a"), Input::Key(KeyCode::Enter.into())]);
        assert_eq!(encoded("", &several), b"a\r");
    }

    #[test]
    fn a_command_of_several_lines_is_sent_as_one() {
        let line = |modes: &str, command: &str| {
            let mut vt = Vt::new(Size { cols: 20, rows: 3 });
            vt.feed(modes.as_bytes());
            String::from_utf8(command_line(&vt, command)).unwrap()
        };
        assert_eq!(line("", "ls"), "ls\r");
        assert_eq!(line("\x1b[?2004h", "a\nb"), "\x1b[200~a\nb\x1b[201~\r");
        assert_eq!(line("", "a\r\nb\tc"), "a\u{16}\nb\u{16}\tc\r");
    }
}
