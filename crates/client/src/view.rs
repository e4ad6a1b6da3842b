use cotty_protocol::view::{FromViewer, ToViewer};
use cotty_protocol::{Answer, Caller, Code, Fault};
use futures_util::{SinkExt, StreamExt};
use tokio::net::UnixStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::ClientError;

/// A session being watched: its paints come out, keys go in.
#[derive(Debug)]
pub struct View {
    socket: WebSocketStream<UnixStream>,
}

impl View {
    pub(crate) async fn open(
        stream: UnixStream,
        session: &str,
        caller: &Caller,
        cwd: &str,
    ) -> Result<View, ClientError> {
        if !session.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
            return Err(Fault::new(Code::SessionNotFound, format!("Session not found: {session}")).into());
        }
        let url = format!("ws://cotty/v1/sessions/{session}/view");
        let mut request = url.into_client_request().map_err(std::io::Error::other)?;
        // Where we are inside of a session these say whose views we are; else we are a person.
        for (name, text) in [("cotty-client", caller.client.as_str()), ("cotty-directory", cwd)] {
            if let Ok(value) = HeaderValue::from_str(text) {
                request.headers_mut().insert(name, value);
            }
        }
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(View { socket }),
            Err(Error::Http(response)) => {
                let body = response.into_body().unwrap_or_default();
                match serde_json::from_slice(&body) {
                    Ok(Answer::Error(fault)) => Err(fault.into()),
                    _ => Err(ClientError::NoAnswer("it refused to show the session".into())),
                }
            }
            Err(error) => Err(ClientError::NoAnswer(error.to_string())),
        }
    }

    /// The next thing to show. `None`: the daemon went away; view again to go on.
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

    /// Types.
    pub async fn send(&mut self, message: &FromViewer) -> Result<(), ClientError> {
        let text = serde_json::to_string(message).map_err(std::io::Error::other)?;
        self.socket.send(Message::text(text)).await.map_err(|e| ClientError::NoAnswer(e.to_string()))
    }
}
