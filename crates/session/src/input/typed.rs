//! The lines that were typed, and where. Their echo on the screen is not output of the program.

use std::collections::VecDeque;

use cotty_vt::{LineId, Position};
use serde::{Deserialize, Serialize};

use super::push_bounded;

/// A typed line: where the cursor was, how many line ends it had, and who echoes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Echo {
    /// The seq when it was typed.
    pub(crate) seq: u64,
    pub(crate) position: Position,
    pub(crate) lines: u32,
    pub(crate) shown: EchoedBy,
}

/// Who echoes a typed line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum EchoedBy {
    /// The kernel, or a shell with marks: it surely does. Also for input that has no echo to recognize.
    #[default]
    Surely,
    /// The program, perhaps: it does if the screen shows this line, of which a hash is kept.
    Perhaps { chars: u32, hash: u64 },
}

impl EchoedBy {
    /// For bytes that the program may echo.
    pub(crate) fn perhaps(typed: &[u8]) -> EchoedBy {
        let typed = String::from_utf8_lossy(typed);
        let line = typed.strip_prefix("\u{1b}[200~").unwrap_or(&typed);
        let line = line.split(['\r', '\n']).next().unwrap_or_default();
        let chars = u32::try_from(line.chars().count()).unwrap_or(u32::MAX);
        EchoedBy::Perhaps { chars, hash: cotty_vt::hash(line.as_bytes()) }
    }
}

/// The typed input that a session's screen may show. Part of its saved state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TypedLines {
    /// Lines that were typed, oldest first.
    echoes: VecDeque<Echo>,
    /// The seq of the last input.
    typed_seq: Option<u64>,
    /// The seq of a person's last input.
    person_typed_at: Option<u64>,
    /// The line into which visible input was typed without a line end.
    #[serde(skip)]
    visible: Option<LineId>,
}

impl TypedLines {
    /// Notes input at `seq`.
    pub(crate) fn typed(&mut self, seq: u64, by_person: bool) {
        self.typed_seq = Some(seq);
        if by_person {
            self.person_typed_at = Some(seq);
        }
    }

    /// Notes the line into which visible input is typed; `None` after a line end, or if the input is a secret.
    pub(crate) fn typed_into(&mut self, line: Option<LineId>) {
        self.visible = line;
    }

    /// Whether visible input was typed into this line.
    pub(crate) fn is_visible(&self, line: LineId) -> bool {
        self.visible == Some(line)
    }

    /// Notes a typed line.
    pub(crate) fn entered(&mut self, echo: Echo) {
        push_bounded(&mut self.echoes, echo);
    }

    /// Forgets this many of the newest lines: they were dropped before the terminal got them.
    pub(crate) fn drop_newest(&mut self, mut lines: u32) {
        while lines > 0
            && let Some(echo) = self.echoes.back_mut()
        {
            let gone = echo.lines.min(lines);
            echo.lines -= gone;
            lines -= gone;
            if echo.lines == 0 {
                self.echoes.pop_back();
            }
        }
    }

    /// The seq of the last input.
    pub(crate) fn last_typed_seq(&self) -> Option<u64> {
        self.typed_seq
    }

    /// Whether a person has typed at or after `seq`.
    pub(crate) fn person_typed_since(&self, seq: u64) -> bool {
        self.person_typed_at.is_some_and(|at| at >= seq)
    }

    /// The line that was typed last.
    pub(crate) fn last_line(&self) -> Option<&Echo> {
        self.echoes.back()
    }

    /// The line that was typed exactly at `seq`.
    pub(crate) fn line_at(&self, seq: u64) -> Option<&Echo> {
        self.echoes.iter().find(|echo| echo.seq == seq)
    }

    /// The lines that were typed at or after `seq`, oldest first.
    pub(crate) fn lines_since(&self, seq: u64) -> impl Iterator<Item = &Echo> {
        self.echoes.iter().filter(move |echo| echo.seq >= seq)
    }

    /// Forgets all positions: a new engine does not have the lines that they refer to.
    pub(crate) fn forget_places(&mut self) {
        self.echoes.clear();
    }
}

#[cfg(test)]
impl TypedLines {
    /// Something in every field.
    pub(crate) fn filled() -> TypedLines {
        let position = Position { line: cotty_vt::LineId(4), cell: 3 };
        let shown = EchoedBy::Perhaps { chars: 7, hash: 8 };
        TypedLines {
            echoes: [Echo { seq: 9, position, lines: 2, shown }].into(),
            typed_seq: Some(4),
            person_typed_at: Some(5),
            visible: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_possible_echo_is_recognized_by_its_first_line() {
        let hash = |text: &str| cotty_vt::hash(text.as_bytes());
        for (typed, chars, line) in
            [("ls\r", 2, "ls"), ("é\nsecond", 1, "é"), ("\u{1b}[200~pasted\r", 6, "pasted"), ("\r", 0, "")]
        {
            assert_eq!(
                EchoedBy::perhaps(typed.as_bytes()),
                EchoedBy::Perhaps { chars, hash: hash(line) },
                "{typed:?}"
            );
        }
    }

    #[test]
    fn keys_and_lines_are_noted_separately() {
        let mut typed = TypedLines::default();
        assert!(
            typed.last_typed_seq().is_none() && typed.last_line().is_none() && !typed.person_typed_since(0)
        );
        typed.typed(7, false);
        assert_eq!(typed.last_typed_seq(), Some(7));
        let position = Position { line: cotty_vt::LineId(0), cell: 0 };
        typed.entered(Echo { seq: 7, position, lines: 1, shown: EchoedBy::Surely });
        typed.typed(9, true);
        assert!(typed.person_typed_since(9) && !typed.person_typed_since(10));
        assert_eq!((typed.last_line().map(|echo| echo.seq), typed.last_typed_seq()), (Some(7), Some(9)));
        assert_eq!((typed.lines_since(7).count(), typed.lines_since(8).count()), (1, 0));
        assert!(typed.line_at(7).is_some() && typed.line_at(9).is_none());
        typed.entered(Echo { seq: 9, position, lines: 3, shown: EchoedBy::Surely });
        typed.drop_newest(2);
        assert_eq!(typed.last_line().map(|echo| (echo.seq, echo.lines)), Some((9, 1)));
        typed.drop_newest(9);
        assert_eq!(typed.last_line(), None);
        typed.entered(Echo { seq: 9, position, lines: 1, shown: EchoedBy::Surely });
        typed.forget_places();
        assert!(typed.last_line().is_none() && typed.last_typed_seq() == Some(9));
    }
}
