//! `attach`: one session, full screen, until the person leaves or the session ends.

mod app;
mod draw;
mod handoff;
mod outer;
mod prefix;
mod status;

use std::pin::Pin;
use std::time::Duration;

use cotty_client::{Client, ClientError, View, Viewer};
use cotty_protocol::op::SessionInfo;
use cotty_protocol::op::info::Params;
use cotty_protocol::view::{FromViewer, ToViewer};
use rustix::process::Signal;
use tokio::signal::unix::{self, SignalKind};

use crate::keys::Chord;
use app::App;
use outer::Outer;

/// How long closing the view may take: the daemon might be gone.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);
/// The delay before reconnecting to a daemon that is being replaced.
const RECONNECT_DELAY: Duration = Duration::from_millis(50);

/// How to attach.
#[derive(Debug, Clone)]
pub struct AttachOptions {
    /// The key before each key of attach itself.
    pub prefix: Chord,
    /// A key that detaches at once.
    pub detach: Option<Chord>,
    /// Only watch, do not type.
    pub read_only: bool,
    /// Whether to show a status line if there is room for it.
    pub status: bool,
    /// Whether the session gets the mouse.
    pub mouse: bool,
    /// The person's name, as others see it.
    pub name: String,
    /// The person attached with `--next`: attach takes the keyboard for a hand-off request, and Ctrl-D completes it.
    pub needed: bool,
}

impl Default for AttachOptions {
    /// The defaults; the name is the user's.
    fn default() -> AttachOptions {
        let named = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        AttachOptions {
            prefix: Chord::default(),
            detach: None,
            read_only: false,
            status: true,
            mouse: true,
            needed: false,
            name: named("USER").or_else(|| named("LOGNAME")).unwrap_or_else(|| "somebody".to_owned()),
        }
    }
}

/// Why attach ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachEnd {
    /// The person detached; the session continues.
    Detached,
    /// The person completed or declined a hand-off request; the session continues.
    Answered {
        /// Whether the person declined.
        declined: bool,
    },
    /// The program ended.
    Exited {
        /// The exit code, if it ended by itself.
        exit_code: Option<i32>,
        /// The signal that ended it, if one did.
        signal: Option<i32>,
    },
    /// The session was destroyed.
    Gone,
    /// This signal ended attach.
    Told(i32),
}

/// Shows a session in this terminal and types into it.
pub async fn attach(
    client: &Client,
    session: &str,
    options: AttachOptions,
) -> Result<AttachEnd, ClientError> {
    // An error must come before the alternate screen opens, so that the person can read it.
    let params = Params { session: session.to_owned() };
    let info: SessionInfo = client.call(&params).await?;
    let viewer = Viewer::new(&options.name, "attach")?;
    let connection = Connection { client, session: info.session_id.clone(), viewer };
    let mut link = Link::Up(Box::new(connection.open().await?));
    let mut signals = Signals::new()?;
    let outer = Outer::enter(options.mouse)?;
    let mut app = App::new(outer, info, options);
    let end = app.run(&connection, &mut link, &mut signals).await;
    let typed = app.may_hold_keyboard();
    // Restore the terminal first: the person does not wait for the daemon.
    drop(app);
    let left = matches!(&end, Ok(AttachEnd::Detached | AttachEnd::Answered { .. } | AttachEnd::Told(_)));
    if let (true, Link::Up(mut view)) = (left, link) {
        let close = async {
            if typed {
                let _ = view.send(&FromViewer::Leave).await;
            }
            view.close().await;
        };
        let _ = tokio::time::timeout(CLOSE_LIMIT, close).await;
    }
    end
}

/// Opens and reopens the view.
struct Connection<'a> {
    client: &'a Client,
    session: String,
    viewer: Viewer,
}

impl<'a> Connection<'a> {
    async fn open(&self) -> Result<View, ClientError> {
        self.client.view_as(&self.session, &self.viewer).await
    }
}

/// A view, or the attempt to open the next one after the daemon was replaced.
enum Link<'a> {
    Up(Box<View>),
    Down(Pin<Box<dyn Future<Output = Result<View, ClientError>> + 'a>>),
}

/// What happens on a link.
enum LinkEvent {
    Message(ToViewer),
    Lost,
    Back,
}

impl<'a> Link<'a> {
    async fn next(&mut self, connection: &'a Connection<'_>) -> Result<LinkEvent, ClientError> {
        match self {
            Link::Up(view) => {
                if let Some(message) = view.next().await {
                    return Ok(LinkEvent::Message(message));
                }
                *self = Link::Down(Box::pin(async {
                    tokio::time::sleep(RECONNECT_DELAY).await;
                    connection.open().await
                }));
                Ok(LinkEvent::Lost)
            }
            Link::Down(opening) => {
                let view = opening.await?;
                *self = Link::Up(Box::new(view));
                Ok(LinkEvent::Back)
            }
        }
    }

    /// Input is lost while the daemon is gone; the status line says that it is.
    async fn send(&mut self, message: &FromViewer) {
        if let Link::Up(view) = self {
            let _ = view.send(message).await;
        }
    }
}

/// What a signal requests.
enum SignalRequest {
    End(i32),
    Stop,
    Continue,
}

struct Signals {
    ends: Vec<(i32, unix::Signal)>,
    stop: unix::Signal,
    go_on: unix::Signal,
}

impl Signals {
    fn new() -> std::io::Result<Signals> {
        let listen = |signal: Signal| unix::signal(SignalKind::from_raw(signal.as_raw()));
        let ends = [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT];
        let ends = ends.map(|signal| listen(signal).map(|stream| (signal.as_raw(), stream)));
        Ok(Signals {
            ends: ends.into_iter().collect::<Result<_, _>>()?,
            stop: listen(Signal::TSTP)?,
            go_on: listen(Signal::CONT)?,
        })
    }

    async fn next(&mut self) -> SignalRequest {
        let [(one, a), (two, b), (three, c), (four, d)] = self.ends.as_mut_slice() else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = a.recv() => SignalRequest::End(*one),
            _ = b.recv() => SignalRequest::End(*two),
            _ = c.recv() => SignalRequest::End(*three),
            _ = d.recv() => SignalRequest::End(*four),
            _ = self.stop.recv() => SignalRequest::Stop,
            _ = self.go_on.recv() => SignalRequest::Continue,
        }
    }
}
