//! A session's size and how much it remembers: both can change while it runs.

use std::time::Instant;

use cotty_protocol::ApiError;
use cotty_pty::WindowSize;

use super::Task;
use crate::durable::journal::RecordKind;
use crate::error::invalid;
use crate::hub::meta::{ActorKind, Typist};
use crate::{SessionError, hub};

/// Most lines of history that can be asked for.
const MOST_HISTORY: usize = 1_000_000;

impl Task {
    /// Gives the terminal another size. Somebody asked for it, so it is not put back.
    pub(super) async fn resize(&mut self, size: (u16, u16)) -> Result<(), SessionError> {
        hub::check_size(size.0, size.1)?;
        self.set_size(size, None).await
    }

    /// Whoever has the keyboard may have the session follow a window; without one it gets its own size back.
    pub(super) async fn follow_window(
        &mut self,
        size: Option<(u16, u16)>,
        by: &Typist,
    ) -> Result<(), SessionError> {
        if size.is_none() && self.fit.own_size().is_none() {
            return Ok(());
        }
        if by.kind != ActorKind::Person || !self.keyboard.is_held_by(&by.who) {
            return Err(ApiError::KeyboardNotYours.into());
        }
        let Some(size) = size else {
            self.put_size_back();
            return Ok(());
        };
        hub::check_size(size.0, size.1)?;
        let now = self.vt.size();
        let put_back = self.fit.own_size().or(Some((now.cols, now.rows)));
        self.fit.follow(&by.who);
        self.set_size(size, put_back).await
    }

    /// A window is followed only as long as its person has the keyboard.
    pub(super) fn follow_no_other(&mut self) {
        if self.fit.over(self.keyboard.holder()).is_some() {
            self.put_size_back();
        }
    }

    async fn set_size(
        &mut self,
        (cols, rows): (u16, u16),
        put_back: Option<(u16, u16)>,
    ) -> Result<(), SessionError> {
        self.check_lives()?;
        // What was written for the old size is laid out in it.
        self.drain().await;
        self.make_room().await?;
        self.note_size(cols, rows, put_back)
    }

    fn note_size(&mut self, cols: u16, rows: u16, put_back: Option<(u16, u16)>) -> Result<(), SessionError> {
        self.record(&RecordKind::Resized { cols, rows, put_back }, 0)?;
        self.terminal.pty().resize(WindowSize { cols, rows })?;
        self.viewers.changed(Instant::now());
        Ok(())
    }

    /// The size that it had before it followed somebody's window.
    pub(super) fn put_size_back(&mut self) {
        if let Some((cols, rows)) = self.fit.own_size()
            && self.ended.is_none()
        {
            // Where that cannot be written down it is done all the same, by the next daemon.
            let _ = self.note_size(cols, rows, None);
        }
    }

    /// Keeps so many lines from now on; what is more is dropped, and counted.
    pub(super) async fn set_history(&mut self, lines: usize) -> Result<(), SessionError> {
        if lines > MOST_HISTORY {
            return Err(invalid(format!("{lines} lines of history are too many: up to {MOST_HISTORY}")));
        }
        self.make_room().await?;
        self.record(&RecordKind::History { lines }, 0)
    }
}
