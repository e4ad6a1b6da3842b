//! What a front end shows: lines of text with styled runs, and a cursor; and the updates from one screen to the next.

use std::collections::HashSet;
use std::sync::Arc;

use cotty_protocol::update::{Cursor, Reason, Region, Shape};
use cotty_vt::{CursorShape, LineId, RowVersion, Style, Vt};

use crate::handle::Ended;

/// The screen at one moment. Columns and rows count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The seq that it shows.
    pub seq: u64,
    /// Number of columns.
    pub cols: u16,
    /// Number of rows.
    pub rows: u16,
    /// One for each row, from the top.
    pub lines: Vec<Arc<Line>>,
    /// Where the cursor is.
    pub cursor: Cursor,
    /// The title that the program set: data, not markup.
    pub title: String,
    /// Whether it is the alternate screen.
    pub alternate: bool,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Its text, right-trimmed.
    pub text: String,
    /// The styled cells, from left to right. The last run can extend past the text: a coloured background.
    pub runs: Vec<Run>,
}

/// Neighbouring cells with the same style and link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The first cell.
    pub x: u16,
    /// The cell after the last.
    pub x2: u16,
    /// Their style.
    pub style: Style,
    /// Their link's address.
    pub link: Option<String>,
}

/// A message to a subscriber.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// The bell rang, once or more.
    Bell,
    /// The cursor moved or changed its appearance.
    Cursor(Cursor),
    /// A part of the screen changed. It is always whole rows, so that a front end can replace lines without knowing how
    /// wide a character is.
    Diff {
        /// Which part.
        region: Region,
        /// One for each row of the region.
        lines: Vec<Arc<Line>>,
        /// Why.
        reason: Reason,
    },
    /// The whole screen.
    Snapshot(Snapshot),
    /// The program ended. Nothing follows.
    Exited(Ended),
}

impl Snapshot {
    pub(crate) fn of(vt: &Vt) -> Snapshot {
        let size = vt.size();
        Snapshot {
            seq: vt.shown_seq(),
            cols: size.cols,
            rows: size.rows,
            lines: (0..size.rows).map(|row| Arc::new(Line::of(vt, row))).collect(),
            cursor: cursor(vt),
            title: vt.title().to_owned(),
            alternate: vt.modes().alt_screen,
        }
    }

    /// Applies an update, as every front end must.
    pub fn apply(&mut self, update: &Update) {
        match update {
            Update::Bell | Update::Exited(_) => {}
            Update::Cursor(cursor) => self.cursor = *cursor,
            Update::Diff { region, lines, .. } => {
                let rows = self.lines.iter_mut().skip(usize::from(region.y));
                for (row, line) in rows.zip(lines) {
                    *row = Arc::clone(line);
                }
            }
            Update::Snapshot(snapshot) => *self = snapshot.clone(),
        }
    }
}

impl Line {
    fn of(vt: &Vt, row: u16) -> Line {
        let mut runs: Vec<Run> = Vec::new();
        for (x, cell) in (0..).zip(vt.row_painted(row)) {
            if cell.style == Style::default() && cell.link.is_none() {
                continue;
            }
            match runs.last_mut() {
                Some(run) if run.x2 == x && run.style == cell.style && run.link.as_deref() == cell.link => {
                    run.x2 += 1;
                }
                _ => {
                    let link = cell.link.map(str::to_owned);
                    runs.push(Run { x, x2: x + 1, style: cell.style, link });
                }
            }
        }
        Line { text: vt.row_text(row), runs }
    }

    fn is_blank(&self) -> bool {
        self.text.is_empty() && self.runs.is_empty()
    }
}

fn cursor(vt: &Vt) -> Cursor {
    let cursor = vt.cursor();
    let shape = match cursor.shape {
        CursorShape::Block => Shape::Block,
        CursorShape::Underline => Shape::Underline,
        CursorShape::Bar => Shape::Bar,
    };
    Cursor { x: cursor.col, y: cursor.row, visible: cursor.visible, shape }
}

/// What subscribers that are up to date show; makes the updates to the next screen.
#[derive(Debug)]
pub(crate) struct ShownScreen {
    pub(crate) snapshot: Snapshot,
    versions: Vec<RowVersion>,
}

/// How a screen changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It did not change.
    Same,
    /// These updates lead to it. If there are none, only the title changed, which only snapshots contain.
    Updates(Vec<Update>),
    /// Its size changed: only a snapshot leads to it.
    Resized,
}

impl ShownScreen {
    pub(crate) fn of(vt: &Vt) -> ShownScreen {
        let snapshot = Snapshot::of(vt);
        let versions = (0..snapshot.rows).filter_map(|row| vt.row_version(row)).collect();
        ShownScreen { snapshot, versions }
    }

    /// Advances to what the terminal shows now.
    pub(crate) fn advance(&mut self, vt: &Vt) -> Step {
        let size = vt.size();
        if (size.cols, size.rows) != (self.snapshot.cols, self.snapshot.rows) {
            *self = ShownScreen::of(vt);
            return Step::Resized;
        }
        let alternate = vt.modes().alt_screen;
        let switched = std::mem::replace(&mut self.snapshot.alternate, alternate) != alternate;
        let retitled = self.snapshot.title != vt.title();
        if retitled {
            vt.title().clone_into(&mut self.snapshot.title);
        }
        self.snapshot.seq = vt.shown_seq();
        let mut updates = self.changed_rows(vt, switched);
        let cursor = cursor(vt);
        if std::mem::replace(&mut self.snapshot.cursor, cursor) != cursor {
            updates.push(Update::Cursor(cursor));
        }
        match updates.is_empty() && !switched && !retitled {
            true => Step::Same,
            false => Step::Updates(updates),
        }
    }

    /// The rows that changed, with neighbouring rows in one update.
    fn changed_rows(&mut self, vt: &Vt, switched: bool) -> Vec<Update> {
        let before = self.versions.clone();
        let mut changed: Vec<(u16, bool)> = Vec::new();
        for (row, (version, line)) in (0..).zip(self.versions.iter_mut().zip(&mut self.snapshot.lines)) {
            let Some(now) = vt.row_version(row).filter(|now| now != version) else { continue };
            let redrawn = now.same_text(*version);
            *version = now;
            let fresh = Line::of(vt, row);
            if **line != fresh {
                *line = Arc::new(fresh);
                changed.push((row, redrawn));
            }
        }
        let places: HashSet<_> = match changed.len() {
            0 => HashSet::new(),
            _ => before.iter().map(|version| version.place()).collect(),
        };
        let pieces = changed.chunk_by(|a, b| a.0 + 1 == b.0);
        pieces.map(|piece| self.diff(piece, switched, &before, &places)).collect()
    }

    fn diff(
        &self,
        piece: &[(u16, bool)],
        switched: bool,
        before: &[RowVersion],
        places: &HashSet<(LineId, u32)>,
    ) -> Update {
        let y = piece.first().map_or(0, |(row, _)| *row);
        let rows = usize::from(y)..usize::from(y) + piece.len();
        let lines = self.snapshot.lines[rows.clone()].to_vec();
        // A row that shows what another row showed before has moved.
        let moved = |at: usize| {
            let place = self.versions[at].place();
            place != before[at].place() && places.contains(&place)
        };
        let reason = if switched {
            Reason::ScreenSwitch
        } else if piece.iter().all(|(_, redrawn)| *redrawn) {
            Reason::Redraw
        } else if lines.iter().all(|line| line.is_blank()) {
            Reason::Clear
        } else if rows.clone().any(moved) {
            Reason::Scroll
        } else {
            Reason::Text
        };
        let region = Region { x: 0, y, x2: self.snapshot.cols, y2: y + piece.len() as u16 };
        Update::Diff { region, lines, reason }
    }
}
