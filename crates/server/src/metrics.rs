//! The daemon's metrics, in the Prometheus text format.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use cotty_protocol::Code;
use cotty_session::{Hub, counts};

/// Connected viewers and front ends.
pub(crate) static VIEWERS: AtomicU64 = AtomicU64::new(0);

/// Metrics that the server counts; the sessions count the rest.
#[derive(Debug)]
pub(crate) struct Metrics {
    started: Instant,
    /// Counts by operation name and outcome.
    operations: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        Metrics { started: Instant::now(), operations: Mutex::default() }
    }

    /// Counts an answered operation.
    pub(crate) fn operation(&self, name: &'static str, refused: Option<Code>) {
        let outcome = refused.map_or("ok", Code::as_str);
        let mut operations = self.operations.lock().unwrap_or_else(PoisonError::into_inner);
        *operations.entry((name, outcome)).or_default() += 1;
    }

    /// All metrics, as text.
    pub(crate) fn text(&self, hub: &Hub, recordings: &Path) -> String {
        let mut page = Page::default();
        let (live, exited) = hub.count();
        page.head("cotty_sessions", "gauge", "Sessions, by whether their program runs");
        page.value("cotty_sessions{state=\"live\"}", live as u64);
        page.value("cotty_sessions{state=\"exited\"}", exited as u64);
        let counter =
            |page: &mut Page, name: &str, help: &str, value: u64| page.plain(name, "counter", help, value);
        let gauge =
            |page: &mut Page, name: &str, help: &str, value: u64| page.plain(name, "gauge", help, value);
        let made = hub.made().into();
        counter(&mut page, "cotty_sessions_created_total", "Sessions created since the keeper started", made);
        let read = counts::BYTES_READ.load(Ordering::Relaxed);
        counter(&mut page, "cotty_read_bytes_total", "Bytes of output read since the daemon started", read);
        self.operations(&mut page);
        let viewers = VIEWERS.load(Ordering::Relaxed);
        gauge(&mut page, "cotty_viewers", "Connected viewers and front ends", viewers);
        let waits = counts::WAITS.load(Ordering::Relaxed);
        gauge(&mut page, "cotty_waits", "Waits in progress", waits);
        let restarts = hub.daemons_before();
        counter(&mut page, "cotty_daemon_restarts_total", "Times the daemon was replaced", restarts);
        let bytes = bytes_in(recordings);
        gauge(&mut page, "cotty_recordings_bytes", "Bytes of recordings on disk", bytes);
        let uptime = self.started.elapsed().as_secs();
        gauge(&mut page, "cotty_uptime_seconds", "Seconds since the daemon started", uptime);
        let memory = resident_memory();
        gauge(&mut page, "cotty_resident_memory_bytes", "Resident memory of the daemon, in bytes", memory);
        page.0
    }

    fn operations(&self, page: &mut Page) {
        page.head("cotty_operations_total", "counter", "Answered operations, by name and outcome");
        let operations = self.operations.lock().unwrap_or_else(PoisonError::into_inner);
        for ((name, outcome), count) in operations.iter() {
            page.value(&format!("cotty_operations_total{{name=\"{name}\",outcome=\"{outcome}\"}}"), *count);
        }
    }
}

/// The text of the metrics. Labels are our own names and need no escaping.
#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}.\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, value: u64) {
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn plain(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.value(name, value);
    }
}

/// Total size of all files below a directory.
fn bytes_in(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(about) if about.is_dir() => bytes_in(&entry.path()),
        Ok(about) => about.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

fn resident_memory() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_by_name_and_outcome() {
        let metrics = Metrics::new();
        metrics.operation("read", None);
        metrics.operation("read", None);
        metrics.operation("read", Some(Code::SessionNotFound));
        let mut page = Page::default();
        metrics.operations(&mut page);
        let expected = "\
# HELP cotty_operations_total Answered operations, by name and outcome.
# TYPE cotty_operations_total counter
cotty_operations_total{name=\"read\",outcome=\"SESSION_NOT_FOUND\"} 1
cotty_operations_total{name=\"read\",outcome=\"ok\"} 2
";
        assert_eq!(page.0, expected);
    }

    #[test]
    fn the_size_of_a_directory_includes_all_files_below_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(dir.path().join("a/x"), [0; 10]).unwrap();
        std::fs::write(dir.path().join("y"), [0; 5]).unwrap();
        assert_eq!((bytes_in(dir.path()), bytes_in(&dir.path().join("none"))), (15, 0));
        assert!(resident_memory() > 100_000);
    }
}
