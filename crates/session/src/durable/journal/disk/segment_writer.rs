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

/// The files of a session that is being recorded. The session moves it to the writing thread with each job and gets it back
/// with the result, so only one of them has it.
#[derive(Debug)]
pub(crate) struct SegmentWriter {
    folder: Folder,
    description: Description,
    keeping: Arc<Keeping>,
    texts: Worker,
    segment: u32,
    /// The end of the state at the start of the segment, and the end of its last complete frame.
    begun: u64,
    end: u64,
    /// How far the files go; `None` before `open`, and after an error.
    place: Option<Extent>,
    /// The size of all segments on disk.
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

    /// How far the files go, if that is known.
    pub(super) fn place(&self) -> Option<Extent> {
        self.place
    }

    /// Makes the next frame begin here, although the files go further.
    pub(super) fn rewind(&mut self, place: Extent) {
        self.place = Some(place);
    }

    /// Whether the files say how the program ended.
    pub(super) fn has_ended(&self) -> bool {
        self.description.ended_ms.is_some()
    }

    /// The size of all segments on disk.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the segment is full. A segment with a large state may be larger, so that states are never most of a recording.
    pub(super) fn is_full(&self) -> bool {
        self.end - self.begun >= self.keeping.limits.segment_bytes.max(self.begun)
    }

    /// Finds the end of the files and cuts off an incomplete frame, or creates the first segment.
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

    /// Writes frames after the last complete one. After an error, `open` must be called again.
    pub(super) fn append(&mut self, frames: &[Frame]) -> io::Result<()> {
        let mut place = self.place.take().ok_or(io::ErrorKind::NotConnected)?;
        let mut bytes = Vec::with_capacity(frames.iter().map(|frame| frame.payload.len() + 256).sum());
        for frame in frames {
            frame.write(&mut bytes);
            place = frame.place();
        }
        let file = OpenOptions::new().write(true).open(self.folder.segment(self.segment))?;
        if let Err(error) = file.write_all_at(&bytes, self.end) {
            // Free the space of an incomplete frame: the disk may be full.
            let _ = file.set_len(self.end);
            return Err(error);
        }
        self.end += bytes.len() as u64;
        self.bytes += bytes.len() as u64;
        self.keeping.grew(bytes.len() as u64);
        self.place = Some(place);
        Ok(())
    }

    /// Begins the next segment with this state, and deletes the oldest segments if the session is over its limit.
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
        // `put` writes all or nothing: after a kill the previous segment is still the last.
        put(&self.folder.segment(number), &bytes)?;
        self.end = bytes.len() as u64;
        (self.segment, self.begun, self.place) = (number, self.end, Some(start.place));
        self.bytes += self.end;
        self.keeping.grew(self.end);
        Ok(())
    }

    /// Writes how the program ended.
    pub(super) fn ended(&mut self, ended: Ended) -> io::Result<()> {
        self.description.ended(ended);
        self.folder.describe(&self.description)
    }

    /// Completes the recording: nothing more will be appended.
    pub(super) fn seal(&mut self) {
        self.write_text(self.segment);
    }

    /// Starts to write the missing texts of all segments before the last.
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
