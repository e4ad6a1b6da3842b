use cotty_vt::{Color as CellColor, Style as CellStyle, UnderlineStyle, Vt};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::Widget;

use crate::pan::Pan;

/// Shows a terminal's screen in an area of any size: from the top left, or around the cursor if it does not fit. In a
/// larger area, a border of dots marks the end of the screen.
#[derive(Debug, Clone, Copy)]
pub struct TerminalWidget<'a> {
    vt: &'a Vt,
    pan: Pan,
}

impl<'a> TerminalWidget<'a> {
    /// Shows this terminal.
    pub fn new(vt: &'a Vt) -> TerminalWidget<'a> {
        TerminalWidget { vt, pan: Pan::default() }
    }

    /// Shows the part that `pan` selects.
    #[must_use]
    pub(crate) fn panned(self, pan: Pan) -> TerminalWidget<'a> {
        TerminalWidget { pan, ..self }
    }

    /// Row and column of the session in the area's top left corner.
    pub(crate) fn origin(self, area: Rect) -> (u16, u16) {
        self.pan.origin(self.vt.size(), self.vt.cursor(), (area.width, area.height))
    }

    /// The cell of the session that is shown at this position, if any.
    pub(crate) fn cell_at(self, area: Rect, x: u16, y: u16) -> Option<(u16, u16)> {
        let (size, (top, left)) = (self.vt.size(), self.origin(area));
        let inside = area.contains(Position { x, y });
        let (row, col) = (top + y.checked_sub(area.y)?, left + x.checked_sub(area.x)?);
        (inside && row < size.rows && col < size.cols).then_some((row, col))
    }

    /// Where to show the cursor, if it is visible.
    pub fn cursor(self, area: Rect) -> Option<Position> {
        let cursor = self.vt.cursor();
        let (top, left) = self.origin(area);
        let (row, col) = (cursor.row.checked_sub(top)?, cursor.col.checked_sub(left)?);
        (cursor.visible && row < area.height && col < area.width)
            .then(|| Position { x: area.x + col, y: area.y + row })
    }
}

impl Widget for TerminalWidget<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let size = self.vt.size();
        let (top, left) = self.origin(area);
        for y in 0..area.height.min(size.rows - top) {
            let cells = self.vt.row_cells(top + y).skip(usize::from(left)).take(usize::from(area.width));
            for (x, cell) in (0u16..).zip(cells) {
                let Some(target) = buffer.cell_mut(Position { x: area.x + x, y: area.y + y }) else {
                    continue;
                };
                target.set_style(style(cell.style));
                let cut = cell.width == 2 && x + 1 == area.width;
                match &*cell.text {
                    // The left half of a wide character covers its right half. A wide character that is cut is blank.
                    "" => target.set_symbol(" "),
                    _ if cut => target.set_symbol(" "),
                    text => target.set_symbol(text),
                };
            }
        }
        border(size.cols, size.rows, area, buffer);
    }
}

/// Draws dots where the session ends inside the area.
fn border(cols: u16, rows: u16, area: Rect, buffer: &mut Buffer) {
    let mut dot = |x: u16, y: u16| {
        if let Some(cell) = buffer.cell_mut(Position { x: area.x + x, y: area.y + y }) {
            cell.set_symbol("·").set_style(Style::new().add_modifier(Modifier::DIM));
        }
    };
    if area.width > cols {
        (0..area.height.min(rows)).for_each(|y| dot(cols, y));
    }
    if area.height > rows {
        (0..area.width.min(cols.saturating_add(1))).for_each(|x| dot(x, rows));
    }
}

fn style(cell: CellStyle) -> Style {
    let mut style = Style::new().fg(color(cell.fg)).bg(color(cell.bg));
    let modifiers = [
        (cell.bold(), Modifier::BOLD),
        (cell.dim(), Modifier::DIM),
        (cell.italic(), Modifier::ITALIC),
        (cell.underline != UnderlineStyle::None, Modifier::UNDERLINED),
        (cell.blink(), Modifier::SLOW_BLINK),
        (cell.inverse(), Modifier::REVERSED),
        (cell.hidden(), Modifier::HIDDEN),
        (cell.strike(), Modifier::CROSSED_OUT),
    ];
    for (set, modifier) in modifiers {
        if set {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn color(color: CellColor) -> Color {
    match color {
        CellColor::Default => Color::Reset,
        CellColor::Indexed(index) => Color::Indexed(index),
        CellColor::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotty_vt::Size;

    fn drawn(vt: &Vt, width: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        TerminalWidget::new(vt).render(area, &mut buffer);
        let rows = (0..height).map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>());
        rows.map(|row: String| row.trim_end().to_owned()).collect()
    }

    fn vt(cols: u16, rows: u16, text: &str) -> Vt {
        let mut vt = Vt::new(Size { cols, rows });
        vt.feed(text.as_bytes());
        vt
    }

    #[test]
    fn a_larger_area_shows_the_whole_screen_and_its_border() {
        let vt = vt(5, 2, "ab\r\ncd");
        assert_eq!(drawn(&vt, 8, 4), ["ab   ·", "cd   ·", "······", ""]);
        assert_eq!(drawn(&vt, 5, 3), ["ab", "cd", "·····"]);
        assert_eq!(drawn(&vt, 6, 2), ["ab   ·", "cd   ·"]);
        assert_eq!(drawn(&vt, 5, 2), ["ab", "cd"]);
    }

    #[test]
    fn a_smaller_area_follows_the_cursor() {
        let vt = vt(6, 4, "one\r\ntwo\r\nthree\r\nfour");
        assert_eq!(drawn(&vt, 6, 2), ["three", "four"]);
        assert_eq!(drawn(&vt, 3, 1), ["ur"]);
        let cursor = TerminalWidget::new(&vt).cursor(Rect::new(0, 0, 3, 1));
        assert_eq!(cursor, Some(Position { x: 2, y: 0 }));
    }

    #[test]
    fn a_wide_character_that_does_not_fit_is_blank() {
        assert_eq!(drawn(&vt(4, 1, "\u{1b}[?25la漢\u{1b}[H"), 2, 1), ["a"]);
    }
}
