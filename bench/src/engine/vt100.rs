use std::num::NonZeroU16;

use super::{Engine, HISTORY, Size};

/// A small engine that many tools use. It sends no replies, so there are none to take.
pub(super) struct Vt100 {
    parser: vt100::Parser,
}

impl Vt100 {
    pub(super) fn new(size: Size) -> Vt100 {
        Vt100 { parser: vt100::Parser::new(cells(size.rows), cells(size.cols), HISTORY) }
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

impl Engine for Vt100 {
    fn feed(&mut self, chunk: &[u8]) {
        self.parser.process(chunk);
    }

    fn text(&self) -> Option<String> {
        let screen = self.parser.screen();
        let (_, cols) = screen.size();
        let mut out = String::new();
        for row in screen.rows(0, cols.get()) {
            out.push_str(&row);
            super::end_row(&mut out);
        }
        Some(out)
    }

    fn resize(&mut self, size: Size) {
        self.parser.set_size(cells(size.rows), cells(size.cols));
    }
}
