//! Copy mode: scrolls through a session's text, searches it, and copies parts of it. Pure: it returns the copied text.

mod moving;
mod past;

use cotty_vt::{Key, KeyCode, Vt};
use regex::{Regex, RegexBuilder};

pub(crate) use past::Past;
use past::Stretch;

/// A position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    row: usize,
    col: u16,
}

/// What a selection covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// From one character to another.
    Flow,
    /// Whole rows.
    Lines,
    /// A rectangle.
    Block,
}

/// The purpose of the line that the person types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PromptFor {
    SearchDown,
    SearchUp,
    Save,
}

/// The result of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Stay,
    Leave,
    /// Copy this text to the clipboard, and leave the mode.
    Copy(String),
    /// Save this text to a file.
    Save {
        path: String,
        text: String,
    },
}

/// The state of copy mode.
#[derive(Debug)]
pub(crate) struct CopyMode {
    past: Past,
    /// The first visible row.
    top: usize,
    height: u16,
    cursor: At,
    mark: Option<(At, Shape)>,
    pattern: Option<Regex>,
    upward: bool,
    asking: Option<(PromptFor, String)>,
    note: Option<String>,
    /// The wheel started the mode, so scrolling to the end leaves it.
    by_wheel: bool,
}

impl CopyMode {
    /// Starts at the end of the text, with the cursor at its position on the session's screen, which has `screen_rows` rows.
    pub(crate) fn new(past: Past, screen_rows: u16, cursor: (u16, u16), height: u16) -> CopyMode {
        let screen = past.len().saturating_sub(usize::from(screen_rows));
        let row = (screen + usize::from(cursor.0)).min(past.len() - 1);
        let mut mode = CopyMode {
            past,
            top: screen,
            height: height.max(1),
            cursor: At { row, col: cursor.1 },
            mark: None,
            pattern: None,
            upward: true,
            asking: None,
            note: None,
            by_wheel: false,
        };
        mode.show_cursor();
        mode
    }

    /// Sets the number of visible rows.
    pub(crate) fn set_height(&mut self, height: u16) {
        self.height = height.max(1);
        self.show_cursor();
    }

    /// The visible rows.
    pub(crate) fn picture(&self) -> Vt {
        let mut vt = self.past.picture(self.top, self.height);
        let (row, col) = self.screen_cursor();
        vt.feed(format!("\x1b[{};{}H", row + 1, col + 1).as_bytes());
        vt
    }

    /// The cursor within the visible rows.
    fn screen_cursor(&self) -> (u16, u16) {
        let row = self.cursor.row.saturating_sub(self.top);
        (u16::try_from(row).unwrap_or(0), self.cursor.col.min(self.past.cols().saturating_sub(1)))
    }

    /// Visible cells that are selected: row, first column, and the column after the last.
    pub(crate) fn selected(&self) -> Vec<(u16, u16, u16)> {
        let rows = self.top..self.past.len().min(self.top + usize::from(self.height));
        self.seen(rows.filter_map(|row| self.stretch(row)))
    }

    /// Visible cells that match the search.
    pub(crate) fn found(&self) -> Vec<(u16, u16, u16)> {
        let Some(pattern) = &self.pattern else { return Vec::new() };
        let (mut row, mut stretches) = (self.top, Vec::new());
        while row < self.past.len() && row < self.top + usize::from(self.height) {
            stretches.extend(self.past.matches(row, pattern).into_iter().flatten());
            row = self.past.line(row).1;
        }
        self.seen(stretches.into_iter())
    }

    fn seen(&self, stretches: impl Iterator<Item = Stretch>) -> Vec<(u16, u16, u16)> {
        let height = usize::from(self.height);
        let y = |row: usize| row.checked_sub(self.top).filter(|y| *y < height);
        let place = |s: Stretch| Some((u16::try_from(y(s.row)?).ok()?, s.from, s.to));
        stretches.filter_map(place).collect()
    }

    /// The selected part of a row.
    fn stretch(&self, row: usize) -> Option<Stretch> {
        let (mark, shape) = self.mark?;
        let (from, to) = (mark.min(self.cursor), mark.max(self.cursor));
        if row < from.row || row > to.row {
            return None;
        }
        let whole = self.past.cols();
        let (left, right) = match shape {
            Shape::Lines => (0, whole),
            Shape::Block => (mark.col.min(self.cursor.col), mark.col.max(self.cursor.col) + 1),
            Shape::Flow => {
                let left = if row == from.row { from.col } else { 0 };
                (left, if row == to.row { to.col + 1 } else { whole })
            }
        };
        Some(Stretch { row, from: left, to: right })
    }

    /// The selected text. A wrapped line is one line; each row of a rectangle is a line.
    fn selection(&self) -> Option<String> {
        let (mark, shape) = self.mark?;
        let rows = mark.row.min(self.cursor.row)..=mark.row.max(self.cursor.row);
        let last = *rows.end();
        let mut text = String::new();
        for row in rows {
            let Some(Stretch { from, to, .. }) = self.stretch(row) else { continue };
            let part = self.past.text(row, from, to.saturating_sub(1));
            let joined = self.past.wraps(row) && shape != Shape::Block;
            text.push_str(if joined { &part } else { part.trim_end_matches(' ') });
            if row != last && !joined {
                text.push('\n');
            }
        }
        Some(text)
    }

    /// The text of the status line.
    pub(crate) fn status(&self) -> String {
        if let Some((asked, typed)) = &self.asking {
            return match asked {
                PromptFor::SearchDown => format!("/{typed}"),
                PromptFor::SearchUp => format!("?{typed}"),
                PromptFor::Save => format!("save to file: {typed}"),
            };
        }
        let place = format!("[{}/{}]", self.cursor.row + 1, self.past.len());
        match (&self.note, self.mark) {
            (Some(note), _) => format!("{place} {note}"),
            (None, Some(_)) => format!("{place} y copies · s saves · o other end · Esc deselects · q leaves"),
            (None, None) => format!("{place} v V Ctrl-v select · / ? n N search · g G · q leaves"),
        }
    }

    /// Adds pasted text to the line that the person types, if any.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some((_, typed)) = &mut self.asking {
            typed.extend(text.chars().filter(|c| !c.is_control()));
        }
    }

    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        self.note = None;
        self.by_wheel = false;
        if let Some((asked, typed)) = self.asking.take() {
            return self.asked(asked, typed, key);
        }
        match (key.code, key.ctrl) {
            (KeyCode::Char('q'), _) | (KeyCode::Char('c'), true) => return Outcome::Leave,
            (KeyCode::Escape, _) if self.mark.take().is_none() => return Outcome::Leave,
            (KeyCode::Escape, _) => {}
            (KeyCode::Enter | KeyCode::Char('y'), _) => {
                return self.selection().map_or(Outcome::Leave, Outcome::Copy);
            }
            (KeyCode::Char('s'), false) => match self.mark {
                Some(_) => self.asking = Some((PromptFor::Save, String::new())),
                None => self.note = Some("nothing is selected: v starts a selection".into()),
            },
            (KeyCode::Char('v' | 'r'), true) => self.select(Shape::Block),
            (KeyCode::Char('v' | ' '), _) => self.select(Shape::Flow),
            (KeyCode::Char('V'), _) => self.select(Shape::Lines),
            (KeyCode::Char('o'), _) => {
                if let Some((mark, _)) = &mut self.mark {
                    std::mem::swap(mark, &mut self.cursor);
                    self.show_cursor();
                }
            }
            (KeyCode::Char('/'), false) => self.asking = Some((PromptFor::SearchDown, String::new())),
            (KeyCode::Char('?'), _) => self.asking = Some((PromptFor::SearchUp, String::new())),
            (KeyCode::Char('n'), _) => self.search(self.upward),
            (KeyCode::Char('N'), _) => self.search(!self.upward),
            _ => self.go(key),
        }
        Outcome::Stay
    }

    /// Starts a selection of this shape, or changes its shape; the same shape again deselects.
    fn select(&mut self, shape: Shape) {
        self.mark = match self.mark {
            Some((_, now)) if now == shape => None,
            Some((at, _)) => Some((at, shape)),
            None => Some((self.cursor, shape)),
        };
    }

    fn asked(&mut self, asked: PromptFor, mut typed: String, key: Key) -> Outcome {
        match (key.code, key.ctrl) {
            (KeyCode::Escape, _) | (KeyCode::Char('c'), true) => return Outcome::Stay,
            (KeyCode::Enter, _) => {
                return match asked {
                    PromptFor::Save => self.save(typed),
                    _ => {
                        self.look_for(&typed, asked == PromptFor::SearchUp);
                        Outcome::Stay
                    }
                };
            }
            (KeyCode::Backspace, _) if typed.pop().is_none() => return Outcome::Stay,
            (KeyCode::Char('u'), true) => typed.clear(),
            (KeyCode::Char(c), false) => typed.push(c),
            _ => {}
        }
        self.asking = Some((asked, typed));
        Outcome::Stay
    }

    /// Shows a message until the next key.
    pub(crate) fn say(&mut self, text: String) {
        self.note = Some(text);
    }

    fn save(&mut self, path: String) -> Outcome {
        match self.selection() {
            Some(text) if !path.is_empty() => Outcome::Save { path, text },
            _ => Outcome::Stay,
        }
    }

    /// Searches for a regular expression, or for the text itself if it is not a valid one. A pattern without capitals
    /// ignores case. An empty pattern repeats the last search.
    fn look_for(&mut self, typed: &str, upward: bool) {
        self.upward = upward;
        if !typed.is_empty() {
            let any_case = !typed.chars().any(char::is_uppercase);
            let build = |pattern: &str| RegexBuilder::new(pattern).case_insensitive(any_case).build();
            self.pattern = build(typed).or_else(|_| build(&regex::escape(typed))).ok();
        }
        self.search(upward);
    }

    fn search(&mut self, upward: bool) {
        let Some(pattern) = self.pattern.clone() else {
            self.note = Some("no search yet: / starts one".into());
            return;
        };
        let (lines, here) = (self.past.len(), self.cursor);
        let mut row = here.row;
        // Once around, including the whole line where the search began.
        let mut left = lines + 1;
        let mut around = false;
        loop {
            let begins = self.past.matches(row, &pattern).into_iter().filter_map(|hit| hit.first().copied());
            let mut begins = begins.map(|first| At { row: first.row, col: first.from });
            let hit = match upward {
                true => begins.rfind(|at| around || *at < here),
                false => begins.find(|at| around || *at > here),
            };
            if let Some(at) = hit {
                if around {
                    self.note = Some(
                        if upward { "continued from the end" } else { "continued from the start" }.into(),
                    );
                }
                self.cursor = at;
                self.show_cursor_centred();
                return;
            }
            let (first, end) = self.past.line(row);
            left = left.saturating_sub(end - first);
            (row, around) = match upward {
                true if first == 0 => (lines - 1, true),
                true => (first - 1, around),
                false if end >= lines => (0, true),
                false => (end, around),
            };
            if left == 0 {
                self.note = Some("not found".into());
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
