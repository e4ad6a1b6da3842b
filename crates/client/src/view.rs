use cotty_protocol::text::acts;
use cotty_protocol::view::{FromViewer, ToViewer};
use cotty_protocol::{Answer, ApiError, Caller, ErrorBody};
use futures_util::{SinkExt, StreamExt};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::ClientError;
use crate::call::instance;

/// The identity of a viewer. A viewer that reconnects with the same id keeps the keyboard.
#[derive(Debug, Clone)]
pub struct Viewer {
    id: String,
    name: String,
    kind: String,
}

impl Viewer {
    /// A new viewer with the person's name, as others see it, and its kind (`attach`).
    pub fn new(name: &str, kind: &str) -> Result<Viewer, ClientError> {
        Ok(Viewer { id: instance()?, name: name.to_owned(), kind: kind.to_owned() })
    }

    fn query(&self) -> String {
        format!("viewer={}&name={}&kind={}", self.id, escaped(&self.name), escaped(&self.kind))
    }
}

/// Percent-encodes a text for a URL. The daemon accepts up to 64 bytes without control characters.
fn escaped(text: &str) -> String {
    let mut plain: String = text.chars().filter(|c| !acts(*c)).take(64).collect();
    while plain.len() > 64 {
        plain.pop();
    }
    if plain.is_empty() {
        plain.push('?');
    }
    utf8_percent_encode(&plain, NON_ALPHANUMERIC).to_string()
}

/// A connection that watches a session: paints come in, keys go out.
#[derive(Debug)]
pub struct View {
    socket: WebSocketStream<UnixStream>,
}

impl View {
    pub(crate) async fn open(
        stream: UnixStream,
        session: &str,
        viewer: Option<&Viewer>,
        caller: &Caller,
        cwd: &str,
    ) -> Result<View, ClientError> {
        if !session.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            let error = ApiError::SessionNotFound { session: session.to_owned(), near: None };
            return Err(ErrorBody::new(error, None).into());
        }
        let query = viewer.map(Viewer::query).unwrap_or_default();
        let url = format!("ws://cotty/v1/sessions/{session}/view?{query}");
        let mut request = url.into_client_request().map_err(std::io::Error::other)?;
        // Inside a session these headers identify the owner; elsewhere the caller is a person.
        for (name, text) in [("cotty-client", caller.client.as_str()), ("cotty-directory", cwd)] {
            if let Ok(value) = HeaderValue::from_str(text) {
                request.headers_mut().insert(name, value);
            }
        }
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(View { socket }),
            Err(Error::Http(response)) => {
                let body = response.into_body().unwrap_or_default();
                match serde_json::from_slice::<Answer>(&body) {
                    Ok(Answer::Error(error)) => Err(error.into()),
                    _ => Err(ClientError::NoAnswer("it did not accept the viewer".into())),
                }
            }
            Err(error) => Err(ClientError::NoAnswer(error.to_string())),
        }
    }

    /// The next message. `None`: the daemon is gone; open a new view to continue.
    pub async fn next(&mut self) -> Option<ToViewer> {
        loop {
            match self.socket.next().await? {
                Ok(Message::Text(text)) => {
                    if let Ok(message) = serde_json::from_str(&text) {
                        return Some(message);
                    }
                }
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Closes the connection after the daemon has received everything sent before.
    pub async fn close(mut self) {
        let _ = self.socket.close(None).await;
        // Until the daemon's own close, or the end of the stream.
        while self.next().await.is_some() {}
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &FromViewer) -> Result<(), ClientError> {
        let text = serde_json::to_string(message).map_err(std::io::Error::other)?;
        self.socket.send(Message::text(text)).await.map_err(|e| ClientError::NoAnswer(e.to_string()))
    }
}
