use alloc::vec::Vec;

use crate::parse::Parser;
use crate::term::Term;
use crate::{Allow, Cursor, CursorShape, Effect, Modes, Options, Position, Size};

/// A terminal that only computes: bytes go in; a screen, a history and effects come out.
///
/// A clone is a cheap snapshot: it shares the history's closed chunks.
#[derive(Debug, Clone)]
pub struct Vt {
    pub(crate) parser: Parser,
    pub(crate) term: Term,
}

impl Vt {
    /// Creates a terminal of this size with the default history limits.
    pub fn new(size: Size) -> Vt {
        Vt::with_options(Options { size, ..Options::default() })
    }

    /// Creates a terminal with the given options.
    pub fn with_options(options: Options) -> Vt {
        Vt { parser: Parser::new(), term: Term::new(options) }
    }

    /// Applies program output. No input fails, and the result does not depend on where the input is split.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    /// How many bytes have been fed; a restored terminal continues the count.
    pub fn seq(&self) -> u64 {
        self.term.seq
    }

    /// Continues the count from `seq`, because the output before it was lost.
    pub fn count_from(&mut self, seq: u64) {
        self.term.seq = seq;
    }

    /// Changes the size: reflows the primary screen and crops the alternate one.
    pub fn resize(&mut self, size: Size) {
        self.term.resize(size);
    }

    /// The current size.
    pub fn size(&self) -> Size {
        self.term.size
    }

    /// How many bytes of output readers see: up to the beginning of the frame that is being drawn
    /// (synchronized output), otherwise all of them.
    pub fn shown_seq(&self) -> u64 {
        self.shown().seq
    }

    /// Where the cursor is in the text that readers see.
    pub fn shown_position(&self) -> Position {
        self.shown().position()
    }

    /// Shows the unfinished frame, for a program that takes too long to end it.
    pub fn show_unfinished(&mut self) {
        self.term.frame = None;
    }

    /// Sets what the program may do from now on.
    pub fn set_allow(&mut self, allow: Allow) {
        self.term.allow = allow;
    }

    /// Changes how many lines the history keeps, and drops the oldest lines above the new limit.
    pub fn set_history_lines(&mut self, lines: usize) {
        self.term.history.set_max_lines(lines);
    }

    /// How many lines the history keeps.
    pub fn history_limit(&self) -> usize {
        self.term.history.max_lines()
    }

    /// Returns the effects since the last call; the caller performs them.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        self.term.effects.take()
    }

    /// Where the cursor is and how it looks.
    pub fn cursor(&self) -> Cursor {
        let term = self.shown();
        let (shape, blink) = match term.cursor_code {
            1 => (CursorShape::Block, true),
            3 => (CursorShape::Underline, true),
            4 => (CursorShape::Underline, false),
            5 => (CursorShape::Bar, true),
            6 => (CursorShape::Bar, false),
            _ => (CursorShape::Block, false),
        };
        let pen = &term.cursor;
        Cursor { row: pen.row, col: pen.col, visible: term.switches.cursor_visible, shape, blink }
    }

    /// The modes that the program has set.
    pub fn modes(&self) -> Modes {
        let shown = self.shown().modes;
        Modes { alt_screen: shown.alt_screen, reverse_screen: shown.reverse_screen, ..self.term.modes }
    }

    /// The title that the program set last, without control characters.
    pub fn title(&self) -> &str {
        &self.term.titles.window
    }

    /// The working directory that the shell reported last (OSC 7), decoded, without the host.
    pub fn directory(&self) -> Option<&str> {
        self.term.directory.as_deref()
    }

    /// Whether the output ends in the middle of a sequence or character.
    pub fn in_sequence(&self) -> bool {
        self.parser.in_sequence()
    }

    /// Where the cursor is in the text.
    pub fn position(&self) -> Position {
        self.term.position()
    }

    /// `seq` after the last byte that changed the cursor's row.
    pub fn cursor_stamp(&self) -> u64 {
        self.term.cursor_stamp()
    }
}
