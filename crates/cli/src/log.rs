//! The daemon's log. Logging never blocks: one thread writes, and lines that it cannot write in time are dropped and counted.
//! Otherwise a pipe that nothing reads would block every session.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Most lines in the queue.
const QUEUE: usize = 4096;
/// How long a process that ends waits for its last lines to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Where lines go.
pub(crate) enum Sink {
    /// To stderr.
    Stderr,
    /// To a file, which is rotated when it is larger than this many bytes; the previous one is kept as `….1`.
    File(PathBuf, u64),
}

/// The program's end of the log.
#[derive(Clone)]
pub(crate) struct Log {
    lines: SyncSender<Message>,
    left_out: Arc<AtomicU64>,
}

enum Message {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

impl Log {
    /// Starts the log. Panics are logged, too.
    pub(crate) fn start(sink: Sink, level: &str) -> io::Result<Log> {
        let (lines, inbox) = sync_channel(QUEUE);
        let log = Log { lines, left_out: Arc::default() };
        let mut output = Output::open(sink)?;
        let left_out = Arc::clone(&log.left_out);
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write(&inbox, &mut output, &left_out))?;
        let filter = EnvFilter::try_new(level).unwrap_or_else(|_| EnvFilter::new("warn"));
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(log.clone()).with_ansi(false).init();
        std::panic::set_hook(Box::new(|panic| {
            let thread = std::thread::current();
            tracing::error!("thread '{}' {panic}", thread.name().unwrap_or("without a name"));
        }));
        Ok(log)
    }

    /// Waits until all lines are written, up to a limit.
    pub(crate) fn flush(&self) {
        let (done, waiting) = sync_channel(1);
        if self.lines.try_send(Message::Flush(done)).is_ok() {
            let _ = waiting.recv_timeout(LAST_WORDS);
        }
    }
}

/// Writes to stderr and waits for it, up to a limit.
pub(crate) fn last_words(text: String) {
    let (done, waiting) = sync_channel(1);
    std::thread::spawn(move || {
        let written = stderr().and_then(|mut stderr| stderr.write_all(text.as_bytes()));
        let _ = done.send(written);
    });
    let _ = waiting.recv_timeout(LAST_WORDS);
}

/// Stderr without the standard library's lock, which a thread that hangs in a write would hold.
fn stderr() -> io::Result<File> {
    Ok(File::from(rustix::stdio::stderr().as_fd().try_clone_to_owned()?))
}

/// One event is one write.
impl Write for Log {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.lines.try_send(Message::Line(line.to_vec())).is_err() {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

fn write(inbox: &Receiver<Message>, output: &mut Output, left_out: &AtomicU64) {
    while let Ok(message) = inbox.recv() {
        match message {
            Message::Line(line) => output.write(&line),
            Message::Flush(done) => {
                let _ = done.try_send(());
            }
        }
        let count = left_out.swap(0, Ordering::Relaxed);
        if count > 0 {
            output.write(format!("{count} log lines dropped: too many at once\n").as_bytes());
        }
    }
}

enum Output {
    Stderr(File),
    File { file: File, path: PathBuf, most: u64 },
}

impl Output {
    fn open(sink: Sink) -> io::Result<Output> {
        Ok(match sink {
            Sink::Stderr => Output::Stderr(stderr()?),
            Sink::File(path, most) => {
                let refused = |e: io::Error| {
                    io::Error::new(e.kind(), format!("cannot write the log {}: {e}", path.display()))
                };
                // Opening a fifo would block until a process reads it.
                if std::fs::metadata(&path).is_ok_and(|meta| !meta.is_file()) {
                    return Err(refused(io::Error::other("not a regular file")));
                }
                let file =
                    OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(refused)?;
                Output::File { file, path, most }
            }
        })
    }

    /// Errors are ignored: the daemon runs without a log, too.
    fn write(&mut self, line: &[u8]) {
        match self {
            Output::Stderr(stderr) => {
                let _ = stderr.write_all(line);
            }
            Output::File { file, path, most } => {
                let len = file.metadata().map_or(0, |m| m.len());
                if len > 0 && len + line.len() as u64 > *most {
                    // Copied, not renamed: the keeper keeps the same file open.
                    let mut before = path.clone().into_os_string();
                    before.push(".1");
                    if std::fs::copy(&*path, before).is_ok() {
                        let _ = file.set_len(0);
                    }
                }
                let _ = file.write_all(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_log_file_is_rotated() {
        let dir = std::env::temp_dir().join(format!("cotty-log-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join("log");
        let mut output = Output::open(Sink::File(path.clone(), 10)).unwrap();
        for line in ["one\n", "two\n", "three\n", "four\n"] {
            output.write(line.as_bytes());
        }
        let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
        assert_eq!((read(path), read(dir.join("log.1"))), ("four\n".into(), "three\n".into()));
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn logging_does_not_block_when_the_queue_is_full() {
        let (lines, inbox) = sync_channel(2);
        let mut log = Log { lines, left_out: Arc::default() };
        for _ in 0..5 {
            assert_eq!(log.write(b"line\n").unwrap(), 5);
        }
        assert_eq!(log.left_out.load(Ordering::Relaxed), 3);
        drop(inbox);
        assert_eq!(log.write(b"line\n").unwrap(), 5);
    }
}
