use std::hint::black_box;

use cotty_vt::{Options, Vt};

use super::{Engine, HISTORY, Size};

/// cotty's engine.
pub(super) struct Cotty {
    vt: Vt,
}

impl Cotty {
    pub(super) fn new(size: Size) -> Cotty {
        let options = Options { size: size.into(), history_lines: HISTORY, ..Options::default() };
        Cotty { vt: Vt::with_options(options) }
    }
}

impl From<Size> for cotty_vt::Size {
    fn from(size: Size) -> Self {
        cotty_vt::Size { cols: size.cols, rows: size.rows }
    }
}

impl Engine for Cotty {
    fn feed(&mut self, chunk: &[u8]) {
        self.vt.feed(chunk);
        black_box(self.vt.take_effects());
    }

    fn text(&self) -> Option<String> {
        Some(self.vt.screen_text())
    }

    fn resize(&mut self, size: Size) {
        self.vt.resize(size.into());
    }
}
