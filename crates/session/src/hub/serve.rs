//! The life of a session's task: it is built, runs, and is rebuilt if it panics.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use cotty_pty::{Entry, Pty};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use tokio::sync::mpsc;

use super::Hub;
use crate::durable::checkpoint::{Checkpoint, HeldDescriptors, Rebuild, slot};
use crate::durable::journal::{InputQueue, LiveJournal};
use crate::request::Request;
use crate::task::Task;
use crate::{Meta, SessionError};

/// After how many panics in a row less of a session's state is rebuilt. A task that ran for `SERVED` resets the count.
const PANICS: u32 = 3;
const SERVED: Duration = Duration::from_secs(10);
/// The longest pause before a task that panics even with an empty screen is started again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The pause before a retry when descriptors or memory ran out.
const AGAIN: Duration = Duration::from_millis(500);
/// By how many bytes a new journal's output starts after the end of the lost one.
const GAP: u64 = 16;

type Inbox = mpsc::Receiver<Request>;

/// How a session's task begins.
pub(super) enum Start {
    /// The session is new.
    Made(Box<Task>),
    /// An earlier task or daemon served the session; the keeper holds its state.
    Adopt(Entry),
}

impl Hub {
    /// Serves a session until it is closed. If its task panics, a new task starts from the state that the keeper holds and
    /// continues with the waiting requests. If new tasks panic, too, less and less state is rebuilt, at last none: damaged
    /// state costs history, never the program.
    pub(super) async fn serve(self, meta: Arc<Meta>, mut start: Start, mut inbox: Inbox) {
        let id = meta.id.as_str();
        let mut tries = Tries::default();
        loop {
            let began = Instant::now();
            let begun = match start {
                Start::Made(task) => Some(Ok(Some((*task, None)))),
                Start::Adopt(entry) => {
                    caught(self.adopt(Arc::clone(&meta), entry, tries.rebuild, &mut inbox)).await
                }
            };
            let pause = match begun {
                Some(Ok(Some((task, first)))) => {
                    if caught(task.serve(first, &mut inbox)).await.is_some() {
                        return;
                    }
                    tracing::error!(session = id, "the session's task panicked; restarting it");
                    tries.panicked(began.elapsed(), false)
                }
                Some(Ok(None)) => return,
                Some(Err(error)) => {
                    // Descriptors or memory ran out. The session itself is intact.
                    tracing::error!(session = id, %error, "cannot adopt the session; retrying");
                    AGAIN
                }
                None => {
                    tracing::error!(session = id, "adopting the session panicked; retrying");
                    tries.panicked(Duration::ZERO, true)
                }
            };
            tokio::time::sleep(pause).await;
            match self.held(id).await {
                Ok(Some(entry)) => start = Start::Adopt(entry),
                // Without an entry the session was destroyed; without the keeper there is nothing to serve.
                Ok(None) | Err(_) => break,
            }
        }
        self.state().remove(meta.number);
    }

    /// The keeper's entry of a session.
    async fn held(&self, id: &str) -> Result<Option<Entry>, SessionError> {
        let held = self.inner.link.list().await?;
        Ok(held.into_iter().find(|entry| entry.key == id.as_bytes()))
    }

    /// Adopts a session. Its terminal is read from the start; its screen is rebuilt when a request needs it, or when it is
    /// the session's turn. Returns the task and that first request, or `None` if the session was closed meanwhile.
    async fn adopt(
        &self,
        meta: Arc<Meta>,
        entry: Entry,
        rebuild: Rebuild,
        inbox: &mut Inbox,
    ) -> Result<Option<(Task, Option<Request>)>, SessionError> {
        let mut first = None;
        let permit = tokio::select! {
            biased;
            request = inbox.recv() => {
                first = unless_closed(request);
                if first.is_none() {
                    return Ok(None);
                }
                self.inner.taking_asked.acquire().await
            }
            permit = self.inner.taking.acquire() => permit,
        };
        let Some(held) = HeldDescriptors::from_slots(self.inner.link.take(&entry.key).await?) else {
            return self.end_without_terminal(&meta, &entry).await;
        };
        drop(permit);
        let mut lost = Vec::new();
        if rebuild != Rebuild::Whole {
            lost.push("screen and history: rebuilding them failed".to_owned());
        }
        lost.extend(meta.damage.clone());
        let live = self.adopt_journal(&meta, &held, &mut lost).await?;
        let input = self.adopt_input(&entry, held.input, &live, &mut lost).await?;
        let (master, state) = (held.master, held.state);
        let pid = entry.pid.unwrap_or(0);
        let hook = match self.open_hook(&meta).await {
            Err(SessionError::Io(error)) if is_out_of_resources(&error) => return Err(error.into()),
            Err(error) => {
                // The shell runs no line without an answer, so no line escapes the policy.
                lost.push(format!("the policy's answers; its shell can run no command: {error}"));
                None
            }
            Ok(hook) => hook,
        };
        let mut task = self.task(meta, pid, Pty::adopt(master)?, live, input, hook)?;
        let mut turn = None;
        if first.is_none() {
            tokio::select! {
                biased;
                request = inbox.recv() => {
                    first = unless_closed(request);
                    if first.is_none() {
                        return Ok(None);
                    }
                }
                permit = self.inner.turn.acquire() => turn = permit.ok(),
                never = task.read_ahead() => match never {},
            }
        }
        if task.replay(state.as_ref(), rebuild, lost)
            && let Err(error) = task.checkpoint().await
        {
            tracing::warn!(session = task.meta().id, %error, "cannot store a checkpoint of the rebuilt session");
        }
        if task.meta().damage.is_some()
            && let Ok(blob) = serde_json::to_vec(task.meta())
        {
            self.inner.link.blob(&entry.key, &blob).await?;
        }
        drop(state);
        task.go_live(true);
        task.answer_again();
        task.agree_on_size()?;
        task.push_input();
        if let Some(status) = entry.status {
            while task.drain().await {}
            task.program_ended(status);
        }
        drop(turn);
        Ok(Some((task, first)))
    }
}

impl Hub {
    /// Adopts the journal. If it cannot be used, creates a new one that continues its counts.
    async fn adopt_journal(
        &self,
        meta: &Meta,
        held: &HeldDescriptors,
        lost: &mut Vec<String>,
    ) -> Result<LiveJournal, SessionError> {
        let covers = held.state.as_ref().and_then(Checkpoint::covers);
        let reaches = |live: &LiveJournal| {
            covers.is_none_or(|(output, index)| output <= live.output_len() && index <= live.index_len())
        };
        let reason = match held.journal.as_ref().map(LiveJournal::adopt) {
            Some(Ok(live)) if reaches(&live) => return Ok(live),
            Some(Ok(_)) => "it ends before the checkpoint".to_owned(),
            Some(Err(error)) => error.to_string(),
            None => "the keeper does not have it".to_owned(),
        };
        lost.push(format!("the newest output: {reason}"));
        let (output, index) = covers.unwrap_or_default();
        let counted = held.journal.as_ref().and_then(LiveJournal::output_len_of).unwrap_or_default();
        let (mut live, fd) = LiveJournal::create()?;
        // The extra bytes make the engine notice a gap, so that it ends an unfinished line.
        live.count_from(output.max(counted) + GAP, index);
        meta.copy_into(&fd)?;
        self.inner.link.put(meta.id.as_bytes(), slot::JOURNAL, fd).await?;
        Ok(live)
    }

    /// Adopts the input queue. If the keeper does not have it, creates an empty one.
    async fn adopt_input(
        &self,
        entry: &Entry,
        input: Option<OwnedFd>,
        live: &LiveJournal,
        lost: &mut Vec<String>,
    ) -> Result<InputQueue, SessionError> {
        if let Some(fd) = input {
            return Ok(InputQueue::adopt(fd, live.recorded_input()));
        }
        lost.push("unread input: the keeper does not have it".to_owned());
        let (queue, fd) = InputQueue::create()?;
        self.inner.link.put(&entry.key, slot::INPUT, fd).await?;
        Ok(queue)
    }

    /// Ends a program whose terminal is lost, because nobody could reach it any more, and logs that.
    async fn end_without_terminal(
        &self,
        meta: &Meta,
        entry: &Entry,
    ) -> Result<Option<(Task, Option<Request>)>, SessionError> {
        tracing::error!(session = meta.id, "the keeper has no terminal for this session; ending its program");
        // After its exit another process may have the same id.
        let pid = entry.pid.filter(|_| entry.status.is_none());
        if let Some(pid) = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw) {
            let _ = rustix::process::kill_process_group(pid, Signal::HUP);
        }
        self.inner.link.forget(&entry.key).await?;
        self.state().remove(meta.number);
        Ok(None)
    }
}

/// How often a session's task panicked, and how much the next one rebuilds.
#[derive(Debug)]
struct Tries {
    rebuild: Rebuild,
    /// Panics in a row.
    panics: u32,
}

impl Default for Tries {
    fn default() -> Tries {
        Tries { rebuild: Rebuild::Whole, panics: 0 }
    }
}

impl Tries {
    /// Counts a panic of a task that had run for `served`. Only panics while `rebuilding` reduce what is rebuilt next.
    /// Returns how long to wait before the next try.
    fn panicked(&mut self, served: Duration, rebuilding: bool) -> Duration {
        if served >= SERVED {
            *self = Tries::default();
        }
        self.panics += 1;
        if rebuilding && self.panics.is_multiple_of(PANICS) {
            self.rebuild = match self.rebuild {
                Rebuild::Whole => Rebuild::Journal,
                Rebuild::Journal | Rebuild::Nothing => Rebuild::Nothing,
            };
        }
        // Never give up: one request or one line of output may have caused the panic, and may be gone at the next try.
        let beyond = self.panics.saturating_sub(3 * PANICS);
        Duration::from_millis(100).saturating_mul(beyond).min(LONGEST_PAUSE)
    }
}

/// Whether the error is a lack of descriptors or memory, which may pass.
fn is_out_of_resources(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM))
}

fn unless_closed(request: Option<Request>) -> Option<Request> {
    request.filter(|request| !matches!(request, Request::Close))
}

/// The result of the future; `None` if it panics.
async fn caught<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
        Err(_) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_keeps_panicking_is_rebuilt_from_less_state_and_always_retried() {
        let mut tries = Tries::default();
        let short = Duration::from_millis(1);
        let seen: Vec<Rebuild> = (0..9)
            .map(|_| {
                tries.panicked(short, true);
                tries.rebuild
            })
            .collect();
        let (whole, journal, nothing) = (Rebuild::Whole, Rebuild::Journal, Rebuild::Nothing);
        assert_eq!(seen, [whole, whole, journal, journal, journal, nothing, nothing, nothing, nothing]);
        assert_eq!(tries.panicked(short, true), Duration::from_millis(100));
        for _ in 0..1000 {
            assert!(tries.panicked(short, true) <= LONGEST_PAUSE);
        }
        assert_eq!(tries.panicked(SERVED, false), Duration::ZERO);
        assert_eq!(tries.rebuild, whole, "a task that ran for a while resets the count");
        for _ in 0..9 {
            tries.panicked(short, false);
        }
        assert_eq!(tries.rebuild, whole, "requests that cause panics cost no history");
    }
}
