//! `cotty view --watch`: a session's screen, redrawn whenever it changes.

use std::fmt::Write as _;
use std::process::ExitCode;

use cotty_client::Client;
use cotty_protocol::view::{Paint, ToViewer};
use cotty_vt::{Size, Vt};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::signal::unix::{SignalKind, signal};

use crate::command::terminal_size;
use crate::out;

/// The output format.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) ansi: bool,
    pub(super) json: bool,
}

/// Shows the session until its program ends, it is destroyed, or Ctrl-C.
pub(super) async fn run(client: &Client, session: &str, style: Style) -> anyhow::Result<ExitCode> {
    // An error must come before the alternate screen opens, so that the person can read it.
    let mut view = client.view(session).await?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut ended = signal(SignalKind::terminate())?;
    let mut resized = signal(SignalKind::window_change())?;
    let window = (rustix::termios::isatty(stdout()) && !style.json).then(Window::open);
    let mut screen: Option<Screen> = None;
    let mut last = String::new();
    loop {
        tokio::select! {
            message = view.next() => match message {
                Some(ToViewer::Paint(paint)) => screen = Some(Screen::after(screen, paint)),
                Some(ToViewer::Exited { .. } | ToViewer::Gone) => break,
                Some(ToViewer::Refused(_) | ToViewer::Presence(_) | ToViewer::Proof { .. }) => {}
                // The daemon was replaced; the next one continues the session.
                None => view = client.view(session).await?,
            },
            _ = resized.recv() => {}
            _ = interrupted.recv() => break,
            _ = ended.recv() => break,
        }
        let Some(screen) = &screen else { continue };
        let still_read = match window {
            Some(_) => out::text(&screen.drawn(style)),
            None => {
                let printed = screen.printed(style);
                let changed = printed != last;
                last = printed;
                !changed || out::text(&last)
            }
        };
        if !still_read {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let was_window = window.is_some();
    drop(window);
    if let (true, Some(screen)) = (was_window, &screen) {
        out::text(&screen.printed(style));
    }
    Ok(ExitCode::SUCCESS)
}

/// The last painted screen.
struct Screen {
    vt: Vt,
    seq: u64,
    title: String,
}

impl Screen {
    fn after(before: Option<Screen>, paint: Paint) -> Screen {
        let size = Size { cols: paint.cols, rows: paint.rows };
        let vt = before.map(|screen| screen.vt).filter(|vt| !paint.full && vt.size() == size);
        let mut vt = vt.unwrap_or_else(|| Vt::new(size));
        vt.feed(paint.data.as_bytes());
        Screen { vt, seq: paint.seq, title: paint.title }
    }

    /// The screen for a window: cut to its size, with the cursor's row visible.
    fn drawn(&self, style: Style) -> String {
        let (cols, rows) = terminal_size().unwrap_or((80, 24));
        let all = self.vt.size().rows;
        let first = (self.vt.cursor().row + 1).saturating_sub(rows);
        let shown = first..all.min(first.saturating_add(rows));
        let mut text = String::new();
        // Clear each row before writing it: clearing it afterwards would remove its last cell at the right edge.
        for (at, row) in (1..).zip(shown) {
            let _ = write!(text, "\x1b[{at};1H\x1b[2K{}", self.row(row, cols, style));
        }
        if all - first < rows {
            let _ = write!(text, "\x1b[{};1H\x1b[J", all - first + 1);
        }
        text
    }

    /// The screen for a file, or to leave on the terminal after the window closes.
    fn printed(&self, style: Style) -> String {
        let rows = (0..self.vt.size().rows).map(|row| self.row(row, u16::MAX, style));
        let text = rows.collect::<Vec<_>>().join("\n");
        let text = text.trim_end_matches('\n');
        if !style.json {
            return format!("{text}\n");
        }
        let (size, cursor) = (self.vt.size(), self.vt.cursor());
        let value = serde_json::json!({
            "seq": self.seq,
            "title": self.title,
            "dimensions": { "cols": size.cols, "rows": size.rows },
            "cursor": { "row": cursor.row + 1, "col": cursor.col + 1 },
            "content": text,
        });
        format!("{}\n", out::safe_json(&value.to_string()))
    }

    /// The first cells of a row, as text and styles only.
    fn row(&self, row: u16, cols: u16, style: Style) -> String {
        let whole = if style.ansi { self.vt.row_ansi(row) } else { self.vt.row_text(row) };
        if cols >= self.vt.size().cols {
            return whole;
        }
        let (mut text, mut current, mut used) = (String::new(), cotty_vt::Style::default(), 0);
        for cell in self.vt.row_cells(row).filter(|cell| cell.width > 0) {
            used += u16::from(cell.width);
            if used > cols {
                break;
            }
            if style.ansi && cell.style != current {
                current = cell.style;
                text.push_str(&current.sgr());
            }
            text.push_str(if cell.text.is_empty() { " " } else { &cell.text });
        }
        if current != cotty_vt::Style::default() {
            text.push_str("\x1b[0m");
        }
        text
    }
}

/// The person's terminal while we draw in it: alternate screen, no cursor, no echo. Restored when dropped.
struct Window {
    before: Option<Termios>,
}

impl Window {
    fn open() -> Window {
        let before = tcgetattr(stdin()).ok();
        if let Some(before) = &before {
            let mut silent = before.clone();
            // Ctrl-C stays a signal.
            silent.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
            let _ = tcsetattr(stdin(), OptionalActions::Now, &silent);
        }
        out::text("\x1b[?1049h\x1b[?25l\x1b[?7l");
        Window { before }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        out::text("\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l");
        if let Some(before) = &self.before {
            // Discards the keys that were typed meanwhile.
            let _ = tcsetattr(stdin(), OptionalActions::Flush, before);
        }
    }
}
