use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Flags, LineLength};
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;

use super::{Engine, HISTORY, Size};

/// The reference: the engine that most Rust programs with a terminal use.
pub(super) struct Alacritty {
    term: Term<Events>,
    parser: Processor,
    events: Events,
}

/// Replies, titles and bells, collected during a read.
#[derive(Clone, Default)]
struct Events(Rc<RefCell<Vec<Event>>>);

impl EventListener for Events {
    fn send_event(&self, event: Event) {
        self.0.borrow_mut().push(event);
    }
}

impl Alacritty {
    pub(super) fn new(size: Size) -> Alacritty {
        let events = Events::default();
        let config = Config { scrolling_history: HISTORY, ..Config::default() };
        Alacritty { term: Term::new(config, &size, events.clone()), parser: Processor::new(), events }
    }
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.rows)
    }

    fn columns(&self) -> usize {
        usize::from(self.cols)
    }
}

impl Engine for Alacritty {
    fn feed(&mut self, chunk: &[u8]) {
        self.parser.advance(&mut self.term, chunk);
        for event in self.events.0.borrow_mut().drain(..) {
            black_box(event);
        }
    }

    fn text(&self) -> Option<String> {
        let spacer = Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER;
        let grid = self.term.grid();
        let mut out = String::with_capacity(grid.screen_lines() * (grid.columns() + 1));
        for line in 0..grid.screen_lines() {
            let row = &grid[Line(line as i32)];
            for cell in &row[..row.line_length()] {
                if cell.flags.intersects(spacer) {
                    continue;
                }
                // The first cell of a tab contains the tab character.
                out.push(if cell.c == '\t' { ' ' } else { cell.c });
                out.extend(cell.zerowidth().into_iter().flatten());
            }
            super::end_row(&mut out);
        }
        Some(out)
    }

    fn resize(&mut self, size: Size) {
        self.term.resize(size);
    }
}

/// The lines that exactly fill the history, so that all engines hold the same text.
pub(crate) fn filling_history(bytes: &[u8], size: Size) -> &[u8] {
    let mut engine = Alacritty::new(size);
    let mut used = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if engine.term.grid().history_size() >= HISTORY {
            break;
        }
        engine.feed(line);
        used += line.len();
    }
    &bytes[..used]
}
