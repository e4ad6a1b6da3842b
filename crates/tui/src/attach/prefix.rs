//! Decides which keys are commands of attach and which go to the program. Pure.

use cotty_vt::{Key, KeyCode};

use crate::keys::Chord;
use crate::pan::Direction;

/// A command of attach, given after the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Detach,
    /// Sends the prefix itself to the program.
    Literal,
    Help,
    Take,
    Give,
    /// Completes or declines the hand-off request.
    Done,
    Decline,
    /// Sends Ctrl-D to the program.
    EndOfInput,
    /// Enters copy mode, and scrolls a page up if the key was PageUp.
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

/// What a key means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyMeaning {
    /// It goes to the program.
    Typed,
    /// The prefix: the next key is a command.
    Prefix,
    /// A command.
    Order(Order),
    /// It followed the prefix but is not a command. It does not go to the program.
    Nothing,
}

/// The list that `?` shows, most useful keys first.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("d", "detach; the session keeps running"),
    ("[ or PageUp", "scroll, search and copy; q returns"),
    ("t", "take the keyboard until you give it back"),
    ("g", "give the keyboard back"),
    ("f", "fit the session to this window, or undo that"),
    ("arrows", "show another part of a session that is larger than the window"),
    ("s", "status line on or off"),
    ("m", "mouse on or off; if off, your terminal selects text"),
    ("r", "redraw everything"),
    ("Ctrl-z", "suspend; `fg` resumes"),
    ("?", "this list, and who is here"),
];

/// More keys while a hand-off request is open.
pub(crate) const HANDOFF_HELP: &[(&str, &str)] =
    &[("y", "complete the request and give the keyboard back"), ("n", "decline the request")];

/// More keys with `--next`.
pub(crate) const NEEDED_HELP: &[(&str, &str)] =
    &[("e", "send Ctrl-D to the program; Ctrl-D itself ends attach")];

/// Classifies keys, one after the other.
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

    /// Whether the next key is a command.
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting
    }

    pub(crate) fn classify(&mut self, key: Key) -> KeyMeaning {
        if std::mem::take(&mut self.waiting) {
            return match key == self.prefix {
                true => KeyMeaning::Order(Order::Literal),
                false => order(key).map_or(KeyMeaning::Nothing, KeyMeaning::Order),
            };
        }
        match key {
            key if key == self.prefix => {
                self.waiting = true;
                KeyMeaning::Prefix
            }
            key if Some(key) == self.detach => KeyMeaning::Order(Order::Detach),
            _ => KeyMeaning::Typed,
        }
    }
}

fn order(key: Key) -> Option<Order> {
    Some(match (key.code, key.ctrl) {
        // Also with Control: the person may still hold it from the prefix.
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
    fn only_the_key_after_the_prefix_is_a_command() {
        let mut prefix = Prefix::new(&"ctrl+]".parse().unwrap(), None);
        let mut press = |notation: &str| prefix.classify(key(notation));
        assert_eq!(press("d"), KeyMeaning::Typed);
        assert_eq!(press("ctrl+]"), KeyMeaning::Prefix);
        assert_eq!(press("d"), KeyMeaning::Order(Order::Detach));
        assert_eq!(press("d"), KeyMeaning::Typed);
        assert_eq!((press("^]"), press("^]")), (KeyMeaning::Prefix, KeyMeaning::Order(Order::Literal)));
        assert_eq!(press("t"), KeyMeaning::Typed, "the prefix twice ends the command");
        assert_eq!(
            (press("^]"), press("x"), press("x")),
            (KeyMeaning::Prefix, KeyMeaning::Nothing, KeyMeaning::Typed)
        );
        assert_eq!(
            (press("^]"), press("up")),
            (KeyMeaning::Prefix, KeyMeaning::Order(Order::Pan(Direction::Up)))
        );
        assert_eq!((press("^]"), press("^z")), (KeyMeaning::Prefix, KeyMeaning::Order(Order::Suspend)));
        assert_eq!(
            (press("^]"), press("pageup")),
            (KeyMeaning::Prefix, KeyMeaning::Order(Order::Copy { page_up: true }))
        );
        assert_eq!(press("pageup"), KeyMeaning::Typed);
    }

    #[test]
    fn the_prefix_and_the_detach_key_can_be_configured() {
        let mut prefix = Prefix::new(&"ctrl+b".parse().unwrap(), Some(&"f12".parse().unwrap()));
        let mut press = |notation: &str| prefix.classify(key(notation));
        assert_eq!(press("ctrl+]"), KeyMeaning::Typed);
        assert_eq!((press("ctrl+b"), press("d")), (KeyMeaning::Prefix, KeyMeaning::Order(Order::Detach)));
        assert_eq!(press("f12"), KeyMeaning::Order(Order::Detach));
        assert_eq!(
            (press("ctrl+b"), press("ctrl+b")),
            (KeyMeaning::Prefix, KeyMeaning::Order(Order::Literal))
        );
    }
}
