//! What viewers are shown: one whole paint, then differences, each drawn once and shared by all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cotty_vt::{Painter, Vt};
use tokio::sync::broadcast;

use crate::session::{Activity, Ended};

/// Frames that a viewer may be behind before it gets a fresh paint instead.
const BEHIND: usize = 64;
/// Not more often than this, however fast the output.
const INTERVAL: Duration = Duration::from_millis(16);
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
    pub first: Arc<Frame>,
    /// What changes from then on. A viewer that is too slow sees a gap and asks to view anew.
    pub frames: broadcast::Receiver<Arc<Frame>>,
}

/// The session's end: draws when there is somebody to see it.
#[derive(Debug)]
pub(crate) struct Viewers {
    frames: broadcast::Sender<Arc<Frame>>,
    painter: Painter,
    drawn: Option<Instant>,
    dirty_since: Option<Instant>,
    look_again: Option<Instant>,
    doing: Option<Activity>,
}

impl Viewers {
    pub(crate) fn new() -> Viewers {
        let (frames, _) = broadcast::channel(BEHIND);
        Viewers {
            frames,
            painter: Painter::new(),
            drawn: None,
            dirty_since: None,
            look_again: None,
            doing: None,
        }
    }

    /// The screen may have changed.
    pub(crate) fn changed(&mut self, now: Instant) {
        if self.frames.receiver_count() > 0 && self.dirty_since.is_none() {
            self.dirty_since = Some(now);
        }
    }

    /// When the next frame is due.
    pub(crate) fn wakeup(&self) -> Option<Instant> {
        let Some(dirty) = self.dirty_since else { return self.look_again };
        Some(self.drawn.map_or(dirty, |drawn| dirty.max(drawn + INTERVAL)))
    }

    pub(crate) fn any(&self) -> bool {
        self.frames.receiver_count() > 0
    }

    /// Draws what changed. For when it is due.
    pub(crate) fn draw(&mut self, vt: &Vt, now: Instant, doing: Activity) {
        if self.dirty_since.take().is_some() {
            self.look_again = Some(now + SECOND_LOOK);
        } else {
            self.look_again = None;
            if self.doing.as_ref() == Some(&doing) {
                return;
            }
        }
        self.drawn = Some(now);
        self.doing = Some(doing.clone());
        // A frame goes out even where no cell changed: the title or the activity may have.
        let data = self.painter.diff(vt).unwrap_or_default();
        let _ = self.frames.send(Arc::new(paint(vt, data, false, doing)));
    }

    /// A new viewer. The shared painter is brought up to date first, so that the next difference fits its paint.
    pub(crate) fn join(&mut self, vt: &Vt, now: Instant, activity: Activity) -> Viewer {
        match self.painter.diff(vt) {
            Some(data) if self.frames.receiver_count() > 0 => {
                let _ = self.frames.send(Arc::new(paint(vt, data, false, activity.clone())));
            }
            _ => {}
        }
        self.dirty_since = None;
        self.drawn = Some(now);
        self.look_again = Some(now + SECOND_LOOK);
        self.doing = Some(activity.clone());
        let data = Painter::new().full(vt);
        Viewer { first: Arc::new(paint(vt, data, true, activity)), frames: self.frames.subscribe() }
    }

    pub(crate) fn ended(&self, ended: Ended) {
        let _ = self.frames.send(Arc::new(Frame::Exited(ended)));
    }
}

fn paint(vt: &Vt, data: String, full: bool, activity: Activity) -> Frame {
    let size = vt.size();
    let title = vt.title().to_owned();
    Frame::Paint { seq: vt.seq(), full, size: (size.cols, size.rows), data, title, activity }
}
