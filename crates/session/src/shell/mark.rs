use cotty_vt::{Mark, MarkKind, Position};

/// A mark of our own shell integration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ShellMark {
    /// The prompt is about to be drawn.
    PromptStart,
    /// The prompt is drawn; the typed command follows.
    PromptEnd,
    /// The shell asks whether a line may run.
    Ask(Question),
    /// A command begins; its output follows.
    CommandStart,
    /// A command or an empty line ended.
    CommandEnd { code: i32 },
}

/// The shell's question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) line: AskedLine,
    /// The answer repeats this id.
    pub(crate) id: String,
}

/// The line that the shell asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AskedLine {
    /// The mark has the line.
    Here(String),
    /// The line is too long for the terminal: it is in the hook's file.
    InFile,
    /// The shell could not write the line or read it back.
    Unreadable,
    /// The shell keeps no history, so it does not know the line.
    Unknown,
}

/// Signs in place of a line. No escaped line equals one of them.
const IN_FILE: &str = "\\f";
const UNREADABLE: &str = "\\e";
const UNKNOWN: &str = "\\u";

/// What replaces the nonce in output that was processed, so that nobody can learn it from a recording.
pub(crate) const ERASED: u8 = b'-';

/// Parses a mark whose nonce was erased from the output.
pub(crate) fn read_erased_mark(mark: &Mark, nonce: &str) -> Option<(ShellMark, Position)> {
    read_mark(mark, &char::from(ERASED).to_string().repeat(nonce.len()))
}

/// Parses a mark. A mark without the session's nonce is ignored, because any output can contain marks.
pub(crate) fn read_mark(mark: &Mark, nonce: &str) -> Option<(ShellMark, Position)> {
    let parts: Vec<&str> = mark.params.split(';').collect();
    let what = match (mark.kind, parts.as_slice()) {
        (MarkKind::PromptStart, [n]) if *n == nonce => ShellMark::PromptStart,
        (MarkKind::PromptEnd, [n]) if *n == nonce => ShellMark::PromptEnd,
        (MarkKind::CommandStart, [n]) if *n == nonce => ShellMark::CommandStart,
        (MarkKind::CommandEnd, [code, n]) if *n == nonce => {
            ShellMark::CommandEnd { code: code.parse().ok()? }
        }
        (MarkKind::CommandLine, [line, n, id]) if *n == nonce => {
            let line = match *line {
                IN_FILE => AskedLine::InFile,
                UNREADABLE => AskedLine::Unreadable,
                UNKNOWN => AskedLine::Unknown,
                line => AskedLine::Here(unescape(line)),
            };
            ShellMark::Ask(Question { line, id: (*id).to_owned() })
        }
        _ => return None,
    };
    Some((what, mark.position))
}

/// Undoes `\\` and `\xHH`.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, used) = match (first, tail) {
            (b'\\', [b'\\', ..]) => (b'\\', 1),
            (b'\\', [b'x', high, low, ..]) => match (hex(*high), hex(*low)) {
                (Some(high), Some(low)) => (high * 16 + low, 3),
                _ => (first, 0),
            },
            _ => (first, 0),
        };
        bytes.push(byte);
        rest = &tail[used..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_vt::LineId;

    fn mark(kind: MarkKind, params: &str) -> Mark {
        Mark {
            kind,
            position: Position { line: LineId(1), cell: 0 },
            stamp: 0,
            alt_screen: false,
            params: params.into(),
        }
    }

    #[test]
    fn only_marks_with_the_nonce_count() {
        let read = |kind, params| read_mark(&mark(kind, params), "n0").map(|(m, _)| m);
        assert_eq!(read(MarkKind::CommandStart, "n0"), Some(ShellMark::CommandStart));
        assert_eq!(read(MarkKind::CommandEnd, "42;n0"), Some(ShellMark::CommandEnd { code: 42 }));
        for (kind, forged) in [
            (MarkKind::CommandStart, ""),
            (MarkKind::CommandEnd, "0"),
            (MarkKind::CommandEnd, "0;n1"),
            (MarkKind::CommandEnd, "zero;n0"),
            (MarkKind::CommandLine, "ls;n1;7"),
        ] {
            assert_eq!(read(kind, forged), None, "{forged}");
        }
    }

    #[test]
    fn the_placeholders_for_a_line_are_recognized() {
        for (sign, line) in [
            (r"\f", AskedLine::InFile),
            (r"\e", AskedLine::Unreadable),
            (r"\u", AskedLine::Unknown),
            (r"\\e", AskedLine::Here(r"\e".into())),
        ] {
            let (asked, _) = read_mark(&mark(MarkKind::CommandLine, &format!("{sign};n0;1")), "n0").unwrap();
            assert_eq!(asked, ShellMark::Ask(Question { line, id: "1".into() }));
        }
    }

    #[test]
    fn an_escaped_line_is_unescaped() {
        let asked = read_mark(&mark(MarkKind::CommandLine, r"echo a\x3b b\\n\x0aü \x07;n0;123"), "n0");
        let line = "echo a; b\\n\nü \u{7}".to_owned();
        assert_eq!(
            asked.unwrap().0,
            ShellMark::Ask(Question { line: AskedLine::Here(line), id: "123".into() })
        );
    }
}
