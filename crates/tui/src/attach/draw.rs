//! Draws the session, the status line if there is room or a message, and the list of keys.

use cotty_client::ClientError;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use super::AttachEnd;
use super::app::App;
use super::prefix::{HANDOFF_HELP, HELP, NEEDED_HELP};
use super::status;
use crate::copy::CopyMode;
use crate::widget::TerminalWidget;

/// Longest part of a title that the status line shows.
const TITLE: usize = 40;

/// The part of the window that is not the status line.
pub(super) fn main_area((cols, rows): (u16, u16), bar: bool) -> Rect {
    Rect::new(0, 0, cols, if rows > 1 { rows - u16::from(bar) } else { rows })
}

impl App {
    /// Where the session is drawn.
    pub(super) fn area(&self) -> Rect {
        let window = self.outer.size();
        main_area(window, self.bar(window.1).is_some())
    }

    /// Columns and rows of the session's area.
    pub(super) fn room(&self) -> (u16, u16) {
        let area = self.area();
        (area.width, area.height)
    }

    /// The text of the last row. It covers a row of the session only for a message; if the window has a spare row, it shows
    /// the status.
    fn bar(&self, height: u16) -> Option<String> {
        if let Some(copy) = &self.copy {
            return Some(self.message().map_or_else(|| copy.status(), str::to_owned));
        }
        if self.lost {
            let keys = &self.options.prefix;
            return Some(format!("the daemon is gone: waiting for the next one · {keys} d detaches"));
        }
        if self.prefix.is_waiting() {
            let keys = &self.options.prefix;
            let hints = "d detach · [ scroll · t take · g give · f fit · ? all keys";
            let asked = if self.handoff().is_some() { " · y done · n decline" } else { "" };
            return Some(format!("{hints}{asked} · {keys} sends {keys}"));
        }
        if let Some(message) = self.message() {
            return Some(message.to_owned());
        }
        let screen = self.screen.as_ref()?;
        let secret = status::asks(&screen.activity).is_some();
        let asks = self.options.needed || ((secret || self.handoff().is_some()) && !self.presence.yours);
        let spare = self.options.status && height > screen.vt.size().rows;
        (asks || spare || self.over.is_some()).then(|| self.status_line())
    }

    /// The status: session, request, keyboard, viewers, size.
    pub(super) fn status_line(&self) -> String {
        let Some(screen) = &self.screen else { return String::new() };
        let over = self.over.as_ref().map(|end| match end {
            AttachEnd::Exited { exit_code: Some(code), .. } => format!("exited with {code} · q leaves"),
            AttachEnd::Exited { signal, .. } => {
                format!("killed by signal {} · q leaves", signal.unwrap_or_default())
            }
            _ => "destroyed · q leaves".to_owned(),
        });
        let others = status::others(&self.presence);
        let size = screen.vt.size();
        let flag = |on: bool, text: &str| if on { text.to_owned() } else { String::new() };
        // A request says more than the secret, so it comes first.
        let secret = status::asks(&screen.activity).unwrap_or_default();
        let asked = self.handoff().map(status::handoff).unwrap_or_default();
        let first = [
            status::label(&self.info),
            over.unwrap_or_default(),
            flag(asked.is_empty(), secret),
            self.ending(),
        ];
        let rest = [
            flag(!asked.is_empty(), secret),
            screen.title.chars().take(TITLE).collect(),
            status::keyboard(&self.presence),
            if others.is_empty() { others } else { format!("with {others}") },
            flag(self.options.read_only, "read-only"),
            flag(self.presence.fitted, "fitted"),
            format!("{}×{}", size.cols, size.rows),
        ];
        let keys = format!("{} ? keys", self.options.prefix);
        match self.ending().is_empty() {
            true => status::line(&[&first[..], &rest, &[keys]].concat()),
            false => status::fitted(usize::from(self.outer.size().0), &first, &asked, &rest, &keys),
        }
    }

    pub(super) fn draw(&mut self) -> Result<(), ClientError> {
        let Some(screen) = &self.screen else { return Ok(()) };
        let title = match screen.title.is_empty() {
            true => status::label(&self.info),
            false => screen.title.clone(),
        };
        self.outer.set_title(status::plain(&title))?;
        let window = self.outer.size();
        let bar = self.bar(window.1).map(|text| status::plain(&text));
        let main = main_area(window, bar.is_some());
        if let Some(copy) = &mut self.copy {
            copy.set_height(main.height);
        }
        let help = self.help.then(|| self.help());
        let App { outer, screen, copy, pan, .. } = self;
        let Some(screen) = screen else { return Ok(()) };
        outer.draw(|frame| {
            let cursor = match copy {
                Some(copy) => draw_copy(copy, main, frame),
                None => {
                    let widget = TerminalWidget::new(&screen.vt).panned(*pan);
                    frame.render_widget(widget, main);
                    widget.cursor(main)
                }
            };
            if let Some(text) = bar.filter(|_| window.1 > main.height) {
                let style = Style::new().add_modifier(Modifier::REVERSED);
                let area = Rect::new(0, main.height, window.0, 1);
                frame.render_widget(Line::from(text).style(style), area);
            }
            match help {
                Some(lines) => draw_help(lines, frame),
                None => {
                    if let Some(position) = cursor {
                        frame.set_cursor_position(position);
                    }
                }
            }
        })?;
        Ok(())
    }

    /// The keys, and who is here.
    fn help(&self) -> Vec<String> {
        let keys = self.options.prefix.to_string();
        let wide = HELP.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let asked = if self.handoff().is_some() { HANDOFF_HELP } else { &[] };
        let needed = if self.options.needed { NEEDED_HELP } else { &[] };
        let width = usize::from(self.outer.size().0).saturating_sub(6).min(76);
        let mut lines = self.handoff_lines(width);
        lines.extend(
            asked.iter().chain(needed).chain(HELP).map(|(key, does)| format!("{keys} {key:wide$}  {does}")),
        );
        lines.push(format!("{keys} {keys:wide$}  sends {keys} to the program"));
        if let Some(detach) = &self.options.detach {
            lines.push(format!("{detach}  detaches at once"));
        }
        lines.push(String::new());
        lines.push(format!("{} · {}", status::label(&self.info), status::keyboard(&self.presence)));
        let others: Vec<String> =
            self.presence.others.iter().map(|other| format!("{} ({})", other.name, other.kind)).collect();
        lines.push(match (others.is_empty(), self.presence.count) {
            (true, _) => "nobody else is watching".to_owned(),
            (false, count) => format!("{count} watching with you: {}", others.join(", ")),
        });
        lines.iter().map(|line| status::plain(line)).collect()
    }
}

/// Draws copy mode, with the matches and the selection.
fn draw_copy(copy: &CopyMode, area: Rect, frame: &mut Frame<'_>) -> Option<Position> {
    let picture = copy.picture();
    let widget = TerminalWidget::new(&picture);
    frame.render_widget(widget, area);
    let (top, left) = widget.origin(area);
    let buffer = frame.buffer_mut();
    let found = Style::new().bg(Color::Yellow).fg(Color::Black);
    mark(&copy.found(), (top, left), area, buffer, |cell| {
        cell.set_style(found);
    });
    mark(&copy.selected(), (top, left), area, buffer, |cell| {
        cell.modifier.toggle(Modifier::REVERSED);
    });
    widget.cursor(area)
}

fn mark(
    stretches: &[(u16, u16, u16)],
    (top, left): (u16, u16),
    area: Rect,
    buffer: &mut Buffer,
    change: impl Fn(&mut ratatui::buffer::Cell),
) {
    for &(row, from, to) in stretches {
        for col in from.max(left)..to.min(left.saturating_add(area.width)) {
            let Some(y) = row.checked_sub(top).filter(|y| *y < area.height) else { continue };
            if let Some(cell) = buffer.cell_mut(Position { x: area.x + col - left, y: area.y + y }) {
                change(cell);
            }
        }
    }
}

fn draw_help(lines: Vec<String>, frame: &mut Frame<'_>) {
    let area = frame.area();
    let wide = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = u16::try_from(wide + 4).unwrap_or(u16::MAX).min(area.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).min(area.height);
    let place = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    Clear.render(place, frame.buffer_mut());
    let text: Vec<Line<'_>> = lines.into_iter().map(|line| Line::from(format!(" {line}"))).collect();
    frame.render_widget(Paragraph::new(text).block(Block::bordered().title(" cotty attach ")), place);
}
