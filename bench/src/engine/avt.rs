use avt::Terminal;

use super::{Engine, HISTORY, Size};

/// asciinema's engine. It takes text, so UTF-8 is decoded here. It sends no replies.
pub(super) struct Avt {
    terminal: Terminal,
    /// The first bytes of a character that was split between reads.
    cut: Vec<u8>,
}

impl Avt {
    pub(super) fn new(size: Size) -> Avt {
        let (cols, rows) = (usize::from(size.cols), usize::from(size.rows));
        let terminal = Terminal::with_scrollback(cols, rows, Some(HISTORY)).expect("size is zero");
        Avt { terminal, cut: Vec::new() }
    }
}

impl Engine for Avt {
    fn feed(&mut self, chunk: &[u8]) {
        let mut rest = chunk;
        while !self.cut.is_empty() && !rest.is_empty() {
            self.cut.push(rest[0]);
            rest = &rest[1..];
            match std::str::from_utf8(&self.cut) {
                Ok(text) => self.terminal.feed(text),
                Err(bad) if bad.error_len().is_none() => continue,
                Err(_) => self.terminal.feed(char::REPLACEMENT_CHARACTER),
            }
            self.cut.clear();
        }
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.terminal.feed(text);
                    return;
                }
                Err(bad) => {
                    let (text, after) = rest.split_at(bad.valid_up_to());
                    self.terminal.feed(std::str::from_utf8(text).unwrap_or_default());
                    let Some(skip) = bad.error_len() else {
                        self.cut.extend_from_slice(after);
                        return;
                    };
                    self.terminal.feed(char::REPLACEMENT_CHARACTER);
                    rest = &after[skip..];
                }
            }
        }
    }

    fn text(&self) -> Option<String> {
        let mut out = String::new();
        for line in self.terminal.screen().visible_lines() {
            out.extend(line.chars());
            super::end_row(&mut out);
        }
        Some(out)
    }

    fn resize(&mut self, size: Size) {
        self.terminal.resize(usize::from(size.cols), usize::from(size.rows));
    }
}
