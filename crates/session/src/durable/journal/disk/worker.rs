use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// A job for a thread.
type Job = Box<dyn FnOnce() + Send>;

/// How many jobs may wait. A session has one job at a time; if too many wait, it tries again later.
const WAITING: usize = 64;
/// How often an idle thread calls `seldom`.
const SELDOM: Duration = Duration::from_secs(6 * 60 * 60);

/// A thread that does one job after the other, so that no session waits for a disk. It ends when its last handle is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    jobs: Sender<Job>,
    waiting: Arc<AtomicUsize>,
}

impl Worker {
    /// Starts the thread. An idle thread calls `seldom` every few hours. A `background` thread has the lowest priority.
    pub(crate) fn start(
        name: &str,
        background: bool,
        mut seldom: impl FnMut() + Send + 'static,
    ) -> io::Result<Worker> {
        let (jobs, inbox) = channel::<Job>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let work = move || {
            if background {
                // On Linux this affects only the calling thread.
                let _ = rustix::process::setpriority_process(None, 19);
            }
            loop {
                match inbox.recv_timeout(SELDOM) {
                    Ok(job) => {
                        job();
                        left.fetch_sub(1, Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => seldom(),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        };
        std::thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Worker { jobs, waiting })
    }

    /// Whether another job may be handed over.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < WAITING
    }

    /// Hands over a job. If the thread is gone, the job is dropped together with the channel of its result.
    pub(crate) fn hand_over(&self, job: impl FnOnce() + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = self.jobs.send(Box::new(job));
    }
}
