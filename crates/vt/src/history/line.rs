use alloc::string::String;

use super::chunk::Chunk;
use crate::grid::attributes::Attributes;
use crate::grid::cell::StyleId;
use crate::grid::style::Style;
use crate::{LineId, unicode, varint};

/// A logical line (or a piece of a very long one) that scrolled off, borrowed from its chunk.
#[derive(Debug, Clone)]
pub(crate) struct PastLine<'a> {
    pub(crate) id: LineId,
    pub(crate) stamp: u64,
    /// The cell of the line at which this piece begins.
    pub(crate) start: u32,
    pub(crate) cells: u32,
    pub(crate) text: &'a str,
    pub(super) runs: Runs<'a>,
    pub(super) layout: Layout<'a>,
    pub(super) chunk: &'a Chunk,
}

/// Consecutive byte lengths and styles; empty if the whole line is plain.
#[derive(Debug, Clone)]
pub(super) enum Runs<'a> {
    Encoded(&'a [u8]),
    Open(&'a [(u32, StyleId)]),
}

impl Iterator for Runs<'_> {
    type Item = (u32, StyleId);

    fn next(&mut self) -> Option<(u32, StyleId)> {
        match self {
            Runs::Encoded(meta) => Some((varint::take(meta)? as u32, StyleId(varint::take(meta)? as u32))),
            Runs::Open(runs) => {
                let (first, rest) = runs.split_first()?;
                *runs = rest;
                Some(*first)
            }
        }
    }
}

/// How the text was laid out in cells.
#[derive(Debug, Clone)]
pub(super) enum Layout<'a> {
    /// One cell or cell pair for each cluster of the text.
    Derived,
    Encoded(&'a [u8]),
    Open(&'a [(u32, u8)]),
}

impl<'a> PastLine<'a> {
    pub(super) fn runs(&self) -> Runs<'a> {
        self.runs.clone()
    }

    /// The clusters and their widths.
    pub(crate) fn clusters(&self) -> impl Iterator<Item = (&'a str, u8)> + use<'a> {
        let mut layout = self.layout.clone();
        let mut derived = matches!(layout, Layout::Derived).then(|| unicode::clusters(self.text));
        let mut rest = self.text;
        core::iter::from_fn(move || {
            if let Some(clusters) = &mut derived {
                return clusters.next();
            }
            let (len, width) = match &mut layout {
                Layout::Derived => return None,
                Layout::Encoded(meta) => {
                    let packed = varint::take(meta)?;
                    ((packed >> 2) as usize, (packed & 3) as u8)
                }
                Layout::Open(list) => {
                    let (first, later) = list.split_first()?;
                    *list = later;
                    (first.0 as usize, first.1)
                }
            };
            let (cluster, later) = rest.split_at_checked(len)?;
            rest = later;
            Some((cluster, width))
        })
    }

    /// The pieces with equal attributes, with their links.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (&'a str, Attributes, Option<&'a str>)> + use<'a> {
        let mut runs = self.runs.clone();
        let (chunk, mut rest) = (self.chunk, self.text);
        core::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (len, look) = runs.next().unwrap_or((rest.len() as u32, StyleId(0)));
            let (piece, later) = rest.split_at_checked(len as usize)?;
            rest = later;
            let look = chunk.look(look);
            Some((piece, look, chunk.link(look)))
        })
    }

    /// Appends the text of the cells `from..to` of this piece.
    pub(crate) fn push_text(&self, from: u32, to: u32, out: &mut String) {
        if from == 0 && to >= self.cells {
            out.push_str(self.text);
            return;
        }
        let mut cell = 0;
        let mut inside = false;
        for (cluster, width) in self.clusters() {
            // A cluster without width belongs to the cell before it.
            if width > 0 {
                inside = cell >= from && cell < to;
                cell += u32::from(width);
            }
            if inside {
                out.push_str(cluster);
            }
        }
    }

    /// The line with its styles as SGR, followed by a reset if necessary.
    pub(crate) fn ansi(&self) -> String {
        let shown = self.text.trim_end_matches(' ').len();
        let mut out = String::with_capacity(shown + 16);
        let mut at = 0;
        let mut style = Style::default();
        for (piece, look, _) in self.pieces() {
            let piece = piece.get(..piece.len().min(shown - at)).unwrap_or_default();
            if piece.is_empty() {
                break;
            }
            at += piece.len();
            if look.style() != style {
                style = look.style();
                out.push_str(&style.sgr());
            }
            out.push_str(piece);
        }
        if !style.is_default() {
            out.push_str("\x1b[0m");
        }
        out
    }
}
