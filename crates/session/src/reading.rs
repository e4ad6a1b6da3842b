//! What a reader is given: the screen, what is new to it, or what left the screen.

use cotty_vt::{Line, Position};
use serde::{Deserialize, Serialize};

use crate::session::Info;
use crate::task::Task;

/// Which part to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// What a person would see.
    Screen,
    /// What came since this reader's last read.
    New,
    /// What left the screen: `limit` lines, skipping `offset` from the newest.
    Scrollback {
        /// Lines to skip.
        offset: usize,
        /// Most lines to give.
        limit: usize,
    },
}

/// What was read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The text.
    pub content: String,
    /// Lines that the limits had dropped before they were read.
    pub dropped: u64,
    /// Whether anything came since this reader's last read.
    pub has_new: bool,
    /// The session at that moment.
    pub info: Info,
}

/// Where a reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) seq: u64,
    pub(crate) position: Position,
}

/// Where typed lines were echoed: from a position on, this many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Echo {
    pub(crate) seq: u64,
    pub(crate) position: Position,
    pub(crate) lines: u32,
}

impl Task {
    pub(crate) fn read(&mut self, view: View, raw: bool, reader: &str, since: Option<u64>) -> Reading {
        let place = self.saved.readers.get(reader).copied();
        let seen = since.or(place.map(|p| p.seq)).unwrap_or(0);
        let has_new = self.vt.seq() > seen;
        let (content, dropped) = match view {
            View::Screen if raw => (self.rows_raw(), 0),
            View::Screen => (self.vt.screen_text().trim_end_matches('\n').to_owned(), 0),
            View::New if raw => {
                (String::from_utf8_lossy(self.hot.output(seen, self.vt.seq())).into_owned(), 0)
            }
            View::New => self.new_text(since, place),
            View::Scrollback { offset, limit } => self.scrollback(offset, limit, raw),
        };
        if since.is_none() {
            let place = Place { seq: self.vt.seq(), position: self.vt.position() };
            self.saved.readers.insert(reader.to_owned(), place);
        }
        Reading { content, dropped, has_new, info: self.info() }
    }

    fn rows_raw(&self) -> String {
        let rows: Vec<String> = (0..self.vt.size().rows).map(|row| self.vt.row_ansi(row)).collect();
        rows.join("\n").trim_end_matches('\n').to_owned()
    }

    fn scrollback(&self, offset: usize, limit: usize, raw: bool) -> (String, u64) {
        let mut lines: Vec<String> = match raw {
            true => self.vt.history_ansi().rev().skip(offset).take(limit).collect(),
            false => self.vt.history().rev().skip(offset).take(limit).map(|l| l.text.to_owned()).collect(),
        };
        lines.reverse();
        (lines.join("\n"), self.vt.history_dropped())
    }

    fn new_text(&self, since: Option<u64>, place: Option<Place>) -> (String, u64) {
        if self.vt.modes().alt_screen || since.is_some() {
            let seq = since.or(place.map(|p| p.seq)).unwrap_or(0);
            return (join(&self.lines_without_echo(seq)), 0);
        }
        let Some(place) = place else {
            let everything = self.vt.text_from(self.start);
            return (everything.text, everything.dropped);
        };
        let from = match self.saved.echo {
            Some(echo) if echo.seq >= place.seq => match self.output_start(echo) {
                Some(position) => position,
                None => return (String::new(), 0),
            },
            _ => place.position,
        };
        let excerpt = self.vt.text_from(from);
        (excerpt.text, excerpt.dropped)
    }

    /// Where output begins after typed lines: at the command's start mark, or behind as many lines as were typed.
    fn output_start(&self, echo: Echo) -> Option<Position> {
        if let Some(position) = self.saved.commands.output_after(echo.seq) {
            return Some(position);
        }
        let lines = self.vt.lines_since(echo.seq);
        let first = lines.iter().position(|line| line.id == echo.position.line)?;
        let line = lines.get(first + echo.lines as usize)?;
        Some(Position { line: line.id, cell: 0 })
    }

    /// Lines that changed since `seq`, without those that only echo what was typed.
    pub(crate) fn lines_without_echo(&self, seq: u64) -> Vec<Line> {
        let mut lines = self.vt.lines_since(seq);
        let Some(echo) = self.saved.echo.filter(|_| !self.vt.modes().alt_screen) else { return lines };
        let Some(first) = lines.iter().position(|line| line.id == echo.position.line) else { return lines };
        let started = self.saved.commands.output_after(echo.seq);
        let end = started.and_then(|s| lines.iter().position(|line| line.id == s.line));
        let end = end.unwrap_or(first + echo.lines as usize).clamp(first, lines.len());
        lines.drain(first..end);
        lines
    }

    /// What a wait searches: what came since `since`; by default since the last input, or the whole screen.
    pub(crate) fn text_since(&self, since: Option<u64>) -> String {
        match since.or(self.saved.echo.map(|echo| echo.seq)) {
            None => self.vt.screen_text(),
            Some(_) if since.is_none() && self.vt.modes().alt_screen => self.vt.screen_text(),
            Some(seq) => join(&self.lines_without_echo(seq)),
        }
    }
}

fn join(lines: &[Line]) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    texts.join("\n")
}
