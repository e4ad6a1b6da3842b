use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Something for a thread to do.
type Job = Box<dyn FnOnce() + Send>;

/// Jobs that may wait. A session has one under way at a time; if there are more than these, it tries again later.
const WAITING: usize = 64;
/// How often a thread that has nothing to do looks whether something has grown old.
const SELDOM: Duration = Duration::from_secs(6 * 60 * 60);

/// A thread that does one job after the other, so that no session waits for a disk. It ends with its last handle.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    jobs: Sender<Job>,
    waiting: Arc<AtomicUsize>,
}

impl Worker {
    /// Starts the thread. `seldom` is done every few hours. A thread in the background runs when nobody else wants to.
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
                // The kernel takes this for the calling thread alone.
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

    /// Hands over a job. If the thread is gone the job is dropped, and with it whatever it would have answered.
    pub(crate) fn hand_over(&self, job: impl FnOnce() + Send + 'static) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _ = self.jobs.send(Box::new(job));
    }
}
