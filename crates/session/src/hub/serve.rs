//! A session's task from beginning to end: put together, served, and put together again if it panics.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use cotty_pty::{Entry, Pty, WindowSize};
use tokio::sync::mpsc;

use super::Hub;
use crate::journal::{Hot, InputQueue};
use crate::recovery::{Checkpoint, Held};
use crate::session::Request;
use crate::task::Task;
use crate::{Meta, SessionError};

/// How often a session's task may panic in a row; one that has served for so long begins anew.
const PANICS: u32 = 5;
const SERVED: Duration = Duration::from_secs(10);

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
    /// one starts from the same bytes, and goes on with the requests that wait.
    pub(super) async fn serve(self, meta: Arc<Meta>, mut start: Start, mut inbox: Inbox) {
        let id = meta.id.as_str();
        let mut panics = 0;
        loop {
            let began = Instant::now();
            let begun = match start {
                Start::Made(task) => Ok(Some((*task, None))),
                Start::Adopt(entry) => caught(self.adopt(Arc::clone(&meta), entry, &mut inbox))
                    .await
                    .unwrap_or_else(|| Err(SessionError::Broken("taking it over panicked".into()))),
            };
            match begun {
                Ok(Some((task, first))) => {
                    if caught(task.serve(first, &mut inbox)).await.is_some() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    // The keeper goes on holding it: another version may do better.
                    tracing::error!(session = id, %error, "could not be adopted");
                    break;
                }
            }
            // One that does so again and again would do nothing else, and fill the log.
            panics = if began.elapsed() < SERVED { panics + 1 } else { 1 };
            if panics > PANICS {
                tracing::error!(
                    session = id,
                    "its task panics whenever it is taken over; it is left to the keeper"
                );
                break;
            }
            tracing::error!(session = id, "its task panicked; another takes over");
            let held = self.inner.link.list().await.unwrap_or_default();
            match held.into_iter().find(|entry| entry.key == id.as_bytes()) {
                Some(entry) => start = Start::Adopt(entry),
                None => break,
            }
        }
        self.state().sessions.remove(meta.number);
    }

    /// Takes a session over. Its terminal is read from the first moment on; its screen is rebuilt when somebody asks for
    /// it, else when its turn comes. Answers its task with what was asked; nothing if it was closed meanwhile.
    async fn adopt(
        &self,
        meta: Arc<Meta>,
        entry: Entry,
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
        let Held { master, journal, input, state } =
            Held::from_slots(self.inner.link.take(&entry.key).await?)?;
        drop(few);
        let hot = Hot::adopt(&journal)?;
        drop(journal);
        let pid = entry.pid.unwrap_or(0);
        let mut task = self.task(meta, pid, Pty::adopt(master)?, hot, InputQueue::adopt(input))?;
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
        task.replay(state.as_ref().map(Checkpoint::read).transpose()?)?;
        drop(state);
        task.go_live(true);
        task.answer_again();
        let (size, kernel) = (task.vt.size(), task.pty.get_ref().size()?);
        if (kernel.cols, kernel.rows) != (size.cols, size.rows) {
            task.pty.get_ref().resize(WindowSize { cols: size.cols, rows: size.rows })?;
        }
        task.push_input();
        if let Some(status) = entry.status {
            while task.drain().await {}
            task.program_ended(status);
        }
        drop(turn);
        Ok(Some((task, first)))
    }
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
