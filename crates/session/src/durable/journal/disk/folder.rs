use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::frame::{Frame, PREFIX, Prefix, Start};
use crate::Meta;
use crate::handle::Ended;

const META: &str = "meta.json";
const SEGMENT: &str = "seg";
const TEXT: &str = "txt";
/// The extension of a file that is being written.
const UNFINISHED: &str = "tmp";

/// The session of a recording. Stored with the recording, because the session may be gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) id: String,
    pub(crate) number: u32,
    pub(crate) name: Option<String>,
    pub(crate) program: String,
    pub(crate) args: Vec<String>,
    pub(crate) owner: String,
    pub(crate) created_ms: u64,
    pub(crate) cols: u16,
    pub(crate) rows: u16,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl Description {
    pub(crate) fn of(meta: &Meta) -> Description {
        Description {
            id: meta.id.clone(),
            number: meta.number,
            name: meta.name.clone(),
            program: meta.program.clone(),
            args: meta.args.clone(),
            owner: meta.actor.owner.clone(),
            created_ms: meta.created_ms,
            cols: meta.size.0,
            rows: meta.size.1,
            ended_ms: None,
            exit_code: None,
            signal: None,
        }
    }

    pub(super) fn ended(&mut self, ended: Ended) {
        self.ended_ms = Some(ended.at_ms);
        self.exit_code = ended.exit_code;
        self.signal = ended.signal;
    }
}

/// A segment of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) number: u32,
    /// Its size, with its text.
    pub(super) bytes: u64,
    pub(super) changed_ms: u64,
    pub(super) has_text: bool,
}

/// The files of one recording. Only the user may read them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Folder {
    dir: PathBuf,
}

/// All recordings in a directory, by id.
pub(crate) fn recordings(dir: &Path) -> Vec<(String, Folder)> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut found: Vec<_> = names
        .filter(|name| name.starts_with("sess_"))
        .map(|id| {
            let folder = Folder::new(dir.join(&id));
            (id, folder)
        })
        .collect();
    found.sort();
    found
}

impl Folder {
    pub(crate) fn new(dir: PathBuf) -> Folder {
        Folder { dir }
    }

    pub(super) fn make(&self) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)
    }

    fn file(&self, number: u32, kind: &str) -> PathBuf {
        self.dir.join(format!("{number:06}.{kind}"))
    }

    pub(super) fn segment(&self, number: u32) -> PathBuf {
        self.file(number, SEGMENT)
    }

    pub(super) fn text(&self, number: u32) -> PathBuf {
        self.file(number, TEXT)
    }

    /// The segments, oldest first.
    pub(super) fn segments(&self) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        let entries = || std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        for entry in entries() {
            let Some(number) = number_of(&entry.path(), SEGMENT) else { continue };
            let Ok(metadata) = entry.metadata() else { continue };
            let text = std::fs::metadata(self.text(number));
            let changed = metadata.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            segments.push(Segment {
                number,
                bytes: metadata.len() + text.as_ref().map_or(0, std::fs::Metadata::len),
                changed_ms: changed.map_or(0, |t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)),
                has_text: text.is_ok(),
            });
        }
        segments.sort_by_key(|segment| segment.number);
        segments
    }

    /// Deletes a segment and its text.
    pub(super) fn remove(&self, number: u32) {
        let _ = std::fs::remove_file(self.segment(number));
        let _ = std::fs::remove_file(self.text(number));
    }

    /// Deletes the whole recording.
    pub(super) fn remove_all(&self) -> io::Result<()> {
        std::fs::remove_dir_all(&self.dir)
    }

    /// Deletes files that a daemon was writing when it died.
    pub(super) fn remove_unfinished(&self) {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.extension().is_some_and(|e| e == UNFINISHED) {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    pub(crate) fn description(&self) -> io::Result<Description> {
        serde_json::from_slice(&std::fs::read(self.dir.join(META))?).map_err(io::Error::other)
    }

    pub(super) fn describe(&self, description: &Description) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(description).map_err(io::Error::other)?;
        put(&self.dir.join(META), &text)
    }

    /// The frames of a segment.
    pub(super) fn frames(&self, number: u32) -> io::Result<Frames> {
        Frames::open(&self.segment(number))
    }

    /// The start of a segment: its head and the engine's state.
    pub(super) fn start(&self, number: u32) -> Option<(Start, Vec<u8>)> {
        let frame = self.frames(number).ok()?.next()?;
        match frame.head {
            super::frame::Head::Start(start)
                if (super::frame::OLDEST..=super::frame::VERSION).contains(&start.version) =>
            {
                Some((start, frame.payload))
            }
            _ => None,
        }
    }
}

fn number_of(path: &Path, kind: &str) -> Option<u32> {
    let right = path.extension()? == kind;
    path.file_stem()?.to_str()?.parse().ok().filter(|_| right)
}

/// Writes a file completely or not at all.
pub(super) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension(UNFINISHED);
    let written = (|| {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        file.write_all(bytes)?;
        std::fs::rename(&unfinished, path)
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

/// The frames of one segment, up to its end or to the first incomplete frame.
#[derive(Debug)]
pub(super) struct Frames {
    file: File,
    /// Where the next frame begins.
    pub(super) offset: u64,
}

impl Frames {
    pub(super) fn open(path: &Path) -> io::Result<Frames> {
        Ok(Frames { file: File::open(path)?, offset: 0 })
    }

    fn prefix(&self, offset: u64) -> Option<Prefix> {
        let mut prefix = [0; PREFIX];
        self.file.read_exact_at(&mut prefix, offset).ok()?;
        Prefix::read(&prefix)
    }

    fn frame(&self, offset: u64) -> Option<(Frame, u64)> {
        let len = self.prefix(offset)?.whole();
        // Do not allocate memory for a length that the file does not have.
        if self.file.metadata().ok()?.len() < offset + len as u64 {
            return None;
        }
        let mut bytes = vec![0; len];
        self.file.read_exact_at(&mut bytes, offset).ok()?;
        let (frame, len) = Frame::read(&bytes)?;
        Some((frame, offset + len as u64))
    }

    /// The length of the first frame.
    pub(super) fn first_len(&self) -> Option<u64> {
        Some(self.prefix(0)?.whole() as u64)
    }

    /// The last complete frame, and where it ends. Only the last frames are read: a kill damages none before them.
    pub(super) fn last_whole(&self) -> Option<(Frame, u64)> {
        let mut offsets = Vec::new();
        let mut offset = 0;
        while let Some(prefix) = self.prefix(offset) {
            offsets.push(offset);
            offset += prefix.whole() as u64;
        }
        offsets.into_iter().rev().find_map(|offset| self.frame(offset))
    }
}

impl Iterator for Frames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let (frame, next) = self.frame(self.offset)?;
        self.offset = next;
        Some(frame)
    }
}
