//! Files that are written one job at a time. The writing thread owns them during a job, so no lock is needed.

use std::io;

use tokio::sync::oneshot;

use super::worker::Worker;

/// The files of one session, or the job that has them.
pub(super) struct JobFiles<T> {
    worker: Worker,
    state: State<T>,
}

enum State<T> {
    Idle(T),
    Busy(oneshot::Receiver<JobResult<T>>),
    Closed,
}

/// The files and the result of a job.
pub(crate) struct JobResult<T> {
    pub(super) files: T,
    pub(super) result: io::Result<()>,
}

impl<T: Send + 'static> JobFiles<T> {
    /// Without files it is closed from the start.
    pub(super) fn new(files: Option<T>, worker: Worker) -> JobFiles<T> {
        JobFiles { worker, state: files.map_or(State::Closed, State::Idle) }
    }

    /// The files, unless a job has them.
    pub(super) fn idle(&self) -> Option<&T> {
        match &self.state {
            State::Idle(files) => Some(files),
            _ => None,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self.state, State::Busy(_))
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Whether the writing thread accepts another job.
    pub(super) fn has_room(&self) -> bool {
        self.worker.has_room()
    }

    /// Gives the files to the writing thread for one job. Does nothing while another job has them.
    pub(super) fn start(&mut self, job: impl FnOnce(&mut T) -> io::Result<()> + Send + 'static) {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Idle(mut files) => {
                let (reply, result) = oneshot::channel();
                self.worker.hand_over(move || {
                    let result = job(&mut files);
                    let _ = reply.send(JobResult { files, result });
                });
                self.state = State::Busy(result);
            }
            other => self.state = other,
        }
    }

    /// Waits for the running job, forever if there is none; `None` if the writing thread is gone. The caller returns the
    /// files with [`JobFiles::put_back`].
    pub(super) async fn finished(&mut self) -> Option<JobResult<T>> {
        let State::Busy(result) = &mut self.state else { return std::future::pending().await };
        let result = result.await.ok();
        self.state = State::Closed;
        result
    }

    pub(super) fn put_back(&mut self, files: T) {
        self.state = State::Idle(files);
    }

    /// Closes this slot. If no job has the files, the writing thread gets them for a last job.
    pub(super) fn close(&mut self, last: impl FnOnce(T) + Send + 'static) {
        if let State::Idle(files) = std::mem::replace(&mut self.state, State::Closed) {
            self.worker.hand_over(move || last(files));
        }
    }

    /// Waits for the running job, without a runtime.
    #[cfg(test)]
    pub(super) fn wait(&mut self) -> Option<Option<JobResult<T>>> {
        match std::mem::replace(&mut self.state, State::Closed) {
            State::Busy(result) => Some(result.blocking_recv().ok()),
            other => {
                self.state = other;
                None
            }
        }
    }
}
