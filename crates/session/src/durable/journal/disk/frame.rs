//! The frames of a segment: a head that describes, and a payload of raw bytes, under one checksum.
//!
//! A frame is complete or ignored: a frame that a kill or a full disk left incomplete is found by its length or its
//! checksum, and cut off.

use serde::{Deserialize, Serialize};

use crate::handle::Ended;

/// The size of the prefix: lengths of head and payload, and the checksum of both.
pub(super) const PREFIX: usize = 16;
/// The longest head or payload that counts as valid.
const LONGEST: u32 = 256 << 20;
/// The version that is written, and the oldest that is read. Fields and kinds are found by name, so an added one needs no
/// new version; `tests/formats` holds a segment of each version.
pub(super) const VERSION: u32 = 2;
pub(super) const OLDEST: u32 = 2;

/// The kinds of frames.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Head {
    /// The first frame of a segment. Its payload is the engine's state; it is empty for a new terminal.
    Start(Start),
    /// The events that follow. Its payload is the output.
    Span(Span),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Start {
    pub(super) version: u32,
    pub(super) place: Extent,
    pub(super) ms: u64,
    pub(super) cols: u16,
    pub(super) rows: u16,
}

/// How far the files go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    /// The position in the output.
    pub(crate) seq: u64,
    /// The position in the live journal's index.
    pub(crate) index: u64,
    /// How many bytes of output before it are in no file.
    pub(crate) lost: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    /// Where the span ends.
    pub(super) place: Extent,
    pub(super) entries: Vec<FrameEntry>,
}

/// An event and its time, in milliseconds since the epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FrameEntry {
    pub(super) ms: u64,
    pub(super) note: Note,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// The next bytes of the payload, this many.
    Output(u32),
    /// Input: its bytes if they may be recorded, otherwise only their number.
    Input {
        bytes: u64,
        #[serde(with = "serde_bytes")]
        text: Option<Vec<u8>>,
    },
    Resized {
        cols: u16,
        rows: u16,
    },
    /// A command began.
    Began {
        command: Option<String>,
    },
    /// The command ended.
    Ended {
        code: i32,
    },
    /// The program ended.
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// Output that is in no file: the disk was too slow or full.
    #[serde(rename = "Hole")]
    Gap {
        bytes: u64,
    },
}

/// A frame of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) head: Head,
    pub(super) payload: Vec<u8>,
}

impl Frame {
    /// Appends the frame to `out`.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        // Serializing to a vector cannot fail; `read` would refuse an empty head.
        let head = minicbor_serde::to_vec(&self.head).unwrap_or_default();
        let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes();
        out.extend(len(&head));
        out.extend(len(&self.payload));
        out.extend(checksum(&head, &self.payload).to_le_bytes());
        out.extend(&head);
        out.extend(&self.payload);
    }

    /// The frame at the beginning of these bytes and its length, if it is complete.
    pub(super) fn read(bytes: &[u8]) -> Option<(Frame, usize)> {
        let prefix = Prefix::read(bytes)?;
        let head = bytes.get(PREFIX..PREFIX + prefix.head)?;
        let payload = bytes.get(PREFIX + prefix.head..prefix.whole())?;
        if checksum(head, payload) != prefix.check {
            return None;
        }
        let head = minicbor_serde::from_slice(head).ok()?;
        Some((Frame { head, payload: payload.to_vec() }, prefix.whole()))
    }

    /// How the program ended, if the frame says so.
    pub(super) fn ended(&self) -> Option<Ended> {
        let Head::Span(span) = &self.head else { return None };
        span.entries.iter().find_map(|entry| match entry.note {
            Note::Exited { code, signal } => Some(Ended { exit_code: code, signal, at_ms: entry.ms }),
            _ => None,
        })
    }

    /// How far the files go with this frame.
    pub(super) fn place(&self) -> Extent {
        match &self.head {
            Head::Start(start) => start.place,
            Head::Span(span) => span.place,
        }
    }
}

/// The prefix of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefix {
    head: usize,
    payload: usize,
    check: u64,
}

impl Prefix {
    pub(super) fn read(bytes: &[u8]) -> Option<Prefix> {
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let (head, payload) = (number(0)?, number(4)?);
        let check = u64::from_le_bytes(bytes.get(8..PREFIX)?.try_into().ok()?);
        let believable = head > 0 && head <= LONGEST && payload <= LONGEST;
        believable.then_some(Prefix { head: head as usize, payload: payload as usize, check })
    }

    /// The length of the whole frame.
    pub(super) fn whole(self) -> usize {
        PREFIX + self.head + self.payload
    }
}

/// Detects incomplete writes, not forgery. It takes eight bytes at a time, because all output passes through it.
fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut sum = (head.len() as u64).wrapping_mul(MIX) ^ payload.len() as u64;
    for part in [head, payload] {
        let (words, rest) = part.as_chunks::<8>();
        for word in words {
            sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(MIX).rotate_left(29);
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        sum = (sum ^ u64::from_le_bytes(last)).wrapping_mul(MIX).rotate_left(29);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::fixture;

    fn frame(text: &[u8]) -> Frame {
        let entries = vec![
            FrameEntry { ms: 5, note: Note::Output(u32::try_from(text.len()).unwrap()) },
            FrameEntry { ms: 6, note: Note::Resized { cols: 100, rows: 30 } },
        ];
        let place = Extent { seq: text.len() as u64, index: 7, lost: 0 };
        Frame { head: Head::Span(Span { place, entries }), payload: text.to_vec() }
    }

    #[test]
    fn a_frame_is_read_back_and_the_next_one_follows_it() {
        let mut bytes = Vec::new();
        frame(b"one").write(&mut bytes);
        let first = bytes.len();
        frame(b"").write(&mut bytes);
        let (read, len) = Frame::read(&bytes).unwrap();
        assert_eq!((read, len), (frame(b"one"), first));
        assert_eq!(Frame::read(&bytes[first..]).unwrap().0, frame(b""));
    }

    #[test]
    fn a_frame_that_is_cut_or_changed_at_any_byte_is_not_read() {
        let mut bytes = Vec::new();
        frame(b"some output that is longer than a word").write(&mut bytes);
        for cut in 0..bytes.len() {
            assert_eq!(Frame::read(&bytes[..cut]), None, "cut at {cut}");
            let mut changed = bytes.clone();
            changed[cut] ^= 0x10;
            assert_eq!(Frame::read(&changed), None, "changed at {cut}");
        }
        // Space that was allocated but never written reads as zeros.
        assert_eq!(Frame::read(&[0; 64]), None);
    }

    #[test]
    fn segments_of_every_version_are_read() {
        let place = Extent { seq: 9, index: 7, lost: 1 };
        let start = Start { version: VERSION, place, ms: 5, cols: 80, rows: 24 };
        let notes = [
            Note::Output(4),
            Note::Input { bytes: 2, text: Some(b"ls".to_vec()) },
            Note::Input { bytes: 9, text: None },
            Note::Resized { cols: 100, rows: 30 },
            Note::Began { command: Some("ls".into()) },
            Note::Ended { code: 1 },
            Note::Exited { code: Some(2), signal: None },
            Note::Exited { code: None, signal: Some(9) },
            Note::Gap { bytes: 3 },
        ];
        let entries = (0..).zip(notes).map(|(ms, note)| FrameEntry { ms, note }).collect();
        let frames = [
            Frame { head: Head::Start(start), payload: b"state".to_vec() },
            Frame { head: Head::Span(Span { place, entries }), payload: b"text".to_vec() },
        ];
        let written = || {
            let mut bytes = Vec::new();
            frames.iter().for_each(|frame| frame.write(&mut bytes));
            bytes
        };
        for version in OLDEST..=VERSION {
            let newest = (version == VERSION).then_some(&written as &dyn Fn() -> Vec<u8>);
            let bytes = fixture("segment", version, newest);
            let (first, len) = Frame::read(&bytes).unwrap();
            let (second, rest) = Frame::read(&bytes[len..]).unwrap();
            assert_eq!((&[first, second], len + rest), (&frames, bytes.len()), "version {version}");
        }
    }
}
