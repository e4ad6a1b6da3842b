//! What viewers are shown: one whole paint, then differences, each drawn once and shared by all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_vt::{Painter, Vt};
use tokio::sync::{broadcast, oneshot};

use crate::session::{Activity, Ended};
use crate::share::{BEHIND, Pace, Shared};
use crate::updates::Updates;

/// A program that begins a frame and does not end it is shown half drawn after this.
pub(crate) const LONGEST_FRAME: Duration = Duration::from_millis(150);

/// When to look once more at what the session does: a program starts, or asks for a secret, a moment after the output
/// that goes with it.
const SECOND_LOOK: Duration = Duration::from_millis(250);

/// What a viewer is sent.
#[derive(Debug, Clone)]
pub enum Frame {
    /// The screen, or what changed of it.
    Paint {
        /// Output that it shows.
        seq: u64,
        /// Whether it replaces the screen.
        full: bool,
        /// Columns and rows.
        size: (u16, u16),
        /// For another terminal to draw.
        data: String,
        /// The title that the program set.
        title: String,
        /// What the session is doing.
        activity: Activity,
    },
    /// The program ended.
    Exited(Ended),
}

/// One viewer's end.
#[derive(Debug)]
pub struct Viewer {
    /// The screen now.
    pub first: Arc<Shared<Frame>>,
    /// What changes from then on. A viewer that is too slow sees a gap and asks to view anew.
    pub frames: broadcast::Receiver<Arc<Shared<Frame>>>,
}

/// The session's end: draws when there is somebody to see it. Those who want updates instead of paints are served by
/// [`Updates`], which is told all that this is told.
#[derive(Debug)]
pub(crate) struct Viewers {
    pub(crate) updates: Updates,
    frames: broadcast::Sender<Arc<Shared<Frame>>>,
    /// Who wants to view, until the next frame.
    joining: Vec<oneshot::Sender<Viewer>>,
    painter: Painter,
    /// The paint for those who join before the screen changes again.
    first: Option<Arc<Shared<Frame>>>,
    pace: Pace,
    look_again: Option<Instant>,
    /// The title and the activity that were told last.
    told: Option<(String, Activity)>,
    /// To be told after the last paint.
    ended: Option<Ended>,
}

impl Viewers {
    pub(crate) fn new() -> Viewers {
        let (frames, _) = broadcast::channel(BEHIND);
        Viewers {
            updates: Updates::new(),
            frames,
            joining: Vec::new(),
            painter: Painter::new(),
            first: None,
            pace: Pace::default(),
            look_again: None,
            told: None,
            ended: None,
        }
    }

    /// The screen may have changed.
    pub(crate) fn changed(&mut self, now: Instant) {
        if self.any_paint() {
            self.pace.want(now);
        }
        self.updates.changed(now);
    }

    /// The program ended.
    pub(crate) fn ended(&mut self, ended: Ended, now: Instant) {
        if self.any_paint() {
            self.ended = Some(ended);
            self.pace.want(now);
        }
        self.updates.ended(ended, now);
    }

    /// A new viewer, answered when the next frame is due: so any number who come at once, or come again because they
    /// were too slow, cost the session one paint.
    pub(crate) fn join(&mut self, reply: oneshot::Sender<Viewer>, now: Instant) {
        self.joining.push(reply);
        self.pace.want(now);
    }

    /// When the next frame is due.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        let paint = [self.pace.due(), self.look_again].into_iter().flatten().min();
        [paint.filter(|_| self.any_paint()), self.updates.wakeup()].into_iter().flatten().min()
    }

    pub(crate) fn any(&self) -> bool {
        self.any_paint() || self.updates.any()
    }

    fn any_paint(&self) -> bool {
        self.frames.receiver_count() > 0 || !self.joining.is_empty()
    }

    /// Draws what is due.
    pub(crate) fn draw(&mut self, vt: &Vt, now: Instant, doing: Activity) {
        let is_due = |at: Option<Instant>| at.is_some_and(|due| due <= now);
        if is_due(self.pace.due()) {
            self.pace.draw(now);
            self.look_again = Some(now + SECOND_LOOK);
            self.paint(vt, doing);
        } else if is_due(self.look_again) {
            self.look_again = None;
            if self.told.as_ref().is_none_or(|(_, told)| *told != doing) {
                self.paint(vt, doing);
            }
        }
        if is_due(self.updates.wakeup()) {
            self.updates.draw(vt, now);
        }
    }

    fn paint(&mut self, vt: &Vt, doing: Activity) {
        let told = (vt.title().to_owned(), doing.clone());
        let retold = self.told.as_ref() != Some(&told);
        self.told = Some(told);
        if self.frames.receiver_count() == 0 {
            // Nobody has seen anything.
            self.first = None;
        } else if let Some(data) = self.painter.diff(vt).or(retold.then(String::new)) {
            self.first = None;
            let _ = self.frames.send(frame(vt, data, false, doing.clone()));
        }
        if let Some(ended) = self.ended.take() {
            let _ = self.frames.send(Arc::new(Shared::new(Frame::Exited(ended))));
        }
        self.joining.retain(|reply| !reply.is_closed());
        if self.joining.is_empty() {
            return;
        }
        // The shared painter has seen this screen, so that the next difference fits this paint.
        let first = self.first.get_or_insert_with(|| frame(vt, self.painter.full(vt), true, doing));
        for reply in self.joining.drain(..) {
            let _ = reply.send(Viewer { first: Arc::clone(first), frames: self.frames.subscribe() });
        }
    }
}

fn frame(vt: &Vt, data: String, full: bool, activity: Activity) -> Arc<Shared<Frame>> {
    let size = vt.size();
    let title = vt.title().to_owned();
    let size = (size.cols, size.rows);
    Arc::new(Shared::new(Frame::Paint { seq: vt.shown_seq(), full, size, data, title, activity }))
}
