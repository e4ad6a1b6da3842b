//! `cotty mcp`: MCP's lines between a client's stdio and the daemon, across any number of daemons.
//!
//! The pipe understands three things of MCP: which lines are requests, which are their answers, and which one began
//! the conversation. When the daemon goes away it connects to the next one, begins the conversation there again
//! (swallowing that answer, which the client has had), and sends every request that is still open once more. The
//! daemon knows them by the pipe's instance and the request's id, so nothing happens twice.

use std::collections::VecDeque;

use cotty_protocol::{McpHello, Origin};
use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use crate::call::instance;
use crate::{Client, ClientError};

/// Passes lines until the client closes its end.
pub async fn run(
    client: &Client,
    input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
) -> Result<(), ClientError> {
    let hello = McpHello {
        instance: instance()?,
        origin: Origin::of_this_process(),
        tools: Vec::new(),
        only: Vec::new(),
        max_call_ms: None,
        ephemeral: false,
    };
    let hello = serde_json::to_string(&hello).map_err(std::io::Error::other)?;
    let mut conversation = Conversation::default();
    let mut lines = BufReader::new(input).lines();
    // The client has said all that it will; what it asked for is still answered.
    let mut said_all = false;
    loop {
        let stream = open(client).await?;
        let (read, mut write) = tokio::io::split(stream);
        let mut answers = BufReader::new(read).lines();
        let again: Vec<String> =
            std::iter::once(hello.clone()).chain(conversation.begin_again().map(str::to_owned)).collect();
        if send(&mut write, again.iter().map(String::as_str)).await.is_err() {
            continue;
        }
        loop {
            if said_all && conversation.is_answered() {
                return Ok(());
            }
            tokio::select! {
                line = lines.next_line(), if !said_all => match line? {
                    Some(line) => {
                        conversation.asked(&line);
                        if send(&mut write, [line.as_str()]).await.is_err() {
                            break;
                        }
                    }
                    None => said_all = true,
                },
                answer = answers.next_line() => match answer {
                    Ok(Some(answer)) if conversation.answered(&answer) => {
                        output.write_all(answer.as_bytes()).await?;
                        output.write_all(b"\n").await?;
                        output.flush().await?;
                    }
                    Ok(Some(_)) => {}
                    // The daemon is gone; the next one is asked.
                    Ok(None) | Err(_) => break,
                },
            }
        }
        if client.comes_back().await {
            continue;
        }
        // Somebody stopped cotty. It is started again when it is needed again, and not before.
        for answer in conversation.stopped() {
            output.write_all(answer.as_bytes()).await?;
            output.write_all(b"\n").await?;
        }
        output.flush().await?;
        match lines.next_line().await? {
            Some(line) => conversation.asked(&line),
            None => return Ok(()),
        }
    }
}

async fn send<'a>(
    write: &mut (impl AsyncWrite + Unpin),
    lines: impl IntoIterator<Item = &'a str>,
) -> std::io::Result<()> {
    for line in lines {
        write.write_all(line.as_bytes()).await?;
        write.write_all(b"\n").await?;
    }
    write.flush().await
}

async fn open(client: &Client) -> Result<impl AsyncRead + AsyncWrite + Unpin + use<>, ClientError> {
    client
        .until_answered(|| async {
            let lost = |e: hyper::Error| ClientError::NoAnswer(e.to_string());
            let stream = client.connect().await?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
            tokio::spawn(connection.with_upgrades());
            let request = hyper::Request::post("/v1/mcp")
                .header("host", "cotty")
                .header("connection", "upgrade")
                .header("upgrade", "cotty-mcp")
                .body(Empty::<Bytes>::new())
                .map_err(std::io::Error::other)?;
            let response = sender.send_request(request).await.map_err(lost)?;
            if response.status() != hyper::StatusCode::SWITCHING_PROTOCOLS {
                return Err(ClientError::NoAnswer(format!(
                    "it does not speak MCP here ({})",
                    response.status()
                )));
            }
            Ok(TokioIo::new(hyper::upgrade::on(response).await.map_err(lost)?))
        })
        .await
}

/// What has to be said again to a new daemon.
#[derive(Debug, Default)]
struct Conversation {
    /// The `initialize` request and the notification that ended the handshake.
    beginning: Vec<(Option<Value>, String)>,
    /// Requests without an answer, oldest first.
    open: VecDeque<(Value, String)>,
    /// The handshake's answer reached the client.
    begun: bool,
}

impl Conversation {
    /// The client said this.
    fn asked(&mut self, line: &str) {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return };
        let (method, id) = (message.get("method").and_then(Value::as_str), message.get("id").cloned());
        match (method, id) {
            (Some("initialize"), id @ Some(_)) => self.beginning = vec![(id, line.to_owned())],
            (Some("notifications/initialized"), None) => self.beginning.push((None, line.to_owned())),
            (Some("notifications/cancelled"), None) => {
                let cancelled = message.pointer("/params/requestId");
                self.open.retain(|(id, _)| Some(id) != cancelled);
            }
            (Some(_), Some(id)) => self.open.push_back((id, line.to_owned())),
            _ => {}
        }
    }

    /// The daemon said this. `false`: the client has had it already.
    fn answered(&mut self, line: &str) -> bool {
        let Ok(message) = serde_json::from_str::<Value>(line) else { return true };
        if message.get("method").is_some() {
            return true;
        }
        let Some(id) = message.get("id") else { return true };
        if self.beginning.first().is_some_and(|(begun, _)| begun.as_ref() == Some(id)) {
            return !std::mem::replace(&mut self.begun, true);
        }
        self.open.retain(|(open, _)| open != id);
        true
    }

    /// Cotty was stopped, and nobody else will answer what is open: these do.
    fn stopped(&mut self) -> Vec<String> {
        let open = std::mem::take(&mut self.open);
        let answer = |(id, _): (Value, String)| {
            let message = "cotty was stopped before it answered; its sessions ended with it";
            let error = serde_json::json!({"code": -32000, "message": message});
            serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
        };
        open.into_iter().map(answer).collect()
    }

    /// Whether nothing is open.
    fn is_answered(&self) -> bool {
        self.open.is_empty() && (self.begun || self.beginning.is_empty())
    }

    /// What a new daemon has to hear.
    fn begin_again(&self) -> impl Iterator<Item = &str> {
        let beginning = self.beginning.iter().map(|(_, line)| line.as_str());
        beginning.chain(self.open.iter().map(|(_, line)| line.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#;
    const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

    #[test]
    fn a_new_daemon_hears_the_handshake_and_what_is_still_open() {
        let mut conversation = Conversation::default();
        conversation.asked(INITIALIZE);
        assert!(conversation.answered(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#));
        conversation.asked(INITIALIZED);
        let (one, two) = (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":"b","method":"tools/call"}"#,
        );
        conversation.asked(one);
        conversation.asked(two);
        assert!(conversation.answered(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert_eq!(conversation.begin_again().collect::<Vec<_>>(), [INITIALIZE, INITIALIZED, two]);
        assert!(!conversation.answered(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#), "had it already");
        assert!(conversation.answered(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#));
        conversation
            .asked(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}"#);
        assert_eq!(conversation.begin_again().count(), 2);
    }

    #[test]
    fn what_is_open_when_cotty_is_stopped_is_answered_once() {
        let mut conversation = Conversation::default();
        conversation.asked(INITIALIZE);
        assert!(conversation.answered(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#));
        conversation.asked(r#"{"jsonrpc":"2.0","id":"b","method":"tools/call"}"#);
        let answers = conversation.stopped();
        let answer: Value = serde_json::from_str(&answers[0]).unwrap();
        assert!(answers.len() == 1 && answer["id"] == "b" && answer["error"]["code"] == -32000);
        assert!(conversation.is_answered() && conversation.stopped().is_empty());
    }
}
