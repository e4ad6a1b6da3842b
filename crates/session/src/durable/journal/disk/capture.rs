//! A session's output in a file of its own, from when it was asked for: lines of JSON, however many.
//!
//! Before lines are written, a small file beside says which; so after a kill it is known whether they are there, and
//! the next daemon goes on with the very next byte.

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

/// Output of one line, and of one turn of the writing thread.
const LINE: usize = 32 * 1024;
const JOB: u64 = 256 * 1024;
/// This much is written at once; less waits for more, but not longer than that.
const FINISHED: u64 = 16 * 1024;
const QUIET: Duration = Duration::from_millis(100);
/// How soon a disk that failed is tried again.
const RETRY: Duration = Duration::from_secs(2);
/// How soon a busy writing thread is asked again.
const CROWDED: Duration = Duration::from_millis(20);

/// A capture that was asked for. Part of a session's state, so the next daemon goes on with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Capturing {
    pub(crate) path: PathBuf,
    /// Who asked, so that asking again starts nothing.
    #[serde(rename = "request")]
    pub(crate) retry_id: String,
    /// Output before it.
    pub(crate) since: u64,
    pub(crate) started_ms: u64,
}

/// What was captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// Where it lies.
    pub file: PathBuf,
    /// Bytes of output in it.
    pub bytes: u64,
    /// Bytes of output that could not be written.
    pub lost: u64,
    /// How long it went on.
    pub duration_ms: u64,
}

/// Makes the file of a capture; nobody else's is ever written over.
pub(crate) fn make_file(dir: &Path, number: u32, now_ms: u64) -> io::Result<PathBuf> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    // Two that begin within a second: the later one takes the next.
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

/// How far a capture's file goes: as before the last write, and as after it.
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

/// The file, while it is written.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    since: u64,
    /// How far it goes; `None` until it was looked at, and after anything failed.
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
            // What was taken began where the file was thought to end.
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
    /// As lines: each ends where a character does. What is no UTF-8 is shown as such.
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

/// The bytes without a character that has only begun at their end.
pub(super) fn whole_characters(bytes: &[u8]) -> &[u8] {
    // At most three bytes of a character can stand without its last.
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

/// Captures a session's output. At most one job is under way; it goes on from the ring after anything that failed.
pub(crate) struct CaptureWriter {
    capturing: Capturing,
    log: JobFiles<Log>,
    reach: Reach,
    opened: bool,
    error: bool,
    /// When the first output came that is not written.
    first_ms: Option<u64>,
    due: Option<Instant>,
    /// Everything is wanted in the file, also half a character.
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

    /// Output came.
    pub(crate) fn output(&mut self, ms: u64, now: Instant) {
        self.first_ms = self.first_ms.or(Some(ms));
        self.due = self.due.or(Some(now + QUIET));
    }

    pub(crate) fn wakeup(&self) -> Option<Instant> {
        self.due.filter(|_| self.log.idle().is_some())
    }

    /// Answers when everything so far is in the file, or cannot be.
    pub(crate) fn flush(&mut self, reply: oneshot::Sender<()>) {
        match self.log.is_closed() {
            true => drop(reply.send(())),
            false => self.waiters.push(reply),
        }
    }

    /// Hands the writing thread what is finished, if it is time.
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
        // The last character may be half here: it waits for the rest, unless there will be none.
        if self.waiters.is_empty() || to < end {
            bytes = whole_characters(bytes);
        }
        let to = begin + bytes.len() as u64;
        Taken { from, to, lost: begin - from, bytes: bytes.to_vec(), ms: self.first_ms.unwrap_or(now_ms) }
    }

    /// Waits for the job that runs, for ever if none does.
    pub(crate) async fn written(&mut self) {
        let written = self.log.finished().await;
        let now = Instant::now();
        let Some(JobResult { files: log, result }) = written else {
            self.log.close(drop);
            self.answer();
            return;
        };
        match (result, log.reach) {
            (Ok(()), Some(reach)) => {
                (self.reach, self.opened, self.error) = (reach, true, false);
                // What is left came at another time, or is half a character.
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

    /// Waits for the job that is under way.
    pub(crate) async fn settle(&mut self) {
        if self.log.is_busy() {
            self.written().await;
        }
    }

    /// The request that began it.
    pub(crate) fn retry_id(&self) -> &str {
        &self.capturing.retry_id
    }

    /// What there is so far.
    pub(crate) fn so_far(&self, now_ms: u64) -> Capture {
        Capture {
            file: self.capturing.path.clone(),
            bytes: self.reach.seq - self.capturing.since - self.reach.lost,
            lost: self.reach.lost,
            duration_ms: now_ms.saturating_sub(self.capturing.started_ms),
        }
    }

    /// It is over.
    pub(crate) fn close(mut self) {
        self.log.close(|log| log.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_has_only_begun_is_left_for_later() {
        let cases: [(&[u8], &[u8]); 8] = [
            (b"abc", b"abc"),
            (b"", b""),
            ("aü".as_bytes(), "aü".as_bytes()),
            (b"a\xC3", b"a"),
            (b"a\xF0\x9F\x98", b"a"),
            (b"a\xE2\x82", b"a"),
            // No character begins so: there is nothing to wait for.
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
    fn a_capture_that_was_killed_at_any_byte_goes_on_with_the_next() {
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
