//! Limits the large answers on a pipe: an answer can have megabytes, and a client may ask for a thousand of them and
//! read none. Further requests for large answers wait until earlier answers have been written. All other messages
//! pass them. Each request gets its time of arrival.

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

/// A transport that limits how many large answers are under way at once.
pub(crate) struct Paced<T> {
    transport: T,
    way: Arc<UnderWay>,
    /// Requests that have not begun, oldest first.
    waiting: VecDeque<(RequestId, ClientJsonRpcMessage)>,
}

#[derive(Default)]
struct UnderWay {
    counted: Mutex<Counted>,
    /// Notified when there is one less.
    fewer: Notify,
}

#[derive(Default)]
struct Counted {
    /// Requests whose answers are being made.
    made: HashSet<RequestId>,
    /// Answers that are being written.
    written: usize,
}

impl UnderWay {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins one more, if allowed.
    fn begin(&self, id: &RequestId) -> bool {
        let mut counted = self.counted();
        // A second request with the same id waits: the two would count as one.
        counted.made.len() + counted.written < MOST_LARGE && counted.made.insert(id.clone())
    }

    /// The answer is made. It counts until the returned value is dropped: written or given up.
    fn written(self: &Arc<Self>, id: &RequestId) -> Option<Written> {
        let mut counted = self.counted();
        counted.made.remove(id).then(|| {
            counted.written += 1;
            Written(Arc::clone(self))
        })
    }

    /// The request was cancelled. An answer that is being written still counts.
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

    /// The oldest waiting request, if it may begin.
    fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        let (id, _) = self.waiting.front()?;
        self.way.begin(id).then(|| self.waiting.pop_front())?.map(|(_, message)| message)
    }

    /// The message, if the server gets it now.
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
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification
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

    /// The server's end, the client's writing end and its reading end, which buffers only a few bytes.
    fn pair() -> (Paced<impl Transport<RoleServer>>, DuplexStream, BufReader<DuplexStream>) {
        let (client, input) = duplex(1 << 20);
        let (output, reads) = duplex(16);
        (Paced::new(AsyncRwTransport::new_server(input, output)), client, BufReader::new(reads))
    }

    async fn send_line(client: &mut DuplexStream, method: &str, id: Option<i64>, params: &str) {
        let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
        let line = format!("{{\"jsonrpc\":\"2.0\",{id}\"method\":\"{method}\",\"params\":{params}}}\n");
        client.write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(client: &mut DuplexStream, ids: std::ops::Range<i64>) {
        for id in ids {
            send_line(client, "resources/read", Some(id), r#"{"uri":"terminal://a/recording"}"#).await;
        }
    }

    /// The ids of the requests that the server receives now.
    async fn received(server: &mut Paced<impl Transport<RoleServer>>) -> Vec<i64> {
        let mut received = Vec::new();
        // Everything that was sent is there already.
        while let Ok(message) = tokio::time::timeout(std::time::Duration::ZERO, server.receive()).await {
            if let Some(JsonRpcMessage::Request(request)) = message {
                received.push(serde_json::from_value(request.id.into_json_value()).unwrap());
            }
        }
        received
    }

    fn answer(id: i64) -> ServerJsonRpcMessage {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        serde_json::from_str(&answer).unwrap()
    }

    #[tokio::test]
    async fn only_large_answers_wait_for_earlier_ones() {
        let (mut server, mut client, mut reads) = pair();
        let most = i64::try_from(MOST_LARGE).unwrap();
        ask(&mut client, 0..most + 3).await;
        send_line(&mut client, "tools/list", Some(100), "{}").await;
        let begun: Vec<i64> = (0..most).chain([100]).collect();
        assert_eq!(received(&mut server).await, begun);
        // An unread answer still counts, even if it was cancelled.
        let sent = tokio::spawn(server.send(answer(0)));
        send_line(&mut client, "notifications/cancelled", None, r#"{"requestId":0}"#).await;
        assert!(received(&mut server).await.is_empty());
        let mut line = String::new();
        reads.read_line(&mut line).await.unwrap();
        sent.await.unwrap().unwrap();
        assert_eq!(received(&mut server).await, [most]);
        // A cancelled request makes room; a cancelled waiting request is dropped.
        for id in [most + 1, 1] {
            let cancelled = format!(r#"{{"requestId":{id}}}"#);
            send_line(&mut client, "notifications/cancelled", None, &cancelled).await;
        }
        assert_eq!(received(&mut server).await, [most + 2]);
        // An answer that is dropped unwritten makes room, too.
        drop(server.send(answer(2)));
        ask(&mut client, 50..52).await;
        assert_eq!(received(&mut server).await, [50]);
    }

    #[tokio::test]
    async fn a_request_carries_its_time_of_arrival() {
        let (mut server, mut client, _reads) = pair();
        let before = Instant::now();
        send_line(&mut client, "resources/subscribe", Some(1), r#"{"uri":"terminal://a/screen"}"#).await;
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
            assert_eq!(received(&mut server).await, [7]);
            unread.push(server.send(answer(7)));
        }
        assert!(received(&mut server).await.is_empty());
        drop(unread);
        assert_eq!(received(&mut server).await, [7]);
    }
}
