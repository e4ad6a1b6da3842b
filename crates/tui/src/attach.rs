//! `attach`: one session, full screen, until it is left or ends.

use std::io;

use cotty_client::{Client, ClientError, View};
use cotty_protocol::op::send::Paste;
use cotty_protocol::view::{FromViewer, Paint, ToViewer};
use cotty_vt::{Size, Vt};
use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, EventStream, KeyCode, KeyEvent, KeyModifiers,
};
use crossterm::execute;
use futures_util::StreamExt;
use ratatui::DefaultTerminal;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;

use crate::keys;
use crate::widget::TerminalWidget;

/// Why an attach is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttachEnd {
    /// The person left; the session goes on.
    Detached,
    /// The program ended.
    Exited {
        /// With what, where it ended by itself.
        exit_code: Option<i32>,
        /// By which signal, where one ended it.
        signal: Option<i32>,
    },
    /// The session was destroyed.
    Gone,
}

/// Shows a session in this terminal and types into it. `Ctrl-] d` leaves.
pub async fn attach(client: &Client, session: &str) -> Result<AttachEnd, ClientError> {
    // Refused before the screen is taken, so that the reason is read.
    let view = client.view(session).await?;
    let terminal = ratatui::try_init()?;
    execute!(io::stdout(), EnableBracketedPaste)?;
    let mut attached = Attached { terminal, screen: None, prefix: false, note: None };
    let end = attached.run(client, session, view).await;
    let _ = execute!(io::stdout(), DisableBracketedPaste);
    ratatui::restore();
    end
}

struct Attached {
    terminal: DefaultTerminal,
    screen: Option<Screen>,
    /// Ctrl-] was pressed, and the next key is ours.
    prefix: bool,
    note: Option<String>,
}

/// What the daemon painted last.
struct Screen {
    vt: Vt,
    title: String,
    session_id: String,
}

impl Attached {
    async fn run(
        &mut self,
        client: &Client,
        session: &str,
        mut view: View,
    ) -> Result<AttachEnd, ClientError> {
        let mut events = EventStream::new();
        loop {
            self.draw()?;
            tokio::select! {
                message = view.next() => match message {
                    Some(ToViewer::Paint(paint)) => self.paint(paint),
                    Some(ToViewer::Exited { exit_code, signal }) => return Ok(AttachEnd::Exited { exit_code, signal }),
                    Some(ToViewer::Gone) => return Ok(AttachEnd::Gone),
                    Some(ToViewer::Refused(fault)) => self.note = Some(fault.to_string()),
                    // The daemon was replaced; the session goes on behind the next one.
                    None => view = client.view(session).await?,
                },
                event = events.next() => {
                    let Some(event) = event else { return Ok(AttachEnd::Detached) };
                    match self.event(&event?) {
                        Act::Nothing => {}
                        Act::Detach => return Ok(AttachEnd::Detached),
                        // If the daemon is gone the key is lost, and that shows: the screen does not change.
                        Act::Send(message) => { let _ = view.send(&message).await; }
                    }
                }
            }
        }
    }

    fn paint(&mut self, paint: Paint) {
        let size = Size { cols: paint.cols, rows: paint.rows };
        let vt = match self.screen.take() {
            Some(screen) if !paint.full && screen.vt.size() == size => screen.vt,
            _ => Vt::new(size),
        };
        let mut screen = Screen { vt, title: paint.title, session_id: paint.session_id };
        screen.vt.feed(paint.data.as_bytes());
        self.screen = Some(screen);
    }

    fn event(&mut self, event: &Event) -> Act {
        match event {
            Event::Key(key) => self.key(key),
            Event::Paste(text) => {
                Act::Send(FromViewer::Text { text: with_line_feeds(text), paste: Paste::Auto })
            }
            _ => Act::Nothing,
        }
    }

    fn key(&mut self, key: &KeyEvent) -> Act {
        let Some(message) = keys::message(key) else { return Act::Nothing };
        self.note = None;
        let is_prefix =
            matches!(key.code, KeyCode::Char(']' | '5')) && key.modifiers == KeyModifiers::CONTROL;
        match (std::mem::take(&mut self.prefix), key.code) {
            (true, KeyCode::Char('d')) => Act::Detach,
            // Twice sends one; anything else was not for us and is dropped.
            (true, _) if is_prefix => {
                Act::Send(FromViewer::Key { key: "]".into(), ctrl: true, alt: false, shift: false })
            }
            (true, _) => Act::Nothing,
            (false, _) if is_prefix => {
                self.prefix = true;
                self.note = Some("d detach · Ctrl-] send Ctrl-]".into());
                Act::Nothing
            }
            (false, _) => Act::Send(message),
        }
    }

    fn draw(&mut self) -> Result<(), ClientError> {
        let Some(screen) = &self.screen else { return Ok(()) };
        let note = self.note.clone();
        self.terminal.draw(|frame| {
            let spare = frame.area().height > screen.vt.size().rows || note.is_some();
            let bar = u16::from(spare);
            let [main, bar] =
                Layout::vertical([Constraint::Fill(1), Constraint::Length(bar)]).areas(frame.area());
            let widget = TerminalWidget::new(&screen.vt);
            frame.render_widget(widget, main);
            if spare {
                let title = if screen.title.is_empty() { "" } else { " · " };
                let size = screen.vt.size();
                let text = note.unwrap_or_else(|| {
                    format!(
                        "{}{title}{} · {}×{} · Ctrl-] d detaches",
                        screen.session_id, screen.title, size.cols, size.rows
                    )
                });
                let style = Style::new().add_modifier(Modifier::REVERSED);
                frame.render_widget(Line::from(plain(&text)).style(style), bar);
            }
            if let Some(position) = widget.cursor(main) {
                frame.set_cursor_position(position);
            }
        })?;
        Ok(())
    }
}

/// Terminals paste the Enter key between lines, as if it had been typed.
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A title is a program's text: nothing of it may act on this terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

enum Act {
    Nothing,
    Detach,
    Send(FromViewer),
}
