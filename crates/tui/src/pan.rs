//! Which part of a session a smaller window shows. Pure.

use cotty_vt::{Cursor, Size};

/// A direction to pan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// The visible part: around the cursor, or where the person panned to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pan {
    by_hand: Option<(u16, u16)>,
}

impl Pan {
    /// Row and column of the session in the top left corner of a window of this size.
    pub(crate) fn origin(self, size: Size, cursor: Cursor, (cols, rows): (u16, u16)) -> (u16, u16) {
        let most = (size.rows.saturating_sub(rows), size.cols.saturating_sub(cols));
        match self.by_hand {
            Some((top, left)) => (top.min(most.0), left.min(most.1)),
            None => {
                let start =
                    |cursor: u16, room: u16, most: u16| cursor.saturating_sub(room.max(1) - 1).min(most);
                (start(cursor.row, rows, most.0), start(cursor.col, cols, most.1))
            }
        }
    }

    /// Pans by half a window.
    pub(crate) fn go(&mut self, to: Direction, size: Size, cursor: Cursor, room: (u16, u16)) {
        let (top, left) = self.origin(size, cursor, room);
        let (cols, rows) = (room.0.div_ceil(2), room.1.div_ceil(2));
        let (top, left) = match to {
            Direction::Up => (top.saturating_sub(rows), left),
            Direction::Down => (top.saturating_add(rows), left),
            Direction::Left => (top, left.saturating_sub(cols)),
            Direction::Right => (top, left.saturating_add(cols)),
        };
        let most = (size.rows.saturating_sub(room.1), size.cols.saturating_sub(room.0));
        self.by_hand = Some((top.min(most.0), left.min(most.1)));
    }

    /// Follows the cursor again.
    pub(crate) fn follow(&mut self) {
        self.by_hand = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { cols: 100, rows: 40 };

    fn at(row: u16, col: u16) -> Cursor {
        Cursor { row, col, visible: true, shape: cotty_vt::CursorShape::Block, blink: false }
    }

    #[test]
    fn the_cursor_stays_visible() {
        let pan = Pan::default();
        assert_eq!(pan.origin(SIZE, at(0, 0), (50, 10)), (0, 0));
        assert_eq!(pan.origin(SIZE, at(9, 49), (50, 10)), (0, 0));
        assert_eq!(pan.origin(SIZE, at(10, 50), (50, 10)), (1, 1));
        assert_eq!(pan.origin(SIZE, at(39, 99), (50, 10)), (30, 50));
        assert_eq!(pan.origin(SIZE, at(39, 99), (200, 100)), (0, 0), "everything fits");
        assert_eq!(pan.origin(SIZE, at(39, 99), (0, 0)), (39, 99), "no room at all");
    }

    #[test]
    fn a_pan_by_hand_holds_until_it_follows_again() {
        let mut pan = Pan::default();
        let (cursor, room) = (at(39, 0), (50, 10));
        pan.go(Direction::Up, SIZE, cursor, room);
        assert_eq!(pan.origin(SIZE, cursor, room), (25, 0));
        for _ in 0..9 {
            pan.go(Direction::Right, SIZE, cursor, room);
        }
        pan.go(Direction::Left, SIZE, cursor, room);
        assert_eq!(pan.origin(SIZE, cursor, room), (25, 25), "panning stops at the edge");
        pan.follow();
        assert_eq!(pan.origin(SIZE, cursor, room), (30, 0));
    }
}
