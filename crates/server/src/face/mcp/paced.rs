//! A pipe's lines, held to a measure: an answer can be of megabytes, and a client may ask for a thousand of them and read
//! none. What is asked for beyond a few such answers waits, as the small request that it is, until earlier answers have
//! been written. Everything else passes it by.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonObject, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::Notify;

/// Most resources that a client has asked for and not read: each has up to 4 MiB.
pub(super) const MOST_LARGE: usize = 4;
/// As many calls weigh as much as a resource if they ask for all that there is: it is seldom that much, and they may wait
/// for long before they have anything to say.
const CALLS: usize = 4;
/// Bytes of output that every call may ask for.
const USUAL: u64 = 256 << 10;

/// A transport that lets so many large answers be under way at once.
pub(super) struct Paced<T> {
    transport: T,
    way: Arc<UnderWay>,
    /// Asked for and not yet begun, oldest first.
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    id: RequestId,
    weight: usize,
    message: ClientJsonRpcMessage,
}

#[derive(Default)]
struct UnderWay {
    counted: Mutex<Counted>,
    /// One less.
    fewer: Notify,
}

#[derive(Default)]
struct Counted {
    /// The weight of those that are being made.
    made: HashMap<RequestId, usize>,
    /// The weight of all, with those that are being written.
    all: usize,
}

/// How large the answer to a request may be; nothing where it is small.
fn weight(request: &ClientRequest) -> usize {
    match request {
        ClientRequest::ReadResourceRequest(_) => CALLS,
        ClientRequest::CallToolRequest(call) => {
            let asks_for_much = |given: Option<&JsonObject>| {
                let most = given.and_then(|given| given.get("max_bytes")?.as_u64());
                most.is_some_and(|most| most == 0 || most > USUAL)
            };
            let given = call.params.arguments.as_ref();
            let reading = given.and_then(|given| given.get("read")?.as_object());
            usize::from(asks_for_much(given) || asks_for_much(reading))
        }
        _ => 0,
    }
}

impl UnderWay {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one more may begin; if so it has.
    fn begin(&self, Waiting { id, weight, .. }: &Waiting) -> bool {
        let mut counted = self.counted();
        // Two of one id would be counted as one.
        let may = counted.all + weight <= MOST_LARGE * CALLS && !counted.made.contains_key(id);
        if may {
            counted.made.insert(id.clone(), *weight);
            counted.all += weight;
        }
        may
    }

    /// It is made; the answer lasts until it is written, or until nobody writes it any more.
    fn written(self: &Arc<Self>, id: &RequestId) -> Option<Written> {
        let weight = self.counted().made.remove(id)?;
        Some(Written { way: Arc::clone(self), weight })
    }

    /// Nobody wants it. What is being written is, all the same.
    fn forget(&self, id: &RequestId) {
        let made = self.counted().made.remove(id);
        if let Some(weight) = made {
            self.less(weight);
        }
    }

    fn less(&self, weight: usize) {
        self.counted().all -= weight;
        self.fewer.notify_one();
    }
}

/// A large answer, for as long as it is being written.
struct Written {
    way: Arc<UnderWay>,
    weight: usize,
}

impl Drop for Written {
    fn drop(&mut self) {
        self.way.less(self.weight);
    }
}

impl<T> Paced<T> {
    pub(super) fn new(transport: T) -> Paced<T> {
        Paced { transport, way: Arc::default(), waiting: VecDeque::new() }
    }

    /// The oldest that waits, if it may begin.
    fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        let may = self.way.begin(self.waiting.front()?);
        may.then(|| self.waiting.pop_front())?.map(|waiting| waiting.message)
    }

    /// What of this the server hears now.
    fn sort(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                let weight = weight(&request.request);
                if weight > 0 {
                    self.waiting.push_back(Waiting { id: request.id.clone(), weight, message });
                    return None;
                }
            }
            JsonRpcMessage::Notification(said) => {
                if let ClientNotification::CancelledNotification(cancelled) = &said.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.retain(|waiting| waiting.id != *id);
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
    async fn calls_that_ask_for_all_there_is_are_large_too() {
        let (mut server, mut client, _reads) = pair();
        let most = i64::try_from(MOST_LARGE * CALLS).unwrap();
        for id in 0..most + 1 {
            let how = ["\"max_bytes\":0", "\"read\":{\"max_bytes\":9000000}"][usize::from(id % 2 == 0)];
            let call = format!(r#"{{"name":"t","arguments":{{{how}}}}}"#);
            say(&mut client, "tools/call", Some(id), &call).await;
        }
        ask(&mut client, 100..101).await;
        for (id, given) in [(200, "{}"), (201, r#"{"max_bytes":100}"#), (202, r#"{"max_bytes":"x"}"#)] {
            let call = format!(r#"{{"name":"t","arguments":{given}}}"#);
            say(&mut client, "tools/call", Some(id), &call).await;
        }
        assert_eq!(heard(&mut server).await, (0..most).chain(200..203).collect::<Vec<_>>());
        drop(server.send(answer(0)));
        assert_eq!(heard(&mut server).await, [most]);
        for id in 1..CALLS {
            drop(server.send(answer(i64::try_from(id).unwrap())));
            assert!(heard(&mut server).await.is_empty(), "a resource is as large as several calls");
        }
        drop(server.send(answer(most)));
        assert_eq!(heard(&mut server).await, [100]);
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
