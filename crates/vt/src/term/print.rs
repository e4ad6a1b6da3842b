use super::Term;
use crate::grid::cell::{Cell, Glyph, Kind, StyleId};
use crate::grid::clusters::{Clusters, MAX_CLUSTER};
use crate::parse::scan;
use crate::unicode::{self, Joint, Props};

impl Term {
    /// Prints a run of printable ASCII. It counts the bytes row by row, so that the stamps do not
    /// depend on how the run was split.
    pub(crate) fn print_ascii(&mut self, run: &[u8]) {
        if self.switches.insert || !self.is_plain_set() {
            for &byte in run {
                self.seq += 1;
                self.print(char::from(byte));
            }
            return;
        }
        let style = self.pen_style();
        let cols = self.cols();
        let end = usize::from(self.cursor.col) + run.len();
        let mut rest = run;
        if end < cols && !self.cursor.pending_wrap {
            // The run ends before the row does.
            self.seq += run.len() as u64;
            let col = usize::from(self.cursor.col);
            self.touch_cursor_row().write_ascii(col, run, style, cols);
            self.cursor.col = end as u16;
            rest = &[];
        }
        while !rest.is_empty() {
            if self.cursor.pending_wrap && self.switches.autowrap {
                self.wrap();
            }
            let col = usize::from(self.cursor.col);
            let (now, later) = rest.split_at(rest.len().min(cols - col));
            self.seq += now.len() as u64;
            self.touch_cursor_row().write_ascii(col, now, style, cols);
            self.advance_cursor(col + now.len());
            rest = later;
        }
        self.last_char = run.last().map(|&byte| char::from(byte));
        self.previous = self.last_char;
    }

    /// Prints text that begins with a non-ASCII character, up to the first incomplete or invalid one; returns
    /// the number of bytes.
    pub(crate) fn print_text(&mut self, bytes: &[u8]) -> usize {
        if self.switches.insert || !self.is_plain_set() {
            let Some((c, len)) = scan::character(bytes) else { return 0 };
            self.seq += len as u64;
            self.print(c);
            return len;
        }
        let mut rest = bytes;
        loop {
            let ascii = matches!(rest.first(), Some(b' '..=b'~'));
            if !ascii {
                let Some((c, len)) = scan::character(rest) else { break };
                let props = unicode::props(c);
                if !self.is_simple(props) {
                    self.seq += len as u64;
                    self.print_char(c, props);
                    rest = rest.get(len..).unwrap_or_default();
                    continue;
                }
            } else if self.cursor.pending_wrap || scan::printable(rest) > WORD {
                // `print_ascii` is faster for long runs.
                break;
            }
            let taken = self.print_run(rest);
            rest = rest.get(taken..).unwrap_or_default();
        }
        bytes.len() - rest.len()
    }

    /// Prints text of any script at once, up to the end of the row or the first character that needs
    /// special handling; returns the number of bytes.
    fn print_run(&mut self, bytes: &[u8]) -> usize {
        let mut run = TextRun::new();
        let mut rest = bytes;
        let (cols, col) = (self.cols(), usize::from(self.cursor.col));
        let room = (cols - col).min(RUN - 1);
        let clusters = self.switches.clusters;
        // The caller has checked whether the first character joins the one before it.
        let mut last: Option<Props> = None;
        loop {
            if let [byte @ b' '..=b'~', after @ ..] = rest {
                if run.count >= room {
                    break;
                }
                run.push_ascii(*byte);
                rest = after;
                last = Some(unicode::props(char::from(*byte)));
                continue;
            }
            let Some((c, len)) = scan::character(rest) else { break };
            let props = unicode::props(c);
            let width = usize::from(props.width());
            let joint = match last {
                _ if props.is_simple() => Joint::Never,
                None => Joint::Never,
                Some(last) if clusters => match unicode::joint(last, props) {
                    // In its own cell it would make the row irregular.
                    Joint::Never if props.joins_anything() => break,
                    joint => joint,
                },
                Some(_) => break,
            };
            if joint == Joint::Never {
                let spacing = width > 0 || last.is_none();
                if !spacing || run.count + width > room {
                    break;
                }
                run.push(c, props);
            } else if !run.join(c, props, joint, room, &mut self.tables.clusters) {
                break;
            }
            run.bytes += len;
            last = Some(props);
            rest = rest.get(len..).unwrap_or_default();
        }
        let style = self.pen_style();
        self.seq += run.bytes as u64;
        self.touch_cursor_row().write_cells(col, &run.cells[..run.count], style, cols);
        self.advance_cursor(col + run.count);
        self.last_char = Some(run.last);
        self.previous = Some(run.previous);
        run.bytes
    }

    /// Whether a character neither joins nor wraps, so that it can be written as part of a run.
    fn is_simple(&self, props: Props) -> bool {
        let width = usize::from(props.width());
        let apart = || {
            let apart = |last| unicode::joint(unicode::props(last), props) == Joint::Never;
            let alone = width > 0 && !props.joins_anything();
            self.switches.clusters && alone && self.previous.is_some_and(apart)
        };
        usize::from(self.cursor.col) + width <= self.cols()
            && !self.cursor.pending_wrap
            && (props.is_simple() || apart())
    }

    /// Prints one character at the cursor.
    pub(crate) fn print(&mut self, c: char) {
        let c = if self.is_plain_set() { c } else { self.translate(c) };
        self.print_char(c, unicode::props(c));
    }

    fn print_char(&mut self, c: char, props: Props) {
        if props.may_join() || props.width() == 0 {
            // A C1 control in UTF-8 is not printed, and executing it would be unsafe.
            if props.is_control() || self.join(c, props) {
                return;
            }
            let apart = self.stays_apart(props);
            self.print_spacing(c, usize::from(props.width()));
            if !apart {
                self.mark_irregular();
            }
        } else {
            self.print_spacing(c, usize::from(props.width()));
        }
    }

    /// Prints the last character again (REP).
    pub(super) fn repeat(&mut self, count: u16) {
        if let Some(c) = self.last_char.take() {
            let width = usize::from(unicode::props(c).width());
            // More would only scroll the same character into the history, at nine bytes for 65,535 cells.
            let most = usize::from(self.size.rows) * self.cols();
            for _ in 0..usize::from(count).min(most) {
                // The character set was applied when the character was first printed.
                self.print_spacing(c, width);
                if unicode::props(c).may_join() {
                    self.mark_irregular();
                }
            }
            // A second REP repeats nothing: no character comes directly before it.
            self.last_char = None;
        }
    }

    fn print_spacing(&mut self, c: char, width: usize) {
        let cols = self.cols();
        if self.cursor.pending_wrap && self.switches.autowrap {
            self.wrap();
        }
        if usize::from(self.cursor.col) + width > cols {
            if !self.switches.autowrap {
                return;
            }
            let style = self.erase_style();
            self.touch_cursor_row().write_filler(cols - 1, style);
            self.wrap();
        }
        let (col, style) = (usize::from(self.cursor.col), self.pen_style());
        if self.switches.insert {
            let blank = self.erase_style();
            self.touch_cursor_row().insert(col, width, blank, cols);
            self.mend(usize::from(self.cursor.row));
        }
        self.touch_cursor_row().write(col, Cell::new(Glyph::Char(c), width == 2, style), cols);
        self.advance_cursor(col + width);
        self.last_char = Some(c);
        self.previous = Some(c);
    }

    /// Joins a character to the cluster before the cursor if it belongs there. A character without
    /// width always joins. Returns false if the character must be printed in its own cell.
    fn join(&mut self, c: char, props: Props) -> bool {
        let width = props.width();
        let col = usize::from(self.cursor.col);
        let Some(col) = (if self.cursor.pending_wrap { Some(col) } else { col.checked_sub(1) }) else {
            return width == 0;
        };
        let together = self.previous.filter(|_| self.switches.clusters);
        let joint = together.map_or(Joint::Never, |last| unicode::joint(unicode::props(last), props));
        if width > 0 && joint == Joint::Never {
            return false;
        }
        if self.tables.clusters.is_full() {
            self.tables.sweep_clusters(&mut self.screens);
        }
        let row = self.screens[usize::from(self.modes.alt_screen)].row_mut(usize::from(self.cursor.row));
        let at = if row.get(col).kind() == Kind::Right { col.saturating_sub(1) } else { col };
        let before = row.get(at);
        if let (Joint::Always, 0, Glyph::Char(first)) = (joint, width, before.glyph())
            && c != unicode::EMOJI_FORM
            && before.kind() != Kind::Filler
        {
            // A mark on a letter, a joiner after an emoji: only the text changes.
            row.stamp = self.seq;
            row.set_cluster(at, self.tables.clusters.begin(first, c, true));
            self.previous = Some(c);
            return true;
        }
        let mut buffer = [0; 4];
        let text = match before.glyph() {
            Glyph::Char(first) => &*first.encode_utf8(&mut buffer),
            Glyph::Cluster(index) => self.tables.clusters.get(index),
        };
        let belongs = joint == Joint::Always || (joint == Joint::Depends && unicode::joins(text, c));
        if !belongs && width > 0 {
            return false;
        }
        if before.kind() == Kind::Filler || text.len() + c.len_utf8() > MAX_CLUSTER {
            return true;
        }
        // Only a character with width, or a request for emoji form, can widen the cluster.
        let may_grow = before.kind() == Kind::Narrow && (width > 0 || c == unicode::EMOJI_FORM);
        let grows = may_grow && becomes_wide(text, c);
        let room = self.switches.autowrap || col + 2 <= usize::from(self.size.cols);
        if grows && self.switches.clusters && !(belongs && room) {
            // The wide form does not fit, or the character does not belong to the cluster: drop it.
            return true;
        }
        let index = match before.glyph() {
            Glyph::Cluster(index) => self.tables.clusters.extended(index, c, belongs),
            Glyph::Char(first) => self.tables.clusters.begin(first, c, belongs),
        };
        row.stamp = self.seq;
        if !belongs {
            row.set_irregular();
        }
        if self.previous.is_some() {
            self.previous = Some(c);
        }
        row.set_cluster(at, index);
        if grows && belongs {
            self.widen(at);
        }
        true
    }

    /// Whether a character in its own cell can never join the cell before it.
    fn stays_apart(&self, props: Props) -> bool {
        // It would join any cell before it, even an erased one.
        if props.joins_anything() {
            return false;
        }
        if self.previous.is_some() && self.switches.clusters {
            // With autowrap off it overwrites the character that it was compared with.
            return self.switches.autowrap || !self.cursor.pending_wrap;
        }
        let row = self.screen().row(usize::from(self.cursor.row));
        let before = usize::from(self.cursor.col).checked_sub(1);
        !self.cursor.pending_wrap && before.is_none_or(|col| row.get(col).is_ascii())
    }

    /// Marks the cursor's row and the row above as irregular.
    fn mark_irregular(&mut self) {
        self.touch_cursor_row().set_irregular();
        let above = usize::from(self.cursor.row).saturating_sub(1);
        self.screen_mut().row_mut(above).set_irregular();
    }

    /// Widens the cluster before the cursor: it also takes the next column, or moves to the next row.
    fn widen(&mut self, at: usize) {
        let cols = self.cols();
        let narrow = self.screen().row(usize::from(self.cursor.row)).get(at);
        let wide = Cell::new(narrow.glyph(), true, narrow.style);
        if at + 2 <= cols {
            if self.switches.insert {
                let erased = self.erase_style();
                self.touch_cursor_row().insert(at + 1, 1, erased, cols);
            }
            self.touch_cursor_row().write(at, wide, cols);
            self.mend(usize::from(self.cursor.row));
            self.advance_cursor(at + 2);
        } else {
            let erased = self.erase_style();
            self.touch_cursor_row().write_filler(at, erased);
            self.wrap();
            // An irregular cluster makes its new row irregular.
            let regular = narrow.cluster().is_none_or(|index| self.tables.clusters.is_regular(index));
            let row = self.touch_cursor_row();
            row.write(0, wide, cols);
            if !regular {
                row.set_irregular();
            }
            self.advance_cursor(2);
        }
    }

    fn advance_cursor(&mut self, col: usize) {
        let cols = self.cols();
        self.cursor.pending_wrap = col >= cols;
        self.cursor.col = col.min(cols - 1) as u16;
        if col >= cols {
            self.mend(usize::from(self.cursor.row));
        }
    }
}

/// Whether one more character makes a narrow cluster wide.
fn becomes_wide(cluster: &str, c: char) -> bool {
    unicode::cluster_width(cluster.chars().chain([c])) == 2
}

/// The most columns written at once.
const RUN: usize = 64;
/// Up to this many bytes of ASCII are written together with the surrounding non-ASCII text.
const WORD: usize = 15;

/// Characters collected to be written at once.
struct TextRun {
    cells: [Cell; RUN],
    count: usize,
    bytes: usize,
    /// The column of the last cluster.
    at: usize,
    /// The last character that began a cell, and the last character.
    last: char,
    previous: char,
}

impl TextRun {
    fn new() -> TextRun {
        TextRun { cells: [Cell::BLANK; RUN], count: 0, bytes: 0, at: 0, last: ' ', previous: ' ' }
    }

    #[inline]
    fn push_ascii(&mut self, byte: u8) {
        self.cells[self.count] = Cell::ascii(byte, StyleId(0));
        self.at = self.count;
        self.count += 1;
        self.bytes += 1;
        self.last = char::from(byte);
        self.previous = self.last;
    }

    #[inline]
    fn push(&mut self, c: char, props: Props) {
        let wide = props.width() == 2;
        self.cells[self.count] = Cell::new(Glyph::Char(c), wide, StyleId(0));
        // After a narrow character this cell is overwritten.
        self.cells[self.count + 1] = Cell::right(StyleId(0));
        self.at = self.count;
        self.count += 1 + usize::from(wide);
        self.last = c;
        self.previous = c;
    }

    /// Joins a character to the last cluster; returns false if it does not belong there or does not fit.
    fn join(&mut self, c: char, props: Props, joint: Joint, room: usize, clusters: &mut Clusters) -> bool {
        let cell = self.cells[self.at];
        // Only a character with width, or a request for emoji form, can widen the cluster.
        let may_grow = cell.kind() == Kind::Narrow && (props.width() > 0 || c == unicode::EMOJI_FORM);
        // A sweep would miss cells that are not on the screen yet.
        if clusters.is_full() {
            return false;
        }
        if let (Joint::Always, false, Glyph::Char(first)) = (joint, may_grow, cell.glyph()) {
            // A mark on a letter, a joiner after an emoji.
            self.cells[self.at].set_cluster(clusters.begin(first, c, true));
            self.previous = c;
            return true;
        }
        let mut buffer = [0; 4];
        let text = match cell.glyph() {
            Glyph::Char(first) => &*first.encode_utf8(&mut buffer),
            Glyph::Cluster(index) => clusters.get(index),
        };
        let grows = may_grow && becomes_wide(text, c);
        if text.len() + c.len_utf8() > MAX_CLUSTER
            || (joint == Joint::Depends && !unicode::joins(text, c))
            || (grows && self.count >= room)
        {
            return false;
        }
        let index = match cell.glyph() {
            Glyph::Char(first) => clusters.begin(first, c, true),
            Glyph::Cluster(index) => clusters.extended(index, c, true),
        };
        self.cells[self.at].set_cluster(index);
        if grows {
            self.cells[self.at] = Cell::new(Glyph::Cluster(index), true, StyleId(0));
            self.cells[self.count] = Cell::right(StyleId(0));
            self.count += 1;
        }
        self.previous = c;
        true
    }
}
