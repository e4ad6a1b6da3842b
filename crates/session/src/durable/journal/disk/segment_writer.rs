use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use cotty_vt::Vt;

use super::folder::{Description, Folder, put};
use super::frame::{Extent, Frame, Head, Start, VERSION};
use super::retention::Keeping;
use super::text;
use super::worker::Worker;
use crate::handle::Ended;

/// The files of a session that is being recorded. It goes to the writing thread with what is to be written, and comes
/// back: nobody else holds it meanwhile.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    folder: Folder,
    description: Description,
    keeping: Arc<Keeping>,
    texts: Worker,
    segment: u32,
    /// Where the state ends that the segment begins with, and where its last whole frame does.
    begun: u64,
    end: u64,
    /// How far the files go; `None` until they were looked at, and after anything failed.
    place: Option<Extent>,
    /// On the disk, with all segments.
    bytes: u64,
}

impl SegmentWriter {
    pub(crate) fn new(description: Description, keeping: Arc<Keeping>, texts: Worker) -> SegmentWriter {
        let folder = Folder::new(keeping.dir.join(&description.id));
        SegmentWriter {
            folder,
            description,
            keeping,
            texts,
            segment: 0,
            begun: 0,
            end: 0,
            place: None,
            bytes: 0,
        }
    }

    /// How far the files go, once that is known.
    pub(super) fn place(&self) -> Option<Extent> {
        self.place
    }

    /// What is written next begins here, though the files go further.
    pub(super) fn rewind(&mut self, place: Extent) {
        self.place = Some(place);
    }

    /// Whether the files say how the program ended.
    pub(super) fn has_ended(&self) -> bool {
        self.description.ended_ms.is_some()
    }

    /// Bytes on the disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the segment has its size. A large state makes it larger, so that states are never most of a recording.
    pub(super) fn is_full(&self) -> bool {
        self.end - self.begun >= self.keeping.limits.segment_bytes.max(self.begun)
    }

    /// Finds where the files end and cuts off what is torn, or begins them.
    pub(super) fn open(&mut self, ms: u64) -> io::Result<()> {
        self.folder.make()?;
        self.folder.remove_unfinished();
        let last = self.folder.segments().last().copied();
        let found = last.and_then(|last| {
            let frames = self.folder.frames(last.number).ok()?;
            let (frame, end) = frames.last_whole()?;
            Some((last.number, frame, frames.first_len()?, end))
        });
        match found {
            Some((number, frame, begun, end)) => {
                let file = OpenOptions::new().write(true).open(self.folder.segment(number))?;
                file.set_len(end)?;
                (self.segment, self.begun, self.end) = (number, begun, end);
                self.place = Some(frame.place());
                self.count();
                if let Ok(known) = self.folder.description() {
                    self.description = known;
                }
                if let Some(ended) = frame.ended().filter(|_| !self.has_ended()) {
                    self.ended(ended)?;
                }
                self.complete_texts();
            }
            None => {
                self.folder.describe(&self.description)?;
                let (cols, rows) = (self.description.cols, self.description.rows);
                let next = last.map_or(0, |last| last.number + 1);
                self.begin(
                    next,
                    Start { version: VERSION, place: Extent::default(), ms, cols, rows },
                    vec![],
                )?;
            }
        }
        Ok(())
    }

    /// Writes frames behind the last whole one. Anything that fails leaves the files to be looked at again.
    pub(super) fn append(&mut self, frames: &[Frame]) -> io::Result<()> {
        let mut place = self.place.take().ok_or(io::ErrorKind::NotConnected)?;
        let mut bytes = Vec::with_capacity(frames.iter().map(|frame| frame.payload.len() + 256).sum());
        for frame in frames {
            frame.write(&mut bytes);
            place = frame.place();
        }
        let file = OpenOptions::new().write(true).open(self.folder.segment(self.segment))?;
        if let Err(error) = file.write_all_at(&bytes, self.end) {
            // Given back, so that a full disk is not kept full by half a frame.
            let _ = file.set_len(self.end);
            return Err(error);
        }
        self.end += bytes.len() as u64;
        self.bytes += bytes.len() as u64;
        self.keeping.grew(bytes.len() as u64);
        self.place = Some(place);
        Ok(())
    }

    /// Begins the next segment with this state, and lets the oldest go that are too many.
    pub(super) fn rotate(&mut self, vt: &Vt, ms: u64) -> io::Result<()> {
        let place = self.place.take().ok_or(io::ErrorKind::NotConnected)?;
        let size = vt.size();
        let start = Start { version: VERSION, place, ms, cols: size.cols, rows: size.rows };
        self.begin(self.segment + 1, start, vt.state())?;
        self.write_text(self.segment - 1);
        self.count();
        for segment in self.folder.segments() {
            if self.bytes <= self.keeping.limits.session_bytes || segment.number == self.segment {
                break;
            }
            self.folder.remove(segment.number);
            self.bytes -= segment.bytes;
        }
        Ok(())
    }

    fn begin(&mut self, number: u32, start: Start, state: Vec<u8>) -> io::Result<()> {
        let mut bytes = Vec::new();
        Frame { head: Head::Start(start), payload: state }.write(&mut bytes);
        // There as a whole or not at all: a kill leaves the segment before as the last.
        put(&self.folder.segment(number), &bytes)?;
        self.end = bytes.len() as u64;
        (self.segment, self.begun, self.place) = (number, self.end, Some(start.place));
        self.bytes += self.end;
        self.keeping.grew(self.end);
        Ok(())
    }

    /// The program has ended.
    pub(super) fn ended(&mut self, ended: Ended) -> io::Result<()> {
        self.description.ended(ended);
        self.folder.describe(&self.description)
    }

    /// Nothing more will come.
    pub(super) fn seal(&mut self) {
        self.write_text(self.segment);
    }

    /// Has the text made of every segment before the last that has none.
    fn complete_texts(&self) {
        let segments = self.folder.segments();
        for segment in segments.iter().filter(|s| !s.has_text && s.number < self.segment) {
            self.write_text(segment.number);
        }
    }

    fn write_text(&self, segment: u32) {
        let (folder, keeping) = (self.folder.clone(), Arc::clone(&self.keeping));
        self.texts.hand_over(move || {
            keeping.wait_for_quiet();
            text::write(&folder, segment);
        });
    }

    fn count(&mut self) {
        self.bytes = self.folder.segments().iter().map(|segment| segment.bytes).sum();
    }
}
