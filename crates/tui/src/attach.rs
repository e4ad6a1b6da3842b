//! `attach`: one session, full screen, until it is left or ends.

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

/// How long a farewell may take: the daemon may be gone.
const FAREWELL: Duration = Duration::from_secs(1);
/// A daemon that is being replaced is not asked more often than this.
const AGAIN: Duration = Duration::from_millis(50);

/// How to attach.
#[derive(Debug, Clone)]
pub struct AttachOptions {
    /// The key before each key that is ours.
    pub prefix: Chord,
    /// A key that detaches at once.
    pub detach: Option<Chord>,
    /// Nothing is typed.
    pub read_only: bool,
    /// Whether there is a status line where there is room for it.
    pub status: bool,
    /// Whether the mouse is the session's.
    pub mouse: bool,
    /// The person's name, as others are told.
    pub name: String,
    /// The person came because one is needed: for what an agent asks the keyboard is taken, and Ctrl-D says that it is done.
    pub needed: bool,
}

impl Default for AttachOptions {
    /// As most people want it; the name is the user's.
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

/// Why an attach is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachEnd {
    /// The person left; the session goes on.
    Detached,
    /// The person did what was asked, or declined; the session goes on.
    Answered {
        /// Which of them.
        declined: bool,
    },
    /// The program ended.
    Exited {
        /// With what, where it ended by itself.
        exit_code: Option<i32>,
        /// By which signal, where one ended it.
        signal: Option<i32>,
    },
    /// The session was destroyed.
    Gone,
    /// We were told to end, by this signal.
    Told(i32),
}

/// Shows a session in this terminal and types into it.
pub async fn attach(
    client: &Client,
    session: &str,
    options: AttachOptions,
) -> Result<AttachEnd, ClientError> {
    // Refused before the screen is taken, so that the reason is read.
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
    // The terminal first: whoever leaves does not wait for a daemon.
    drop(app);
    let left = matches!(&end, Ok(AttachEnd::Detached | AttachEnd::Answered { .. } | AttachEnd::Told(_)));
    if let (true, Link::Up(mut view)) = (left, link) {
        let farewell = async {
            if typed {
                let _ = view.send(&FromViewer::Leave).await;
            }
            view.close().await;
        };
        let _ = tokio::time::timeout(FAREWELL, farewell).await;
    }
    end
}

/// How the daemon is reached, and reached again.
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

/// A view, or the way to the next one: the daemon was replaced, and the session goes on behind another.
enum Link<'a> {
    Up(Box<View>),
    Down(Pin<Box<dyn Future<Output = Result<View, ClientError>> + 'a>>),
}

/// What comes over a link.
enum Heard {
    Message(ToViewer),
    Lost,
    Back,
}

impl<'a> Link<'a> {
    async fn next(&mut self, connection: &'a Connection<'_>) -> Result<Heard, ClientError> {
        match self {
            Link::Up(view) => {
                if let Some(message) = view.next().await {
                    return Ok(Heard::Message(message));
                }
                *self = Link::Down(Box::pin(async {
                    tokio::time::sleep(AGAIN).await;
                    connection.open().await
                }));
                Ok(Heard::Lost)
            }
            Link::Down(way) => {
                let view = way.await?;
                *self = Link::Up(Box::new(view));
                Ok(Heard::Back)
            }
        }
    }

    /// What is typed while the daemon is gone is lost, and that shows: the status line says so.
    async fn send(&mut self, message: &FromViewer) {
        if let Link::Up(view) = self {
            let _ = view.send(message).await;
        }
    }
}

/// What a signal asks for.
enum Told {
    End(i32),
    Stop,
    GoOn,
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

    async fn next(&mut self) -> Told {
        let [(one, a), (two, b), (three, c), (four, d)] = self.ends.as_mut_slice() else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = a.recv() => Told::End(*one),
            _ = b.recv() => Told::End(*two),
            _ = c.recv() => Told::End(*three),
            _ = d.recv() => Told::End(*four),
            _ = self.stop.recv() => Told::Stop,
            _ = self.go_on.recv() => Told::GoOn,
        }
    }
}
