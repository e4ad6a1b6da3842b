//! The body of an HTTP answer. It ends when its token is revoked, and a large one takes a slot until it has been
//! read.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use cotty_protocol::ApiError;
use hyper::body::Frame;

use super::large::{Slot, Slots};
use crate::trust::Trust;

/// Most bytes that the connection gets at once: it asks for more when most of them are sent.
const PIECE: usize = 64 << 10;

/// The slots of all clients. Clients with the same token share them, however many connections they make.
#[derive(Debug, Clone, Default)]
pub(super) struct SlotsByTrust(Arc<Mutex<HashMap<Trust, Slots>>>);

impl SlotsByTrust {
    /// Waits for a slot, but not longer than this.
    pub(super) async fn take(&self, trust: &Trust, longest: Duration) -> Result<Slot, ApiError> {
        let slots = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|_, slots| slots.in_use());
            all.entry(trust.clone()).or_default().clone()
        };
        let slot = tokio::time::timeout(longest, slots.take()).await.ok().flatten();
        slot.ok_or(ApiError::UnreadAnswers)
    }
}

/// An answer that ends when its token is revoked.
pub(crate) struct Granted<B> {
    body: B,
    revoked: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Read from the body, and not yet given to the connection.
    rest: Bytes,
    _slot: Option<Slot>,
}

impl<B> Granted<B> {
    pub(crate) fn new(
        body: B,
        revoked: impl Future<Output = ()> + Send + 'static,
        slot: Option<Slot>,
    ) -> Granted<B> {
        Granted { body, revoked: Box::pin(revoked), rest: Bytes::new(), _slot: slot }
    }
}

impl<B: HttpBody<Data = Bytes> + Unpin> HttpBody for Granted<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if self.revoked.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        if self.rest.is_empty() {
            let frame = match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => frame,
                other => return other,
            };
            match frame.into_data() {
                Ok(data) => self.rest = data,
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            }
        }
        let piece = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece)))))
    }
}
