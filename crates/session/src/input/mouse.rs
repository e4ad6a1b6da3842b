//! The mouse: by place or by what stands there.

use cotty_protocol::ApiError;
use cotty_vt::{MouseAction, MouseButton, MouseEvent, MouseMode};

use crate::SessionError;
use crate::error::invalid;
use crate::task::Task;

/// What the mouse does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mouse {
    /// What happens.
    pub gesture: Gesture,
    /// Where.
    pub at: Target,
    /// With which button; the wheel has none.
    pub button: MouseButton,
    /// With Control.
    pub ctrl: bool,
    /// With Alt.
    pub alt: bool,
    /// With Shift.
    pub shift: bool,
}

/// The kinds of thing that a mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gesture {
    /// A button goes down and up again.
    Click,
    /// Twice.
    DoubleClick,
    /// It goes down.
    Press,
    /// It goes up.
    Release,
    /// It moves, with the button held where one is given.
    Move,
    /// The wheel turns this many steps; up and left are negative.
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
        /// Which of several, from 1 at the top.
        nth: usize,
    },
}

impl Task {
    /// The bytes of a gesture, in the encoding that the program asked for.
    pub(crate) fn point(&self, mouse: &Mouse) -> Result<Vec<u8>, SessionError> {
        if self.vt.modes().mouse == MouseMode::Off {
            return Err(ApiError::MouseOff { program: self.foreground_name() }.into());
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
        // A program may ask for presses and not for releases: it gets what it asked for.
        let told: Vec<Vec<u8>> = events.iter().filter_map(|event| self.vt.encode_mouse(event)).collect();
        match told.is_empty() {
            true => Err(ApiError::MouseOff { program: self.foreground_name() }.into()),
            false => Ok(told.concat()),
        }
    }

    fn on_screen(&self, row: u16, col: u16) -> Result<(u16, u16), SessionError> {
        let size = self.vt.size();
        if row < size.rows && col < size.cols {
            return Ok((row, col));
        }
        let (rows, cols) = (size.rows, size.cols);
        Err(invalid(format!(
            "row {} and column {} are not on the screen of {rows} rows and {cols} columns",
            u32::from(row) + 1,
            u32::from(col) + 1
        )))
    }

    /// The middle of the `nth` place where the screen shows a text.
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
