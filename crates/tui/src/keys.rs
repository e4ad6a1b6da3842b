use cotty_protocol::op::send::Paste;
use cotty_protocol::view::FromViewer;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key of the outer terminal by the name that the daemon knows. It is encoded there, for the modes of the program.
pub(crate) fn message(event: &KeyEvent) -> Option<FromViewer> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let key = match event.code {
        // The character itself says whether Shift was held.
        KeyCode::Char(c) => {
            shift = false;
            c.to_string()
        }
        KeyCode::F(n) => format!("f{n}"),
        KeyCode::BackTab => {
            shift = true;
            "tab".to_owned()
        }
        code => name(code)?.to_owned(),
    };
    let (ctrl, alt) =
        (event.modifiers.contains(KeyModifiers::CONTROL), event.modifiers.contains(KeyModifiers::ALT));
    if let (KeyCode::Char(c), true, false) = (event.code, alt, ctrl) {
        // It came as ESC and the character, which may as well be two keys typed fast: a program that wants
        // Alt told apart (modifyOtherKeys, kitty) must get what was typed, not a guess.
        return Some(FromViewer::Text { text: format!("\x1b{c}"), paste: Paste::Never });
    }
    Some(FromViewer::Key { key, ctrl, alt, shift })
}

fn name(code: KeyCode) -> Option<&'static str> {
    Some(match code {
        KeyCode::Enter => "enter",
        KeyCode::Tab => "tab",
        KeyCode::Backspace => "backspace",
        KeyCode::Esc => "escape",
        KeyCode::Up => "up",
        KeyCode::Down => "down",
        KeyCode::Left => "left",
        KeyCode::Right => "right",
        KeyCode::Home => "home",
        KeyCode::End => "end",
        KeyCode::PageUp => "pageup",
        KeyCode::PageDown => "pagedown",
        KeyCode::Insert => "insert",
        KeyCode::Delete => "delete",
        _ => return None,
    })
}
