//! The main loop of attach: keys, mouse, messages, signals, and timers.

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
use super::{AttachEnd, AttachOptions, Connection, Link, LinkEvent, SignalRequest, Signals, status};
use crate::copy::{CopyMode, Outcome, Past};
use crate::keys;
use crate::pan::Pan;
use crate::widget::TerminalWidget;

/// How long a message stays unless a key removes it.
const MESSAGE: Duration = Duration::from_secs(4);
/// Most lines in copy mode.
const LINES: usize = 100_000;
/// Fitting never makes a session smaller than this: some programs break.
const SMALLEST: (u16, u16) = (10, 2);
/// Rows that one step of the wheel scrolls.
const WHEEL: isize = 3;

/// The whole state of attach, except the connection.
pub(super) struct App {
    pub(super) outer: Outer,
    pub(super) info: SessionInfo,
    pub(super) options: AttachOptions,
    pub(super) screen: Option<Screen>,
    pub(super) presence: Presence,
    /// The presence comes from the current daemon: later differences are news.
    has_presence: bool,
    pub(super) prefix: Prefix,
    pub(super) pan: Pan,
    message: Option<(String, Instant)>,
    pub(super) copy: Option<CopyMode>,
    pub(super) help: bool,
    /// The person wants the session to fit this window.
    fit: bool,
    pub(super) typed: bool,
    /// The last hand-off request that was answered here, and whether it was declined.
    pub(super) answered: Option<(String, bool)>,
    pub(super) lost: bool,
    /// Where the mouse button was pressed.
    pressed: Option<(u16, u16)>,
    /// The program ended, but the person still reads the screen.
    pub(super) over: Option<AttachEnd>,
}

/// The last painted screen.
pub(super) struct Screen {
    pub(super) vt: Vt,
    pub(super) title: String,
    pub(super) activity: Activity,
}

/// What started copy mode.
#[derive(Debug, Clone, Copy)]
pub(super) enum CopyStart {
    Key,
    PageUp,
    Wheel,
    Drag(u16, u16),
}

type Loading<'a> = Option<(CopyStart, Pin<Box<dyn Future<Output = Result<Reply, ClientError>> + 'a>>)>;

/// What to do next.
pub(super) enum Act {
    Nothing,
    End(AttachEnd),
    Send(Vec<FromViewer>),
    Copy(CopyStart),
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
            has_presence: false,
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

    /// Whether attach must give the keyboard back at the end.
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
                event = link.next(connection) => self.link_event(event?),
                event = events.next() => match event {
                    Some(event) => self.event(&event?)?,
                    None => Act::End(AttachEnd::Detached),
                },
                request = signals.next() => self.signal(&request)?,
                (start, read) = loaded(&mut loading) => {
                    self.begin_copy(start, read);
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
                Act::Copy(start) if loading.is_none() && self.copy.is_none() => {
                    loading = Some((start, Box::pin(read(connection))));
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

    fn link_event(&mut self, event: LinkEvent) -> Act {
        match event {
            LinkEvent::Lost => (self.lost, self.has_presence) = (true, false),
            LinkEvent::Back => {
                self.lost = false;
                // The window may have changed meanwhile.
                if self.fit && self.presence.yours {
                    return self.fit_now();
                }
            }
            LinkEvent::Message(ToViewer::Paint(paint)) => self.paint(paint),
            LinkEvent::Message(ToViewer::Presence(presence)) => return self.presence_changed(presence),
            LinkEvent::Message(ToViewer::Refused(error)) => {
                let hint = error.hint.map(|hint| format!(": {hint}")).unwrap_or_default();
                self.say(format_args!("{}{hint}", error.message));
            }
            LinkEvent::Message(ToViewer::Exited { exit_code, signal }) => {
                return self.ended(AttachEnd::Exited { exit_code, signal });
            }
            // Only the page asks for it.
            LinkEvent::Message(ToViewer::Proof { .. }) => {}
            LinkEvent::Message(ToViewer::Gone) => return self.ended(AttachEnd::Gone),
        }
        Act::Nothing
    }

    /// Stays open in copy mode, and for a session that had ended before attach.
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

    fn presence_changed(&mut self, presence: Presence) -> Act {
        if let Some(end) = self.leaves_answered(&presence) {
            return Act::End(end);
        }
        if self.has_presence
            && let Some(news) = status::news(&self.presence, &presence)
        {
            self.say(news);
        }
        if self.fit && self.presence.fitted && !presence.fitted {
            self.fit = false;
        }
        // Only for a new request; later the person decides.
        let known = self.handoff().map(|request| request.request_id.clone());
        self.presence = presence;
        self.has_presence = true;
        match self.handoff().is_some_and(|request| known.as_ref() != Some(&request.request_id)) {
            true => self.new_handoff(),
            false => Act::Nothing,
        }
    }

    fn signal(&mut self, request: &SignalRequest) -> Result<Act, ClientError> {
        match request {
            SignalRequest::End(signal) => return Ok(Act::End(AttachEnd::Told(*signal))),
            SignalRequest::Stop => self.outer.stop()?,
            SignalRequest::Continue => self.outer.take_again()?,
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
        Ok(match self.prefix.classify(key) {
            prefix::KeyMeaning::Order(order) => self.order(order)?,
            prefix::KeyMeaning::Prefix => Act::Nothing,
            prefix::KeyMeaning::Nothing => {
                self.say(format!("no such command; {} ? lists the keys", self.options.prefix));
                Act::Nothing
            }
            prefix::KeyMeaning::Typed => match &mut self.copy {
                Some(copy) => {
                    let outcome = copy.key(key);
                    self.copied(outcome)?
                }
                None if self.over.is_some() => self.leave_ended(event),
                None if ends_handoff => self.end_handoff(),
                None => match keys::message(event) {
                    Some(message) => self.type_message(message),
                    None => Act::Nothing,
                },
            },
        })
    }

    fn leave_ended(&mut self, event: &KeyEvent) -> Act {
        match (event.code, &self.over) {
            (KeyCode::Char('q') | KeyCode::Enter | KeyCode::Esc, Some(end)) => Act::End(end.clone()),
            _ => Act::Nothing,
        }
    }

    /// Types. That takes the keyboard, and the window follows the cursor again.
    fn type_message(&mut self, message: FromViewer) -> Act {
        if self.refuses("you cannot type") {
            return Act::Nothing;
        }
        self.typed = true;
        self.pan.follow();
        Act::Send(vec![message])
    }

    /// In read-only mode, says what is not possible and returns true.
    pub(super) fn refuses(&mut self, what: &str) -> bool {
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
            Order::Take if !self.refuses("you cannot take the keyboard") => {
                self.typed = true;
                self.say("you have the keyboard until you give it back");
                return Ok(Act::Send(vec![FromViewer::Take]));
            }
            Order::Give if !self.refuses("you do not have the keyboard") => {
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
            Order::Fit if !self.refuses("you cannot resize the session") => return Ok(self.toggle_fit()),
            Order::Take | Order::Give | Order::Fit => {}
            Order::Copy { page_up } => match &mut self.copy {
                Some(copy) if page_up => copy.page_up(),
                Some(_) => {}
                None => return Ok(Act::Copy(if page_up { CopyStart::PageUp } else { CopyStart::Key })),
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
                let whose = if self.options.mouse { "the session" } else { "your terminal" };
                self.say(format_args!("{whose} gets the mouse"));
            }
            Order::Redraw => self.outer.forget()?,
            Order::Suspend => {
                if !self.outer.suspend()? {
                    self.say("cannot suspend: no shell could resume attach");
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

    /// Fits the session to this window. Only the keyboard's holder can, so it takes the keyboard.
    fn fit_now(&mut self) -> Act {
        let (cols, rows) = self.outer.size();
        let rows = rows.saturating_sub(u16::from(self.options.status));
        let size = Some(Dimensions { cols: cols.max(SMALLEST.0), rows: rows.max(SMALLEST.1) });
        self.typed = true;
        Act::Send(vec![FromViewer::Take, FromViewer::Fit { size }])
    }

    fn begin_copy(&mut self, start: CopyStart, read: Result<Reply, ClientError>) {
        let read = match read {
            Ok(read) => read,
            Err(error) => return self.say(format_args!("cannot read the history: {error}")),
        };
        let Dimensions { cols, rows } = read.dimensions;
        let cursor = read.cursor.map_or((0, 0), |at| (at.row.saturating_sub(1), at.col.saturating_sub(1)));
        let mut past = Past::new(&read.content, cols);
        if !self.presence.alternate {
            // The text ends with the last row that is not empty, or with the cursor's row.
            let vt = self.screen.as_ref().map(|screen| &screen.vt);
            let used = vt.and_then(|vt| (0..rows).rev().find(|row| !vt.row_text(*row).is_empty()));
            let used = used.map_or(0, |row| row + 1).max(cursor.0 + 1);
            past.pad(rows.saturating_sub(used));
        }
        let height = self.outer.size().1.saturating_sub(1);
        let mut copy = CopyMode::new(past, rows, cursor, height);
        match start {
            CopyStart::Key => {}
            CopyStart::PageUp => copy.page_up(),
            CopyStart::Wheel => drop(copy.wheel(-WHEEL, true)),
            CopyStart::Drag(row, col) => copy.press(row, col),
        }
        self.copy = Some(copy);
    }

    fn copied(&mut self, outcome: Outcome) -> Result<Act, ClientError> {
        match outcome {
            Outcome::Stay => return Ok(Act::Nothing),
            Outcome::Save { path, text } => match save(&path, &text) {
                Ok(()) => self.say(format_args!("saved to {path}")),
                Err(error) => {
                    // Stay in copy mode: the person can save under another name.
                    if let Some(copy) = &mut self.copy {
                        copy.say(format!("cannot save to {path}: {error}"));
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
            // Like other terminals: a full-screen program without mouse reporting gets arrow keys.
            (MouseEventKind::ScrollUp, _) if arrows => self.arrows("up"),
            (MouseEventKind::ScrollDown, _) if arrows => self.arrows("down"),
            (MouseEventKind::ScrollUp, _) => Act::Copy(CopyStart::Wheel),
            (MouseEventKind::Down(MouseButton::Left), at) => {
                self.pressed = at;
                Act::Nothing
            }
            (MouseEventKind::Drag(MouseButton::Left), _) => match self.pressed.take() {
                Some((row, col)) => Act::Copy(CopyStart::Drag(row, col)),
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

/// Reads the session's history and screen.
async fn read(connection: &Connection<'_>) -> Result<Reply, ClientError> {
    let params = Params {
        session: connection.session.clone(),
        view: Part::Whole,
        format: Format::Raw,
        limit: Some(LINES),
        // With `since`, no reader's place moves.
        since: Some(0),
        ..Params::default()
    };
    connection.client.call(&params).await
}

async fn loaded(loading: &mut Loading<'_>) -> (CopyStart, Result<Reply, ClientError>) {
    let Some((start, reading)) = loading else { return std::future::pending().await };
    let (start, read) = (*start, reading.await);
    *loading = None;
    (start, read)
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Replaces the CR that terminals paste between lines.
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Writes a new file that only its owner can read. Never overwrites a file.
fn save(path: &str, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{text}")
}
