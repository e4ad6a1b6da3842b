//! Changes a session's size and its history limit while it runs.

use std::time::Instant;

use cotty_protocol::ApiError;
use cotty_pty::WindowSize;

use super::Task;
use crate::durable::journal::RecordKind;
use crate::error::invalid;
use crate::hub::meta::{ActorKind, Typist};
use crate::{SessionError, hub};

/// Largest history limit, in lines.
const MOST_HISTORY: usize = 1_000_000;

impl Task {
    /// Resizes the terminal. The old size is not restored later, because a caller asked for the new one.
    pub(super) async fn resize(&mut self, size: (u16, u16)) -> Result<(), SessionError> {
        hub::check_size(size.0, size.1)?;
        self.set_size(size, None).await
    }

    /// Fits the session to the window of the keyboard's holder; without a size, restores the session's own.
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
            self.restore_size();
            return Ok(());
        };
        hub::check_size(size.0, size.1)?;
        let now = self.vt.size();
        let put_back = self.fit.own_size().or(Some((now.cols, now.rows)));
        self.fit.follow(&by.who);
        self.set_size(size, put_back).await
    }

    /// Restores the size once the person whose window it follows no longer holds the keyboard.
    pub(super) fn end_stale_fit(&mut self) {
        if self.fit.size_to_restore(self.keyboard.holder()).is_some() {
            self.restore_size();
        }
    }

    async fn set_size(
        &mut self,
        (cols, rows): (u16, u16),
        put_back: Option<(u16, u16)>,
    ) -> Result<(), SessionError> {
        self.check_not_exited()?;
        // Output written for the old size is laid out in the old size.
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

    /// Restores the size that the session had before it followed a window.
    pub(super) fn restore_size(&mut self) {
        if let Some((cols, rows)) = self.fit.own_size()
            && self.ended.is_none()
        {
            // If this cannot be recorded, the next daemon restores the size.
            let _ = self.note_size(cols, rows, None);
        }
    }

    /// Sets the history limit. Lines beyond it are dropped, and counted.
    pub(super) async fn set_history(&mut self, lines: usize) -> Result<(), SessionError> {
        if lines > MOST_HISTORY {
            return Err(invalid(format!(
                "{lines} lines of history are too many: the limit is {MOST_HISTORY}"
            )));
        }
        self.make_room().await?;
        self.record(&RecordKind::History { lines }, 0)
    }
}
