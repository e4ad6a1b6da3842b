//! A session's size and how much it remembers: both can change while it runs.

use cotty_protocol::ApiError;
use cotty_pty::WindowSize;

use crate::durable::journal::{Record, What};
use crate::error::{exited, invalid};
use crate::hub::meta::{ActorKind, Typist};
use crate::task::Task;
use crate::{SessionError, hub};

/// Most lines of history that can be asked for.
const MOST_HISTORY: usize = 1_000_000;

impl Task {
    /// Gives the terminal another size. Somebody asked for it, so it is not put back.
    pub(crate) async fn resize(&mut self, size: (u16, u16)) -> Result<(), SessionError> {
        hub::check_size(size.0, size.1)?;
        self.set_size(size, None).await
    }

    /// Whoever has the keyboard may have the session follow a window; without one it gets its own size back.
    pub(crate) async fn fit(&mut self, size: Option<(u16, u16)>, by: &Typist) -> Result<(), SessionError> {
        if size.is_none() && self.saved.put_back.is_none() {
            return Ok(());
        }
        let holds = self.saved.keyboard.held().is_some_and(|held| held.who == by.who);
        if by.kind != ActorKind::Person || !holds {
            return Err(ApiError::KeyboardNotYours.into());
        }
        let Some(size) = size else {
            self.put_size_back();
            return Ok(());
        };
        hub::check_size(size.0, size.1)?;
        let own = self.vt.size();
        let put_back = self.saved.put_back.or(Some((own.cols, own.rows)));
        self.saved.fitted_to = Some(by.who.clone());
        self.set_size(size, put_back).await
    }

    /// A window is followed only as long as its person has the keyboard.
    pub(crate) fn follow_no_other(&mut self) {
        if self.saved.put_back.is_none() {
            return;
        }
        let holder = self.saved.keyboard.held().map(|held| held.who.clone());
        match &self.saved.fitted_to {
            // It was fitted before the daemon before us could write down by whom.
            None => self.saved.fitted_to = holder,
            fitted if *fitted != holder => self.put_size_back(),
            _ => {}
        }
    }

    async fn set_size(
        &mut self,
        (cols, rows): (u16, u16),
        put_back: Option<(u16, u16)>,
    ) -> Result<(), SessionError> {
        if let Some(ended) = self.ended {
            return Err(exited(ended.exit_code));
        }
        // What was written for the old size is laid out in it.
        self.drain().await;
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        self.note_size(cols, rows, put_back)
    }

    fn note_size(&mut self, cols: u16, rows: u16, put_back: Option<(u16, u16)>) -> Result<(), SessionError> {
        let what = What::Resized { cols, rows, put_back };
        self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() })?;
        self.apply(&what, 0);
        self.pty.get_ref().resize(WindowSize { cols, rows })?;
        self.viewers.changed(std::time::Instant::now());
        Ok(())
    }

    /// The size that it had before it followed somebody's window.
    pub(crate) fn put_size_back(&mut self) {
        if let Some((cols, rows)) = self.saved.put_back
            && self.ended.is_none()
        {
            // Where that cannot be written down it is done all the same, by the next daemon.
            let _ = self.note_size(cols, rows, None);
        }
    }

    /// Keeps so many lines from now on; what is more is dropped, and counted.
    pub(crate) async fn set_history(&mut self, lines: usize) -> Result<(), SessionError> {
        if lines > MOST_HISTORY {
            return Err(invalid(format!("{lines} lines of history are too many: up to {MOST_HISTORY}")));
        }
        if self.hot.wants_checkpoint() {
            self.checkpoint().await?;
        }
        let what = What::History { lines };
        self.hot.record(&Record { seq: self.vt.seq(), what: what.clone() })?;
        self.apply(&what, 0);
        Ok(())
    }
}
