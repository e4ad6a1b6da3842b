//! Sends paints to viewers: first the whole screen, then differences. Each is drawn once and shared by all viewers.

#[cfg(test)]
mod fixture;
pub(crate) mod pace;
pub(crate) mod presence;
mod publisher;
pub(crate) mod updates;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_vt::{Painter, Vt};
use tokio::sync::{broadcast, oneshot, watch};

use crate::Activity;
use crate::Presence;
use crate::handle::Ended;
use crate::viewers::pace::Shared;
use crate::viewers::presence::{Watcher, Watchers};
use crate::viewers::publisher::Publisher;
use crate::viewers::updates::{Subscribed, Updates};

/// How long after a frame to check the activity again: a program starts, or asks for a secret, a moment after it writes
/// the matching output.
const RECHECK: Duration = Duration::from_millis(250);

/// A message to a viewer.
#[derive(Debug, Clone)]
pub enum Frame {
    /// The screen, or a change of it.
    Paint {
        /// The seq that it shows.
        seq: u64,
        /// Whether it replaces the whole screen.
        full: bool,
        /// Columns and rows.
        size: (u16, u16),
        /// The paint, for another terminal to draw.
        data: String,
        /// The title that the program set.
        title: String,
        /// What the session is doing.
        activity: Activity,
    },
    /// The program ended.
    Exited(Ended),
}

/// What a new viewer gets.
#[derive(Debug)]
pub struct Viewer {
    /// The screen now.
    pub first: Arc<Shared<Frame>>,
    /// Later changes. A viewer that reads too slowly gets a lag error and must join again.
    pub frames: broadcast::Receiver<Arc<Shared<Frame>>>,
    /// Who is there, now and later.
    pub presence: watch::Receiver<Arc<Presence>>,
    /// When the screen last changed.
    changed: Option<Instant>,
}

impl Viewer {
    /// Whether the screen changed at or after `at`, before the first frame. `frames` does not have such a change.
    pub fn changed_since(&self, at: Instant) -> bool {
        self.changed.is_some_and(|changed| changed >= at)
    }
}

/// If one of these differs, the screen has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ScreenState {
    seq: u64,
    size: (u16, u16),
    ended: bool,
}

/// The session's viewers. Draws only if there are any. Front ends, which want updates instead of paints, are served by
/// [`Updates`]; every event is passed on to it.
#[derive(Debug)]
pub(crate) struct Viewers {
    updates: Updates,
    watchers: Watchers,
    frames: Publisher<Arc<Shared<Frame>>, Viewer>,
    presence: watch::Sender<Arc<Presence>>,
    painter: Painter,
    /// When to check the activity again.
    recheck: Option<Instant>,
    /// The title and the activity that were sent last.
    sent: Option<(String, Activity)>,
    /// The last known state of the screen, and since when.
    seen: Option<(ScreenState, Instant)>,
    /// To be sent after the last paint.
    ended: Option<Ended>,
}

impl Viewers {
    pub(crate) fn new() -> Viewers {
        Viewers {
            updates: Updates::new(),
            watchers: Watchers::default(),
            frames: Publisher::new(),
            presence: watch::Sender::default(),
            painter: Painter::new(),
            recheck: None,
            sent: None,
            seen: None,
            ended: None,
        }
    }

    /// Notes when the screen changed, even without viewers. The task calls it at the end of each turn.
    pub(crate) fn note(&mut self, vt: &Vt, ended: bool, now: impl FnOnce() -> Instant) {
        let size = vt.size();
        let seen = ScreenState { seq: vt.shown_seq(), size: (size.cols, size.rows), ended };
        if self.seen.is_none_or(|(before, _)| before != seen) {
            self.seen = Some((seen, now()));
        }
    }

    /// The screen may have changed.
    pub(crate) fn changed(&mut self, now: Instant) {
        self.frames.want(now);
        self.updates.changed(now);
    }

    /// The program ended.
    pub(crate) fn ended(&mut self, ended: Ended, now: Instant) {
        if self.frames.any() {
            self.ended = Some(ended);
            self.frames.want(now);
        }
        self.updates.ended(ended, now);
    }

    /// Adds a viewer. It gets its reply with the next frame.
    pub(crate) fn join(&mut self, reply: oneshot::Sender<Viewer>, now: Instant) {
        self.frames.join(reply, now);
    }

    /// Adds a subscriber to updates.
    pub(crate) fn subscribe(&mut self, reply: oneshot::Sender<Subscribed>, now: Instant) {
        self.updates.join(reply, now);
    }

    /// The bell rang.
    pub(crate) fn bell(&mut self, now: Instant) {
        self.updates.bell(now);
    }

    /// The connected viewers.
    pub(crate) fn watchers(&self) -> &Watchers {
        &self.watchers
    }

    /// A viewer connected.
    pub(crate) fn connected(&mut self, watcher: Watcher, now: Instant) {
        self.watchers.connected(watcher);
        self.changed(now);
    }

    /// A viewer disconnected. Returns whether that was its last connection.
    pub(crate) fn disconnected(&mut self, who: &str, now: Instant) -> bool {
        let gone = self.watchers.disconnected(who);
        self.changed(now);
        gone
    }

    /// An agent's input was refused.
    pub(crate) fn turned_away(&mut self, name: &str, secret: bool, now: Instant) {
        self.watchers.turned_away(name, secret);
        self.changed(now);
    }

    /// When the next frame is due.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        let recheck = self.recheck.filter(|_| self.frames.any());
        [self.frames.due(), recheck, self.updates.wakeup()].into_iter().flatten().min()
    }

    pub(crate) fn any(&self) -> bool {
        self.frames.any() || self.updates.any()
    }

    /// Sends who is there now, if that has changed.
    pub(crate) fn tell(&mut self, presence: Presence) {
        self.presence.send_if_modified(|sent| {
            let changed = **sent != presence;
            if changed {
                *sent = Arc::new(presence);
            }
            changed
        });
    }

    /// Draws the frames and updates that are due.
    pub(crate) fn draw(&mut self, vt: &Vt, now: Instant, doing: Activity) {
        let is_due = |at: Option<Instant>| at.is_some_and(|due| due <= now);
        if is_due(self.frames.due()) {
            self.frames.begin(now);
            self.recheck = Some(now + RECHECK);
            self.paint(vt, doing);
        } else if is_due(self.recheck) {
            self.recheck = None;
            if self.sent.as_ref().is_none_or(|(_, activity)| *activity != doing) {
                self.paint(vt, doing);
            }
        }
        if is_due(self.updates.wakeup()) {
            self.updates.draw(vt, now);
        }
    }

    fn paint(&mut self, vt: &Vt, doing: Activity) {
        let facts = (vt.title().to_owned(), doing.clone());
        let changed_facts = self.sent.as_ref() != Some(&facts);
        self.sent = Some(facts);
        if self.frames.receivers() == 0 {
            // No viewer has a screen to which a difference could apply.
            self.frames.forget_whole();
        } else if let Some(data) = self.painter.diff(vt).or(changed_facts.then(String::new)) {
            self.frames.forget_whole();
            self.frames.send(frame(vt, data, false, doing.clone()));
        }
        if let Some(ended) = self.ended.take() {
            self.frames.send(Arc::new(Shared::new(Frame::Exited(ended))));
        }
        let (presence, changed) = (&self.presence, self.seen.map(|(_, since)| since));
        self.frames.welcome(
            // The shared painter draws it, so that the next difference applies to this paint.
            || frame(vt, self.painter.full(vt), true, doing),
            |first, frames| Viewer { first, frames, presence: presence.subscribe(), changed },
        );
    }
}

fn frame(vt: &Vt, data: String, full: bool, activity: Activity) -> Arc<Shared<Frame>> {
    let size = vt.size();
    let title = vt.title().to_owned();
    let size = (size.cols, size.rows);
    Arc::new(Shared::new(Frame::Paint { seq: vt.shown_seq(), full, size, data, title, activity }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewers::fixture::{Fixture, TICK};
    use crate::viewers::pace::BEHIND;
    use cotty_vt::Size;
    use tokio::sync::broadcast::error::TryRecvError;

    fn fixture() -> Fixture {
        Fixture::new(Vt::new(Size { cols: 20, rows: 4 }))
    }

    impl Fixture {
        fn ask(&mut self) -> oneshot::Receiver<Viewer> {
            let (reply, answer) = oneshot::channel();
            self.viewers.join(reply, self.now);
            answer
        }

        fn join(&mut self) -> Eyes {
            let mut answer = self.ask();
            self.pass(TICK);
            Eyes::new(answer.try_recv().unwrap())
        }
    }

    /// A viewer that draws the frames it receives.
    struct Eyes {
        vt: Vt,
        frames: broadcast::Receiver<Arc<Shared<Frame>>>,
        exits: usize,
    }

    impl Eyes {
        fn new(viewer: Viewer) -> Eyes {
            let vt = Vt::new(Size { cols: 20, rows: 4 });
            let mut eyes = Eyes { vt, frames: viewer.frames, exits: 0 };
            eyes.see(&viewer.first);
            eyes
        }

        fn see(&mut self, frame: &Frame) {
            match frame {
                Frame::Paint { data, .. } => {
                    assert_eq!(self.exits, 0, "a paint after the end");
                    self.vt.feed(data.as_bytes());
                }
                Frame::Exited(_) => self.exits += 1,
            }
        }

        /// Reads all frames that are there; `false` if it missed some.
        fn read(&mut self) -> bool {
            loop {
                match self.frames.try_recv() {
                    Ok(frame) => self.see(&frame),
                    Err(TryRecvError::Lagged(_)) => return false,
                    Err(_) => return true,
                }
            }
        }
    }

    #[test]
    fn a_frame_is_drawn_and_encoded_once_for_all_viewers_with_the_same_screen() {
        let mut fixture = fixture();
        fixture.feed("hello");
        let mut answers: Vec<_> = (0..50).map(|_| fixture.ask()).collect();
        fixture.pass(TICK);
        // One viewer joins later, before the screen changes.
        answers.push(fixture.ask());
        fixture.pass(TICK);
        let mut viewers: Vec<_> = answers.iter_mut().map(|answer| answer.try_recv().unwrap()).collect();
        fixture.feed(" world");
        fixture.pass(TICK);
        let frames: Vec<_> = viewers.iter_mut().map(|viewer| viewer.frames.try_recv().unwrap()).collect();
        let mut encoded = 0;
        for (viewer, frame) in viewers.iter().zip(&frames) {
            assert!(Arc::ptr_eq(&viewer.first, &viewers[0].first));
            assert!(Arc::ptr_eq(frame, &frames[0]));
            for frame in [&viewer.first, frame] {
                frame.wire(|_| {
                    encoded += 1;
                    vec![]
                });
            }
        }
        assert_eq!(encoded, 2);
    }

    #[test]
    fn joining_or_rejoining_makes_no_frame_for_the_other_viewers() {
        let mut fixture = fixture();
        let mut eyes = fixture.join();
        fixture.feed("a");
        fixture.pass(Duration::from_millis(1));
        let mut frames = 0;
        // Many slow viewers join again and again, much faster than frames are drawn.
        for _ in 0..160 {
            let mut answer = fixture.ask();
            fixture.feed("b");
            fixture.draw_if_due();
            drop(answer.try_recv());
            fixture.pass(Duration::from_millis(1));
            while let Ok(frame) = eyes.frames.try_recv() {
                eyes.see(&frame);
                frames += 1;
            }
        }
        assert!((10..=12).contains(&frames), "{frames} frames in 160 ms");
        fixture.pass(TICK);
        assert!(eyes.read());
        assert_eq!(eyes.vt.screen_text(), fixture.vt.screen_text());
    }

    #[test]
    fn a_slow_viewer_holds_few_frames_and_continues_with_a_full_paint() {
        let mut fixture = fixture();
        let (mut reads, mut sleeps) = (fixture.join(), fixture.join());
        let mut made = Vec::new();
        for count in 0..5000 {
            fixture.feed(format!("{count}\r\n"));
            fixture.pass(TICK);
            let frame = reads.frames.try_recv().unwrap();
            reads.see(&frame);
            made.push(Arc::downgrade(&frame));
        }
        let alive = made.iter().filter(|frame| frame.strong_count() > 0).count();
        assert!(alive <= BEHIND, "{alive} frames are held for a viewer that does not read");
        assert_eq!(reads.vt.screen_text(), fixture.vt.screen_text());
        assert!(!sleeps.read(), "it missed frames and got a lag error");
        let mut again = fixture.join();
        assert_eq!(again.vt.screen_text(), fixture.vt.screen_text());
        fixture.feed("more");
        fixture.pass(TICK);
        assert!(again.read() && reads.read());
        assert_eq!(again.vt.screen_text(), fixture.vt.screen_text());
        assert_eq!(reads.vt.screen_text(), fixture.vt.screen_text());
    }

    #[test]
    fn the_exit_is_sent_after_the_last_paint() {
        let mut fixture = fixture();
        let mut eyes = fixture.join();
        fixture.feed("bye");
        let ended = Ended { exit_code: Some(0), signal: None, at_ms: 0 };
        fixture.viewers.ended(ended, fixture.now);
        fixture.pass(TICK);
        assert!(eyes.read());
        assert_eq!((eyes.exits, eyes.vt.screen_text()), (1, fixture.vt.screen_text()));
    }

    #[test]
    fn a_new_viewer_learns_whether_something_changed_since_a_given_time() {
        let mut fixture = fixture();
        fixture.pass(TICK);
        let (before, mut first) = (fixture.now, fixture.ask());
        fixture.pass(TICK);
        assert!(!first.try_recv().unwrap().changed_since(before));
        // Whoever asks while a frame is not yet due is shown what changed meanwhile, and no difference.
        fixture.feed("a");
        fixture.draw_if_due();
        let mut late = fixture.ask();
        fixture.pass(TICK);
        let mut late = late.try_recv().unwrap();
        assert!(late.changed_since(before) && late.frames.try_recv().is_err());
        assert!(!late.changed_since(fixture.now));
        let resized = fixture.now;
        fixture.vt.resize(Size { cols: 30, rows: 4 });
        fixture.viewers.changed(fixture.now);
        let mut again = fixture.ask();
        fixture.pass(TICK);
        assert!(again.try_recv().unwrap().changed_since(resized));
    }

    #[test]
    fn without_viewers_nothing_is_scheduled() {
        let mut fixture = fixture();
        fixture.feed("a");
        assert_eq!(fixture.viewers.wakeup(), None);
        let eyes = fixture.join();
        fixture.feed("b");
        assert!(fixture.viewers.wakeup().is_some());
        drop(eyes);
        assert_eq!(fixture.viewers.wakeup(), None);
        drop(fixture.ask());
        fixture.pass(TICK);
        assert_eq!(fixture.viewers.wakeup(), None);
        fixture.feed("c");
        assert_eq!(fixture.join().vt.screen_text(), fixture.vt.screen_text());
        assert!(!fixture.viewers.any());
    }
}
