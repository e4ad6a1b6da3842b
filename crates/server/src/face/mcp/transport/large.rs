//! Large answers: an answer can have megabytes, and a client may ask for a thousand and read none. So a client has a few
//! slots; a large answer takes one from when it is made until it has been written.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most large answers that a client may have asked for and not read. A resource has at most 4 MiB.
pub(super) const MOST_LARGE: usize = 4;

/// The slot of one large answer; free again when this is dropped.
pub(super) type Slot = OwnedSemaphorePermit;

/// The slots of one client.
#[derive(Debug, Clone)]
pub(super) struct Slots(Arc<Semaphore>);

impl Default for Slots {
    fn default() -> Slots {
        Slots(Arc::new(Semaphore::new(MOST_LARGE)))
    }
}

impl Slots {
    /// Waits for a slot.
    pub(super) async fn take(&self) -> Option<Slot> {
        Arc::clone(&self.0).acquire_owned().await.ok()
    }

    /// Whether an answer has a slot, or waits for one.
    pub(super) fn in_use(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}
