//! Turns a fuzz input into a terminal and a list of steps.
//!
//! The first three bytes are columns, rows and options; the rest is program output. In it the byte FF,
//! which never occurs in UTF-8, begins another kind of step: a split, a resize, a settle. So three bytes
//! followed by any recorded output are an input, and so is every mutation of it.

use cotty_vt::{Allow, Options, Size, Vt};

/// One step in the life of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Output of the program, in one piece.
    Feed(&'a [u8]),
    /// A resize of the window.
    Resize(Size),
    /// The screen has been unchanged long enough.
    Settle,
    /// The frame that is being drawn takes too long.
    ShowUnfinished,
    /// A change of the history limit.
    HistoryLines(usize),
}

/// The terminal that an input describes, and the rest of the input.
pub fn terminal(data: &[u8]) -> Option<(Vt, &[u8])> {
    let [cols, rows, flags, rest @ ..] = data else { return None };
    let allow = if flags & 1 == 0 { Allow::ALL } else { Allow::default() };
    let (history_lines, history_bytes) = if flags & 2 == 0 { (20, 4000) } else { (3, 300) };
    let options = Options { size: size(*cols, *rows), history_lines, history_bytes, allow };
    Some((Vt::with_options(options), rest))
}

/// A small size, so that a short input reaches all edges of the screen.
fn size(cols: u8, rows: u8) -> Size {
    Size { cols: 2 + u16::from(cols % 16), rows: 1 + u16::from(rows % 8) }
}

/// The steps of an input.
pub fn steps(data: &[u8]) -> impl Iterator<Item = Step<'_>> {
    let mut rest = data;
    core::iter::from_fn(move || {
        if let [0xff, kind, after @ ..] = rest {
            let (step, after) = match (kind, after) {
                (b'r', [cols, rows, after @ ..]) => (Step::Resize(size(*cols, *rows)), after),
                (b's', after) => (Step::Settle, after),
                (b'u', after) => (Step::ShowUnfinished, after),
                (b'h', [lines, after @ ..]) => (Step::HistoryLines(usize::from(lines % 32)), after),
                // Any other kind splits the output here and feeds the FF.
                (_, after) => (Step::Feed(&rest[..1]), after),
            };
            rest = after;
            return Some(step);
        }
        if rest.is_empty() {
            return None;
        }
        let end = rest.iter().skip(1).position(|byte| *byte == 0xff).map_or(rest.len(), |at| at + 1);
        let (bytes, after) = rest.split_at(end);
        rest = after;
        Some(Step::Feed(bytes))
    })
}

impl Step<'_> {
    /// Performs the step.
    pub fn apply(self, vt: &mut Vt) {
        match self {
            Step::Feed(bytes) => vt.feed(bytes),
            Step::Resize(size) => vt.resize(size),
            Step::Settle => vt.settle(),
            Step::ShowUnfinished => vt.show_unfinished(),
            Step::HistoryLines(lines) => vt.set_history_lines(lines),
        }
    }
}

/// Fails unless all invariants hold.
pub fn assert_sound(vt: &Vt) {
    assert_eq!(vt.verify(), Ok(()));
}
