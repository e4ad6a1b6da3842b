//! The page's credential. The keeper holds it in its memory, so it outlives the daemon and ends with the keeper; no file has it.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use cotty_protocol::text::secret;
use cotty_pty::{KeeperError, Link};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// The keeper's key for it.
const PAGE: &[u8] = b"page";

/// What the keeper holds.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    key: String,
    /// The address that it is for. At another address the page gets a new credential: someone else may listen at the old one.
    address: String,
}

/// The credential of the page at one address.
#[derive(Debug)]
pub(crate) struct Page {
    link: Link,
    address: String,
    key: Mutex<Arc<str>>,
    /// Counts the changes of the key.
    rotations: watch::Sender<u64>,
}

impl Page {
    /// Takes the credential that the keeper holds for this address, or makes a new one.
    pub(crate) async fn take(link: Link, address: &str) -> Result<Page, KeeperError> {
        let held = link.list().await?.into_iter().find(|entry| entry.key == PAGE);
        let kept: Option<Kept> = held.and_then(|entry| serde_json::from_slice(&entry.blob).ok());
        let key = kept.filter(|kept| kept.address == address && !kept.key.is_empty()).map(|kept| kept.key);
        let page = Page {
            link,
            address: address.to_owned(),
            key: Mutex::new(key.as_deref().unwrap_or_default().into()),
            rotations: watch::Sender::new(0),
        };
        if key.is_none() {
            page.rotate().await?;
        }
        Ok(page)
    }

    pub(crate) fn key(&self) -> Arc<str> {
        Arc::clone(&self.key.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes a new credential. Whoever got in with the old one is out.
    pub(crate) async fn rotate(&self) -> Result<(), KeeperError> {
        let kept = Kept { key: secret().map_err(KeeperError::Refused)?, address: self.address.clone() };
        // The keeper first: a daemon that dies now must not bring back the old one.
        let blob = serde_json::to_vec(&kept).map_err(|error| KeeperError::Refused(error.into()))?;
        self.link.blob(PAGE, &blob).await?;
        *self.key.lock().unwrap_or_else(PoisonError::into_inner) = kept.key.into();
        self.rotations.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Completes at the next change of the credential.
    pub(crate) fn rotation(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut rotations = self.rotations.subscribe();
        async move {
            let _ = rotations.changed().await;
        }
    }
}

/// Removes the file in which earlier versions stored the page's token.
pub(crate) fn remove_old_token(state_dir: &Path) {
    match std::fs::remove_file(state_dir.join("token")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, "cannot remove the old token of the page, which is no longer valid");
        }
        _ => {}
    }
}
