//! Tokens that people make for the HTTP listener: one file each, named like the token.
//!
//! A token is `NAME.SECRET`. Every request reads the one file that can match, so a revocation takes effect at once,
//! in any daemon, without locks or notifications. A token is made by a rename and revoked by removing its file, so a
//! SIGKILL never leaves half of one.

use std::fs::{DirBuilder, File, FileTimes, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cotty_protocol::op::token_new::Kind;
use cotty_protocol::text::{hex, secret};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tokio::sync::broadcast;

/// Longest token name.
const NAME: usize = 64;
/// Resolution of the last use: not every request touches the file.
const USE_RESOLUTION: Duration = Duration::from_secs(60);

/// The directory of the tokens.
#[derive(Debug, Clone)]
pub(crate) struct Tokens {
    dir: PathBuf,
    /// Sends the name of each token that is revoked.
    revoked: broadcast::Sender<String>,
}

/// The content of a token's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    kind: Kind,
    made_ms: u64,
    /// The request that made the token: a retry is answered again.
    #[serde(rename = "request")]
    retry_id: String,
    /// SHA-256 of the secret, in hex. The secret is 256 random bits, so a slow hash or a salt would add nothing. A
    /// reader of the file cannot use the token.
    hash: String,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenEntry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) made_ms: u64,
    pub(crate) used_ms: Option<u64>,
}

/// Why a token operation failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("`{0}` is not a valid token name")]
    Name(String),
    #[error("there is already a token named `{0}`")]
    Exists(String),
    #[error("there is no token named `{0}`")]
    NotFound(String),
    #[error("cannot read or write the tokens: {0}")]
    Io(#[from] io::Error),
}

impl Tokens {
    pub(crate) fn at(dir: PathBuf) -> Tokens {
        Tokens { dir, revoked: broadcast::Sender::new(16) }
    }

    /// Runs a job on the files, on a thread that may block.
    pub(crate) async fn on_disk<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Tokens) -> T + Send + 'static,
    ) -> Result<T, TokenError> {
        let tokens = self.clone();
        let done = tokio::task::spawn_blocking(move || job(&tokens)).await;
        done.map_err(|error| TokenError::Io(io::Error::other(error)))
    }

    /// Makes a token and returns it. A retry replaces the token: the first answer was lost with its daemon.
    pub(crate) fn make(
        &self,
        name: &str,
        kind: Kind,
        retry_id: &str,
        now_ms: u64,
    ) -> Result<String, TokenError> {
        let path = self.path(name)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
        if let Some((_, stored)) = read(&path)?
            && stored.retry_id != retry_id
        {
            return Err(TokenError::Exists(name.to_owned()));
        }
        let secret = secret()?;
        let stored = Stored { kind, made_ms: now_ms, retry_id: retry_id.to_owned(), hash: hash(&secret) };
        // No token name begins with a dot.
        let fresh = self.dir.join(format!(".{name}"));
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        file.write_all(&serde_json::to_vec(&stored).map_err(io::Error::other)?)?;
        // A last use at `made_ms` means: not used yet.
        set_used(&file, time(now_ms))?;
        file.sync_all()?;
        std::fs::rename(&fresh, &path)?;
        Ok(format!("{name}.{secret}"))
    }

    /// All tokens, sorted by name.
    pub(crate) fn list(&self) -> Result<Vec<TokenEntry>, TokenError> {
        let entries = match std::fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut all = Vec::new();
        for entry in entries {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if let Ok(path) = self.path(&name)
                // An unreadable token grants nothing and hides no other.
                && let Ok(Some((file, stored))) = read(&path)
            {
                let used_ms = Some(used_ms(&file)?).filter(|used| *used > stored.made_ms);
                all.push(TokenEntry { name, kind: stored.kind, made_ms: stored.made_ms, used_ms });
            }
        }
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Revokes a token at once.
    pub(crate) fn revoke(&self, name: &str) -> Result<(), TokenError> {
        match std::fs::remove_file(self.path(name)?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(TokenError::NotFound(name.to_owned()))
            }
            removed => {
                removed?;
                let _ = self.revoked.send(name.to_owned());
                Ok(())
            }
        }
    }

    /// Completes when the token of this name is revoked. Without a name it never completes.
    pub(crate) fn revocation(&self, name: Option<&str>) -> impl Future<Output = ()> + Send + use<> {
        let (mut revoked, name) = (self.revoked.subscribe(), name.map(str::to_owned));
        // Subscribed before the check: no revocation between the two is missed.
        let exists = name.as_deref().and_then(|name| self.path(name).ok()).is_some_and(|path| path.exists());
        async move {
            let Some(name) = name else { return std::future::pending().await };
            if !exists {
                return;
            }
            // A receiver that lagged may have missed this token: it completes, too.
            while revoked.recv().await.is_ok_and(|other| other != name) {}
        }
    }

    /// The name and kind of a given token, or `None` if it is not valid. Records its use.
    pub(crate) fn check(&self, given: &str, now_ms: u64) -> Option<(String, Kind)> {
        let (name, secret) = given.rsplit_once('.')?;
        let (file, stored) = read(&self.path(name).ok()?).ok()??;
        if !bool::from(hash(secret).as_bytes().ct_eq(stored.hash.as_bytes())) {
            return None;
        }
        if let Ok(used) = used_ms(&file)
            && (used <= stored.made_ms || time(now_ms) >= time(used) + USE_RESOLUTION)
        {
            // Through the open file: a token that is revoked meanwhile stays revoked.
            let _ = set_used(&file, time(now_ms.max(stored.made_ms + 1)));
        }
        Some((name.to_owned(), stored.kind))
    }

    fn path(&self, name: &str) -> Result<PathBuf, TokenError> {
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        match plain && (1..=NAME).contains(&name.len()) {
            true => Ok(self.dir.join(name)),
            false => Err(TokenError::Name(name.to_owned())),
        }
    }
}

fn read(path: &Path) -> io::Result<Option<(File, Stored)>> {
    let mut file = match OpenOptions::new().read(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let stored = serde_json::from_slice(&text).map_err(|error| {
        io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
    })?;
    Ok(Some((file, stored)))
}

/// A file's modification time is its token's last use. Setting it does not write the file, so it cannot bring back a
/// revoked token.
fn set_used(file: &File, at: SystemTime) -> io::Result<()> {
    file.set_times(FileTimes::new().set_modified(at))
}

fn used_ms(file: &File) -> io::Result<u64> {
    let since = file.metadata()?.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn time(ms: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(ms)
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn tokens() -> (tempfile::TempDir, Tokens) {
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path().join("tokens"));
        (dir, tokens)
    }

    #[test]
    fn a_token_is_valid_until_it_is_revoked() {
        let (_dir, tokens) = tokens();
        assert_eq!(tokens.list().unwrap(), []);
        let full = tokens.make("ci", Kind::Full, "r1", 1_000).unwrap();
        let other = tokens.make("watch", Kind::ReadOnly, "r2", 2_000).unwrap();
        assert_eq!(tokens.check(&full, 3_000), Some(("ci".into(), Kind::Full)));
        assert_eq!(tokens.check(&other, 3_000), Some(("watch".into(), Kind::ReadOnly)));
        let secret = full.strip_prefix("ci.").unwrap();
        for wrong in ["", ".", "ci", "ci.", "nothing.00", "../ci.00", &format!("watch.{secret}"), secret] {
            assert_eq!(tokens.check(wrong, 3_000), None, "{wrong}");
        }
        tokens.revoke("ci").unwrap();
        assert_eq!(tokens.check(&full, 3_000), None);
        assert!(matches!(tokens.revoke("ci"), Err(TokenError::NotFound(_))));
        assert_eq!(tokens.list().unwrap().len(), 1);
    }

    #[test]
    fn the_last_use_is_recorded_to_the_minute() {
        let (_dir, tokens) = tokens();
        let token = tokens.make("ci", Kind::Full, "r", 1_000).unwrap();
        let used = || tokens.list().unwrap()[0].used_ms;
        assert_eq!(used(), None);
        for (now, known) in [(1_000, 1_001), (60_000, 1_001), (61_001, 61_001), (500, 61_001)] {
            tokens.check(&token, now).unwrap();
            assert_eq!(used(), Some(known), "at {now}");
        }
    }

    #[test]
    fn a_retry_gets_a_new_secret_and_another_request_is_refused() {
        let (_dir, tokens) = tokens();
        let lost = tokens.make("ci", Kind::Full, "r", 1_000).unwrap();
        let retried = tokens.make("ci", Kind::Full, "r", 1_000).unwrap();
        assert!(tokens.check(&lost, 2_000).is_none() && tokens.check(&retried, 2_000).is_some());
        assert!(matches!(tokens.make("ci", Kind::Full, "r2", 1_000), Err(TokenError::Exists(_))));
        for name in ["", "a b", "a.b", "../x", ".ci", &"x".repeat(65)] {
            assert!(matches!(tokens.make(name, Kind::Full, "r", 0), Err(TokenError::Name(_))), "{name}");
        }
    }

    #[test]
    fn nothing_on_disk_works_as_a_token() {
        let (dir, tokens) = tokens();
        let token = tokens.make("ci", Kind::Full, "r", 1_000).unwrap();
        let path = dir.path().join("tokens/ci");
        let stored = std::fs::read_to_string(&path).unwrap();
        assert!(!stored.contains(token.strip_prefix("ci.").unwrap()));
        let hash = serde_json::from_str::<Stored>(&stored).unwrap().hash;
        assert_eq!(tokens.check(&format!("ci.{hash}"), 2_000), None);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }
}
