use alloc::collections::VecDeque;

use crate::Vt;
use crate::cell::CellKind;
use crate::row::Row;
use crate::style::ALL_ATTRS;
use crate::term::{MAX_LABEL, Pen, Term};

impl Vt {
    /// Checks everything that must always hold; a restored state and the property tests rely on it.
    pub fn verify(&self) -> Result<(), &'static str> {
        let term = &self.term;
        let (cols, rows) = (term.cols(), usize::from(term.size.rows));
        check(term.size.is_valid(), "size out of bounds")?;
        check(self.parser.is_sound(), "parser out of bounds")?;
        // No terminal lives long enough to reach it, so counting can never overflow.
        let highest = term.seq.max(term.next_line).max(term.history.dropped());
        check(highest < 1 << 62, "count out of bounds")?;
        check(term.modes.kitty_keyboard == 0, "unknown keyboard flags")?;
        check(term.top < term.bottom || (term.top == term.bottom && rows == 1), "empty scroll region")?;
        check(term.bottom < term.size.rows, "scroll region outside the screen")?;
        check(term.tabs.len() == cols, "tab stops do not fit the width")?;
        check(term.cursor_code <= 6, "unknown cursor style")?;
        check(term.title.len() <= MAX_LABEL, "title too long")?;
        check(term.directory.as_ref().is_none_or(|d| d.len() <= MAX_LABEL), "directory too long")?;
        check(term.last_char.is_none_or(|c| !c.is_control()), "control character to repeat")?;
        for pen in [&term.cursor, &term.saved[0], &term.saved[1]] {
            check_pen(pen, term)?;
        }
        check_screen(&term.primary, term)?;
        check_screen(&term.alternate, term)?;
        check(term.history.is_sound(), "history inconsistent")?;
        let known = |id: crate::LineId| id.0 < term.next_line;
        check(term.history.lines().iter().all(|line| known(line.id)), "history line id from the future")
    }
}

fn check(holds: bool, reason: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(reason) }
}

fn check_pen(pen: &Pen, term: &Term) -> Result<(), &'static str> {
    let inside = pen.row < term.size.rows && pen.col < term.size.cols;
    check(inside, "cursor outside the screen")?;
    check(!pen.pending_wrap || pen.col == term.size.cols - 1, "wrap due before the last column")?;
    check(pen.active < 4, "unknown character set")?;
    check(pen.style.attrs & !ALL_ATTRS == 0, "unknown attribute")
}

fn check_screen(screen: &VecDeque<Row>, term: &Term) -> Result<(), &'static str> {
    check(screen.len() == usize::from(term.size.rows), "wrong number of rows")?;
    for (at, row) in screen.iter().enumerate() {
        check(row.line.0 < term.next_line, "line id from the future")?;
        check(row.stamp <= term.seq, "stamp from the future")?;
        let same = screen.get(at + 1).is_some_and(|next| next.line == row.line);
        check(row.wrapped == same, "a line and its wraps disagree")?;
        check_row(row, term.cols())?;
    }
    Ok(())
}

fn check_row(row: &Row, cols: usize) -> Result<(), &'static str> {
    check(row.cells().len() <= cols, "row too long")?;
    for (col, cell) in row.cells().iter().enumerate() {
        check(cell.is_sound(), "impossible cell")?;
        let next = row.get(col + 1).kind;
        let paired = (cell.kind == CellKind::Wide) == (next == CellKind::Right);
        check(paired, "half of a wide character")?;
        check(cell.kind != CellKind::Filler || col + 1 == cols, "filler inside a row")?;
    }
    check(row.get(0).kind != CellKind::Right, "half of a wide character")
}
