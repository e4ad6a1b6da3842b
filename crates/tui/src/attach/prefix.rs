//! Which keys are ours and which are the program's. Pure.

use cotty_vt::{Key, KeyCode};

use crate::keys::Chord;
use crate::pan::Direction;

/// What can be asked for after the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Detach,
    /// The prefix itself, for the program.
    Literal,
    Help,
    Take,
    Give,
    /// What the agent asked is done, or declined.
    Done,
    Decline,
    /// Ctrl-D, for the program.
    EndOfInput,
    /// Scroll and copy mode; a page up at once where that was the key.
    Copy {
        page_up: bool,
    },
    Fit,
    Pan(Direction),
    Status,
    Mouse,
    Redraw,
    Suspend,
}

/// What a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The program's.
    Typed,
    /// The prefix: the next key is ours.
    Prefix,
    /// Ours.
    Order(Order),
    /// It came after the prefix and means nothing. It is not the program's, either.
    Nothing,
}

/// For `?`, in the order in which one looks for them.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("d", "detach; the session goes on"),
    ("[ or PageUp", "scroll, search and copy; q comes back"),
    ("t", "take the keyboard, until you give it back"),
    ("g", "give the keyboard back"),
    ("f", "fit: the session follows this window; again puts it back"),
    ("arrows", "look at another part of a session that is larger than the window"),
    ("s", "status line on or off"),
    ("m", "mouse on or off; off, your terminal selects text itself"),
    ("r", "draw everything anew"),
    ("Ctrl-z", "suspend; `fg` comes back"),
    ("?", "this list, and who is here"),
];

/// The same while an agent asks for something.
pub(crate) const HANDOFF_HELP: &[(&str, &str)] =
    &[("y", "yes: it is done, and the keyboard goes back"), ("n", "no: you decline")];

/// The same for whoever came because a person is needed.
pub(crate) const NEEDED_HELP: &[(&str, &str)] =
    &[("e", "Ctrl-D for the program: Ctrl-D itself says that you are done")];

/// Hears one key after the other.
#[derive(Debug)]
pub(crate) struct Prefix {
    prefix: Key,
    detach: Option<Key>,
    waiting: bool,
}

impl Prefix {
    pub(crate) fn new(prefix: &Chord, detach: Option<&Chord>) -> Prefix {
        Prefix { prefix: prefix.key, detach: detach.map(|chord| chord.key), waiting: false }
    }

    /// Whether the next key is ours.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting
    }

    pub(crate) fn hear(&mut self, key: Key) -> Heard {
        if std::mem::take(&mut self.waiting) {
            return match key == self.prefix {
                true => Heard::Order(Order::Literal),
                false => order(key).map_or(Heard::Nothing, Heard::Order),
            };
        }
        match key {
            key if key == self.prefix => {
                self.waiting = true;
                Heard::Prefix
            }
            key if Some(key) == self.detach => Heard::Order(Order::Detach),
            _ => Heard::Typed,
        }
    }
}

fn order(key: Key) -> Option<Order> {
    Some(match (key.code, key.ctrl) {
        // With Control, too: whoever holds it from the prefix on means the same.
        (KeyCode::Char('d'), _) => Order::Detach,
        (KeyCode::Char('z'), true) => Order::Suspend,
        (KeyCode::Char('?'), _) => Order::Help,
        (KeyCode::Char('t'), false) => Order::Take,
        (KeyCode::Char('g'), false) => Order::Give,
        (KeyCode::Char('y'), false) => Order::Done,
        (KeyCode::Char('n'), false) => Order::Decline,
        (KeyCode::Char('e'), false) => Order::EndOfInput,
        (KeyCode::Char('['), false) => Order::Copy { page_up: false },
        (KeyCode::PageUp, _) => Order::Copy { page_up: true },
        (KeyCode::Char('f'), false) => Order::Fit,
        (KeyCode::Char('s'), false) => Order::Status,
        (KeyCode::Char('m'), false) => Order::Mouse,
        (KeyCode::Char('r' | 'l'), _) => Order::Redraw,
        (KeyCode::Up, _) => Order::Pan(Direction::Up),
        (KeyCode::Down, _) => Order::Pan(Direction::Down),
        (KeyCode::Left, _) => Order::Pan(Direction::Left),
        (KeyCode::Right, _) => Order::Pan(Direction::Right),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(notation: &str) -> Key {
        notation.parse::<Chord>().unwrap().key
    }

    #[test]
    fn only_what_follows_the_prefix_is_ours() {
        let mut prefix = Prefix::new(&"ctrl+]".parse().unwrap(), None);
        let mut hear = |notation: &str| prefix.hear(key(notation));
        assert_eq!(hear("d"), Heard::Typed);
        assert_eq!(hear("ctrl+]"), Heard::Prefix);
        assert_eq!(hear("d"), Heard::Order(Order::Detach));
        assert_eq!(hear("d"), Heard::Typed);
        assert_eq!((hear("^]"), hear("^]")), (Heard::Prefix, Heard::Order(Order::Literal)));
        assert_eq!(hear("t"), Heard::Typed, "twice is over");
        assert_eq!((hear("^]"), hear("x"), hear("x")), (Heard::Prefix, Heard::Nothing, Heard::Typed));
        assert_eq!((hear("^]"), hear("up")), (Heard::Prefix, Heard::Order(Order::Pan(Direction::Up))));
        assert_eq!((hear("^]"), hear("^z")), (Heard::Prefix, Heard::Order(Order::Suspend)));
        assert_eq!(
            (hear("^]"), hear("pageup")),
            (Heard::Prefix, Heard::Order(Order::Copy { page_up: true }))
        );
        assert_eq!(hear("pageup"), Heard::Typed);
    }

    #[test]
    fn another_prefix_and_a_key_that_detaches_at_once() {
        let mut prefix = Prefix::new(&"ctrl+b".parse().unwrap(), Some(&"f12".parse().unwrap()));
        let mut hear = |notation: &str| prefix.hear(key(notation));
        assert_eq!(hear("ctrl+]"), Heard::Typed);
        assert_eq!((hear("ctrl+b"), hear("d")), (Heard::Prefix, Heard::Order(Order::Detach)));
        assert_eq!(hear("f12"), Heard::Order(Order::Detach));
        assert_eq!((hear("ctrl+b"), hear("ctrl+b")), (Heard::Prefix, Heard::Order(Order::Literal)));
    }
}
