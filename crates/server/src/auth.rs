//! Who may use the HTTP listener: callers with a token. Pages of other sites are refused.

use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL};
use cotty_protocol::ApiError;

use crate::proof::Proofs;
use crate::tokens::Tokens;
use crate::trust::Trust;

/// A viewer's WebSocket speaks this protocol.
pub(crate) const VIEW_PROTOCOL: &str = "cotty.view.v1";
/// A front end's WebSocket speaks this protocol.
pub(crate) const UPDATES_PROTOCOL: &str = "cotty.updates.v1";
/// Browsers cannot set headers on a WebSocket, so its token comes as a second "protocol".
const BEARER_PROTOCOL: &str = "cotty.bearer.";

/// Determines the trust of a request by its token, after checking its source. `page` is the page's credential.
pub(crate) async fn admit(
    headers: &HeaderMap,
    address: &str,
    page: &str,
    tokens: &Tokens,
    now_ms: u64,
) -> Result<Trust, ApiError> {
    check_source(headers, address)?;
    let given = bearer(headers).unwrap_or_default();
    if (Proofs { key: page, origin: &origin(headers) }).admits(given, now_ms) {
        return Ok(Trust::Page);
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
        // RFC 7235: the scheme's case does not matter.
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        return scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_start_matches(' '));
    }
    let offered = headers.get(SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    offered.split(',').find_map(|protocol| protocol.trim().strip_prefix(BEARER_PROTOCOL))
}

/// The origin of the page that a request belongs to. Its host is one of ours: see [`check_source`].
pub(crate) fn origin(headers: &HeaderMap) -> String {
    format!("http://{}", headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default())
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
        let dir = tempfile::tempdir().unwrap();
        let tokens = Tokens::at(dir.path().join("tokens"));
        let key = "0123456789abcdef0123456789abcdef";
        let (now, nonce) = (2_000, "0".repeat(64));
        let pass_at = |origin: &str| {
            let proofs = Proofs { key, origin };
            let (challenge, _) = proofs.greet(&nonce, now).unwrap();
            proofs.enter(&nonce, &challenge, &proofs.answer(&nonce, &challenge), now).unwrap()
        };
        let (here, local) = (pass_at("http://127.0.0.1:7420"), pass_at("http://localhost:7420"));
        let good = &format!("Bearer {here}");
        let admitted = async |pairs: &[(HeaderName, &str)]| {
            admit(&headers(pairs), "127.0.0.1:7420", key, &tokens, now).await.ok()
        };
        let check = async |pairs: &[(HeaderName, &str)]| admitted(pairs).await == Some(Trust::Page);
        assert!(check(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, good)]).await);
        let good_local = &format!("Bearer {local}");
        let at_local = [(HOST, "localhost:7420"), (ORIGIN, "http://localhost:7420")];
        assert!(check(&[&at_local[..], &[(AUTHORIZATION, good_local)]].concat()).await);
        // Not at another origin, and never the credential itself.
        assert!(!check(&[&at_local[..], &[(AUTHORIZATION, good)]].concat()).await);
        assert!(!check(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, &format!("Bearer {key}"))]).await);
        let socket = format!("cotty.view.v1, cotty.bearer.{here}");
        assert!(check(&[(HOST, "127.0.0.1:7420"), (SEC_WEBSOCKET_PROTOCOL, &socket)]).await);
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
        for (scheme, valid) in [("bearer", true), ("BEARER ", true), ("Basic", false), ("", false)] {
            let given = format!("{scheme} {made}");
            let trust = admitted(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, &given)]).await;
            assert_eq!(trust.is_some(), valid, "{scheme}");
        }
        let socket = format!("cotty.updates.v1, cotty.bearer.{made}");
        assert_eq!(admitted(&[(HOST, "127.0.0.1:7420"), (SEC_WEBSOCKET_PROTOCOL, &socket)]).await, read_only);
        assert_eq!(admitted(&[(HOST, "evil.example"), (AUTHORIZATION, &bearer)]).await, None);
        tokens.revoke("w").unwrap();
        assert_eq!(admitted(&[(HOST, "127.0.0.1:7420"), (AUTHORIZATION, &bearer)]).await, None);
    }
}
