//! What happens while one is attached: keys, mouse, messages, signals, and the time.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::pin::Pin;
use std::time::{Duration, Instant};

use cotty_client::ClientError;
use cotty_protocol::op::read::{Format, Params, Reply, View as Part};
use cotty_protocol::op::send::Paste;
use cotty_protocol::op::{Activity, Dimensions, SessionInfo};
use cotty_protocol::view::{FromViewer, Paint, Presence, ToViewer};
use cotty_vt::{Size, Vt};
use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use futures_util::StreamExt;

use super::outer::Outer;
use super::prefix::{self, Order, Prefix};
use super::{AttachEnd, AttachOptions, Connection, Heard, Link, Signals, Told, status};
use crate::copy::{CopyMode, Outcome, Past};
use crate::keys;
use crate::pan::Pan;
use crate::widget::TerminalWidget;

/// How long a message stays where no key takes it away.
const MESSAGE: Duration = Duration::from_secs(4);
/// Most lines that are scrolled through.
const LINES: usize = 100_000;
/// No session is made smaller than this to fit a window: programs are known to break.
const SMALLEST: (u16, u16) = (10, 2);
/// Rows that a step of the wheel moves.
const WHEEL: isize = 3;

/// Everything of an attach but the connection.
pub(super) struct App {
    pub(super) outer: Outer,
    pub(super) info: SessionInfo,
    pub(super) options: AttachOptions,
    pub(super) screen: Option<Screen>,
    pub(super) presence: Presence,
    /// The presence is that of this daemon: what differs from now on is news.
    acquainted: bool,
    pub(super) prefix: Prefix,
    pub(super) pan: Pan,
    message: Option<(String, Instant)>,
    pub(super) copy: Option<CopyMode>,
    pub(super) help: bool,
    /// The session is to follow this window.
    fit: bool,
    pub(super) typed: bool,
    /// Which hand-off request was answered here last, and whether it was declined.
    pub(super) answered: Option<(String, bool)>,
    pub(super) lost: bool,
    /// Where the mouse went down.
    pressed: Option<(u16, u16)>,
    /// The program ended, but there is still something to look at.
    pub(super) over: Option<AttachEnd>,
}

/// What the daemon painted last.
pub(super) struct Screen {
    pub(super) vt: Vt,
    pub(super) title: String,
    pub(super) activity: Activity,
}

/// How the copy mode is come into.
#[derive(Debug, Clone, Copy)]
pub(super) enum Into {
    Key,
    PageUp,
    Wheel,
    Drag(u16, u16),
}

type Loading<'a> = Option<(Into, Pin<Box<dyn Future<Output = Result<Reply, ClientError>> + 'a>>)>;

/// What is to be done now.
pub(super) enum Act {
    Nothing,
    End(AttachEnd),
    Send(Vec<FromViewer>),
    Copy(Into),
}

impl App {
    pub(super) fn new(outer: Outer, info: SessionInfo, options: AttachOptions) -> App {
        let over =
            info.exited.then_some(AttachEnd::Exited { exit_code: info.exit_code, signal: info.signal });
        App {
            prefix: Prefix::new(&options.prefix, options.detach.as_ref()),
            outer,
            info,
            options,
            screen: None,
            presence: Presence::default(),
            acquainted: false,
            pan: Pan::default(),
            message: None,
            copy: None,
            help: false,
            fit: false,
            typed: false,
            answered: None,
            lost: false,
            pressed: None,
            over,
        }
    }

    /// Whether the keyboard is to be given back when one leaves.
    pub(super) fn may_hold_keyboard(&self) -> bool {
        self.typed || self.presence.yours
    }

    pub(super) async fn run<'a>(
        &mut self,
        connection: &'a Connection<'a>,
        link: &mut Link<'a>,
        signals: &mut Signals,
    ) -> Result<AttachEnd, ClientError> {
        let mut events = EventStream::new();
        let mut loading: Loading<'_> = None;
        loop {
            self.draw()?;
            let act = tokio::select! {
                heard = link.next(connection) => self.heard(heard?),
                event = events.next() => match event {
                    Some(event) => self.event(&event?)?,
                    None => Act::End(AttachEnd::Detached),
                },
                told = signals.next() => self.told(&told)?,
                (into, read) = loaded(&mut loading) => {
                    self.begin_copy(into, read);
                    Act::Nothing
                }
                () = until(self.message.as_ref().map(|(_, until)| *until)) => {
                    self.message = None;
                    Act::Nothing
                }
            };
            match act {
                Act::Nothing => {}
                Act::End(end) => return Ok(end),
                Act::Send(messages) => {
                    for message in &messages {
                        link.send(message).await;
                    }
                }
                Act::Copy(into) if loading.is_none() && self.copy.is_none() => {
                    loading = Some((into, Box::pin(read(connection))));
                }
                Act::Copy(_) => {}
            }
        }
    }

    pub(super) fn say(&mut self, text: impl std::fmt::Display) {
        self.message = Some((text.to_string(), Instant::now() + MESSAGE));
    }

    pub(super) fn hush(&mut self) {
        self.message = None;
    }

    pub(super) fn message(&self) -> Option<&str> {
        self.message.as_ref().map(|(text, _)| text.as_str())
    }

    fn heard(&mut self, heard: Heard) -> Act {
        match heard {
            Heard::Lost => (self.lost, self.acquainted) = (true, false),
            Heard::Back => {
                self.lost = false;
                // The window may have changed meanwhile.
                if self.fit && self.presence.yours {
                    return self.fit_now();
                }
            }
            Heard::Message(ToViewer::Paint(paint)) => self.paint(paint),
            Heard::Message(ToViewer::Presence(presence)) => return self.meet(presence),
            Heard::Message(ToViewer::Refused(error)) => {
                let hint = error.hint.map(|hint| format!(": {hint}")).unwrap_or_default();
                self.say(format_args!("{}{hint}", error.message));
            }
            Heard::Message(ToViewer::Exited { exit_code, signal }) => {
                return self.ended(AttachEnd::Exited { exit_code, signal });
            }
            Heard::Message(ToViewer::Gone) => return self.ended(AttachEnd::Gone),
        }
        Act::Nothing
    }

    /// Whoever reads the past is not thrown out of it, and a session that had ended before is there to be looked at.
    fn ended(&mut self, end: AttachEnd) -> Act {
        match self.copy.is_some() || (self.over.is_some() && end != AttachEnd::Gone) {
            true => {
                self.over = Some(end);
                Act::Nothing
            }
            false => Act::End(end),
        }
    }

    fn paint(&mut self, paint: Paint) {
        let size = Size { cols: paint.cols, rows: paint.rows };
        let vt = match self.screen.take() {
            Some(screen) if !paint.full && screen.vt.size() == size => screen.vt,
            _ => Vt::new(size),
        };
        let mut screen = Screen { vt, title: paint.title, activity: paint.activity };
        screen.vt.feed(paint.data.as_bytes());
        self.screen = Some(screen);
    }

    fn meet(&mut self, presence: Presence) -> Act {
        if let Some(end) = self.leaves_answered(&presence) {
            return Act::End(end);
        }
        if self.acquainted
            && let Some(news) = status::news(&self.presence, &presence)
        {
            self.say(news);
        }
        if self.fit && self.presence.fitted && !presence.fitted {
            self.fit = false;
        }
        // Once; later the person decides.
        let known = self.handoff().map(|request| request.request_id.clone());
        self.presence = presence;
        self.acquainted = true;
        match self.handoff().is_some_and(|request| known.as_ref() != Some(&request.request_id)) {
            true => self.hear_handoff(),
            false => Act::Nothing,
        }
    }

    fn told(&mut self, told: &Told) -> Result<Act, ClientError> {
        match told {
            Told::End(signal) => return Ok(Act::End(AttachEnd::Told(*signal))),
            Told::Stop => self.outer.stop()?,
            Told::GoOn => self.outer.take_again()?,
        }
        Ok(Act::Nothing)
    }

    fn event(&mut self, event: &Event) -> Result<Act, ClientError> {
        Ok(match event {
            Event::Key(key) => self.key(key)?,
            Event::Paste(text) => match &mut self.copy {
                Some(copy) => {
                    copy.paste(text);
                    Act::Nothing
                }
                None => {
                    let text = with_line_feeds(text);
                    self.type_message(FromViewer::Text { text, paste: Paste::Auto })
                }
            },
            Event::Mouse(mouse) => self.mouse(mouse)?,
            Event::Resize(..) if self.fit => self.fit_now(),
            _ => Act::Nothing,
        })
    }

    fn key(&mut self, event: &KeyEvent) -> Result<Act, ClientError> {
        let Some(key) = keys::key(event) else { return Ok(Act::Nothing) };
        self.message = None;
        if std::mem::take(&mut self.help) {
            return Ok(Act::Nothing);
        }
        let ends_handoff = self.ends_handoff(key);
        Ok(match self.prefix.hear(key) {
            prefix::Heard::Order(order) => self.order(order)?,
            prefix::Heard::Prefix => Act::Nothing,
            prefix::Heard::Nothing => {
                self.say(format!("no such key; {} ? lists them", self.options.prefix));
                Act::Nothing
            }
            prefix::Heard::Typed => match &mut self.copy {
                Some(copy) => {
                    let outcome = copy.key(key);
                    self.copied(outcome)?
                }
                None if self.over.is_some() => self.leave_what_is_over(event),
                None if ends_handoff => self.end_handoff(),
                None => match keys::message(event) {
                    Some(message) => self.type_message(message),
                    None => Act::Nothing,
                },
            },
        })
    }

    fn leave_what_is_over(&mut self, event: &KeyEvent) -> Act {
        match (event.code, &self.over) {
            (KeyCode::Char('q') | KeyCode::Enter | KeyCode::Esc, Some(end)) => Act::End(end.clone()),
            _ => Act::Nothing,
        }
    }

    /// What is typed takes the keyboard, and one looks where it goes.
    fn type_message(&mut self, message: FromViewer) -> Act {
        if self.may_not("nothing is typed") {
            return Act::Nothing;
        }
        self.typed = true;
        self.pan.follow();
        Act::Send(vec![message])
    }

    pub(super) fn may_not(&mut self, what: &str) -> bool {
        if self.options.read_only {
            self.say(format!("read-only: {what}; {} d detaches", self.options.prefix));
        }
        self.options.read_only
    }

    fn order(&mut self, order: Order) -> Result<Act, ClientError> {
        match order {
            Order::Detach => return Ok(Act::End(AttachEnd::Detached)),
            Order::Literal => return Ok(self.type_message(self.options.prefix.message())),
            Order::Help => self.help = true,
            Order::Take if !self.may_not("the keyboard is not taken") => {
                self.typed = true;
                self.say("you have the keyboard until you give it back");
                return Ok(Act::Send(vec![FromViewer::Take]));
            }
            Order::Give if !self.may_not("there is nothing to give") => {
                if self.presence.yours {
                    self.say("you gave the keyboard back");
                }
                return Ok(Act::Send(vec![FromViewer::Give]));
            }
            Order::Done => return Ok(self.answer(false)),
            Order::Decline => return Ok(self.answer(true)),
            Order::EndOfInput => {
                let key = FromViewer::Key { key: "d".into(), ctrl: true, alt: false, shift: false };
                return Ok(self.type_message(key));
            }
            Order::Fit if !self.may_not("it keeps its size") => return Ok(self.toggle_fit()),
            Order::Take | Order::Give | Order::Fit => {}
            Order::Copy { page_up } => match &mut self.copy {
                Some(copy) if page_up => copy.page_up(),
                Some(_) => {}
                None => return Ok(Act::Copy(if page_up { Into::PageUp } else { Into::Key })),
            },
            Order::Pan(to) => {
                let room = self.room();
                if let Some(screen) = &self.screen {
                    self.pan.go(to, screen.vt.size(), screen.vt.cursor(), room);
                }
            }
            Order::Status => self.options.status = !self.options.status,
            Order::Mouse => {
                self.options.mouse = !self.options.mouse;
                self.outer.set_mouse(self.options.mouse)?;
                let whose = if self.options.mouse { "the session's" } else { "your terminal's" };
                self.say(format_args!("the mouse is {whose}"));
            }
            Order::Redraw => self.outer.forget()?,
            Order::Suspend => {
                if !self.outer.suspend()? {
                    self.say("no shell is there that could let it go on");
                }
            }
        }
        Ok(Act::Nothing)
    }

    fn toggle_fit(&mut self) -> Act {
        self.fit = !self.fit;
        match self.fit {
            true => self.fit_now(),
            false => Act::Send(vec![FromViewer::Fit { size: None }]),
        }
    }

    /// Whoever has the session follow a window needs the keyboard, and for as long.
    fn fit_now(&mut self) -> Act {
        let (cols, rows) = self.outer.size();
        let rows = rows.saturating_sub(u16::from(self.options.status));
        let size = Some(Dimensions { cols: cols.max(SMALLEST.0), rows: rows.max(SMALLEST.1) });
        self.typed = true;
        Act::Send(vec![FromViewer::Take, FromViewer::Fit { size }])
    }

    fn begin_copy(&mut self, into: Into, read: Result<Reply, ClientError>) {
        let read = match read {
            Ok(read) => read,
            Err(error) => return self.say(format_args!("the history cannot be read: {error}")),
        };
        let Dimensions { cols, rows } = read.dimensions;
        let cursor = read.cursor.map_or((0, 0), |at| (at.row.saturating_sub(1), at.col.saturating_sub(1)));
        let mut past = Past::new(&read.content, cols);
        if !self.presence.alternate {
            // The text ends with the last row that has any, or the cursor's.
            let vt = self.screen.as_ref().map(|screen| &screen.vt);
            let used = vt.and_then(|vt| (0..rows).rev().find(|row| !vt.row_text(*row).is_empty()));
            let used = used.map_or(0, |row| row + 1).max(cursor.0 + 1);
            past.pad(rows.saturating_sub(used));
        }
        let height = self.outer.size().1.saturating_sub(1);
        let mut copy = CopyMode::new(past, rows, cursor, height);
        match into {
            Into::Key => {}
            Into::PageUp => copy.page_up(),
            Into::Wheel => drop(copy.wheel(-WHEEL, true)),
            Into::Drag(row, col) => copy.press(row, col),
        }
        self.copy = Some(copy);
    }

    fn copied(&mut self, outcome: Outcome) -> Result<Act, ClientError> {
        match outcome {
            Outcome::Stay => return Ok(Act::Nothing),
            Outcome::Save { path, text } => match save(&path, &text) {
                Ok(()) => self.say(format_args!("saved to {path}")),
                Err(error) => {
                    // What was selected is still there, for another name.
                    if let Some(copy) = &mut self.copy {
                        copy.say(format!("{path}: {error}"));
                    }
                    return Ok(Act::Nothing);
                }
            },
            Outcome::Copy(text) => {
                self.outer.copy(&text)?;
                self.say(format_args!("copied {} characters", text.chars().count()));
            }
            Outcome::Leave => {}
        }
        self.copy = None;
        Ok(match &self.over {
            Some(end) if !self.info.exited => Act::End(end.clone()),
            _ => Act::Nothing,
        })
    }

    fn mouse(&mut self, event: &MouseEvent) -> Result<Act, ClientError> {
        let wheel = match event.kind {
            MouseEventKind::ScrollUp => Some(-WHEEL),
            MouseEventKind::ScrollDown => Some(WHEEL),
            _ => None,
        };
        if let Some(copy) = &mut self.copy {
            // The picture is as wide as the session, and may be panned.
            let area = super::draw::main_area(self.outer.size(), true);
            let picture = copy.picture();
            let at = TerminalWidget::new(&picture).cell_at(area, event.column, event.row);
            let outcome = match (event.kind, wheel, at) {
                (_, Some(rows), _) => copy.wheel(rows, false),
                (MouseEventKind::Down(MouseButton::Left), _, Some((row, col))) => {
                    copy.press(row, col);
                    Outcome::Stay
                }
                (MouseEventKind::Drag(MouseButton::Left), _, Some((row, col))) => {
                    copy.drag(row, col);
                    Outcome::Stay
                }
                (MouseEventKind::Up(MouseButton::Left), ..) => copy.release(),
                _ => Outcome::Stay,
            };
            return self.copied(outcome);
        }
        let area = self.area();
        let Some(screen) = &self.screen else { return Ok(Act::Nothing) };
        let at = TerminalWidget::new(&screen.vt).panned(self.pan).cell_at(area, event.column, event.row);
        let may = !self.options.read_only && self.over.is_none();
        let (theirs, arrows) = (may && self.presence.mouse, may && self.presence.alternate);
        Ok(match (event.kind, at) {
            (_, Some((row, col))) if theirs => match keys::mouse(event, row, col) {
                Some(message) => {
                    self.typed = true;
                    Act::Send(vec![message])
                }
                None => Act::Nothing,
            },
            // As terminals do: a full-screen program without a mouse gets arrows.
            (MouseEventKind::ScrollUp, _) if arrows => self.arrows("up"),
            (MouseEventKind::ScrollDown, _) if arrows => self.arrows("down"),
            (MouseEventKind::ScrollUp, _) => Act::Copy(Into::Wheel),
            (MouseEventKind::Down(MouseButton::Left), at) => {
                self.pressed = at;
                Act::Nothing
            }
            (MouseEventKind::Drag(MouseButton::Left), _) => match self.pressed.take() {
                Some((row, col)) => Act::Copy(Into::Drag(row, col)),
                None => Act::Nothing,
            },
            _ => Act::Nothing,
        })
    }

    fn arrows(&mut self, key: &str) -> Act {
        let arrow = FromViewer::Key { key: key.into(), ctrl: false, alt: false, shift: false };
        match self.type_message(arrow.clone()) {
            Act::Send(_) => Act::Send(vec![arrow; WHEEL.unsigned_abs()]),
            other => other,
        }
    }
}

/// All that the session has, as it is at this moment.
async fn read(connection: &Connection<'_>) -> Result<Reply, ClientError> {
    let params = Params {
        session: connection.session.clone(),
        view: Part::Whole,
        format: Format::Raw,
        limit: Some(LINES),
        // From no reader's place, so that none moves.
        since: Some(0),
        ..Params::default()
    };
    connection.client.call(&params).await
}

async fn loaded(loading: &mut Loading<'_>) -> (Into, Result<Reply, ClientError>) {
    let Some((into, reading)) = loading else { return std::future::pending().await };
    let (into, read) = (*into, reading.await);
    *loading = None;
    (into, read)
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Terminals paste the Enter key between lines, as if it had been typed.
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Into a new file for its owner alone: what was there before is not ours to overwrite.
fn save(path: &str, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{text}")
}
