use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::line::{Layout, PastLine, Runs};
use crate::grid::attributes::Attributes;
use crate::grid::cell::StyleId;
use crate::grid::links::Links;
use crate::grid::styles::Styles;
use crate::state::Packed;
use crate::{LineId, varint};

/// Lines in the order in which they scrolled off, as text with style runs.
///
/// A chunk is self-contained: it has its own styles and links, so the screens' tables hold only
/// what the screens show.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Chunk {
    /// The lines' UTF-8 text, concatenated.
    #[serde(with = "serde_bytes")]
    text: Vec<u8>,
    /// The metadata of each line, as variable-length numbers.
    #[serde(with = "serde_bytes")]
    meta: Vec<u8>,
    #[serde(with = "crate::state::packed")]
    index: Vec<LineEntry>,
    looks: Styles,
    links: Links,
    /// Ids and stamps are stored as differences from those of the first line.
    base_id: u64,
    base_stamp: u64,
    /// The range of ids and the newest stamp, to skip the whole chunk in a lookup.
    lowest_id: u64,
    highest_id: u64,
    newest: u64,
}

/// Where a line's text and metadata begin.
#[derive(Debug, Clone, Copy)]
struct LineEntry {
    text: u32,
    meta: u32,
}

impl Packed<8> for LineEntry {
    fn pack(&self) -> [u8; 8] {
        (u64::from(self.meta) << 32 | u64::from(self.text)).to_le_bytes()
    }

    fn unpack(bytes: &[u8; 8]) -> LineEntry {
        let both = u64::from_le_bytes(*bytes);
        LineEntry { text: both as u32, meta: (both >> 32) as u32 }
    }
}

/// The open line, which might still grow. Its text is at the end of the open chunk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tail {
    pub(super) id: u64,
    pub(super) start: u32,
    pub(super) cells: u32,
    pub(super) stamp: u64,
    /// Where its text begins.
    pub(super) text: u32,
    /// Where its last cluster begins in the chunk's text.
    pub(super) last: u32,
    /// Consecutive byte lengths and styles; empty if the whole line is plain.
    pub(super) runs: Vec<(u32, StyleId)>,
    /// Segmenting the text again would not yield the clusters that were on the screen.
    pub(super) irregular: bool,
    /// The clusters of an irregular line: byte length, width.
    pub(super) layout: Vec<(u32, u8)>,
}

impl Chunk {
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// Bytes of text and metadata.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.meta.len()
    }

    /// Bytes of the tables that lines share, counted when the chunk is sealed.
    pub(super) fn overhead(&self) -> usize {
        self.looks.len() * size_of::<Attributes>() + self.links.size()
    }

    pub(super) fn text_len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn text_mut(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// The text from `at` to the end.
    pub(super) fn text_from(&self, at: u32) -> &str {
        core::str::from_utf8(self.text.get(at as usize..).unwrap_or_default()).unwrap_or_default()
    }

    pub(super) fn newest(&self) -> u64 {
        self.newest
    }

    pub(super) fn may_hold(&self, id: LineId) -> bool {
        (self.lowest_id..=self.highest_id).contains(&id.0)
    }

    /// The chunk's own index for attributes from the screen.
    pub(super) fn intern(&mut self, look: Attributes, link: Option<&str>) -> StyleId {
        let link = link.and_then(|address| self.links.intern(address)).unwrap_or(0);
        self.looks.intern(look.with_link(link).with_protection(false))
    }

    pub(super) fn look(&self, id: StyleId) -> Attributes {
        self.looks.get(id)
    }

    pub(super) fn link(&self, look: Attributes) -> Option<&str> {
        self.links.get(look.link())
    }

    /// Stores the metadata of a line that has ended.
    pub(super) fn close(&mut self, tail: &Tail) {
        if self.index.is_empty() {
            self.base_id = tail.id;
            self.base_stamp = tail.stamp;
            self.lowest_id = tail.id;
            self.highest_id = tail.id;
        }
        self.lowest_id = self.lowest_id.min(tail.id);
        self.highest_id = self.highest_id.max(tail.id);
        self.newest = self.newest.max(tail.stamp);
        self.index.push(LineEntry { text: tail.text, meta: self.meta.len() as u32 });
        let meta = &mut self.meta;
        varint::put(meta, (self.text.len() - tail.text as usize) as u64);
        varint::put_signed(meta, tail.id.wrapping_sub(self.base_id) as i64);
        varint::put_signed(meta, tail.stamp.wrapping_sub(self.base_stamp) as i64);
        varint::put(meta, u64::from(tail.start));
        varint::put(meta, u64::from(tail.cells));
        varint::put(meta, tail.runs.len() as u64);
        for (len, look) in &tail.runs {
            varint::put(meta, u64::from(*len));
            varint::put(meta, u64::from(look.0));
        }
        for (len, width) in &tail.layout {
            varint::put(meta, u64::from(*len) << 2 | u64::from(*width));
        }
    }

    /// Frees spare memory, because no more lines will be added.
    pub(super) fn seal(&mut self) {
        self.text.shrink_to_fit();
        self.meta.shrink_to_fit();
        self.index.shrink_to_fit();
        self.looks.seal();
    }

    /// Bytes that the line takes, including its index entry.
    pub(super) fn line_size(&self, at: usize) -> usize {
        let Some(entry) = self.index.get(at) else { return 0 };
        let meta = self.meta_of(at, *entry);
        let text = varint::take(&mut { meta }).unwrap_or(0) as usize;
        text + meta.len() + size_of::<LineEntry>()
    }

    fn meta_of(&self, at: usize, entry: LineEntry) -> &[u8] {
        let end = self.index.get(at + 1).map_or(self.meta.len(), |next| next.meta as usize);
        self.meta.get(entry.meta as usize..end).unwrap_or_default()
    }

    /// A closed line by its index.
    pub(super) fn line(&self, at: usize) -> Option<PastLine<'_>> {
        let entry = self.index.get(at)?;
        let mut meta = self.meta_of(at, *entry);
        let start = entry.text as usize;
        let text = self.text.get(start..start.checked_add(varint::take(&mut meta)? as usize)?)?;
        let id = self.base_id.wrapping_add(varint::take_signed(&mut meta)? as u64);
        let stamp = self.base_stamp.wrapping_add(varint::take_signed(&mut meta)? as u64);
        let start = varint::take(&mut meta)? as u32;
        let cells = varint::take(&mut meta)? as u32;
        let runs = varint::take(&mut meta)?;
        let all = meta;
        for _ in 0..runs {
            varint::take(&mut meta)?;
            varint::take(&mut meta)?;
        }
        let runs = Runs::Encoded(all.get(..all.len() - meta.len())?);
        let layout = if meta.is_empty() { Layout::Derived } else { Layout::Encoded(meta) };
        let text = core::str::from_utf8(text).ok()?;
        Some(PastLine { id: LineId(id), stamp, start, cells, text, runs, layout, chunk: self })
    }

    /// The open line.
    pub(super) fn open_line<'a>(&'a self, tail: &'a Tail) -> PastLine<'a> {
        PastLine {
            id: LineId(tail.id),
            stamp: tail.stamp,
            start: tail.start,
            cells: tail.cells,
            text: self.text_from(tail.text),
            runs: Runs::Open(&tail.runs),
            layout: if tail.irregular { Layout::Open(&tail.layout) } else { Layout::Derived },
            chunk: self,
        }
    }

    /// Removes the text from `at`, where an open line began.
    pub(super) fn cut_text(&mut self, at: u32) {
        self.text.truncate(at as usize);
    }

    /// Removes the last closed line.
    pub(super) fn drop_last(&mut self) {
        if let Some(entry) = self.index.pop() {
            self.text.truncate(entry.text as usize);
            self.meta.truncate(entry.meta as usize);
        }
    }

    /// Whether every line can be read and the engine could have produced it.
    pub(super) fn is_sound(&self, tail: Option<&Tail>) -> bool {
        let mut at = 0;
        let lines = (0..self.len()).all(|i| {
            let begins = self.index.get(i).is_some_and(|entry| entry.text as usize == at);
            let line = self.line(i);
            at += line.as_ref().map_or(0, |line| line.text.len());
            begins && line.is_some_and(|line| self.is_sound_line(&line))
        });
        let rest = match tail {
            Some(tail) => {
                tail.text as usize == at
                    && core::str::from_utf8(self.text.get(at..).unwrap_or_default()).is_ok()
                    && self.text.get(tail.last as usize..).is_some_and(|t| core::str::from_utf8(t).is_ok())
                    && self.is_sound_line(&self.open_line(tail))
            }
            None => self.text.len() == at,
        };
        lines && rest && self.looks.is_sound() && self.links.is_sound()
    }

    fn is_sound_line(&self, line: &PastLine<'_>) -> bool {
        let mut at = 0usize;
        let runs = line.runs().all(|(len, look)| {
            at = at.saturating_add(len as usize);
            len > 0 && line.text.is_char_boundary(at) && (look.0 as usize) < self.looks.len()
        });
        let covered = at == 0 || at == line.text.len();
        let (mut bytes, mut cells) = (0, 0u32);
        if line.text.is_ascii() && matches!(line.layout, Layout::Derived) {
            // A fast path for nearly all lines, so that adopting a session is quick.
            (bytes, cells) = (line.text.len(), line.text.len() as u32);
        } else {
            for (text, width) in line.clusters() {
                bytes += text.len();
                cells += u32::from(width);
            }
        }
        runs && covered
            && bytes == line.text.len()
            && cells == line.cells
            && line.id.0 < 1 << 62
            && line.stamp < 1 << 62
            && !line.text.bytes().any(|byte| byte < b' ' || byte == 0x7f)
            && (line.text.is_ascii() || !line.text.chars().any(char::is_control))
    }
}
