use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::{Position, Size};

/// Something that the engine asks its caller to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// How many bytes had been fed, up to and including the sequence that caused the effect.
    pub seq: u64,
    /// What to do.
    pub kind: EffectKind,
}

/// The kinds of effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EffectKind {
    /// Bytes to send to the program, such as the reply to a cursor query.
    Reply(Vec<u8>),
    /// The bell; several in a row are merged.
    Bell,
    /// The title changed.
    Title(String),
    /// The working directory changed (OSC 7).
    Directory(String),
    /// The shell marked a prompt or a command (OSC 133, 633).
    Mark(Mark),
    /// The program wants to set the clipboard (OSC 52).
    Clipboard {
        /// The selections named, such as `c` or `p`; empty for the default.
        selection: String,
        /// The decoded text.
        text: String,
    },
    /// The program wants to notify a person (OSC 9, 99, 777).
    Notification {
        /// A heading, possibly empty.
        title: String,
        /// The message.
        body: String,
    },
    /// The program changed the size. The engine has applied it; the caller must resize the PTY.
    Resize(Size),
    /// An image, passed on unchanged; the engine does not draw images.
    Image {
        /// Which protocol.
        kind: ImageKind,
        /// How long the payload was.
        size: u64,
        /// The payload, without the sequence around it; empty if it was too long to keep.
        bytes: Vec<u8>,
    },
}

/// The image protocols passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageKind {
    /// DCS q.
    Sixel,
    /// APC G.
    Kitty,
    /// OSC 1337 File=.
    Iterm,
}

/// A place in the output that the shell marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What begins or ends here.
    pub kind: MarkKind,
    /// Where the cursor was.
    pub position: Position,
    /// `seq` after the last byte that changed the cursor's row.
    pub stamp: u64,
    /// Whether the alternate screen was shown.
    pub alt_screen: bool,
    /// The text after the mark's letter, such as the exit code, undecoded.
    pub params: String,
}

/// The kinds of mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MarkKind {
    /// The prompt begins (A).
    PromptStart,
    /// The prompt ends and the user's input begins (B).
    PromptEnd,
    /// The command's output begins (C).
    CommandStart,
    /// The command ended (D).
    CommandEnd,
    /// The command line itself (E).
    CommandLine,
    /// Another letter.
    Other(char),
}

impl MarkKind {
    pub(crate) fn from_letter(letter: char) -> MarkKind {
        match letter {
            'A' => MarkKind::PromptStart,
            'B' => MarkKind::PromptEnd,
            'C' => MarkKind::CommandStart,
            'D' => MarkKind::CommandEnd,
            'E' => MarkKind::CommandLine,
            other => MarkKind::Other(other),
        }
    }
}

const MAX_EFFECTS: usize = 4096;
const MAX_BYTES: usize = 4 << 20;

/// The effects that the caller has not taken yet. The queue is bounded and drops replies last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    queue: VecDeque<Effect>,
    bytes: usize,
}

impl Effects {
    pub(crate) fn push(&mut self, effect: Effect) {
        if effect.kind == EffectKind::Bell
            && let Some(last) = self.queue.back_mut()
            && last.kind == EffectKind::Bell
        {
            last.seq = effect.seq;
            return;
        }
        self.bytes += effect.kind.payload();
        self.queue.push_back(effect);
        while self.queue.len() > MAX_EFFECTS || self.bytes > MAX_BYTES {
            self.make_room();
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Effect> {
        self.bytes = 0;
        core::mem::take(&mut self.queue).into()
    }

    /// Drops a quarter of the limit at once, so that a flood costs constant time per effect.
    fn make_room(&mut self) {
        let mut left = MAX_EFFECTS / 4;
        let before = self.queue.len();
        self.queue.retain(|effect| {
            let drop = left > 0 && !matches!(effect.kind, EffectKind::Reply(_));
            left -= usize::from(drop);
            !drop
        });
        if self.queue.len() == before {
            self.queue.drain(..before.min(MAX_EFFECTS / 4));
        }
        self.bytes = self.queue.iter().map(|effect| effect.kind.payload()).sum();
    }
}

impl EffectKind {
    fn payload(&self) -> usize {
        match self {
            EffectKind::Reply(bytes) | EffectKind::Image { bytes, .. } => bytes.len(),
            EffectKind::Bell | EffectKind::Resize(_) => 0,
            EffectKind::Title(text) | EffectKind::Directory(text) => text.len(),
            EffectKind::Mark(mark) => mark.params.len(),
            EffectKind::Clipboard { selection, text } => selection.len() + text.len(),
            EffectKind::Notification { title, body } => title.len() + body.len(),
        }
    }
}
