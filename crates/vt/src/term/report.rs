use alloc::format;

use super::Term;
use crate::Size;
use crate::parse::params::Params;

/// The assumed size of a cell in pixels, for size queries and pixel mouse reports.
pub(crate) const CELL_WIDTH: u32 = 8;
pub(crate) const CELL_HEIGHT: u32 = 16;

impl Term {
    /// DSR: the status (5) or the cursor position (6).
    pub(super) fn report_status(&mut self, what: u16) {
        match what {
            5 => self.reply("\x1b[0n"),
            6 => {
                let (row, col) = self.reported_cursor();
                self.reply(&format!("\x1b[{row};{col}R"));
            }
            _ => {}
        }
    }

    pub(super) fn report_dec_status(&mut self, what: u16) {
        if what == 6 {
            let (row, col) = self.reported_cursor();
            self.reply(&format!("\x1b[?{row};{col}R"));
        }
    }

    /// The cursor position from 1; in origin mode, from the top margin.
    fn reported_cursor(&self) -> (u16, u16) {
        let top = if self.cursor.origin { self.top } else { 0 };
        (self.cursor.row.saturating_sub(top) + 1, self.cursor.col + 1)
    }

    pub(super) fn report_ansi_mode(&mut self, mode: u16) {
        let value = mode_value(self.ansi_mode(mode));
        self.reply(&format!("\x1b[{mode};{value}$y"));
    }

    pub(super) fn report_dec_mode(&mut self, mode: u16) {
        let value = mode_value(self.dec_mode(mode));
        self.reply(&format!("\x1b[?{mode};{value}$y"));
    }

    /// XTWINOPS: reports sizes. Changing the size and reading the title (which could inject input)
    /// need permission.
    pub(super) fn window(&mut self, params: &Params) {
        let (cols, rows) = (u32::from(self.size.cols), u32::from(self.size.rows));
        match params.get(0) {
            4 if self.allow.resize => {
                let cells = |pixels: u16, cell: u32| (u32::from(pixels) / cell) as u16;
                let (height, width) = (params.get(1), params.get(2));
                self.set_size(cells(height, CELL_HEIGHT), cells(width, CELL_WIDTH));
            }
            8 if self.allow.resize => self.set_size(params.get(1), params.get(2)),
            11 => self.reply("\x1b[1t"),
            14 => self.reply(&format!("\x1b[4;{};{}t", rows * CELL_HEIGHT, cols * CELL_WIDTH)),
            16 => self.reply(&format!("\x1b[6;{CELL_HEIGHT};{CELL_WIDTH}t")),
            18 => self.reply(&format!("\x1b[8;{rows};{cols}t")),
            19 => self.reply(&format!("\x1b[9;{rows};{cols}t")),
            20 if self.allow.title => self.report_title('L'),
            21 if self.allow.title => self.report_title('l'),
            22 => self.push_title(params.get(1)),
            23 => self.pop_title(params.get(1)),
            lines @ 24.. if self.allow.resize => self.set_size(lines, self.size.cols),
            _ => {}
        }
    }

    /// Sets the size; 0 keeps the current value.
    fn set_size(&mut self, rows: u16, cols: u16) {
        let or = |value: u16, old: u16| if value == 0 { old } else { value };
        let size = Size { cols: or(cols, self.size.cols), rows: or(rows, self.size.rows) };
        self.resize_by_program(size);
    }
}

fn mode_value(set: Option<bool>) -> u8 {
    match set {
        None => 0,
        Some(true) => 1,
        Some(false) => 2,
    }
}
