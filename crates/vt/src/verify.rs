use alloc::collections::BTreeSet;
use alloc::string::String;

use crate::Vt;
use crate::grid::cell::Kind;
use crate::grid::row::Row;
use crate::grid::screen::Screen;
use crate::term::{MAX_LABEL, Pen, Term};
use crate::text::read::CellRef;
use crate::unicode;

impl Vt {
    /// Checks all invariants; `restore` and the property tests rely on it.
    pub fn verify(&self) -> Result<(), &'static str> {
        check(self.parser.is_sound(), "parser out of bounds")?;
        check_term(&self.term)
    }
}

fn check_term(term: &Term) -> Result<(), &'static str> {
    let (cols, rows) = (term.cols(), usize::from(term.size.rows));
    check(term.size.is_valid(), "size out of bounds")?;
    // No terminal lives long enough to reach this bound, so the counters never overflow.
    let highest = term.seq.max(term.next_line).max(term.history.dropped());
    check(highest < 1 << 62, "count out of bounds")?;
    let keyboards = term.keyboards.iter().all(|keyboard| keyboard.is_sound());
    check(keyboards && term.modes.modify_other_keys <= 2, "unknown keyboard flags")?;
    let shown = term.keyboards[usize::from(term.modes.alt_screen)].current();
    check(term.modes.kitty_keyboard == shown, "keyboard flags of the wrong screen")?;
    check(term.top < term.bottom || (term.top == term.bottom && rows == 1), "empty scroll region")?;
    check(term.bottom < term.size.rows, "scroll region outside the screen")?;
    check(term.tabs.len() == cols, "tab stops do not match the width")?;
    check(term.cursor_code <= 6, "unknown cursor style")?;
    check(term.titles.is_sound(), "title too long")?;
    check(term.directory.as_ref().is_none_or(|d| d.len() <= MAX_LABEL), "directory too long")?;
    check(term.last_char.is_none_or(|c| !c.is_control()), "last character is a control character")?;
    for pen in [&term.cursor, &term.saved[0], &term.saved[1]] {
        check_pen(pen, term)?;
    }
    check(term.switches.single_shift < 4, "unknown character set")?;
    check(term.tables.is_sound(), "tables inconsistent")?;
    check(term.alternate_history.is_sound(), "alternate-screen history inconsistent")?;
    let (mut known, mut continued) = (BTreeSet::new(), false);
    for screen in &term.screens {
        check_screen(screen, term)?;
    }
    let rows = term.screens.iter().flat_map(|screen| screen.iter());
    let mut heads = rows.filter(|row| !core::mem::replace(&mut continued, row.wrapped)).map(|row| row.line);
    check(heads.all(|line| known.insert(line)), "duplicate line id")?;
    check(term.frame.is_none() || term.modes.synchronized, "frame without synchronized output")?;
    if let Some(frame) = &term.frame {
        check(frame.frame.is_none() && frame.size == term.size, "frame inconsistent")?;
        check_term(frame)?;
    }
    check(term.history.is_sound(term.next_line, term.seq), "history inconsistent")
}

fn check(holds: bool, reason: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(reason) }
}

fn check_pen(pen: &Pen, term: &Term) -> Result<(), &'static str> {
    let inside = pen.row < term.size.rows && pen.col < term.size.cols;
    check(inside, "cursor outside the screen")?;
    check(!pen.pending_wrap || pen.col == term.size.cols - 1, "pending wrap before the last column")?;
    check(pen.active < 4, "unknown character set")?;
    check(pen.look.is_sound() && pen.look.link() == 0, "unknown attribute")
}

fn check_screen(screen: &Screen, term: &Term) -> Result<(), &'static str> {
    check(screen.is_sound() && screen.len() == usize::from(term.size.rows), "wrong number of rows")?;
    for (at, row) in screen.iter().enumerate() {
        check(row.line.0 < term.next_line, "line id from the future")?;
        check(row.stamp <= term.seq, "stamp from the future")?;
        let next = screen.get(at + 1).filter(|next| next.line == row.line);
        check(row.wrapped == next.is_some(), "wrap flag does not match the next row")?;
        let end = row.start.saturating_add(row.span(term.cols()));
        check(next.is_none_or(|next| next.start == end), "rows of a line are not consecutive")?;
        check_row(row, term)?;
    }
    Ok(())
}

fn check_row(row: &Row, term: &Term) -> Result<(), &'static str> {
    let cols = term.cols();
    check(row.cells().len() <= cols, "row too long")?;
    check(row.is_sound(), "invalid cell")?;
    for (col, cell) in row.cells().iter().enumerate() {
        check((cell.style.0 as usize) < term.tables.styles.len(), "unknown style")?;
        let known = cell.cluster().is_none_or(|index| (index as usize) < term.tables.clusters.len());
        check(known, "unknown cluster")?;
        let next = row.get(col + 1).kind();
        let paired = (cell.kind() == Kind::Wide) == (next == Kind::Right);
        check(paired, "half of a wide character")?;
        check(cell.kind() != Kind::Filler || col + 1 == cols, "filler inside a row")?;
    }
    check(row.get(0).kind() != Kind::Right, "half of a wide character")?;
    check(row.is_irregular() || is_regular(row, term), "cells do not match the clusters of the text")
}

/// Whether segmenting the row's text into clusters yields its cells.
fn is_regular(row: &Row, term: &Term) -> bool {
    let mut text = String::new();
    term.tables.push_text(row, 0, row.cells().len(), &mut text);
    let mut again = unicode::clusters(&text);
    let cells = row.cells().iter().filter(|cell| !matches!(cell.kind(), Kind::Right | Kind::Filler));
    cells.into_iter().all(|cell| {
        let cell = CellRef::new(*cell, &term.tables);
        let shown = if cell.text.is_empty() { " " } else { &cell.text };
        again.next() == Some((shown, cell.width))
    })
}
