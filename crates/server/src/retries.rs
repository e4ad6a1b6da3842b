//! Which requests were sent with which `Idempotency-Key`: a key that is used again for another request is a mistake of the
//! client, which would otherwise get the answer of the first. Only keyed hashes are kept, in the keeper's memory.

use std::collections::VecDeque;

use cotty_protocol::ApiError;
use cotty_protocol::text::secret;
use cotty_pty::{KeeperError, Link};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::proof::hmac;

/// The keeper's key for them.
const RETRIES: &[u8] = b"retries";
/// How many are remembered.
const REMEMBERED: usize = 1024;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    secret: String,
    /// Hashes of a caller's key and of its request; 0: a request that may contain a secret.
    seen: VecDeque<(u64, u64)>,
}

/// The requests with keys.
#[derive(Debug)]
pub(crate) struct Retries {
    link: Link,
    kept: Mutex<Kept>,
}

impl Retries {
    pub(crate) async fn take(link: Link) -> Result<Retries, KeeperError> {
        let held = link.list().await?.into_iter().find(|entry| entry.key == RETRIES);
        let kept = held.and_then(|entry| serde_json::from_slice::<Kept>(&entry.blob).ok());
        let kept = match kept.filter(|kept| !kept.secret.is_empty()) {
            Some(kept) => kept,
            None => Kept { secret: secret().map_err(KeeperError::Refused)?, ..Kept::default() },
        };
        Ok(Retries { link, kept: Mutex::new(kept) })
    }

    /// Refuses a key that this caller used for another request. `request: None`: it may contain a secret.
    pub(crate) async fn check(
        &self,
        caller: &str,
        key: &str,
        request: Option<&[u8]>,
    ) -> Result<(), ApiError> {
        let mut kept = self.kept.lock().await;
        if !kept.note(caller, key, request)? {
            return Ok(());
        }
        // Before the request acts, so that the next daemon knows it, too.
        let blob =
            serde_json::to_vec(&*kept).map_err(|error| ApiError::Broken { error: error.to_string() })?;
        let stored = self.link.blob(RETRIES, &blob).await;
        stored.map_err(|error| ApiError::Keeper { error: error.to_string() })
    }
}

impl Kept {
    /// Notes a request; `false` if it is known.
    fn note(&mut self, caller: &str, key: &str, request: Option<&[u8]>) -> Result<bool, ApiError> {
        let id = self.hash(format!("key\0{caller}\0{key}").as_bytes());
        let request = request.map_or(0, |request| self.hash(&[b"request\0", request].concat()));
        match self.seen.iter().find(|(seen, _)| *seen == id) {
            Some((_, known)) if *known == request || *known == 0 || request == 0 => Ok(false),
            Some(_) => Err(ApiError::RetryIdReused { retry_id: key.to_owned() }),
            None => {
                if self.seen.len() == REMEMBERED {
                    self.seen.pop_front();
                }
                self.seen.push_back((id, request));
                Ok(true)
            }
        }
    }

    fn hash(&self, text: &[u8]) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = hmac(self.secret.as_bytes(), text);
        u64::from_le_bytes([a, b, c, d, e, f, g, h]).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_one_request_of_one_caller() {
        let mut kept = Kept { secret: "s".into(), ..Kept::default() };
        let mut note = |caller: &str, key: &str, request: Option<&str>| {
            kept.note(caller, key, request.map(str::as_bytes)).map_err(|error| error.code())
        };
        let reused = Err(cotty_protocol::Code::RetryIdReused);
        assert_eq!(note("a", "1", Some("x")), Ok(true));
        assert_eq!(note("a", "1", Some("x")), Ok(false));
        assert_eq!(note("a", "1", Some("y")), reused);
        assert_eq!(note("b", "1", Some("y")), Ok(true), "another caller's");
        assert_eq!(
            (note("a", "2", None), note("a", "2", Some("z"))),
            (Ok(true), Ok(false)),
            "nothing is known of a secret"
        );
        for number in 0..REMEMBERED {
            assert_eq!(note("c", &number.to_string(), Some("x")), Ok(true));
        }
        assert_eq!(note("a", "1", Some("y")), Ok(true), "forgotten");
    }
}
