use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use cotty_protocol::update::{Cursor, Reason, Region};

use super::*;
use crate::request::Request;
use crate::viewers::fixture::{Fixture, TICK};
use crate::viewers::pace::BEHIND;
use cotty_vt::Size;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tokio::sync::broadcast::error::TryRecvError;
use tokio::sync::mpsc;

/// What programs write in the engine's own tests.
#[path = "../../../../vt/tests/properties/input.rs"]
#[expect(dead_code, reason = "not all of it is needed here")]
mod input;

fn fixture(cols: u16, rows: u16) -> Fixture {
    Fixture::new(input::new(Size { cols, rows }))
}

impl Fixture {
    fn ask_updates(&mut self) -> oneshot::Receiver<Subscribed> {
        let (reply, answer) = oneshot::channel();
        self.viewers.updates.join(reply, self.now);
        answer
    }

    fn subscribe(&mut self) -> Front {
        let mut answer = self.ask_updates();
        self.pass(TICK);
        Front::new(answer.try_recv().unwrap())
    }
}

/// A subscriber that applies the updates as a front end does.
struct Front {
    shown: Snapshot,
    rest: broadcast::Receiver<Batch>,
    received: Vec<Update>,
}

impl Front {
    fn new(subscribed: Subscribed) -> Front {
        let Update::Snapshot(shown) = &**subscribed.first.first().unwrap() else {
            panic!("no snapshot first")
        };
        let received = subscribed.first.iter().map(|update| (**update).clone()).collect();
        Front { shown: shown.clone(), rest: subscribed.rest, received }
    }

    /// Reads all batches that are there; `false` if it missed some.
    fn read(&mut self) -> bool {
        loop {
            match self.rest.try_recv() {
                Ok(batch) => batch.iter().for_each(|update| self.take(update)),
                Err(TryRecvError::Lagged(_)) => return false,
                Err(TryRecvError::Empty | TryRecvError::Closed) => return true,
            }
        }
    }

    fn take(&mut self, update: &Update) {
        if let Update::Snapshot(snapshot) = update
            && (snapshot.cols, snapshot.rows) == (self.shown.cols, self.shown.rows)
        {
            // A front end that applied all differences does not need the snapshot.
            assert_eq!(seen(&self.shown), seen(snapshot));
        }
        self.shown.apply(update);
        self.received.push(update.clone());
    }

    fn read_all(&mut self) -> Vec<Update> {
        self.received.clear();
        assert!(self.read());
        std::mem::take(&mut self.received)
    }
}

/// The part of a snapshot that differences can change.
fn seen(snapshot: &Snapshot) -> (&[Arc<Line>], Cursor) {
    (&snapshot.lines, snapshot.cursor)
}

fn texts(update: &Update) -> (Region, Vec<&str>, Reason) {
    let Update::Diff { region, lines, reason } = update else { panic!("{update:?}") };
    (*region, lines.iter().map(|line| line.text.as_str()).collect(), *reason)
}

fn region(y: u16, y2: u16) -> Region {
    Region { x: 0, y, x2: 10, y2 }
}

#[test]
fn a_subscription_begins_with_a_snapshot_and_continues_with_changes() {
    let mut fixture = fixture(10, 4);
    fixture.feed("one\r\ntwo\r\n\x1b[31mthree\x1b[0m!");
    let mut front = fixture.subscribe();
    let [Update::Snapshot(first)] = &front.received[..] else { panic!("{:?}", front.received) };
    assert_eq!((first.cols, first.rows, first.seq), (10, 4, fixture.vt.seq()));
    let lines: Vec<_> = first.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines, ["one", "two", "three!", ""]);
    assert_eq!((first.cursor.x, first.cursor.y, first.cursor.visible), (6, 2, true));
    let runs: Vec<_> = first.lines[2].runs.iter().map(|run| (run.x, run.x2)).collect();
    assert_eq!(runs, [(0, 5)]);

    fixture.feed("\x1b[1;1Hgone\x1b[3;1Hleft");
    fixture.pass(TICK);
    let received = front.read_all();
    assert_eq!(texts(&received[0]), (region(0, 1), vec!["gone"], Reason::Text));
    assert_eq!(texts(&received[1]), (region(2, 3), vec!["lefte!"], Reason::Text));
    assert!(matches!(received[2..], [Update::Cursor(Cursor { x: 4, y: 2, .. })]), "{received:?}");
    assert_eq!(front.shown.lines, Snapshot::of(&fixture.vt).lines);
}

#[test]
fn a_difference_names_its_reason() {
    let mut fixture = fixture(10, 3);
    fixture.feed("one\r\ntwo\r\nthree");
    let mut front = fixture.subscribe();
    let mut why = |bytes: &str| {
        fixture.feed(bytes);
        fixture.pass(TICK);
        texts(&front.read_all()[0]).2
    };
    assert_eq!(why("\r\nfour"), Reason::Scroll);
    assert_eq!(why("\x1b[?5h"), Reason::Redraw);
    assert_eq!(why("\x1b[?5l"), Reason::Redraw);
    assert_eq!(why("\x1b[2K"), Reason::Clear);
    assert_eq!(why("\x1b[?1049h"), Reason::ScreenSwitch);
    assert_eq!(why("\x1b[2;2Hvim"), Reason::Text);
}

#[test]
fn snapshots_are_sent_every_fifth_of_a_second_but_only_after_changes() {
    let mut fixture = fixture(10, 3);
    let mut front = fixture.subscribe();
    for count in 0..1000 {
        fixture.feed(format!("\r{count}"));
        fixture.pass(Duration::from_millis(1));
        assert!(front.read());
    }
    fixture.pass(Duration::from_secs(9));
    assert!(front.read());
    let snapshots =
        |received: &[Update]| received.iter().filter(|u| matches!(u, Update::Snapshot(_))).count();
    // The first, and one for each 200 ms in which something changed.
    assert!((5..=7).contains(&snapshots(&front.received)), "{}", snapshots(&front.received));
    let diffs = front.received.iter().filter(|u| matches!(u, Update::Diff { .. })).count();
    // A snapshot can make a difference come earlier.
    assert!((60..=70).contains(&diffs), "a difference each 16 ms, not one for each write: {diffs}");
    assert_eq!(front.shown, Snapshot::of(&fixture.vt));
    assert_eq!(fixture.viewers.updates.wakeup(), None, "no wakeup without changes");
    // Output that changes nothing on the screen sends no update.
    front.received.clear();
    fixture.feed("\x1b[0m");
    fixture.pass(Duration::from_secs(1));
    assert_eq!(front.read_all(), []);
}

#[test]
fn bells_are_sent_and_many_at_once_become_one() {
    let mut fixture = fixture(10, 3);
    let mut front = fixture.subscribe();
    for _ in 0..1000 {
        fixture.feed("\x07");
    }
    fixture.pass(TICK);
    assert_eq!(front.read_all(), [Update::Bell]);
    fixture.feed("a\x07");
    fixture.pass(TICK);
    assert_eq!(front.read_all().iter().filter(|update| **update == Update::Bell).count(), 1);
}

#[test]
fn a_title_comes_with_a_snapshot() {
    let mut fixture = fixture(10, 3);
    let mut front = fixture.subscribe();
    fixture.feed("\x1b]2;build\x07");
    fixture.pass(SNAPSHOTS + TICK);
    let received = front.read_all();
    assert!(matches!(&received[..], [Update::Snapshot(now)] if now.title == "build"), "{received:?}");
}

#[test]
fn a_new_size_comes_as_a_snapshot_at_once() {
    let mut fixture = fixture(10, 3);
    fixture.feed("0123456789");
    let mut front = fixture.subscribe();
    fixture.resize(Size { cols: 5, rows: 4 });
    fixture.pass(TICK);
    assert_eq!(front.read_all(), [Update::Snapshot(Snapshot::of(&fixture.vt))]);
}

#[test]
fn a_frame_is_sent_only_when_it_is_complete() {
    let mut fixture = fixture(10, 3);
    let mut front = fixture.subscribe();
    fixture.feed("\x1b[?2026hhalf");
    fixture.pass(SNAPSHOTS * 2);
    assert_eq!(front.read_all(), []);
    fixture.feed(" done\x1b[?2026l");
    fixture.pass(TICK);
    assert_eq!(texts(&front.read_all()[0]).1, ["half done"]);
}

#[test]
fn the_exit_is_the_last_update() {
    let ended = Ended { exit_code: Some(3), signal: None, at_ms: 0 };
    let mut fixture = fixture(10, 3);
    let mut front = fixture.subscribe();
    fixture.feed("bye\x1b]2;over\x07");
    fixture.viewers.updates.ended(ended, fixture.now);
    fixture.pass(TICK);
    let received = front.read_all();
    assert_eq!(received.last(), Some(&Update::Exited(ended)));
    assert_eq!(front.shown, Snapshot::of(&fixture.vt), "the last batch has everything");
    // A later subscriber receives the exit, too.
    let late = fixture.subscribe();
    assert_eq!(late.received, [Update::Snapshot(Snapshot::of(&fixture.vt)), Update::Exited(ended)]);
}

#[test]
fn each_batch_and_each_first_snapshot_is_made_and_encoded_once() {
    let mut fixture = fixture(10, 3);
    let mut answers: Vec<_> = (0..50).map(|_| fixture.ask_updates()).collect();
    fixture.pass(TICK);
    let mut all: Vec<_> = answers.iter_mut().map(|answer| answer.try_recv().unwrap()).collect();
    // One subscriber joins later, before the screen changes.
    let mut answer = fixture.ask_updates();
    fixture.pass(TICK);
    all.push(answer.try_recv().unwrap());
    fixture.feed("hello");
    fixture.pass(TICK);
    let batches: Vec<_> = all.iter_mut().map(|one| one.rest.try_recv().unwrap()).collect();
    let mut encoded = 0;
    for (one, batch) in all.iter().zip(&batches) {
        assert!(Arc::ptr_eq(&one.first, &all[0].first));
        assert!(Arc::ptr_eq(batch, &batches[0]));
        for update in one.first.iter().chain(batch.iter()) {
            update.wire(|_| {
                encoded += 1;
                vec![]
            });
        }
    }
    assert_eq!(encoded, all[0].first.len() + batches[0].len());
}

#[test]
fn many_new_subscribers_of_a_busy_terminal_are_answered_together() {
    let mut fixture = fixture(10, 3);
    let mut front = fixture.subscribe();
    fixture.feed("a");
    fixture.pass(Duration::from_millis(1));
    // A batch was just sent: they wait for the next one, and no batch is made for them alone.
    let mut answers: Vec<_> = (0..20).map(|_| fixture.ask_updates()).collect();
    fixture.feed("b");
    fixture.draw_if_due();
    assert!(answers.iter_mut().all(|answer| answer.try_recv().is_err()));
    fixture.pass(TICK);
    let first: Vec<_> = answers.iter_mut().map(|answer| answer.try_recv().unwrap().first).collect();
    assert!(first.iter().all(|one| Arc::ptr_eq(one, &first[0])));
    assert_eq!(front.read_all().iter().filter(|u| matches!(u, Update::Diff { .. })).count(), 2);
}

#[test]
fn a_subscriber_that_does_not_read_holds_few_updates_and_continues_with_a_snapshot() {
    let mut fixture = fixture(10, 3);
    let (mut reads, mut sleeps) = (fixture.subscribe(), fixture.subscribe());
    let mut made = Vec::new();
    for count in 0..5000 {
        fixture.feed(format!("{count}\r\n"));
        fixture.pass(TICK);
        while let Ok(batch) = reads.rest.try_recv() {
            batch.iter().for_each(|update| reads.take(update));
            made.push(Arc::downgrade(&batch));
        }
    }
    assert!(made.len() >= 5000);
    let alive = made.iter().filter(|batch| batch.strong_count() > 0).count();
    assert!(alive <= BEHIND, "{alive} batches are held for a subscriber that does not read");
    assert_eq!(seen(&reads.shown), seen(&Snapshot::of(&fixture.vt)));
    assert!(!sleeps.read(), "it missed batches and got a lag error");
    assert_eq!(fixture.subscribe().shown, Snapshot::of(&fixture.vt));
}

#[test]
fn without_subscribers_nothing_is_scheduled() {
    let mut fixture = fixture(10, 3);
    fixture.feed("a\x07");
    assert_eq!(fixture.viewers.updates.wakeup(), None);
    let front = fixture.subscribe();
    fixture.feed("b");
    assert!(fixture.viewers.updates.wakeup().is_some());
    drop(front);
    assert_eq!(fixture.viewers.updates.wakeup(), None);
    // A subscriber that left before it was answered.
    drop(fixture.ask_updates());
    fixture.pass(TICK);
    assert_eq!(fixture.viewers.updates.wakeup(), None);
    fixture.feed("c\x07");
    let front = fixture.subscribe();
    assert_eq!(front.received, [Update::Snapshot(Snapshot::of(&fixture.vt))], "old bells are not sent");
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn a_subscription_that_fell_behind_continues_with_a_snapshot_even_if_it_was_interrupted() {
    let meta = serde_json::json!({
        "id": "sess_1", "number": 1, "name": null, "program": "sh", "args": [], "created_ms": 0, "size": [10, 3],
        "actor": {"kind": "Agent", "owner": "", "client": ""}, "request": "", "nonce": null,
    });
    let (requests, mut inbox) = mpsc::channel(4);
    let session = Session::new(Arc::new(serde_json::from_value(meta).unwrap()), requests);
    let mut fixture = fixture(10, 3);
    let mut answer = |fixture: &mut Fixture| {
        while let Ok(Request::Subscribe { reply }) = inbox.try_recv() {
            fixture.viewers.updates.join(reply, fixture.now);
        }
        fixture.pass(TICK);
    };
    let mut subscribe = pin!(session.subscribe());
    assert!(poll(subscribe.as_mut()).is_none());
    answer(&mut fixture);
    let mut subscription = poll(subscribe).unwrap().unwrap();
    let first = poll(pin!(subscription.next())).unwrap().unwrap();
    assert!(matches!(*first[0], Update::Snapshot(_)));
    for count in 0..100 {
        fixture.feed(format!("{count}\r\n"));
        fixture.pass(TICK);
    }
    // It asks for a snapshot. The caller drops the future and calls `next` again.
    assert!(poll(pin!(subscription.next())).is_none());
    let batch = {
        let mut next = pin!(subscription.next());
        assert!(poll(next.as_mut()).is_none(), "the remaining old differences must not be returned");
        answer(&mut fixture);
        poll(next).unwrap().unwrap()
    };
    assert_eq!(*batch[0], Update::Snapshot(Snapshot::of(&fixture.vt)));
    fixture.feed("more");
    fixture.pass(TICK);
    let batch = poll(pin!(subscription.next())).unwrap().unwrap();
    assert_eq!(texts(&batch[0]).1, ["more"]);
    // The session is destroyed.
    drop(fixture);
    assert!(poll(pin!(subscription.next())).unwrap().is_none());
    assert!(poll(pin!(subscription.next())).unwrap().is_none());
}

#[derive(Debug, Clone)]
enum Act {
    Feed(Vec<u8>),
    Pass(u64),
    Resize(Size),
    /// The program did not finish a frame in time.
    ShowUnfinished,
    Join,
    Leave(usize),
    /// From now on this front end reads, or does not.
    Reads(usize, bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        24 => input::piece().prop_map(Act::Feed),
        12 => (0u64..40).prop_map(Act::Pass),
        1 => input::size().prop_map(Act::Resize),
        1 => Just(Act::ShowUnfinished),
        1 => Just(Act::Join),
        1 => any::<usize>().prop_map(Act::Leave),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(who, reads)| Act::Reads(who, reads)),
    ]
}

/// Several front ends on one terminal: the first always reads; others join, leave and fall behind.
struct Crowd {
    fixture: Fixture,
    steady: Front,
    others: Vec<(Front, bool)>,
    lags: usize,
}

impl Crowd {
    fn new(size: Size) -> Crowd {
        let mut fixture = fixture(size.cols, size.rows);
        let steady = fixture.subscribe();
        Crowd { fixture, steady, others: Vec::new(), lags: 0 }
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Feed(bytes) => self.fixture.feed(bytes),
            Act::Pass(ms) => self.fixture.pass(Duration::from_millis(ms)),
            Act::Resize(size) => self.fixture.resize(size),
            Act::ShowUnfinished => {
                self.fixture.vt.show_unfinished();
                self.fixture.viewers.updates.changed(self.fixture.now);
            }
            Act::Join if self.others.len() < 8 => self.others.push((self.fixture.subscribe(), true)),
            Act::Join => {}
            Act::Leave(who) if !self.others.is_empty() => {
                self.others.swap_remove(who % self.others.len());
            }
            Act::Reads(who, reads) if !self.others.is_empty() => {
                let at = who % self.others.len();
                self.others[at].1 = reads;
            }
            Act::Leave(_) | Act::Reads(..) => {}
        }
        self.read();
    }

    fn read(&mut self) {
        assert!(self.steady.read(), "a front end that always reads never falls behind");
        for at in 0..self.others.len() {
            let (front, reads) = &mut self.others[at];
            if *reads && !front.read() {
                self.lags += 1;
                self.others[at].0 = self.fixture.subscribe();
                assert!(self.steady.read());
            }
        }
    }

    /// Lets time pass without changes; then all front ends must show what the terminal shows.
    fn check(&mut self) {
        for (_, reads) in &mut self.others {
            *reads = true;
        }
        self.fixture.pass(SNAPSHOTS + TICK);
        // Twice: a front end that fell behind has subscribed again.
        self.read();
        self.read();
        let now = Snapshot::of(&self.fixture.vt);
        for shown in
            std::iter::once(&self.steady.shown).chain(self.others.iter().map(|(front, _)| &front.shown))
        {
            let shown = Snapshot { seq: now.seq, ..shown.clone() };
            assert_eq!(shown, now);
        }
    }
}

#[test]
fn after_ten_thousand_updates_all_front_ends_show_the_same() {
    let mut runner = TestRunner::deterministic();
    let acts = act();
    let mut crowd = Crowd::new(Size { cols: 11, rows: 6 });
    while crowd.steady.received.len() < 10_000 {
        for _ in 0..500 {
            crowd.act(acts.new_tree(&mut runner).unwrap().current());
        }
        crowd.check();
    }
    assert!(crowd.lags > 10, "some fell behind: {}", crowd.lags);
    let diffs = crowd.steady.received.iter().filter(|update| matches!(update, Update::Diff { .. })).count();
    assert!(diffs > 3000, "{diffs} differences");
}

proptest! {
    #[test]
    fn all_front_ends_that_apply_the_updates_show_the_same(size in input::size(), acts in prop::collection::vec(act(), 0..200)) {
        let mut crowd = Crowd::new(size);
        for act in acts {
            crowd.act(act);
        }
        crowd.check();
    }
}
