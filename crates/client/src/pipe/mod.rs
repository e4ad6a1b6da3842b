//! Passes lines between a client's stdio and the daemon, across any number of daemons: `cotty mcp` is such a pipe.
//!
//! The pipe knows connections and lines. What it must know of a protocol to resume a conversation is a [`Conversation`]
//! ([`mcp`]). When the daemon is replaced, the pipe connects to the next one, and the conversation says what to send again.
//!
//! Neither side can block the other: lines that the client does not read stay with the daemon, and lines that the daemon
//! does not read stay with the client.

mod lines;
pub mod mcp;

use std::future::Future;
use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper::body::{Buf, Bytes};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use self::lines::{LONGEST, Line, Lines};
use crate::{Client, ClientError};

/// Lines that wait for the client to read them. Further lines stay with the daemon.
const QUEUE: usize = 4;
/// How long a client may take to read the remaining lines when a signal ends the pipe.
const GRACE: Duration = Duration::from_millis(500);
/// How many daemons may hang up without an answer before the pipe answers the open requests with an error.
const FRUITLESS: u32 = 5;

/// What the pipe must know of a protocol: JSON-RPC, one message in each line, and a request first.
trait Conversation {
    /// Where the daemon serves it.
    const ROUTE: &str;
    /// The protocol that a connection upgrades to.
    const UPGRADE: &str;

    /// The first line to each daemon: it introduces the client.
    fn hello(&self, now: Instant) -> serde_json::Result<String>;
    /// The lines to send to a new daemon after that.
    fn begin_again(&mut self) -> Vec<String>;
    /// Handles a line from the client.
    fn client_sent(&mut self, line: &str, now: Instant) -> Verdict;
    /// Handles a line from the daemon.
    fn daemon_sent(&mut self, line: &str) -> Verdict;
    /// Whether a request is open.
    fn has_open(&self) -> bool;
    /// Whether no answer is missing, so that the pipe may end when the client sends no more.
    fn is_answered(&self) -> bool;
    /// The daemon is gone: returns lines that tell the client.
    fn lost(&mut self) -> Vec<String>;
    /// Closes all open requests and returns an error for each.
    fn give_up(&mut self, why: &str) -> Vec<String>;
}

/// What to do with a line.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// Pass the line on.
    Pass,
    /// Pass this line on instead.
    Swap(String),
    /// Drop the line.
    Drop,
    /// Do not pass the line on; send these lines to the client.
    Answer(Vec<String>),
}

/// Passes lines until the client closes its end or `told_to_end` completes. Only whole lines are written.
async fn run<C: Conversation>(
    client: &Client,
    conversation: C,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    told_to_end: impl Future<Output = ()>,
) -> Result<(), ClientError> {
    let (queue, waiting) = mpsc::channel(QUEUE);
    let mut writer = tokio::spawn(write_lines(output, waiting));
    let mut pipe = Pipe { client, conversation, input_ended: false, unsent: None, out: queue };
    tokio::pin!(told_to_end);
    let passed = tokio::select! {
        passed = pipe.pass(input) => Some(passed),
        () = &mut told_to_end => None,
    };
    // The writer ends when the queue is empty.
    drop(pipe);
    if passed.is_some() {
        tokio::select! {
            _ = &mut writer => return passed.unwrap_or(Ok(())),
            () = told_to_end => {}
        }
    }
    let _ = tokio::time::timeout(GRACE, writer).await;
    passed.unwrap_or(Ok(()))
}

async fn write_lines(mut output: impl AsyncWrite + Unpin, mut waiting: mpsc::Receiver<String>) {
    while let Some(mut line) = waiting.recv().await {
        line.push('\n');
        // The client is gone; the pipe notices the closed queue.
        if output.write_all(line.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

struct Pipe<'a, C> {
    client: &'a Client,
    conversation: C,
    /// The client has closed its input; its open requests are still answered.
    input_ended: bool,
    /// A line that could not be sent because the daemon was gone.
    unsent: Option<Line>,
    out: mpsc::Sender<String>,
}

/// How one connection ended.
enum Ended {
    /// The daemon hung up; `answered`: it had sent at least one line.
    Lost { answered: bool },
    /// There is nothing left to do.
    Done,
}

impl<C: Conversation> Pipe<'_, C> {
    async fn pass(&mut self, input: impl AsyncRead + Unpin) -> Result<(), ClientError> {
        let mut lines = Lines::new(input, LONGEST);
        let mut stream = open::<C>(self.client).await?;
        let mut fruitless = 0;
        loop {
            let Ended::Lost { answered } = self.relay(&mut lines, stream).await? else { return Ok(()) };
            fruitless = if answered { 0 } else { fruitless + 1 };
            let cancellations = self.conversation.lost();
            self.write(cancellations).await;
            let why = if !self.client.comes_back().await {
                // cotty was stopped. The next request starts it again.
                "cotty was stopped before it answered; its sessions ended with it".to_owned()
            } else if fruitless > FRUITLESS {
                "the daemon hangs up without an answer; see its log".to_owned()
            } else {
                match open::<C>(self.client).await {
                    Ok(next) => {
                        stream = next;
                        continue;
                    }
                    Err(error) => error.to_string(),
                }
            };
            stream = match self.reconnect_on_demand(&mut lines, why).await? {
                Some(next) => next,
                None => return Ok(()),
            };
            fruitless = 0;
        }
    }

    /// Answers the open requests with an error, waits for the client's next line, and connects to a daemon. `None`: the
    /// client sends nothing more.
    async fn reconnect_on_demand(
        &mut self,
        lines: &mut Lines<impl AsyncRead + Unpin>,
        mut why: String,
    ) -> Result<Option<Stream>, ClientError> {
        loop {
            let answers = self.conversation.give_up(&why);
            self.write(answers).await;
            let line = tokio::select! {
                line = next(&mut self.unsent, lines), if !self.input_ended => line?,
                () = self.out.closed() => None,
                else => None,
            };
            let Some(line) = line else { return Ok(None) };
            // A request is now open, and is sent to the next daemon with the others.
            let _ = self.client_sent(line).await;
            match open::<C>(self.client).await {
                Ok(stream) => return Ok(Some(stream)),
                Err(error) => why = error.to_string(),
            }
        }
    }

    /// Passes lines until the daemon hangs up.
    async fn relay(
        &mut self,
        lines: &mut Lines<impl AsyncRead + Unpin>,
        stream: Stream,
    ) -> Result<Ended, ClientError> {
        let (read, mut write) = tokio::io::split(stream);
        let mut answers = Lines::new(read, usize::MAX);
        let hello = self.conversation.hello(Instant::now()).map_err(std::io::Error::other)?;
        let again = self.conversation.begin_again();
        // A daemon hangs up if the first message is a notification.
        let mut has_begun = !again.is_empty();
        let mut to_daemon = std::io::Cursor::new(Vec::new());
        for line in std::iter::once(&hello).chain(&again) {
            append(&mut to_daemon, line);
        }
        let mut any_answer = false;
        let out = self.out.clone();
        loop {
            if self.input_ended && self.conversation.is_answered() && !to_daemon.has_remaining() {
                return Ok(Ended::Done);
            }
            let room = out.capacity() > 0;
            tokio::select! {
                line = next(&mut self.unsent, lines), if !self.input_ended && !to_daemon.has_remaining() => match line? {
                    Some(line) => {
                        // Check that the daemon is still there: after a stop, this line starts it again.
                        if room && let Some(answer) = if_ready(answers.next()).await {
                            if !self.daemon_sent(answer).await {
                                self.unsent = Some(line);
                                return Ok(Ended::Lost { answered: any_answer });
                            }
                            any_answer = true;
                        }
                        if let Some(line) = self.client_sent(line).await {
                            has_begun |= self.conversation.has_open();
                            if has_begun {
                                append(&mut to_daemon, &line);
                            }
                        }
                    }
                    None => self.input_ended = true,
                },
                sent = write.write_buf(&mut to_daemon), if to_daemon.has_remaining() => {
                    if !matches!(sent, Ok(1..)) || write.flush().await.is_err() {
                        return Ok(Ended::Lost { answered: any_answer });
                    }
                }
                answer = answers.next(), if room => {
                    if !self.daemon_sent(answer).await {
                        return Ok(Ended::Lost { answered: any_answer });
                    }
                    any_answer = true;
                }
                _ = out.reserve(), if !room => {}
                () = out.closed() => return Ok(Ended::Done),
            }
        }
    }

    /// Handles a line from the daemon. `false`: the daemon is gone.
    async fn daemon_sent(&mut self, answer: std::io::Result<Option<Line>>) -> bool {
        let Ok(Some(answer)) = answer else { return false };
        if let Line::Text(answer) = answer {
            let lines = match self.conversation.daemon_sent(&answer) {
                Verdict::Pass => vec![answer],
                Verdict::Swap(line) => vec![line],
                Verdict::Answer(lines) => lines,
                Verdict::Drop => Vec::new(),
            };
            self.write(lines).await;
        }
        true
    }

    /// Handles a line from the client. Returns the line to send to the daemon, if any.
    async fn client_sent(&mut self, line: Line) -> Option<String> {
        let answer = match line {
            Line::Text(line) => match self.conversation.client_sent(&line, Instant::now()) {
                Verdict::Pass => return Some(line),
                Verdict::Swap(line) => return Some(line),
                Verdict::Drop => return None,
                Verdict::Answer(answers) => answers,
            },
            Line::Bytes => vec![error(None, -32700, "the message is not UTF-8")],
            Line::TooLong(id) => {
                let message = format!("the message is too long: at most {LONGEST} bytes");
                vec![error(id.as_ref(), -32600, &message)]
            }
        };
        self.write(answer).await;
        None
    }

    async fn write(&self, lines: Vec<String>) {
        for line in lines {
            // If the client is gone, the pipe soon notices the closed queue.
            let _ = self.out.send(line).await;
        }
    }
}

/// The client's next line; an unsent one comes first.
async fn next(
    unsent: &mut Option<Line>,
    lines: &mut Lines<impl AsyncRead + Unpin>,
) -> std::io::Result<Option<Line>> {
    match unsent.take() {
        Some(line) => Ok(Some(line)),
        None => lines.next().await,
    }
}

/// The future's result, if it is available now.
async fn if_ready<T>(next: impl Future<Output = T>) -> Option<T> {
    tokio::pin!(next);
    tokio::select! {
        biased;
        ready = &mut next => return Some(ready),
        // Lets the runtime poll the kernel once.
        () = tokio::task::yield_now() => {}
    }
    tokio::select! {
        biased;
        ready = next => Some(ready),
        () = std::future::ready(()) => None,
    }
}

fn append(buffer: &mut std::io::Cursor<Vec<u8>>, line: &str) {
    if !buffer.has_remaining() {
        *buffer = std::io::Cursor::new(Vec::with_capacity(line.len() + 1));
    }
    buffer.get_mut().extend_from_slice(line.as_bytes());
    buffer.get_mut().push(b'\n');
}

/// A JSON-RPC error; without an id if the request's id could not be read.
fn error(id: Option<&Value>, code: i32, message: &str) -> String {
    let mut answer = json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}});
    if let Some(id) = id {
        answer["id"] = id.clone();
    }
    answer.to_string()
}

type Stream = TokioIo<hyper::upgrade::Upgraded>;

async fn open<C: Conversation>(client: &Client) -> Result<Stream, ClientError> {
    client
        .until_answered(|| async {
            let lost = |e: hyper::Error| ClientError::NoAnswer(e.to_string());
            let stream = client.connect().await?;
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(lost)?;
            tokio::spawn(connection.with_upgrades());
            let request = hyper::Request::post(C::ROUTE)
                .header("host", "cotty")
                .header("connection", "upgrade")
                .header("upgrade", C::UPGRADE)
                .body(Empty::<Bytes>::new())
                .map_err(std::io::Error::other)?;
            let response = sender.send_request(request).await.map_err(lost)?;
            if response.status() != hyper::StatusCode::SWITCHING_PROTOCOLS {
                return Err(ClientError::NoAnswer(format!(
                    "it does not accept {} here ({})",
                    C::UPGRADE,
                    response.status()
                )));
            }
            Ok(TokioIo::new(hyper::upgrade::on(response).await.map_err(lost)?))
        })
        .await
}
