//! How a session outlives its daemon: a checkpoint with the keeper, and the journal's tail replayed on top of it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::os::fd::OwnedFd;
use std::time::Instant;

use cotty_vt::Vt;
use serde::{Deserialize, Serialize};

use crate::SessionError;
use crate::commands::Commands;
use crate::journal::disk::{Capture, Capturing};
use crate::journal::{What, memory};
use crate::keyboard::Keyboard;
use crate::plea::Pleas;
use crate::reading::{Echo, Place, Reader, Spot};
use crate::task::Task;
use crate::unread::Unread;

/// What the keeper holds of a session.
pub(crate) mod slot {
    pub(crate) const MASTER: u8 = 0;
    pub(crate) const JOURNAL: u8 = 1;
    pub(crate) const INPUT: u8 = 2;
    pub(crate) const STATE: u8 = 3;
}

/// Of the format below; another is not read.
const VERSION: u32 = 6;

/// The part of a session that is neither engine nor journal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) commands: Commands,
    /// Requests that typed, so that a retry types nothing.
    pub(crate) requests: VecDeque<Remembered>,
    pub(crate) readers: BTreeMap<String, Reader>,
    /// Where readers stood before.
    pub(crate) passed: VecDeque<Place>,
    /// Lines that were typed.
    pub(crate) echoes: VecDeque<Echo>,
    /// The shell's question that it has not gone on from: its id, and the answer where that is kept.
    pub(crate) asked: Option<(String, Option<String>)>,
    pub(crate) keyboard: Keyboard,
    /// Output before a person typed last.
    pub(crate) person_typed_at: Option<u64>,
    /// The session's own size, while it follows somebody's window.
    pub(crate) put_back: Option<(u16, u16)>,
    /// Whose window it follows.
    pub(crate) fitted_to: Option<String>,
    pub(crate) capturing: Option<Capturing>,
    /// The last capture, and the request that ended it.
    pub(crate) captured: Option<(String, Capture)>,
    pub(crate) pleas: Pleas,
}

/// A request that typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Remembered {
    pub(crate) request: String,
    /// Output before it.
    pub(crate) seq: u64,
    pub(crate) bytes: u64,
    /// Where the cursor stood.
    pub(crate) spot: Spot,
}

/// A whole state, from which the journal's tail is replayed.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    head: Head,
    engine: Vt,
}

/// What a checkpoint begins with; the engine's own state is the rest of it.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    version: u32,
    /// Lengths of the journal's index and of the input queue at that moment; the engine knows its own seq.
    index: u64,
    input: u64,
    saved: Saved,
}

impl Checkpoint {
    /// Reads what [`Task::checkpoint`] wrote.
    pub(crate) fn read(fd: &OwnedFd) -> Result<Checkpoint, SessionError> {
        let broken = |error: &dyn std::fmt::Display| SessionError::Broken(error.to_string());
        let bytes = read_all(fd)?;
        let (head, engine): (Head, &[u8]) = postcard::take_from_bytes(&bytes).map_err(|e| broken(&e))?;
        if head.version != VERSION {
            return Err(broken(&"a checkpoint of another version"));
        }
        Ok(Checkpoint { head, engine: Vt::restore(engine).map_err(|e| broken(&e))? })
    }
}

fn read_all(fd: &OwnedFd) -> io::Result<Vec<u8>> {
    let len = rustix::fs::fstat(fd)?.st_size;
    let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
    let mut got = 0;
    while got < bytes.len() {
        match rustix::io::pread(fd, &mut bytes[got..], got as u64)? {
            0 => break,
            count => got += count,
        }
    }
    bytes.truncate(got);
    Ok(bytes)
}

fn write_all(fd: &OwnedFd, bytes: &[u8], from: usize) -> io::Result<()> {
    let mut sent = 0;
    while sent < bytes.len() {
        sent += rustix::io::pwrite(fd, &bytes[sent..], (from + sent) as u64)?;
    }
    Ok(())
}

impl Task {
    /// Hands the keeper a state that covers everything so far. Only then may the journal overwrite what it covers.
    pub(crate) async fn checkpoint(&mut self) -> Result<(), SessionError> {
        let (output, index) = (self.vt.seq(), self.hot.index_len());
        let head = Head { version: VERSION, index, input: self.input.end(), saved: self.saved.clone() };
        let head = postcard::to_allocvec(&head).map_err(io::Error::other)?;
        let engine = self.vt.state();
        let fd = memory("cotty-state", (head.len() + engine.len()) as u64)?;
        write_all(&fd, &head, 0)?;
        write_all(&fd, &engine, head.len())?;
        self.link.put(self.meta.id.as_bytes(), slot::STATE, fd).await?;
        self.hot.checkpointed(output, index);
        Ok(())
    }

    /// Brings a task that was just put together to where the daemon before us stood, and further: to the last byte
    /// that the kernel handed over.
    pub(crate) fn replay(&mut self, checkpoint: Option<Checkpoint>) -> Result<(), SessionError> {
        // What of it the shell has read, nobody saw.
        self.unread = Unread::Lines;
        let mut index = 0;
        if let Some(Checkpoint { head, engine }) = checkpoint {
            self.vt = engine;
            self.saved = head.saved;
            self.input.accept(head.input);
            index = head.index;
        }
        self.hot.checkpointed(self.vt.seq(), index);
        let records = self.hot.records(index);
        // Whatever was answered before is not answered again; what came after the last answer still is.
        let last = |of: fn(&What) -> bool| records.iter().filter(|r| of(&r.what)).map(|r| r.seq).max();
        self.replied = last(|w| matches!(w, What::Replied { .. })).unwrap_or(self.vt.seq());
        self.noted = last(|w| matches!(w, What::Marked { .. })).unwrap_or(self.vt.seq());
        let end = self.hot.output_len();
        let mut times: VecDeque<(u64, u64)> = records
            .iter()
            .filter_map(|r| if let What::Marked { at } = r.what { Some((r.seq, at)) } else { None })
            .collect();
        for record in records {
            self.replay_output(record.seq, &mut times);
            let ms = times.front().map_or_else(crate::meta::now_ms, |&(_, at)| at);
            self.apply(&record.what, ms);
        }
        self.replay_output(end, &mut times);
        if self.vt.modes().synchronized {
            // A frame that was begun before the checkpoint gets its time from now.
            self.half_drawn_since.get_or_insert_with(Instant::now);
        }
        Ok(())
    }

    /// Feeds the engine up to `to`, in pieces that end where marks were noted, so that each gets its own time.
    fn replay_output(&mut self, to: u64, times: &mut VecDeque<(u64, u64)>) {
        while self.vt.seq() < to {
            while times.front().is_some_and(|&(seq, _)| seq <= self.vt.seq()) {
                times.pop_front();
            }
            let (upto, ms) = match times.front() {
                Some(&(seq, at)) => (seq.min(to), at),
                None => (to, crate::meta::now_ms()),
            };
            self.process_until(upto, ms);
        }
    }
}

/// The descriptors of a session, as the keeper gave them.
pub(crate) struct Held {
    pub(crate) master: OwnedFd,
    pub(crate) journal: OwnedFd,
    pub(crate) input: OwnedFd,
    pub(crate) state: Option<OwnedFd>,
}

impl Held {
    pub(crate) fn from_slots(mut slots: HashMap<u8, OwnedFd>) -> Result<Held, SessionError> {
        let mut take = |slot: u8, name: &str| {
            slots.remove(&slot).ok_or_else(|| SessionError::Broken(format!("the keeper has no {name}")))
        };
        Ok(Held {
            master: take(slot::MASTER, "terminal")?,
            journal: take(slot::JOURNAL, "journal")?,
            input: take(slot::INPUT, "input queue")?,
            state: slots.remove(&slot::STATE),
        })
    }
}
