//! `cotty mcp`: MCP's lines between a client's stdio and the daemon, across any number of daemons.
//!
//! The pipe understands of MCP what it needs to begin a conversation again ([`conversation`]). When the daemon goes
//! away it connects to the next one, says there again what that has to know, and sends every request that is still open
//! once more. The daemon knows them by the pipe's instance and the request's id, so nothing happens twice.
//!
//! Neither side can hold up the other: what the client does not read stays with the daemon, and what the daemon does not
//! read stays with the client.

mod conversation;
mod lines;

use std::future::Future;
use std::time::{Duration, Instant};

use cotty_protocol::McpHello;
use http_body_util::Empty;
use hyper::body::{Buf, Bytes};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use self::conversation::{Conversation, Verdict, error};
use self::lines::{LONGEST, Line, Lines};
use crate::call::instance;
use crate::{Client, ClientError};

/// Lines that wait for the client to read them. More stay with the daemon.
const QUEUE: usize = 4;
/// How long a client may take to read the rest when the pipe is told to end.
const GRACE: Duration = Duration::from_millis(500);
/// How many daemons may hang up without a word before what is open is given up.
const FRUITLESS: u32 = 5;

/// What the client is offered.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Names of tool sets; the default set where none are named.
    pub tools: Vec<String>,
    /// Names of tools; all of the sets where none are named.
    pub only: Vec<String>,
    /// How long a call may last.
    pub max_call: Option<Duration>,
}

/// Passes lines until the client closes its end, or `told_to_end` comes true. What is printed is whole lines.
pub async fn run(
    client: &Client,
    options: Options,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    told_to_end: impl Future<Output = ()>,
) -> Result<(), ClientError> {
    let hello = McpHello {
        instance: instance()?,
        origin: client.origin().clone(),
        tools: options.tools,
        only: options.only,
        max_call_ms: options.max_call.and_then(|time| u64::try_from(time.as_millis()).ok()),
        open: Vec::new(),
    };
    let (queue, waiting) = mpsc::channel(QUEUE);
    let mut writer = tokio::spawn(write_lines(output, waiting));
    let mut pipe = Pipe {
        client,
        hello,
        conversation: Conversation::default(),
        said_all: false,
        unsaid: None,
        out: queue,
    };
    tokio::pin!(told_to_end);
    let passed = tokio::select! {
        passed = pipe.pass(input) => Some(passed),
        () = &mut told_to_end => None,
    };
    // The writer ends when there is nothing left to write.
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
        // A client that is gone reads nothing; the closed queue says so.
        if output.write_all(line.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

struct Pipe<'a> {
    client: &'a Client,
    hello: McpHello,
    conversation: Conversation,
    /// The client has said all that it will; what it asked for is still answered.
    said_all: bool,
    /// What the client said to a daemon that was gone already.
    unsaid: Option<Line>,
    out: mpsc::Sender<String>,
}

/// How one connection ended.
enum Ended {
    /// The daemon hung up: had it said anything?
    Lost { heard: bool },
    /// There is nothing left to do.
    Done,
}

impl Pipe<'_> {
    async fn pass(&mut self, input: impl AsyncRead + Unpin) -> Result<(), ClientError> {
        let mut lines = Lines::new(input, LONGEST);
        let mut stream = open(self.client).await?;
        let mut fruitless = 0;
        loop {
            let Ended::Lost { heard } = self.converse(&mut lines, stream).await? else { return Ok(()) };
            fruitless = if heard { 0 } else { fruitless + 1 };
            let taken_back = self.conversation.lost();
            self.say(taken_back).await;
            let why = if !self.client.comes_back().await {
                // Somebody stopped cotty. It is started again when it is needed again, and not before.
                "cotty was stopped before it answered; its sessions ended with it".to_owned()
            } else if fruitless > FRUITLESS {
                "the daemon hangs up without an answer; its log says why".to_owned()
            } else {
                match open(self.client).await {
                    Ok(next) => {
                        stream = next;
                        continue;
                    }
                    Err(error) => error.to_string(),
                }
            };
            stream = match self.begin_anew(&mut lines, why).await? {
                Some(next) => next,
                None => return Ok(()),
            };
            fruitless = 0;
        }
    }

    /// Answers what is open, waits until the client wants something again, and finds a daemon for it. `None`: it wants
    /// nothing more.
    async fn begin_anew(
        &mut self,
        lines: &mut Lines<impl AsyncRead + Unpin>,
        mut why: String,
    ) -> Result<Option<Stream>, ClientError> {
        loop {
            let answers = self.conversation.give_up(&why);
            self.say(answers).await;
            let line = tokio::select! {
                line = next(&mut self.unsaid, lines), if !self.said_all => line?,
                () = self.out.closed() => None,
                else => None,
            };
            let Some(line) = line else { return Ok(None) };
            // What is asked now is open, and said to the next daemon with the rest.
            let _ = self.hear(line).await;
            match open(self.client).await {
                Ok(stream) => return Ok(Some(stream)),
                Err(error) => why = error.to_string(),
            }
        }
    }

    /// Passes lines for as long as the daemon is there.
    async fn converse(
        &mut self,
        lines: &mut Lines<impl AsyncRead + Unpin>,
        stream: Stream,
    ) -> Result<Ended, ClientError> {
        let (read, mut write) = tokio::io::split(stream);
        let mut answers = Lines::new(read, usize::MAX);
        let hello = McpHello { open: self.conversation.ages(Instant::now()), ..self.hello.clone() };
        let hello = serde_json::to_string(&hello).map_err(std::io::Error::other)?;
        let again = self.conversation.begin_again();
        // A daemon that is spoken to first by a notification hangs up.
        let mut has_begun = !again.is_empty();
        let mut to_daemon = std::io::Cursor::new(Vec::new());
        for line in std::iter::once(&hello).chain(&again) {
            append(&mut to_daemon, line);
        }
        let mut heard = false;
        let out = self.out.clone();
        loop {
            if self.said_all && self.conversation.is_answered() && !to_daemon.has_remaining() {
                return Ok(Ended::Done);
            }
            let room = out.capacity() > 0;
            tokio::select! {
                line = next(&mut self.unsaid, lines), if !self.said_all && !to_daemon.has_remaining() => match line? {
                    Some(line) => {
                        // A daemon that is gone is not asked: what comes after cotty was stopped starts it again.
                        if room && let Some(answer) = already(answers.next()).await {
                            if !self.answered(answer).await {
                                self.unsaid = Some(line);
                                return Ok(Ended::Lost { heard });
                            }
                            heard = true;
                        }
                        if let Some(line) = self.hear(line).await {
                            has_begun |= self.conversation.has_open();
                            if has_begun {
                                append(&mut to_daemon, &line);
                            }
                        }
                    }
                    None => self.said_all = true,
                },
                sent = write.write_buf(&mut to_daemon), if to_daemon.has_remaining() => {
                    if !matches!(sent, Ok(1..)) || write.flush().await.is_err() {
                        return Ok(Ended::Lost { heard });
                    }
                }
                answer = answers.next(), if room => {
                    // Without one the daemon is gone; the next one is asked.
                    if !self.answered(answer).await {
                        return Ok(Ended::Lost { heard });
                    }
                    heard = true;
                }
                _ = out.reserve(), if !room => {}
                () = out.closed() => return Ok(Ended::Done),
            }
        }
    }

    /// The daemon said this, or is gone: `false`.
    async fn answered(&mut self, answer: std::io::Result<Option<Line>>) -> bool {
        let Ok(Some(answer)) = answer else { return false };
        if let Line::Text(answer) = answer {
            let lines = match self.conversation.told(&answer) {
                Verdict::Pass => vec![answer],
                Verdict::Swap(line) => vec![line],
                Verdict::Answer(lines) => lines,
                Verdict::Drop => Vec::new(),
            };
            self.say(lines).await;
        }
        true
    }

    /// The client said this; answers what the daemon is to hear of it.
    async fn hear(&mut self, line: Line) -> Option<String> {
        let answer = match line {
            Line::Text(line) => match self.conversation.asked(&line, Instant::now()) {
                Verdict::Pass => return Some(line),
                Verdict::Swap(line) => return Some(line),
                Verdict::Drop => return None,
                Verdict::Answer(answers) => answers,
            },
            Line::Bytes => vec![error(None, -32700, "this is not UTF-8")],
            Line::TooLong(id) => {
                let message = format!("a message has at most {LONGEST} bytes; send less at once");
                vec![error(id.as_ref(), -32600, &message)]
            }
        };
        self.say(answer).await;
        None
    }

    async fn say(&self, lines: Vec<String>) {
        for line in lines {
            // Where nobody reads any more, the closed queue is noticed soon.
            let _ = self.out.send(line).await;
        }
    }
}

/// What the client says next; what no daemon heard comes first.
async fn next(
    unsaid: &mut Option<Line>,
    lines: &mut Lines<impl AsyncRead + Unpin>,
) -> std::io::Result<Option<Line>> {
    match unsaid.take() {
        Some(line) => Ok(Some(line)),
        None => lines.next().await,
    }
}

/// What has come already, if anything has.
async fn already<T>(next: impl Future<Output = T>) -> Option<T> {
    tokio::pin!(next);
    tokio::select! {
        biased;
        came = &mut next => return Some(came),
        // Whatever the kernel has is looked at once.
        () = tokio::task::yield_now() => {}
    }
    tokio::select! {
        biased;
        came = next => Some(came),
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

type Stream = TokioIo<hyper::upgrade::Upgraded>;

async fn open(client: &Client) -> Result<Stream, ClientError> {
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
