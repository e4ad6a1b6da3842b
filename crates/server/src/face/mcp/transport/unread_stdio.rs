//! A pipe's lines, held to a measure: an answer can be of megabytes, and a client may ask for a thousand of them and read
//! none. What is asked for beyond a few such answers waits, as the small request that it is, until earlier answers have
//! been written. Everything else passes it by. Each request is told when it arrived.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::Notify;

use crate::face::mcp::subscriptions::Arrived;

/// Most large answers that a client has asked for and not read. A resource has at most 4 MiB.
pub(crate) const MOST_LARGE: usize = 4;

/// A transport that lets so many large answers be under way at once.
pub(crate) struct Paced<T> {
    transport: T,
    way: Arc<UnderWay>,
    /// Asked for and not yet begun, oldest first.
    waiting: VecDeque<(RequestId, ClientJsonRpcMessage)>,
}

#[derive(Default)]
struct UnderWay {
    counted: Mutex<Counted>,
    /// One less.
    fewer: Notify,
}

#[derive(Default)]
struct Counted {
    /// Being made.
    made: HashSet<RequestId>,
    /// Made, and being written.
    written: usize,
}

impl UnderWay {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one more may begin; if so it has.
    fn begin(&self, id: &RequestId) -> bool {
        let mut counted = self.counted();
        // Two of one id would be counted as one.
        counted.made.len() + counted.written < MOST_LARGE && counted.made.insert(id.clone())
    }

    /// It is made; the answer lasts until it is written, or until nobody writes it any more.
    fn written(self: &Arc<Self>, id: &RequestId) -> Option<Written> {
        let mut counted = self.counted();
        counted.made.remove(id).then(|| {
            counted.written += 1;
            Written(Arc::clone(self))
        })
    }

    /// Nobody wants it. What is being written is, all the same.
    fn forget(&self, id: &RequestId) {
        if self.counted().made.remove(id) {
            self.fewer.notify_one();
        }
    }
}

/// A large answer, for as long as it is being written.
struct Written(Arc<UnderWay>);

impl Drop for Written {
    fn drop(&mut self) {
        self.0.counted().written -= 1;
        self.0.fewer.notify_one();
    }
}

impl<T> Paced<T> {
    pub(crate) fn new(transport: T) -> Paced<T> {
        Paced { transport, way: Arc::default(), waiting: VecDeque::new() }
    }

    /// The oldest that waits, if it may begin.
    fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        let (id, _) = self.waiting.front()?;
        self.way.begin(id).then(|| self.waiting.pop_front())?.map(|(_, message)| message)
    }

    /// What of this the server hears now.
    fn sort(&mut self, mut message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        if let JsonRpcMessage::Request(request) = &mut message {
            request.request.extensions_mut().insert(Arrived(Instant::now()));
        }
        match &message {
            JsonRpcMessage::Request(request)
                if matches!(request.request, ClientRequest::ReadResourceRequest(_)) =>
            {
                self.waiting.push_back((request.id.clone(), message));
                return None;
            }
            JsonRpcMessage::Notification(said) => {
                if let ClientNotification::CancelledNotification(cancelled) = &said.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.retain(|(other, _)| other != id);
                    self.way.forget(id);
                }
            }
            _ => {}
        }
        Some(message)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Paced<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_ref(),
            _ => None,
        };
        let written = id.and_then(|id| self.way.written(id));
        let sent = self.transport.send(item);
        async move {
            let sent = sent.await;
            drop(written);
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.next() {
                return Some(message);
            }
            let message = tokio::select! {
                message = self.transport.receive() => message?,
                () = self.way.fewer.notified(), if !self.waiting.is_empty() => continue,
            };
            if let Some(message) = self.sort(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::transport::async_rw::AsyncRwTransport;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

    /// The server's end, what a client says and what it reads: no more than a few bytes unless it does.
    fn pair() -> (Paced<impl Transport<RoleServer>>, DuplexStream, BufReader<DuplexStream>) {
        let (says, hears) = duplex(1 << 20);
        let (writes, reads) = duplex(16);
        (Paced::new(AsyncRwTransport::new_server(hears, writes)), says, BufReader::new(reads))
    }

    async fn say(client: &mut DuplexStream, method: &str, id: Option<i64>, params: &str) {
        let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
        let line = format!("{{\"jsonrpc\":\"2.0\",{id}\"method\":\"{method}\",\"params\":{params}}}\n");
        client.write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(client: &mut DuplexStream, ids: std::ops::Range<i64>) {
        for id in ids {
            say(client, "resources/read", Some(id), r#"{"uri":"terminal://a/recording"}"#).await;
        }
    }

    /// The ids of the requests that the server hears until it hears no more.
    async fn heard(server: &mut Paced<impl Transport<RoleServer>>) -> Vec<i64> {
        let mut heard = Vec::new();
        // All that was said is there already.
        while let Ok(message) = tokio::time::timeout(std::time::Duration::ZERO, server.receive()).await {
            if let Some(JsonRpcMessage::Request(request)) = message {
                heard.push(serde_json::from_value(request.id.into_json_value()).unwrap());
            }
        }
        heard
    }

    fn answer(id: i64) -> ServerJsonRpcMessage {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        serde_json::from_str(&answer).unwrap()
    }

    #[tokio::test]
    async fn large_answers_wait_for_those_before_and_nothing_else_does() {
        let (mut server, mut client, mut reads) = pair();
        let most = i64::try_from(MOST_LARGE).unwrap();
        ask(&mut client, 0..most + 3).await;
        say(&mut client, "tools/list", Some(100), "{}").await;
        let begun: Vec<i64> = (0..most).chain([100]).collect();
        assert_eq!(heard(&mut server).await, begun);
        // One that is made and not read is still there, also where it was cancelled.
        let sent = tokio::spawn(server.send(answer(0)));
        say(&mut client, "notifications/cancelled", None, r#"{"requestId":0}"#).await;
        assert!(heard(&mut server).await.is_empty());
        let mut line = String::new();
        reads.read_line(&mut line).await.unwrap();
        sent.await.unwrap().unwrap();
        assert_eq!(heard(&mut server).await, [most]);
        // One that is no longer wanted makes room; one that waits is forgotten.
        for id in [most + 1, 1] {
            let cancelled = format!(r#"{{"requestId":{id}}}"#);
            say(&mut client, "notifications/cancelled", None, &cancelled).await;
        }
        assert_eq!(heard(&mut server).await, [most + 2]);
        // What nobody writes any more is gone, too.
        drop(server.send(answer(2)));
        ask(&mut client, 50..52).await;
        assert_eq!(heard(&mut server).await, [50]);
    }

    #[tokio::test]
    async fn a_request_knows_when_it_arrived() {
        let (mut server, mut client, _reads) = pair();
        let before = Instant::now();
        say(&mut client, "resources/subscribe", Some(1), r#"{"uri":"terminal://a/screen"}"#).await;
        let Some(JsonRpcMessage::Request(request)) = server.receive().await else { panic!("no request") };
        let Arrived(at) = request.request.extensions().get().unwrap();
        assert!((before..=Instant::now()).contains(at));
    }

    #[tokio::test]
    async fn an_id_that_is_used_twice_counts_twice() {
        let (mut server, mut client, _reads) = pair();
        let mut unread = Vec::new();
        for _ in 0..MOST_LARGE {
            ask(&mut client, 7..8).await;
            ask(&mut client, 7..8).await;
            assert_eq!(heard(&mut server).await, [7]);
            unread.push(server.send(answer(7)));
        }
        assert!(heard(&mut server).await.is_empty());
        drop(unread);
        assert_eq!(heard(&mut server).await, [7]);
    }
}
