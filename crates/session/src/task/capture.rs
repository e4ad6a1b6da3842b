//! Starts and stops captures: a session's output in a separate file.

use std::time::Instant;

use super::Task;
use crate::SessionError;
use crate::durable::journal::RecordKind;
use crate::durable::journal::disk::{Capture, Capturing};
use crate::hub::meta::now_ms;

impl Task {
    pub(super) async fn start_capture(&mut self, mut capturing: Capturing) -> Result<Capture, SessionError> {
        self.recording.check_no_capture()?;
        self.make_room().await?;
        // Output from before the call is not part of the capture, so it is read first.
        self.drain().await;
        capturing.since = self.vt.seq();
        self.record(&RecordKind::CaptureBegan(capturing.clone()), now_ms())?;
        Ok(self.recording.begin_capture(capturing, Instant::now(), now_ms()))
    }

    pub(super) async fn stop_capture(&mut self, retry_id: &str) -> Result<Capture, SessionError> {
        if let Some(capture) = self.recording.ended_by(retry_id) {
            return Ok(capture);
        }
        let capture = self.recording.settle_capture(now_ms).await?;
        self.make_room().await?;
        let what = RecordKind::CaptureEnded { retry_id: retry_id.to_owned(), capture: capture.clone() };
        self.record(&what, now_ms())?;
        self.recording.close_capture();
        Ok(capture)
    }
}
