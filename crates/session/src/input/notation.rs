//! Text with keys written into it: `ls^M[UP]`.

use cotty_vt::{Key, KeyCode};

use crate::Paste;
use crate::handle::Input;

/// The keys that are written in brackets.
const NAMED: &[(&str, KeyCode)] = &[
    ("UP", KeyCode::Up),
    ("DOWN", KeyCode::Down),
    ("LEFT", KeyCode::Left),
    ("RIGHT", KeyCode::Right),
    ("HOME", KeyCode::Home),
    ("END", KeyCode::End),
    ("PGUP", KeyCode::PageUp),
    ("PGDN", KeyCode::PageDown),
];

/// Parses text in which `^A` to `^Z` and `^[` are control keys, `[UP]`, `[F5]` … are keys, and `\^`, `\[` and `\\` are the
/// characters themselves. An unknown name is text.
pub fn with_keys(text: &str) -> Vec<Input> {
    let mut inputs = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (key, len) = match c {
            '\\' if rest[1..].starts_with(['^', '[', '\\']) => {
                plain.push_str(&rest[1..2]);
                rest = &rest[2..];
                continue;
            }
            '^' => (control(&rest[1..]), 2),
            '[' => bracketed(rest),
            _ => (None, 0),
        };
        if let Some(key) = key {
            flush(&mut plain, &mut inputs);
            inputs.push(Input::Key(key));
            rest = &rest[len..];
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    flush(&mut plain, &mut inputs);
    inputs
}

fn flush(plain: &mut String, inputs: &mut Vec<Input>) {
    if !plain.is_empty() {
        inputs.push(Input::Text { text: std::mem::take(plain), paste: Paste::Never });
    }
}

fn control(rest: &str) -> Option<Key> {
    match rest.chars().next()? {
        '[' => Some(KeyCode::Escape.into()),
        c @ ('A'..='Z' | 'a'..='z') => {
            Some(Key { ctrl: true, ..KeyCode::Char(c.to_ascii_lowercase()).into() })
        }
        _ => None,
    }
}

fn bracketed(rest: &str) -> (Option<Key>, usize) {
    let Some(end) = rest.find(']') else { return (None, 0) };
    let name = &rest[1..end];
    let function = || match name.strip_prefix('F')?.parse::<u8>().ok()? {
        number @ 1..=12 => Some(KeyCode::F(number)),
        _ => None,
    };
    let named = NAMED.iter().find(|(known, _)| *known == name).map(|(_, code)| *code);
    (named.or_else(function).map(Key::from), end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Input {
        Input::Text { text: text.into(), paste: Paste::Never }
    }

    fn ctrl(c: char) -> Input {
        Input::Key(Key { ctrl: true, ..KeyCode::Char(c).into() })
    }

    // R-P02
    #[test]
    fn keys_are_separated_from_text() {
        assert_eq!(with_keys("ls\n"), [text("ls\n")]);
        assert_eq!(with_keys("^C"), [ctrl('c')]);
        assert_eq!(with_keys("a^xb"), [text("a"), ctrl('x'), text("b")]);
        assert_eq!(with_keys("^["), [Input::Key(KeyCode::Escape.into())]);
        let keys =
            [Input::Key(KeyCode::Up.into()), Input::Key(KeyCode::F(12).into()), text("[F13][up][NAME]")];
        assert_eq!(with_keys("[UP][F12][F13][up][NAME]"), keys);
        assert_eq!(with_keys(r"grep '\^Cargo' \[UP] \\ \n"), [text(r"grep '^Cargo' [UP] \ \n")]);
        assert_eq!(with_keys("^"), [text("^")]);
        assert_eq!(with_keys("^1[UP"), [text("^1[UP")]);
        assert_eq!(with_keys("日^C"), [text("日"), ctrl('c')]);
        assert_eq!(with_keys(""), []);
    }
}
