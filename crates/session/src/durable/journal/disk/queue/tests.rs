use super::*;
use crate::durable::journal::disk::{Description, Folder, Keeping, RecordingFormat, RecordingLimits, view};
use std::io::{self, Write};

/// The parts of a session that a recording queue uses.
struct Session {
    dir: tempfile::TempDir,
    live: LiveJournal,
    vt: Vt,
    queue: RecordingQueue,
    source: (io::PipeReader, io::PipeWriter),
    limits: RecordingLimits,
    now: Instant,
}

impl Session {
    fn new(segment_bytes: u64) -> Session {
        let dir = tempfile::tempdir().unwrap();
        let limits = RecordingLimits { segment_bytes, ..RecordingLimits::default() };
        let (live, _) = LiveJournal::create().unwrap();
        let queue = RecordingQueue::new(Some(writer(dir.path(), limits)), worker());
        let vt = Vt::new(cotty_vt::Size::default());
        let now = Instant::now();
        let mut session = Session { dir, live, vt, queue, source: io::pipe().unwrap(), limits, now };
        session.queue.go_live(None, now);
        session
    }

    fn write(&mut self, bytes: &[u8], ms: u64) {
        for piece in bytes.chunks(4096) {
            self.source.1.write_all(piece).unwrap();
            let from = self.live.output_len();
            self.live.read_from(&self.source.0).unwrap();
            self.vt.feed(self.live.output(from, self.live.output_len()));
            self.live.checkpointed(self.live.output_len(), self.live.index_len());
            self.queue.output(self.vt.seq(), 0, ms, self.now);
        }
    }

    /// Lets time pass until the thread has written everything.
    fn settle(&mut self) {
        while self.queue.wakeup().is_some() {
            self.now += QUIET;
            self.queue.turn(&self.live, &self.vt, self.now, 5000);
            self.land();
        }
    }

    fn land(&mut self) {
        if let Some(written) = self.queue.files.wait() {
            let first = self.queue.landed(written, self.now);
            if let Some((_, adopted)) = first {
                self.queue.learn(Vec::new(), adopted, self.now);
            }
        }
    }

    /// Acts as a new daemon that adopts the session.
    fn adopt(&mut self) {
        self.queue = RecordingQueue::new(Some(writer(self.dir.path(), self.limits)), worker());
        let adopted = Adopted { seq: self.vt.seq(), index: 0, ms: 9000 };
        self.queue.go_live(Some(adopted), self.now);
        self.settle();
    }

    fn folder(&self) -> Folder {
        Folder::new(self.dir.path().join("sess_test"))
    }

    fn lines(&self) -> Vec<serde_json::Value> {
        let page = view(&self.folder(), RecordingFormat::JsonLines, None, usize::MAX).unwrap();
        assert!(page.end);
        page.content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn recorded(&self) -> String {
        let lines = self.lines();
        lines.iter().filter_map(|line| line["data"].as_str()).collect()
    }
}

fn worker() -> Worker {
    Worker::start("test", false, || {}).unwrap()
}

fn writer(dir: &std::path::Path, limits: RecordingLimits) -> SegmentWriter {
    let description = Description {
        id: "sess_test".into(),
        number: 1,
        name: None,
        program: "cat".into(),
        args: vec![],
        owner: "me".into(),
        created_ms: 0,
        cols: 80,
        rows: 24,
        ended_ms: None,
        exit_code: None,
        signal: None,
    };
    SegmentWriter::new(description, Arc::new(Keeping::new(dir.to_owned(), limits)), worker())
}

fn numbers(from: u32, to: u32) -> String {
    (from..to).map(|n| format!("{n:07}\r\n")).collect()
}

#[test]
fn a_single_byte_is_written_after_a_pause_and_an_idle_queue_sets_no_wakeup() {
    let mut session = Session::new(1 << 20);
    session.settle();
    assert_eq!(session.queue.wakeup(), None);
    session.write(b"a", 1);
    session.queue.turn(&session.live, &session.vt, session.now, 5000);
    assert!(!session.queue.files.is_busy(), "a single byte does not start a job");
    assert_eq!(session.queue.wakeup(), Some(session.now + QUIET));
    session.settle();
    assert_eq!((session.recorded().as_str(), session.queue.wakeup()), ("a", None));
}

#[test]
fn an_adopted_recording_continues_wherever_the_last_write_was_cut() {
    let mut session = Session::new(1 << 20);
    session.write(b"one ", 1);
    session.settle();
    let path = session.folder().segment(0);
    let short = std::fs::read(&path).unwrap();
    session.write("two ü".as_bytes(), 2);
    session.settle();
    let long = std::fs::read(&path).unwrap();
    for cut in short.len()..=long.len() {
        std::fs::write(&path, &long[..cut]).unwrap();
        session.adopt();
        assert_eq!(session.recorded(), "one two ü", "cut at {cut}");
    }
}

#[test]
fn segments_follow_each_other_and_a_recording_can_begin_with_any_of_them() {
    let mut session = Session::new(20_000);
    for n in 0..40 {
        session.write(numbers(n * 1000, (n + 1) * 1000).as_bytes(), 100 * u64::from(n));
        session.settle();
    }
    let segments = session.folder().segments();
    assert!(segments.len() > 2, "{segments:?}");
    assert_eq!(session.recorded(), numbers(0, 40_000));
    // A half-written next segment changes nothing.
    std::fs::write(session.folder().segment(99).with_extension("tmp"), b"half").unwrap();
    session.adopt();
    assert_eq!(session.recorded(), numbers(0, 40_000));
    // The state in the first remaining segment replaces all output before it.
    for segment in &segments[..2] {
        session.folder().remove(segment.number);
    }
    let page = view(&session.folder(), RecordingFormat::Cast, None, usize::MAX).unwrap();
    let mut vt = Vt::new(cotty_vt::Size::default());
    for line in page.content.lines().skip(1) {
        let event: (f64, String, String) = serde_json::from_str(line).unwrap();
        vt.feed(event.2.as_bytes());
    }
    assert_eq!(vt.screen_text(), session.vt.screen_text());
}

#[test]
fn output_that_the_ring_overwrote_before_it_was_written_is_a_gap() {
    let mut session = Session::new(1 << 20);
    session.write(b"begin ", 1);
    session.settle();
    // Output of several times the ring's size, while nothing is written to disk.
    let flood = numbers(0, 1_200_000);
    session.write(flood.as_bytes(), 2);
    let lost = session.queue.state(&session.live).lost;
    assert!(lost > 8 << 20, "{lost}");
    session.settle();
    let lines = session.lines();
    let gap: Vec<u64> =
        lines.iter().filter_map(|l| (l["event"] == "gap").then(|| l["bytes"].as_u64())?).collect();
    assert_eq!(gap, [lost]);
    let all = format!("begin {flood}");
    assert_eq!(session.recorded(), format!("begin {}", &all[6 + usize::try_from(lost).unwrap()..]));
    // A new segment with a whole state follows, and the next daemon reads the count.
    assert!(session.folder().segments().len() > 1);
    session.adopt();
    assert_eq!(session.queue.state(&session.live).lost, lost);
}

#[test]
fn a_failed_write_is_retried_later_and_loses_nothing() {
    let mut session = Session::new(1 << 20);
    session.write(b"before ", 1);
    session.settle();
    let (place, aside) = (session.dir.path().join("sess_test"), session.dir.path().join("aside"));
    std::fs::rename(&place, &aside).unwrap();
    std::fs::write(&place, b"").unwrap();
    session.write(b"meanwhile ", 2);
    for _ in 0..3 {
        session.now += QUIET;
        session.queue.turn(&session.live, &session.vt, session.now, 5000);
        session.land();
    }
    let state = session.queue.state(&session.live);
    assert!(state.error.is_some() && state.lost == 0, "{state:?}");
    let due = session.queue.wakeup().unwrap();
    session.write(b"and then ", 3);
    assert_eq!(session.queue.wakeup(), Some(due), "more output does not cause an earlier retry");
    std::fs::remove_file(&place).unwrap();
    std::fs::rename(&aside, &place).unwrap();
    session.now = due;
    session.settle();
    assert_eq!(session.recorded(), "before meanwhile and then ");
    assert_eq!(session.queue.state(&session.live).error, None);
}

#[test]
fn a_session_over_its_quota_loses_its_oldest_segments() {
    let mut session = Session::new(20_000);
    session.limits.session_bytes = 150_000;
    session.queue = RecordingQueue::new(Some(writer(session.dir.path(), session.limits)), worker());
    session.queue.go_live(None, session.now);
    for n in 0..40 {
        session.write(numbers(n * 1000, (n + 1) * 1000).as_bytes(), 100);
        session.settle();
    }
    let segments = session.folder().segments();
    assert!(segments[0].number > 0, "{segments:?}");
    assert!(numbers(0, 40_000).ends_with(&session.recorded()));
    assert!(session.recorded().ends_with(&numbers(39_000, 40_000)));
}

#[test]
fn the_text_of_a_segment_has_every_line_once_and_what_full_screen_programs_showed() {
    let mut session = Session::new(1 << 20);
    session.write(b"first\r\nprogress 1%\rprogress 50%\rprogress 100%\r\n", 1);
    // A full-screen program whose text is on the screen long enough to be kept.
    session.write(b"\x1b[?1049h\x1b[Hin the editor", 10);
    session.write(b"\x1b[Hnow another text", 1000);
    session.write(b"\x1b[?1049l", 2000);
    let many: String = (0..30_000).map(|n| format!("line {n}\r\n")).collect();
    session.write(many.as_bytes(), 3000);
    session.write(b"last", 4000);
    session.settle();
    let text = crate::durable::journal::disk::text::read(&session.folder(), 0).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..3], ["first", "progress 100%", "line 0"]);
    let numbered: Vec<String> = (0..30_000).map(|n| format!("line {n}")).collect();
    assert!(lines[2..30_002].iter().eq(&numbered), "every line once, in order");
    assert_eq!(lines[30_002], "last");
    let kept = &lines[30_003..];
    assert!(kept.contains(&"in the editor") && kept.contains(&"now another text"), "{kept:?}");
}
