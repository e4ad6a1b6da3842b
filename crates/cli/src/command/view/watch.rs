//! `cotty view --watch`: a session's screen, drawn anew as it changes.

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

/// How to write it down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) ansi: bool,
    pub(super) json: bool,
}

/// Shows the session until its program ends, it is gone, or somebody interrupts.
pub(super) async fn run(client: &Client, session: &str, style: Style) -> anyhow::Result<ExitCode> {
    // Refused before the screen is taken, so that the reason is read.
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
                Some(ToViewer::Refused(_) | ToViewer::Presence(_)) => {}
                // The daemon was replaced; the session goes on behind the next one.
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

/// What the daemon painted last.
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

    /// For a window: from its top, cut to its size, around the cursor.
    fn drawn(&self, style: Style) -> String {
        let (cols, rows) = terminal_size().unwrap_or((80, 24));
        let all = self.vt.size().rows;
        let first = (self.vt.cursor().row + 1).saturating_sub(rows);
        let shown = first..all.min(first.saturating_add(rows));
        let mut text = String::new();
        // Each row is cleared before it is written: at the right edge it would lose its last cell after.
        for (at, row) in (1..).zip(shown) {
            let _ = write!(text, "\x1b[{at};1H\x1b[2K{}", self.row(row, cols, style));
        }
        if all - first < rows {
            let _ = write!(text, "\x1b[{};1H\x1b[J", all - first + 1);
        }
        text
    }

    /// For a file, or for what stays when the window is gone.
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

    /// The first cells of a row, in nothing but text and styles.
    fn row(&self, row: u16, cols: u16, style: Style) -> String {
        let whole = if style.ansi { self.vt.row_ansi(row) } else { self.vt.row_text(row) };
        if cols >= self.vt.size().cols {
            return whole;
        }
        let (mut text, mut look, mut used) = (String::new(), cotty_vt::Style::default(), 0);
        for cell in self.vt.row_cells(row).filter(|cell| cell.width > 0) {
            used += u16::from(cell.width);
            if used > cols {
                break;
            }
            if style.ansi && cell.style != look {
                look = cell.style;
                text.push_str(&look.sgr());
            }
            text.push_str(if cell.text.is_empty() { " " } else { &cell.text });
        }
        if look != cotty_vt::Style::default() {
            text.push_str("\x1b[0m");
        }
        text
    }
}

/// The person's terminal while we draw in it: another screen, no cursor, no echo of what is typed. Put back when dropped.
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
            // With what was typed meanwhile thrown away: it was meant for nobody.
            let _ = tcsetattr(stdin(), OptionalActions::Flush, before);
        }
    }
}
