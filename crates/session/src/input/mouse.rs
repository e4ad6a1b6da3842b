//! Mouse input, at a cell or at a text on the screen.

use cotty_protocol::ApiError;
use cotty_vt::{MouseAction, MouseButton, MouseEvent, MouseMode};

use super::encode::Encoder;
use crate::SessionError;
use crate::error::invalid;

/// A mouse input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mouse {
    /// What the mouse does.
    pub gesture: Gesture,
    /// Where it points.
    pub at: Target,
    /// The button; not used for the wheel.
    pub button: MouseButton,
    /// With Control.
    pub ctrl: bool,
    /// With Alt.
    pub alt: bool,
    /// With Shift.
    pub shift: bool,
}

/// What a mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// Presses and releases the button.
    Click,
    /// Clicks twice.
    DoubleClick,
    /// Presses the button.
    Press,
    /// Releases the button.
    Release,
    /// Moves, with the button held if one is given.
    Move,
    /// Turns the wheel this many steps; up and left are negative.
    Scroll {
        /// Steps down.
        down: i16,
        /// Steps to the right.
        right: i16,
    },
}

/// A place on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A cell, from 0.
    Cell {
        /// Its row.
        row: u16,
        /// Its column.
        col: u16,
    },
    /// The middle of a text that the screen shows.
    Label {
        /// The text.
        text: String,
        /// Which occurrence, from 1 at the top.
        nth: usize,
    },
}

impl Encoder<'_> {
    /// The bytes of a gesture, in the encoding that the program asked for.
    pub(super) fn point(&self, mouse: &Mouse) -> Result<Vec<u8>, SessionError> {
        if self.vt.modes().mouse == MouseMode::Off {
            return Err(ApiError::MouseOff { program: (self.program)() }.into());
        }
        let (row, col) = match &mouse.at {
            Target::Cell { row, col } => self.on_screen(*row, *col)?,
            Target::Label { text, nth } => self.label(text, *nth)?,
        };
        let Mouse { ctrl, alt, shift, .. } = *mouse;
        let event = |action, button| MouseEvent { action, button, row, col, ctrl, alt, shift };
        let (press, release) =
            (event(MouseAction::Press, mouse.button), event(MouseAction::Release, mouse.button));
        let events = match mouse.gesture {
            Gesture::Click => vec![press, release],
            Gesture::DoubleClick => vec![press, release, press, release],
            Gesture::Press => vec![press],
            Gesture::Release => vec![release],
            Gesture::Move => vec![event(MouseAction::Move, mouse.button)],
            Gesture::Scroll { down, right } => {
                let turns = |steps: i16, back, on| {
                    let button = if steps < 0 { back } else { on };
                    std::iter::repeat_n(event(MouseAction::Press, button), usize::from(steps.unsigned_abs()))
                };
                let vertical = turns(down, MouseButton::WheelUp, MouseButton::WheelDown);
                vertical.chain(turns(right, MouseButton::WheelLeft, MouseButton::WheelRight)).collect()
            }
        };
        // A program may ask for presses and not for releases: it gets only what it asked for.
        let sent: Vec<Vec<u8>> = events.iter().filter_map(|event| self.vt.encode_mouse(event)).collect();
        match sent.is_empty() {
            true => Err(ApiError::MouseOff { program: (self.program)() }.into()),
            false => Ok(sent.concat()),
        }
    }

    fn on_screen(&self, row: u16, col: u16) -> Result<(u16, u16), SessionError> {
        let size = self.vt.size();
        if row < size.rows && col < size.cols {
            return Ok((row, col));
        }
        let (rows, cols) = (size.rows, size.cols);
        Err(invalid(format!(
            "row {}, column {} is outside the screen of {rows} rows and {cols} columns",
            u32::from(row) + 1,
            u32::from(col) + 1
        )))
    }

    /// The middle of the `nth` occurrence of a text on the screen.
    fn label(&self, label: &str, nth: usize) -> Result<(u16, u16), SessionError> {
        let rows = 0..self.vt.size().rows;
        let mut places = rows.flat_map(|row| self.label_in_row(label, row));
        let missing = || SessionError::from(ApiError::LabelNotFound { label: label.to_owned(), nth });
        places.nth(nth.saturating_sub(1)).ok_or_else(missing)
    }

    fn label_in_row(&self, label: &str, row: u16) -> Vec<(u16, u16)> {
        // Each byte of the row's text with the column of its cell.
        let (mut text, mut columns) = (String::new(), Vec::new());
        for (col, cell) in (0..).zip(self.vt.row_cells(row)) {
            if cell.width > 0 {
                let shown = if cell.text.is_empty() { " " } else { &*cell.text };
                text.push_str(shown);
                columns.resize(text.len(), col);
            }
        }
        let middle = |(at, found): (usize, &str)| {
            let (first, last) = (*columns.get(at)?, *columns.get(at + found.len() - 1)?);
            Some((row, first + (last - first) / 2))
        };
        text.match_indices(label).filter_map(middle).collect()
    }
}

#[cfg(test)]
mod tests {
    use cotty_vt::{Size, Vt};

    use super::*;

    fn pointed(screen: &str, at: Target, gesture: Gesture) -> Result<String, SessionError> {
        let mut vt = Vt::new(Size { cols: 20, rows: 3 });
        vt.feed(screen.as_bytes());
        let encoder = Encoder { vt: &vt, program: &|| Some("htop".to_owned()), control: &|_| 0 };
        let mouse = Mouse { gesture, at, button: MouseButton::Left, ctrl: false, alt: false, shift: false };
        encoder.point(&mouse).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    const SGR: &str = "\x1b[?1000;1006h";

    #[test]
    fn a_label_is_clicked_in_its_middle() {
        let screen = format!("{SGR}  [ OK ]  [ OK ]\r\n 日本");
        let label = |text: &str, nth| Target::Label { text: text.into(), nth };
        let click = |at| pointed(&screen, at, Gesture::Click);
        assert_eq!(click(label("OK", 1)).unwrap(), "\x1b[<0;5;1M\x1b[<0;5;1m");
        assert_eq!(click(label("OK", 2)).unwrap(), "\x1b[<0;13;1M\x1b[<0;13;1m");
        assert_eq!(click(label("本", 1)).unwrap(), "\x1b[<0;4;2M\x1b[<0;4;2m");
        for missing in [label("OK", 3), label("Cancel", 1)] {
            let refused = click(missing);
            assert!(matches!(refused, Err(SessionError::Refused(ApiError::LabelNotFound { .. }))));
        }
    }

    #[test]
    fn a_program_gets_only_the_events_that_it_asked_for() {
        let cell = || Target::Cell { row: 2, col: 19 };
        assert_eq!(pointed(SGR, cell(), Gesture::Press).unwrap(), "\x1b[<0;20;3M");
        let scroll = Gesture::Scroll { down: -2, right: 0 };
        assert_eq!(pointed(SGR, cell(), scroll).unwrap(), "\x1b[<64;20;3M\x1b[<64;20;3M");
        let off = pointed("", cell(), Gesture::Press);
        assert!(matches!(off, Err(SessionError::Refused(ApiError::MouseOff { program: Some(_) }))));
        // The program asked for presses, not for moves.
        assert!(pointed(SGR, cell(), Gesture::Move).is_err());
        assert!(pointed(SGR, Target::Cell { row: 3, col: 0 }, Gesture::Press).is_err());
    }
}
