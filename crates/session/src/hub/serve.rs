//! A session's task from beginning to end: put together, served, and put together again if it panics.

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

/// How often a session's task may panic in a row before less is rebuilt of it; one that has served for so long begins
/// anew.
const PANICS: u32 = 3;
const SERVED: Duration = Duration::from_secs(10);
/// How long one that panics with an empty screen waits before it is tried again, at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How soon what failed for want of something is tried again.
const AGAIN: Duration = Duration::from_millis(500);
/// Bytes that a new journal leaves out between the one before it and itself.
const GAP: u64 = 16;

type Inbox = mpsc::Receiver<Request>;

/// How a session's task begins.
pub(super) enum Start {
    /// It was just made.
    Made(Box<Task>),
    /// Another served it; the keeper has all that is needed.
    Adopt(Entry),
}

impl Hub {
    /// Serves a session until it is closed. If its task panics, what the keeper holds is enough to begin again: the next
    /// one starts from the same bytes, and goes on with the requests that wait. If that does not help either, less and less
    /// is rebuilt, at last nothing: what cannot be read costs history, never the program.
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
                    tracing::error!(session = id, "its task panicked; another takes over");
                    tries.panicked(began.elapsed(), false)
                }
                Some(Ok(None)) => return,
                Some(Err(error)) => {
                    // No descriptor or no memory was left: nothing is wrong with the session.
                    tracing::error!(session = id, %error, "could not be taken over; it is tried again");
                    AGAIN
                }
                None => {
                    tracing::error!(session = id, "taking it over panicked; another tries");
                    tries.panicked(Duration::ZERO, true)
                }
            };
            tokio::time::sleep(pause).await;
            match self.held(id).await {
                Ok(Some(entry)) => start = Start::Adopt(entry),
                // Without the keeper there is nothing to serve; without an entry it was destroyed.
                Ok(None) | Err(_) => break,
            }
        }
        self.state().remove(meta.number);
    }

    /// What the keeper holds of a session.
    async fn held(&self, id: &str) -> Result<Option<Entry>, SessionError> {
        let held = self.inner.link.list().await?;
        Ok(held.into_iter().find(|entry| entry.key == id.as_bytes()))
    }

    /// Takes a session over. Its terminal is read from the first moment on; its screen is rebuilt when somebody asks for
    /// it, else when its turn comes. Answers its task with what was asked; nothing if it was closed meanwhile.
    async fn adopt(
        &self,
        meta: Arc<Meta>,
        entry: Entry,
        rebuild: Rebuild,
        inbox: &mut Inbox,
    ) -> Result<Option<(Task, Option<Request>)>, SessionError> {
        let mut first = None;
        let few = tokio::select! {
            biased;
            request = inbox.recv() => {
                first = unless_closed(request);
                if first.is_none() {
                    return Ok(None);
                }
                self.inner.taking_asked.acquire().await
            }
            few = self.inner.taking.acquire() => few,
        };
        let Some(held) = HeldDescriptors::from_slots(self.inner.link.take(&entry.key).await?) else {
            return self.end_without_terminal(&meta, &entry).await;
        };
        drop(few);
        let mut lost = Vec::new();
        if rebuild != Rebuild::Whole {
            lost.push("screen and history: rebuilding them failed".to_owned());
        }
        lost.extend(meta.damage.clone());
        let live = self.adopt_journal(&meta, &held, &mut lost).await?;
        let input = self.adopt_input(&entry, held.input, &mut lost).await?;
        let (master, state) = (held.master, held.state);
        let pid = entry.pid.unwrap_or(0);
        let hook = match self.open_hook(&meta).await {
            Err(SessionError::Io(error)) if is_for_want(&error) => return Err(error.into()),
            Err(error) => {
                // Its shell runs no line without an answer: nothing is let through that was not judged.
                lost.push(format!("the policy's answers, without which its shell runs nothing: {error}"));
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
            tracing::warn!(session = task.meta().id, %error, "what was rebuilt is not with the keeper yet");
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
    /// The journal, or a new one that counts on where it ended.
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
        // A little further, so that the engine ends what was lost in the middle of a line.
        live.count_from(output.max(counted) + GAP, index);
        meta.copy_into(&fd)?;
        self.inner.link.put(meta.id.as_bytes(), slot::JOURNAL, fd).await?;
        Ok(live)
    }

    /// What is on its way to the program, or nothing.
    async fn adopt_input(
        &self,
        entry: &Entry,
        input: Option<OwnedFd>,
        lost: &mut Vec<String>,
    ) -> Result<InputQueue, SessionError> {
        if let Some(fd) = input {
            return Ok(InputQueue::adopt(fd));
        }
        lost.push("what was typed and not read yet: the keeper does not have it".to_owned());
        let (queue, fd) = InputQueue::create()?;
        self.inner.link.put(&entry.key, slot::INPUT, fd).await?;
        Ok(queue)
    }

    /// Without its terminal a program cannot be reached any more: it is ended, and said so, rather than left behind.
    async fn end_without_terminal(
        &self,
        meta: &Meta,
        entry: &Entry,
    ) -> Result<Option<(Task, Option<Request>)>, SessionError> {
        tracing::error!(session = meta.id, "the keeper does not have its terminal; its program is ended");
        // Once it has ended, its process id may be another's.
        let pid = entry.pid.filter(|_| entry.status.is_none());
        if let Some(pid) = pid.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw) {
            let _ = rustix::process::kill_process_group(pid, Signal::HUP);
        }
        self.inner.link.forget(&entry.key).await?;
        self.state().remove(meta.number);
        Ok(None)
    }
}

/// How often a session's task panicked, and what of it is rebuilt next.
#[derive(Debug)]
struct Tries {
    rebuild: Rebuild,
    /// In a row.
    panics: u32,
}

impl Default for Tries {
    fn default() -> Tries {
        Tries { rebuild: Rebuild::Whole, panics: 0 }
    }
}

impl Tries {
    /// The task panicked after it had served for so long, or while it was rebuilt: only then less is rebuilt the next time.
    /// Answers how long to wait before that.
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
        // Nobody gives up: what made it panic may be one request, or one line of output that is over by then.
        let beyond = self.panics.saturating_sub(3 * PANICS);
        Duration::from_millis(100).saturating_mul(beyond).min(LONGEST_PAUSE)
    }
}

/// Whether it failed for want of descriptors or memory, of which there may be enough soon.
fn is_for_want(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM))
}

fn unless_closed(request: Option<Request>) -> Option<Request> {
    request.filter(|request| !matches!(request, Request::Close))
}

/// What the future comes to; nothing if it panics.
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
    fn a_task_that_panics_again_and_again_is_rebuilt_from_less_and_never_given_up() {
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
        assert_eq!(tries.rebuild, whole, "one that has served for a while begins anew");
        for _ in 0..9 {
            tries.panicked(short, false);
        }
        assert_eq!(tries.rebuild, whole, "requests that make it panic cost no history");
    }
}
