//! Who may use the HTTP listener: callers with a token. Pages of other sites are refused.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use cotty_protocol::ApiError;
use cotty_protocol::text::secret;
use subtle::ConstantTimeEq;

use crate::tokens::Tokens;
use crate::trust::Trust;

/// A viewer's WebSocket speaks this protocol.
pub(crate) const VIEW_PROTOCOL: &str = "cotty.view.v1";
/// A front end's WebSocket speaks this protocol.
pub(crate) const UPDATES_PROTOCOL: &str = "cotty.updates.v1";
/// Browsers cannot set headers on a WebSocket, so its token comes as a second "protocol".
const BEARER_PROTOCOL: &str = "cotty.bearer.";

/// The page's own token, which grants full access.
#[derive(Debug)]
pub(crate) struct Token(String);

impl Token {
    /// Reads the token of this home, or creates it. It never changes, so links keep working.
    pub(crate) fn load(path: &Path) -> io::Result<Token> {
        let mut text = String::new();
        match OpenOptions::new().read(true).open(path) {
            Ok(mut file) => {
                file.read_to_string(&mut text)?;
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                text = secret()?;
                // Renamed when complete: with half a token the next daemon could not start.
                let fresh = path.with_extension("new");
                let mut file =
                    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
                file.write_all(text.as_bytes())?;
                file.sync_all()?;
                std::fs::rename(fresh, path)?;
            }
            Err(e) => return Err(e),
        }
        let text = text.trim().to_owned();
        if text.len() < 32 {
            let message = format!("{} contains no valid token: remove it to get a new one", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Token(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Compares in constant time.
    fn is(&self, given: &str) -> bool {
        given.as_bytes().ct_eq(self.0.as_bytes()).into()
    }
}

/// Determines the trust of a request by its token, after checking its source.
pub(crate) async fn admit(
    headers: &HeaderMap,
    address: &str,
    page: &Token,
    tokens: &Tokens,
    now_ms: u64,
) -> Result<Trust, ApiError> {
    check_source(headers, address)?;
    let given = bearer(headers).unwrap_or_default();
    if page.is(given) {
        return Ok(Trust::Trusted { token: None });
    }
    let given = given.to_owned();
    // A token that cannot be checked grants nothing.
    match tokens.on_disk(move |tokens| tokens.check(&given, now_ms)).await.ok().flatten() {
        Some((name, kind)) => Ok(Trust::with_token(name, kind)),
        None => Err(ApiError::BadToken),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        return value.to_str().ok()?.strip_prefix("Bearer ");
    }
    let offered = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(BEARER_PROTOCOL))
}

/// Refuses pages of other sites and foreign names that resolve to us: they must not reach the terminals through a
/// browser.
pub(crate) fn check_source(headers: &HeaderMap, address: &str) -> Result<(), ApiError> {
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    let ours = [
        address.to_owned(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
    ];
    let refused = |what: &str| {
        Err(ApiError::Unauthorized { reason: format!("the {what} header does not name this server") })
    };
    match headers.get(HOST).and_then(|v| v.to_str().ok()) {
        Some(host) if ours.iter().any(|known| known == host) => {}
        _ => return refused("Host"),
    }
    match headers.get(ORIGIN).map(|v| v.to_str().unwrap_or_default()) {
        None => Ok(()),
        Some(origin) if ours.iter().any(|known| Some(known.as_str()) == origin.strip_prefix("http://")) => {
            Ok(())
        }
        Some(_) => refused("Origin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};
    use cotty_protocol::op::token_new::Kind;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[tokio::test]
    async fn a_request_needs_our_host_and_origin_and_a_valid_token() {
        let token = Token("0123456789abcdef0123456789abcdef".into());
        let good = "Bearer 0123456789abcdef0123456789abcdef";
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path().join("tokens"));
        let admitted = async |pairs: &[(HeaderName, &str)]| {
            admit(&headers(pairs), "127.0.0.1:7420", &token, &tokens, 2_000).await.ok()
        };
        let check = async |pairs: &[(HeaderName, &str)]| {
            admitted(pairs).await == Some(Trust::Trusted { token: None })
        };
        assert!(check(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, good)]).await);
        assert!(
            check(&[(HOST, "localhost:7420"), (ORIGIN, "http://localhost:7420"), (AUTHORIZATION, good)])
                .await
        );
        let socket = "cotty.view.v1, cotty.bearer.0123456789abcdef0123456789abcdef";
        assert!(check(&[(HOST, "127.0.0.1:7420"), (SEC_WEBSOCKET_PROTOCOL, socket)]).await);
        assert!(!check(&[(HOST, "127.0.0.1:7420")]).await);
        assert!(!check(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, "Bearer 0123")]).await);
        assert!(!check(&[(HOST, "evil.example:7420"), (AUTHORIZATION, good)]).await);
        assert!(
            !check(&[(HOST, "127.0.0.1:7420"), (ORIGIN, "https://evil.example"), (AUTHORIZATION, good)])
                .await
        );
        assert!(!check(&[(AUTHORIZATION, good)]).await);
        let made = tokens.make("w", Kind::ReadOnly, "r", 1_000).unwrap();
        let bearer = format!("Bearer {made}");
        let read_only = Some(Trust::ReadOnly { token: "w".into() });
        assert_eq!(admitted(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, &bearer)]).await, read_only);
        let socket = format!("cotty.updates.v1, cotty.bearer.{made}");
        assert_eq!(admitted(&[(HOST, "127.0.0.1:7420"), (SEC_WEBSOCKET_PROTOCOL, &socket)]).await, read_only);
        assert_eq!(admitted(&[(HOST, "evil.example"), (AUTHORIZATION, &bearer)]).await, None);
        tokens.revoke("w").unwrap();
        assert_eq!(admitted(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, &bearer)]).await, None);
    }
}
