//! Reads lines of any length and any bytes, in bounded memory.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Longest line that the daemon accepts, with its line end.
pub(super) const LONGEST: usize = 16 << 20;

/// One line of a stream.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    /// The text, without its LF or CRLF.
    Text(String),
    /// Not UTF-8.
    Bytes,
    /// Longer than allowed; with the message's id, if it has one.
    TooLong(Option<Value>),
}

/// Reads lines. Reading is cancellation-safe.
pub(super) struct Lines<R> {
    read: BufReader<R>,
    longest: usize,
    line: Vec<u8>,
    /// Set while a line is too long: only its id is kept.
    skipped: Option<IdFinder>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(read: R, longest: usize) -> Lines<R> {
        Lines { read: BufReader::new(read), longest, line: Vec::new(), skipped: None }
    }

    /// The next line; `None` at the end. Text without a line end at the end of the stream counts as a line.
    pub(super) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            let buffered = self.read.fill_buf().await?;
            if buffered.is_empty() {
                let is_half = !self.line.is_empty() || self.skipped.is_some();
                return Ok(is_half.then(|| self.take()));
            }
            let end = buffered.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(buffered.len(), |at| at + 1);
            let part = &buffered[..end.unwrap_or(used)];
            match &mut self.skipped {
                Some(finder) => finder.feed(part),
                None if self.line.len() + used > self.longest => {
                    let mut finder = IdFinder::default();
                    finder.feed(&std::mem::take(&mut self.line));
                    finder.feed(part);
                    self.skipped = Some(finder);
                }
                None => self.line.extend_from_slice(part),
            }
            self.read.consume(used);
            if end.is_some() {
                return Ok(Some(self.take()));
            }
        }
    }

    fn take(&mut self) -> Line {
        if let Some(finder) = self.skipped.take() {
            return Line::TooLong(finder.id);
        }
        let mut line = std::mem::take(&mut self.line);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        String::from_utf8(line).map_or(Line::Bytes, Line::Text)
    }
}

/// Finds the `id` of a JSON object that is too long to keep.
#[derive(Debug, Default)]
struct IdFinder {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The current key or value of the outermost object, if it is short.
    word: Vec<u8>,
    is_id: bool,
    id: Option<Value>,
}

impl IdFinder {
    /// Longer than any real id.
    const LONGEST_WORD: usize = 1024;

    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            self.in_string = self.escaped || byte != b'"';
            self.escaped = byte == b'\\' && !self.escaped;
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => {
                self.is_id = self.word.trim_ascii() == b"\"id\"";
                self.word.clear();
            }
            b',' | b'}' if self.depth == 1 => {
                if self.is_id {
                    self.id = serde_json::from_slice(&self.word).ok();
                }
                self.is_id = false;
                self.word.clear();
                self.depth -= usize::from(byte == b'}');
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            byte => {
                self.in_string = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() < Self::LONGEST_WORD {
            self.word.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    async fn lines(bytes: &[u8], longest: usize) -> Vec<Line> {
        let mut lines = Lines::new(bytes, longest);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        found
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[tokio::test]
    async fn a_line_ends_with_lf_crlf_or_the_end_of_the_stream() {
        assert_eq!(
            lines(b"a\r\nb\n\nc\xff\nhalf", 10).await,
            [text("a"), text("b"), text(""), Line::Bytes, text("half")]
        );
        assert_eq!(lines(b"", 10).await, []);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_yields_its_id() {
        let long = r#"{"a":{"id":1},"t":"},{\"id\":2,\\","id" : "x\"y","z":["#.to_owned()
            + &"9,".repeat(50_000)
            + "9]}";
        let two = format!("{long}\n{}\n{long}", "short");
        let too_long = || Line::TooLong(Some(json!("x\"y")));
        assert_eq!(lines(two.as_bytes(), 64).await, [too_long(), text("short"), too_long()]);
        assert_eq!(lines(two.as_bytes(), 100_000).await[1], text("short"));
        let batch = format!("[{long}]\n");
        assert_eq!(lines(batch.as_bytes(), 64).await, [Line::TooLong(None)]);
        // The limit includes the line end.
        assert_eq!(lines(b"1234567\n", 8).await, [text("1234567")]);
        assert_eq!(lines(b"12345678\n", 8).await, [Line::TooLong(None)]);
    }
}
