//! A pipe's lines. A request for a large answer waits here until the client has a slot for it ([`super::large`]); all other
//! lines pass. Each request gets the time at which it arrived.

use std::collections::VecDeque;
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;

use super::large::{Slot, Slots};
use crate::face::mcp::subscriptions::Arrived;

/// A transport that passes on requests for large answers only while the client has slots for them.
pub(crate) struct Paced<T> {
    transport: T,
    slots: Slots,
    /// Answers being made, each with its slot.
    made: Vec<(RequestId, Slot)>,
    /// Requests that have no slot yet, oldest first.
    waiting: VecDeque<(RequestId, ClientJsonRpcMessage)>,
}

impl<T> Paced<T> {
    pub(crate) fn new(transport: T) -> Paced<T> {
        Paced { transport, slots: Slots::default(), made: Vec::new(), waiting: VecDeque::new() }
    }

    /// Whether a request waits that may begin. One whose id is in use waits for the answer: of two answers with one id rmcp drops one,
    /// and its slot would never be free again.
    fn may_begin(&self) -> bool {
        self.waiting.front().is_some_and(|(id, _)| self.made.iter().all(|(made, _)| made != id))
    }

    /// The oldest request that waits, with a slot for its answer.
    fn begin(&mut self, slot: Slot) -> Option<ClientJsonRpcMessage> {
        let (id, message) = self.waiting.pop_front()?;
        self.made.push((id, slot));
        Some(message)
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
                    self.made.retain(|(other, _)| other != id);
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
        let made = id.and_then(|id| self.made.iter().position(|(made, _)| made == id));
        let slot = made.map(|at| self.made.swap_remove(at));
        let sent = self.transport.send(item);
        async move {
            let sent = sent.await;
            drop(slot);
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = tokio::select! {
                biased;
                Some(slot) = self.slots.take(), if self.may_begin() => {
                    if let Some(message) = self.begin(slot) {
                        return Some(message);
                    }
                    continue;
                }
                message = self.transport.receive() => message?,
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
    use super::super::large::MOST_LARGE;
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
            assert_eq!(received(&mut server).await, [7], "the second waits for the answer to the first");
            unread.push(server.send(answer(7)));
        }
        assert!(received(&mut server).await.is_empty());
        drop(unread);
        assert_eq!(received(&mut server).await, [7]);
    }
}
