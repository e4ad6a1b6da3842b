//! Who may use the HTTP listener: whoever has the token, from a page of ours.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use cotty_protocol::{Code, Fault};
use subtle::ConstantTimeEq;

/// A viewer's WebSocket speaks this protocol.
pub(crate) const VIEW_PROTOCOL: &str = "cotty.view.v1";
/// And that of a front end that draws lines this one.
pub(crate) const UPDATES_PROTOCOL: &str = "cotty.updates.v1";
/// Browsers cannot set headers on a WebSocket, so its token comes as a second "protocol".
const BEARER_PROTOCOL: &str = "cotty.bearer.";

/// The token that opens the HTTP listener.
#[derive(Debug)]
pub(crate) struct Token(String);

impl Token {
    /// Reads the token of this home, or makes it. It stays the same, so that a link goes on working.
    pub(crate) fn load(path: &Path) -> io::Result<Token> {
        let mut text = String::new();
        match OpenOptions::new().read(true).open(path) {
            Ok(mut file) => {
                file.read_to_string(&mut text)?;
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let mut bytes = [0u8; 32];
                getrandom::fill(&mut bytes).map_err(io::Error::other)?;
                text = bytes.iter().map(|b| format!("{b:02x}")).collect();
                let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
                file.write_all(text.as_bytes())?;
            }
            Err(e) => return Err(e),
        }
        let text = text.trim().to_owned();
        if text.len() < 32 {
            let message = format!("{} holds no token: remove it to get a new one", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(Token(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a request brings the token and comes from where it should.
    pub(crate) fn check(&self, headers: &HeaderMap, address: &str) -> Result<(), Fault> {
        check_source(headers, address)?;
        let given = bearer(headers).unwrap_or_default();
        match bool::from(given.as_bytes().ct_eq(self.0.as_bytes())) {
            true => Ok(()),
            false => Err(Fault::new(Code::Unauthorized, "the token is missing or wrong")
                .with_hint("open the link that `cotty status` prints")),
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    if let Some(value) = headers.get(AUTHORIZATION) {
        return value.to_str().ok()?.strip_prefix("Bearer ");
    }
    let offered = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(BEARER_PROTOCOL))
}

/// A page of another site, or a name that resolves to us, must not reach the terminals behind a browser.
pub(crate) fn check_source(headers: &HeaderMap, address: &str) -> Result<(), Fault> {
    let port = address.rsplit_once(':').map_or("", |(_, port)| port);
    let ours = [
        address.to_owned(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
    ];
    let refused =
        |what: &str| Err(Fault::new(Code::Unauthorized, format!("the {what} of this request is not ours")));
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

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn only_the_token_from_our_own_page_opens() {
        let token = Token("0123456789abcdef0123456789abcdef".into());
        let good = "Bearer 0123456789abcdef0123456789abcdef";
        let check = |pairs: &[(HeaderName, &str)]| token.check(&headers(pairs), "127.0.0.1:7420").is_ok();
        assert!(check(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, good)]));
        assert!(check(&[(HOST, "localhost:7420"), (ORIGIN, "http://localhost:7420"), (AUTHORIZATION, good)]));
        let socket = "cotty.view.v1, cotty.bearer.0123456789abcdef0123456789abcdef";
        assert!(check(&[(HOST, "127.0.0.1:7420"), (SEC_WEBSOCKET_PROTOCOL, socket)]));
        assert!(!check(&[(HOST, "127.0.0.1:7420")]));
        assert!(!check(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, "Bearer 0123")]));
        assert!(!check(&[(HOST, "evil.example:7420"), (AUTHORIZATION, good)]));
        assert!(!check(&[(HOST, "127.0.0.1:7420"), (ORIGIN, "https://evil.example"), (AUTHORIZATION, good)]));
        assert!(!check(&[(AUTHORIZATION, good)]));
    }
}
