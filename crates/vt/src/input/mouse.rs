use alloc::format;
use alloc::vec::Vec;

use crate::term::{CELL_HEIGHT, CELL_WIDTH};
use crate::{MouseEncoding, MouseMode, Vt};

/// A mouse event over a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MouseEvent {
    /// What happened.
    pub action: MouseAction,
    /// The button; for a move, the button that is held.
    pub button: MouseButton,
    /// Row, from 0.
    pub row: u16,
    /// Column, from 0.
    pub col: u16,
    /// Control is held.
    pub ctrl: bool,
    /// Alt is held.
    pub alt: bool,
    /// Shift is held.
    pub shift: bool,
}

/// The kinds of mouse event; turning the wheel is a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// A button went down, or the wheel turned.
    Press,
    /// A button went up.
    Release,
    /// The mouse moved to another cell.
    Move,
}

/// The mouse buttons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseButton {
    /// No button, for a move.
    None,
    /// Left button.
    Left,
    /// Middle button.
    Middle,
    /// Right button.
    Right,
    /// Wheel up.
    WheelUp,
    /// Wheel down.
    WheelDown,
    /// Wheel left.
    WheelLeft,
    /// Wheel right.
    WheelRight,
}

impl Vt {
    /// The bytes that report a mouse event to the program; `None` if the program did not enable this
    /// event, or if its encoding cannot express it.
    pub fn encode_mouse(&self, m: &MouseEvent) -> Option<Vec<u8>> {
        let modes = &self.term.modes;
        if !wanted(modes.mouse, m) || m.row >= self.term.size.rows || m.col >= self.term.size.cols {
            return None;
        }
        let mut code = button_code(m.button);
        if modes.mouse != MouseMode::X10 {
            code += 4 * u32::from(m.shift) + 8 * u32::from(m.alt) + 16 * u32::from(m.ctrl);
        }
        if m.action == MouseAction::Move {
            code += 32;
        }
        let released = m.action == MouseAction::Release;
        let (x, y) = (u32::from(m.col) + 1, u32::from(m.row) + 1);
        match modes.mouse_encoding {
            MouseEncoding::Sgr => Some(sgr(code, x, y, released)),
            MouseEncoding::SgrPixels => {
                // The middle of the cell, in pixels from 1.
                let x = (x - 1) * CELL_WIDTH + CELL_WIDTH / 2 + 1;
                let y = (y - 1) * CELL_HEIGHT + CELL_HEIGHT / 2 + 1;
                Some(sgr(code, x, y, released))
            }
            encoding => {
                // These encodings report every release as button 3.
                let code = if released { code | 3 } else { code };
                let mut out = b"\x1b[M".to_vec();
                for value in [code, x, y] {
                    push_coordinate(&mut out, value + 32, encoding)?;
                }
                Some(out)
            }
        }
    }
}

fn wanted(mode: MouseMode, m: &MouseEvent) -> bool {
    let wheel = button_code(m.button) >= 64;
    match (m.action, mode) {
        (_, MouseMode::Off) => false,
        (MouseAction::Press | MouseAction::Release, _) if m.button == MouseButton::None => false,
        (MouseAction::Press, MouseMode::X10) => !wheel,
        (_, MouseMode::X10) => false,
        (MouseAction::Press, _) => true,
        (MouseAction::Release, _) => !wheel,
        (MouseAction::Move, MouseMode::Normal) => false,
        (MouseAction::Move, MouseMode::Button) => m.button != MouseButton::None && !wheel,
        (MouseAction::Move, MouseMode::Any) => !wheel,
    }
}

fn button_code(button: MouseButton) -> u32 {
    match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
        MouseButton::None => 3,
        MouseButton::WheelUp => 64,
        MouseButton::WheelDown => 65,
        MouseButton::WheelLeft => 66,
        MouseButton::WheelRight => 67,
    }
}

fn sgr(code: u32, x: u32, y: u32, released: bool) -> Vec<u8> {
    let last = if released { 'm' } else { 'M' };
    format!("\x1b[<{code};{x};{y}{last}").into_bytes()
}

fn push_coordinate(out: &mut Vec<u8>, value: u32, encoding: MouseEncoding) -> Option<()> {
    if encoding == MouseEncoding::Utf8 {
        // xterm sends at most two bytes.
        let c = char::from_u32(value).filter(|c| *c < '\u{800}')?;
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        out.push(u8::try_from(value).ok()?);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Size;

    fn vt(setup: &str) -> Vt {
        let mut vt = Vt::new(Size { cols: 300, rows: 24 });
        vt.feed(setup.as_bytes());
        vt
    }

    fn event(action: MouseAction, button: MouseButton) -> MouseEvent {
        MouseEvent { action, button, row: 4, col: 9, ctrl: false, alt: false, shift: false }
    }

    #[test]
    fn events_that_are_not_enabled_send_nothing() {
        assert_eq!(vt("").encode_mouse(&event(MouseAction::Press, MouseButton::Left)), None);
        let normal = vt("\x1b[?1000h");
        assert_eq!(normal.encode_mouse(&event(MouseAction::Move, MouseButton::Left)), None);
        let button = vt("\x1b[?1002h");
        assert_eq!(button.encode_mouse(&event(MouseAction::Move, MouseButton::None)), None);
        let x10 = vt("\x1b[?9h");
        assert_eq!(x10.encode_mouse(&event(MouseAction::Release, MouseButton::Left)), None);
        let outside = MouseEvent { row: 24, ..event(MouseAction::Press, MouseButton::Left) };
        assert_eq!(normal.encode_mouse(&outside), None);
    }

    #[test]
    fn legacy_and_utf8_reports() {
        let legacy = vt("\x1b[?1000h");
        let press = event(MouseAction::Press, MouseButton::Left);
        assert_eq!(legacy.encode_mouse(&press).unwrap(), b"\x1b[M \x2a\x25");
        let release = event(MouseAction::Release, MouseButton::Left);
        assert_eq!(legacy.encode_mouse(&release).unwrap(), b"\x1b[M#\x2a\x25");
        let far = MouseEvent { col: 250, ..press };
        assert_eq!(legacy.encode_mouse(&far), None);
        let utf8 = vt("\x1b[?1000;1005h");
        assert_eq!(utf8.encode_mouse(&far).unwrap(), "\x1b[M \u{11b}%".as_bytes());
    }

    #[test]
    fn sgr_reports() {
        let sgr = vt("\x1b[?1003;1006h");
        let text = |m: &MouseEvent| alloc::string::String::from_utf8(sgr.encode_mouse(m).unwrap()).unwrap();
        let press = event(MouseAction::Press, MouseButton::Right);
        assert_eq!(text(&press), "\x1b[<2;10;5M");
        assert_eq!(text(&event(MouseAction::Release, MouseButton::Right)), "\x1b[<2;10;5m");
        assert_eq!(text(&event(MouseAction::Move, MouseButton::None)), "\x1b[<35;10;5M");
        assert_eq!(text(&event(MouseAction::Press, MouseButton::WheelDown)), "\x1b[<65;10;5M");
        assert_eq!(text(&MouseEvent { ctrl: true, shift: true, ..press }), "\x1b[<22;10;5M");
        let pixels = vt("\x1b[?1000;1016h");
        assert_eq!(pixels.encode_mouse(&press).unwrap(), b"\x1b[<2;77;73M");
    }
}
