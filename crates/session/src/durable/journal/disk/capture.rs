//! A capture: a session's output, from the request on, in a file of JSON lines.
//!
//! Before each write, a small step file records what the write will add. After a kill, the next daemon reads from it
//! whether the write was complete, and continues with the next byte.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::folder::put;
use super::job::{JobFiles, JobResult};
use super::worker::Worker;
use crate::durable::journal::LiveJournal;
use crate::hub::meta::timestamp;

/// Bytes of output in one line, and in one job of the writing thread.
const LINE: usize = 32 * 1024;
const JOB: u64 = 256 * 1024;
/// This much output is written at once. Less output waits for more, but no longer than `QUIET`.
const FINISHED: u64 = 16 * 1024;
const QUIET: Duration = Duration::from_millis(100);
/// How soon a failed write is retried.
const RETRY: Duration = Duration::from_secs(2);
/// How soon to try again if the writing thread takes no more jobs.
const CROWDED: Duration = Duration::from_millis(20);

/// A running capture. It is part of a session's state, so the next daemon continues it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Capturing {
    pub(crate) path: PathBuf,
    /// The retry id of the request, so that a repeated request starts no second capture.
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
    /// The seq at which the capture began.
    pub(crate) since: u64,
    pub(crate) started_ms: u64,
}

/// A capture's file and how much it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Its path.
    pub file: PathBuf,
    /// Bytes of output in it.
    pub bytes: u64,
    /// Bytes of output that could not be written.
    pub lost: u64,
    /// How long the capture has run.
    pub duration_ms: u64,
}

/// Creates a capture's file. Never overwrites an existing file.
pub(crate) fn make_file(dir: &Path, number: u32, now_ms: u64) -> io::Result<PathBuf> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    // If two captures begin in the same second, the later one gets the next second in its name.
    for second in 0.. {
        // 2026-01-31T12:34:56.789Z as 20260131-123456.
        let at = timestamp(now_ms + second * 1000);
        let digits: String = at.chars().filter(char::is_ascii_digit).take(14).collect();
        let (day, time) = digits.split_at(digits.len().min(8));
        let path = dir.join(format!("session-{number}-capture-{day}-{time}.log"));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && second < 3600 => {}
            made => return made.map(|_| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// How far a capture's file reaches before and after its last write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    before: Reach,
    after: Reach,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reach {
    seq: u64,
    len: u64,
    lost: u64,
}

/// A capture's file.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    since: u64,
    /// How far it reaches; `None` until it was opened, and after an error.
    reach: Option<Reach>,
}

impl Log {
    fn step_file(&self) -> PathBuf {
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.path.with_file_name(format!(".{name}.step"))
    }

    fn open(&mut self) -> io::Result<()> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&self.path)?;
        let step: Option<Step> =
            std::fs::read(self.step_file()).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let reach = match step {
            Some(step) if file.metadata()?.len() >= step.after.len => step.after,
            Some(step) => step.before,
            None => Reach { seq: self.since, ..Reach::default() },
        };
        file.set_len(reach.len)?;
        self.reach = Some(reach);
        Ok(())
    }

    fn append(&mut self, output: &Taken) -> io::Result<()> {
        if self.reach.is_none() {
            // The output may not begin where the file ends: the next job takes it again.
            return self.open();
        }
        let before = self.reach.take().unwrap_or_default();
        if before.seq != output.from {
            self.reach = Some(before);
            return Ok(());
        }
        let lines = output.lines();
        let after =
            Reach { seq: output.to, len: before.len + lines.len() as u64, lost: before.lost + output.lost };
        put(&self.step_file(), &serde_json::to_vec(&Step { before, after }).map_err(io::Error::other)?)?;
        let file = OpenOptions::new().write(true).open(&self.path)?;
        if let Err(error) = file.write_all_at(&lines, before.len) {
            let _ = file.set_len(before.len);
            return Err(error);
        }
        self.reach = Some(after);
        Ok(())
    }

    fn close(&self) {
        let _ = std::fs::remove_file(self.step_file());
    }
}

/// Output for the file.
#[derive(Debug)]
struct Taken {
    from: u64,
    to: u64,
    lost: u64,
    bytes: Vec<u8>,
    ms: u64,
}

impl Taken {
    /// The JSON lines. None splits a character. Invalid UTF-8 becomes U+FFFD.
    fn lines(&self) -> Vec<u8> {
        let timestamp = timestamp(self.ms);
        let mut lines = Vec::with_capacity(self.bytes.len() + 128);
        let mut add = |value: serde_json::Value| {
            lines.extend(value.to_string().into_bytes());
            lines.push(b'\n');
        };
        if self.lost > 0 {
            add(serde_json::json!({ "timestamp": timestamp, "data": "", "lost_bytes": self.lost }));
        }
        let mut rest = self.bytes.as_slice();
        while !rest.is_empty() {
            let line = match rest.get(..LINE) {
                Some(line) => whole_characters(line),
                None => rest,
            };
            rest = &rest[line.len()..];
            let data = String::from_utf8_lossy(line);
            add(serde_json::json!({ "timestamp": timestamp, "data": data }));
        }
        lines
    }
}

/// The bytes without an incomplete character at their end.
pub(super) fn whole_characters(bytes: &[u8]) -> &[u8] {
    // An incomplete character has at most three bytes.
    for back in 1..=bytes.len().min(3) {
        let (whole, tail) = bytes.split_at(bytes.len() - back);
        let wanted = match tail[0] {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => return bytes,
        };
        let begun = back < wanted && std::str::from_utf8(tail).is_err_and(|e| e.error_len().is_none());
        return if begun { whole } else { bytes };
    }
    bytes
}

/// Captures a session's output, with at most one job at a time. After an error it continues from the ring.
pub(crate) struct CaptureWriter {
    capturing: Capturing,
    log: JobFiles<Log>,
    reach: Reach,
    opened: bool,
    error: bool,
    /// When the first unwritten output arrived.
    first_ms: Option<u64>,
    due: Option<Instant>,
    /// Callers of `flush`. For them everything is written, even an incomplete character.
    waiters: Vec<oneshot::Sender<()>>,
}

impl CaptureWriter {
    pub(crate) fn new(capturing: Capturing, worker: Worker, now: Instant) -> CaptureWriter {
        let log = Log { path: capturing.path.clone(), since: capturing.since, reach: None };
        let reach = Reach { seq: capturing.since, ..Reach::default() };
        CaptureWriter {
            capturing,
            log: JobFiles::new(Some(log), worker),
            reach,
            opened: false,
            error: false,
            first_ms: None,
            due: Some(now),
            waiters: Vec::new(),
        }
    }

    /// Output arrived.
    pub(crate) fn output(&mut self, ms: u64, now: Instant) {
        self.first_ms = self.first_ms.or(Some(ms));
        self.due = self.due.or(Some(now + QUIET));
    }

    pub(crate) fn wakeup(&self) -> Option<Instant> {
        self.due.filter(|_| self.log.idle().is_some())
    }

    /// Answers when everything up to now is in the file, or cannot be written.
    pub(crate) fn flush(&mut self, reply: oneshot::Sender<()>) {
        match self.log.is_closed() {
            true => drop(reply.send(())),
            false => self.waiters.push(reply),
        }
    }

    /// Starts a job for the writing thread if one is due.
    pub(crate) fn turn(&mut self, live: &LiveJournal, now: Instant, now_ms: u64) {
        let end = live.output_len();
        let due = self.due.is_some_and(|due| due <= now);
        let finished = !self.error && end - self.reach.seq.min(end) >= FINISHED;
        if !(due || finished || !self.waiters.is_empty()) || self.log.idle().is_none() {
            return;
        }
        if !self.log.has_room() {
            self.due = Some(now + CROWDED);
            return;
        }
        let taken = self.take(live, now_ms);
        if self.opened && taken.from == taken.to {
            self.due = None;
            self.answer();
            return;
        }
        self.log.start(move |log| log.append(&taken));
    }

    fn take(&self, live: &LiveJournal, now_ms: u64) -> Taken {
        let (from, end) = (self.reach.seq, live.output_len());
        let begin = from.max(live.oldest());
        let to = end.min(begin + JOB);
        let mut bytes = live.output(begin, to);
        // An incomplete last character waits for its rest, unless a caller of `flush` waits.
        if self.waiters.is_empty() || to < end {
            bytes = whole_characters(bytes);
        }
        let to = begin + bytes.len() as u64;
        Taken { from, to, lost: begin - from, bytes: bytes.to_vec(), ms: self.first_ms.unwrap_or(now_ms) }
    }

    /// Waits for the running job, forever if there is none.
    pub(crate) async fn written(&mut self) {
        let written = self.log.finished().await;
        let now = Instant::now();
        let Some(JobResult { files: log, result }) = written else {
            self.answer();
            return;
        };
        match (result, log.reach) {
            (Ok(()), Some(reach)) => {
                (self.reach, self.opened, self.error) = (reach, true, false);
                // The remaining output arrived later, or is an incomplete character.
                self.first_ms = None;
                self.due = Some(now);
            }
            (result, _) => {
                tracing::warn!(error = ?result.err(), "cannot write a capture; retrying");
                (self.opened, self.error, self.due) = (false, true, Some(now + RETRY));
                self.answer();
            }
        }
        self.log.put_back(log);
    }

    fn answer(&mut self) {
        for reply in self.waiters.drain(..) {
            let _ = reply.send(());
        }
    }

    /// Waits for the running job, if there is one.
    pub(crate) async fn settle(&mut self) {
        if self.log.is_busy() {
            self.written().await;
        }
    }

    /// The retry id of the request that started it.
    pub(crate) fn retry_id(&self) -> &str {
        &self.capturing.retry_id
    }

    /// The capture up to now.
    pub(crate) fn so_far(&self, now_ms: u64) -> Capture {
        Capture {
            file: self.capturing.path.clone(),
            bytes: self.reach.seq - self.capturing.since - self.reach.lost,
            lost: self.reach.lost,
            duration_ms: now_ms.saturating_sub(self.capturing.started_ms),
        }
    }

    /// Ends the capture.
    pub(crate) fn close(mut self) {
        self.answer();
        self.log.close(|log| log.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_character_at_the_end_is_left_for_later() {
        let cases: [(&[u8], &[u8]); 8] = [
            (b"abc", b"abc"),
            (b"", b""),
            ("aü".as_bytes(), "aü".as_bytes()),
            (b"a\xC3", b"a"),
            (b"a\xF0\x9F\x98", b"a"),
            (b"a\xE2\x82", b"a"),
            // No character begins like this, so there is nothing to wait for.
            (b"a\xFF", b"a\xFF"),
            (b"a\x80\x80\x80\x80", b"a\x80\x80\x80\x80"),
        ];
        for (bytes, whole) in cases {
            assert_eq!(whole_characters(bytes), whole, "{bytes:?}");
        }
    }

    fn taken(from: u64, bytes: &[u8]) -> Taken {
        Taken { from, to: from + bytes.len() as u64, lost: 0, bytes: bytes.to_vec(), ms: 0 }
    }

    fn data(path: &Path) -> String {
        let text = std::fs::read_to_string(path).unwrap();
        let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(|l| line(l)["data"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_capture_that_was_killed_at_any_byte_continues_with_the_next_byte() {
        let dir = tempfile::tempdir().unwrap();
        let path = make_file(dir.path(), 3, 0).unwrap();
        assert_eq!(path.file_name().unwrap(), "session-3-capture-19700101-000000.log");
        let log = || Log { path: path.clone(), since: 10, reach: None };
        let mut first = log();
        first.open().unwrap();
        first.append(&taken(10, b"one ")).unwrap();
        let begun = std::fs::read(&path).unwrap();
        let step = std::fs::read(first.step_file()).unwrap();
        first.append(&taken(14, b"two ")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let next_step = std::fs::read(first.step_file()).unwrap();
        for cut in begun.len()..=whole.len() {
            for step in [&step, &next_step] {
                std::fs::write(&path, &whole[..cut]).unwrap();
                std::fs::write(first.step_file(), step).unwrap();
                if step == &next_step || cut == begun.len() {
                    let mut next = log();
                    next.open().unwrap();
                    let from = next.reach.unwrap().seq;
                    let rest = &b"one two three"[usize::try_from(from).unwrap() - 10..];
                    next.append(&taken(from, rest)).unwrap();
                    assert_eq!(data(&path), "one two three", "cut at {cut}");
                }
            }
        }
    }
}
