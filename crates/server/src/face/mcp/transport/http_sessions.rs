//! Which caller owns which MCP session over HTTP (revisions up to 2025-11-25), one file each. Only its owner can
//! continue a session, and after a crash the next daemon continues all of them. Their ids are random and unrelated to
//! terminals.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cotty_protocol::text::hex;
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::trust::Trust;

/// How long a client may be silent: agents think, and people go to lunch.
pub(crate) const SILENCE: Duration = Duration::from_secs(6 * 60 * 60);
/// Resolution of the last use.
const USE_RESOLUTION: Duration = Duration::from_secs(60);
/// Most sessions of one trust; beyond that, the one silent longest is removed.
const MOST: usize = 64;

/// The MCP sessions of callers with this trust.
#[derive(Clone)]
pub(crate) struct Begun {
    /// One directory per trust, so that no caller searches all sessions.
    dir: PathBuf,
    by: String,
    /// The sessions that are being served.
    served: Arc<LocalSessionManager>,
}

impl std::fmt::Debug for Begun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Begun").field("by", &self.by).finish_non_exhaustive()
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    by: String,
    state: SessionState,
}

impl Begun {
    pub(crate) fn new(dir: &Path, by: &Trust, served: Arc<LocalSessionManager>) -> Begun {
        let by = format!("{by:?}");
        let folder = hex(&Sha256::digest(&by)[..8]);
        Begun { dir: dir.join(folder), by, served }
    }

    fn path(&self, id: &str) -> Option<PathBuf> {
        let plain = id.len() <= 64 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        (plain && !id.is_empty()).then(|| self.dir.join(id))
    }

    /// Whether this is one of theirs. Marks it as used.
    pub(crate) async fn has(&self, id: &str) -> bool {
        let id = id.to_owned();
        self.on_disk(move |begun| Ok(begun.read(&id).is_some())).await.unwrap_or_default()
    }

    /// Runs a job on the files, on a thread that may block.
    async fn on_disk<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Begun) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let begun = self.clone();
        let done = tokio::task::spawn_blocking(move || job(&begun)).await;
        done.unwrap_or_else(|error| Err(io::Error::other(error)))
    }

    fn read(&self, id: &str) -> Option<SessionState> {
        let mut file = File::open(self.path(id)?).ok()?;
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        let stored: Stored = serde_json::from_str(&text).ok()?;
        let silence = file.metadata().ok()?.modified().ok()?.elapsed().unwrap_or_default();
        if stored.by != self.by || silence > SILENCE {
            return None;
        }
        if silence > USE_RESOLUTION {
            let _ = file.set_modified(SystemTime::now());
        }
        Some(stored.state)
    }

    /// Stores a session. Returns the sessions that were removed.
    fn write(&self, id: &str, state: &SessionState) -> io::Result<Vec<String>> {
        let path = self.path(id).ok_or(io::ErrorKind::InvalidInput)?;
        std::fs::create_dir_all(&self.dir)?;
        let gone = self.tidy();
        let text = serde_json::to_vec(&Stored { by: self.by.clone(), state: state.clone() })?;
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(&text)?;
        Ok(gone)
    }

    /// Removes expired sessions, and makes room for one more.
    fn tidy(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let mut known: Vec<(SystemTime, PathBuf)> = entries
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        known.sort_unstable_by(|one, other| other.cmp(one));
        let is_over = |used: &SystemTime| used.elapsed().is_ok_and(|silence| silence > SILENCE);
        let kept = known.iter().take(MOST - 1).take_while(|(used, _)| !is_over(used)).count();
        let gone = known.split_off(kept).into_iter();
        gone.filter_map(|(_, path)| {
            let _ = std::fs::remove_file(&path);
            Some(path.file_name()?.to_str()?.to_owned())
        })
        .collect()
    }
}

type Soon<'a, T> = Pin<Box<dyn Future<Output = Result<T, SessionStoreError>> + Send + 'a>>;

impl SessionStore for Begun {
    fn load<'a, 'b, 'c>(&'a self, id: &'b str) -> Soon<'c, Option<SessionState>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        let id = id.to_owned();
        Box::pin(async move { Ok(self.on_disk(move |begun| Ok(begun.read(&id))).await?) })
    }

    fn store<'a, 'b, 'c, 'd>(&'a self, id: &'b str, state: &'c SessionState) -> Soon<'d, ()>
    where
        'a: 'd,
        'b: 'd,
        'c: 'd,
        Self: 'd,
    {
        let (id, state) = (id.to_owned(), state.clone());
        Box::pin(async move {
            for gone in self.on_disk(move |begun| begun.write(&id, &state)).await? {
                let _ = self.served.close_session(&gone.into()).await;
            }
            Ok(())
        })
    }

    fn delete<'a, 'b, 'c>(&'a self, id: &'b str) -> Soon<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        let path = self.path(id);
        Box::pin(async move { Ok(self.on_disk(|_| path.map_or(Ok(()), std::fs::remove_file)).await?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_owner_has_a_session_and_only_until_it_expires() {
        let dir = tempfile::tempdir().unwrap();
        let of = |trust: &Trust| Begun::new(&dir.path().join("sessions"), trust, Arc::default());
        let (mine, other) =
            (of(&Trust::Trusted { token: Some("a".into()) }), of(&Trust::AgentToken { token: "a".into() }));
        let about =
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}"#;
        let state = SessionState::new(serde_json::from_str(about).unwrap());
        let has = |begun: &Begun, id: &str| begun.read(id).is_some();
        mine.write("id-1", &state).unwrap();
        assert!(has(&mine, "id-1") && !has(&other, "id-1") && !has(&mine, "id-2"));
        assert!(mine.write("../id", &state).is_err() && !has(&mine, "../sessions/id-1") && !has(&mine, ""));
        let file_of = |begun: &Begun, id| File::options().append(true).open(begun.path(id).unwrap()).unwrap();
        let file = file_of(&mine, "id-1");
        file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
        assert!(has(&mine, "id-1"));
        assert!(
            file.metadata().unwrap().modified().unwrap().elapsed().unwrap() < USE_RESOLUTION,
            "used, so it stays"
        );
        file.set_modified(SystemTime::now() - SILENCE - Duration::from_secs(1)).unwrap();
        assert!(!has(&mine, "id-1"));
        mine.write("id-3", &state).unwrap();
        assert!(!mine.path("id-1").unwrap().exists() && has(&mine, "id-3"));
        file_of(&mine, "id-3").set_modified(SystemTime::now() - Duration::from_secs(30)).unwrap();
        other.write("id-4", &state).unwrap();
        for count in 1..MOST {
            assert!(mine.write(&format!("more-{count}"), &state).unwrap().is_empty(), "{count}");
        }
        assert_eq!(mine.write("last", &state).unwrap(), ["id-3"], "silent longest");
        assert!(!has(&mine, "id-3") && has(&mine, "last") && has(&mine, "more-1") && has(&other, "id-4"));
    }
}
