//! Reads: the screen, output that is new to a reader, or history.

use super::Task;
use crate::durable::journal::RecordKind;
use crate::output::readers::ReadPosition;
use crate::output::screen::Screen;
use crate::output::{ReadResult, View, views};

impl Task {
    pub(super) fn read(
        &mut self,
        view: View,
        raw: bool,
        reader: &str,
        retry_id: &str,
        since: Option<u64>,
        most: usize,
    ) -> ReadResult {
        let retry_id = cotty_vt::hash(retry_id.as_bytes());
        let place = self.readers.before(reader, retry_id);
        let seen = since.or(place.as_ref().map(|place| place.seq)).unwrap_or(0);
        // Raw output is read up to the last byte, text only as far as it is shown.
        let seq = if raw && view == View::New { self.vt.seq() } else { self.vt.shown_seq() };
        let (rows, content, dropped) = self.content(view, raw, (seen, seq), since, place.as_ref(), most);
        let has_new = seq > seen;
        if since.is_none() {
            let what = RecordKind::Read { reader: reader.to_owned(), shown: seq, retry_id };
            match has_new || place.is_none() {
                // If this cannot be recorded, the next daemon may repeat output to this reader.
                true => self.record_if_possible(&what, 0),
                false => self.apply(&what, 0),
            }
        }
        let (styled, history) = match view {
            View::Lines { first, last, styled } => {
                let coloured = styled.then(|| views::lines(&self.vt, first, last, true));
                (coloured, self.vt.history().count())
            }
            _ => (None, 0),
        };
        let images = self.readers.images(seen, seq);
        let lost = self.readers.unreported_loss(self.lost.as_ref(), reader);
        let info = self.info();
        ReadResult { content, styled, history, rows, from: seen, dropped, has_new, images, lost, info }
    }

    /// The rows that a reader gets, their text, and how many of its lines had been dropped.
    fn content(
        &self,
        view: View,
        raw: bool,
        (seen, seq): (u64, u64),
        since: Option<u64>,
        place: Option<&ReadPosition>,
        most: usize,
    ) -> (Vec<u16>, String, u64) {
        let vt = &self.vt;
        let (content, dropped) = match view {
            View::Changes => {
                let rows: Vec<u16> = vt.rows_since(seen).collect();
                let text = views::rows(vt, &rows, raw);
                return (rows, text, 0);
            }
            View::Screen => (views::screen(vt, raw), 0),
            View::New if raw => {
                let from = seen.max(self.journal.oldest()).min(seq);
                (String::from_utf8_lossy(self.journal.output(from, seq)).into_owned(), 0)
            }
            View::New => match since {
                Some(since) => self.screen().text_since(since, self.spot_at(since)),
                None => self.screen().new_text(place, self.start, most),
            },
            View::Scrollback { offset, limit } => views::scrollback(vt, offset, limit, raw),
            View::Lines { first, last, .. } => (views::lines(vt, first, last, raw), vt.history_dropped()),
            View::Whole { limit } => views::whole(vt, limit, raw),
        };
        (Vec::new(), content, dropped)
    }

    /// Notes how far a reader has read.
    pub(super) fn apply_read(&mut self, reader: &str, seq: u64, retry_id: u64) {
        let spot = self.screen().spot(self.vt.shown_position());
        self.readers.read(reader, ReadPosition { seq, spot, answered: Vec::new() }, retry_id);
    }

    /// Notes that a `run` returned its command's output to a reader.
    pub(super) fn apply_answered(&mut self, reader: &str, run: &str) {
        let Some(command) = self.commands.by_retry_id(run) else { return };
        let retry_id = cotty_vt::hash(run.as_bytes());
        let screen = Screen { vt: &self.vt, commands: &self.commands, typed: self.typing.lines() };
        let begin =
            || ReadPosition { seq: 0, spot: screen.spot(screen.first(self.start)), answered: Vec::new() };
        let place = self.readers.before(reader, retry_id).unwrap_or_else(begin);
        if let Some(place) = screen.answered(command, place) {
            self.readers.put(reader, place, retry_id);
        }
    }
}
