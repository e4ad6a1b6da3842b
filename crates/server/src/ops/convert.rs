//! Converts between the session's types and the wire's.

use base64::Engine as _;
use cotty_protocol::ApiError;
use cotty_protocol::op::{self, Dimensions, Place, SessionInfo, keyboard, mouse, requests, send};
use cotty_protocol::text::random;
use cotty_session as session;
use cotty_session::{
    Control, Gesture, HandoffOutcome, HandoffRequest, Holder, Info, Input, Key, KeyAction, KeyboardState,
    Lost, Meta, Mouse, MouseButton, Paste, Returned, Target, timestamp, with_keys,
};

use crate::tokens::TokenError;

/// Converts a token's error for the wire.
pub(super) fn token_error(error: TokenError) -> ApiError {
    match error {
        TokenError::Name(name) => ApiError::BadTokenName { name },
        TokenError::Exists(name) => ApiError::TokenExists { name },
        TokenError::NotFound(name) => ApiError::TokenNotFound { name },
        TokenError::Io(_) => ApiError::Io { error: error.to_string() },
    }
}

/// A retry id for a request that has none: it cannot be retried.
pub(crate) fn random_id() -> String {
    // Without random bytes there would be no sessions, either.
    random::<24>().unwrap_or_default()
}

/// Milliseconds since the epoch.
pub(crate) fn now_ms() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or(0)
}

pub(super) fn returned(returned: Returned) -> keyboard::Returned {
    keyboard::Returned {
        by: returned.by,
        held_ms: returned.held_ms,
        bytes: returned.bytes,
        since: returned.from_seq,
        until: returned.to_seq,
    }
}

pub(crate) fn keyboard_state(state: KeyboardState) -> keyboard::Reply {
    let (holder, by, ends_ms) = match state.holder {
        Holder::Agent => (keyboard::Holder::Agent, None, None),
        Holder::Nobody => (keyboard::Holder::Nobody, None, None),
        Holder::Person { name, ends_ms, .. } => (keyboard::Holder::Person, Some(name), ends_ms),
    };
    let returned = state.returned.map(returned);
    let returns_in_ms = ends_ms.map(|end| end.saturating_sub(session::steady_ms()));
    keyboard::Reply { holder, by, returns_in_ms, returned }
}

/// The state of the keyboard if a person has it or had it, else `None`.
pub(super) fn keyboard_news(state: KeyboardState) -> Option<keyboard::Reply> {
    let news = matches!(state.holder, Holder::Person { .. }) || state.returned.is_some();
    news.then(|| keyboard_state(state))
}

/// Converts what was left out. `since` is where the text begins, if it can be read again from there.
pub(super) fn left_out(left_out: session::LeftOut, since: Option<u64>) -> op::LeftOut {
    let offset = since.map(|_| left_out.after);
    let session::LeftOut { bytes, lines, after_lines, .. } = left_out;
    op::LeftOut { bytes, lines, after_lines, offset, since }
}

pub(super) fn dimensions(size: (u16, u16)) -> Dimensions {
    Dimensions { cols: size.0, rows: size.1 }
}

pub(super) fn place(cursor: (u16, u16)) -> Place {
    Place { row: cursor.0 + 1, col: cursor.1 + 1 }
}

/// Converts a hand-off request of a session with this state of the keyboard.
pub(super) fn request(
    request: &HandoffRequest,
    meta: &Meta,
    keyboard: &KeyboardState,
) -> requests::HandoffRequest {
    let now = session::steady_ms();
    let holder = match &keyboard.holder {
        Holder::Person { name, .. } => Some(name.clone()),
        Holder::Agent | Holder::Nobody => None,
    };
    let (by, note) = match &request.ended {
        Some(end) => (end.by.clone(), end.note.clone()),
        None => (holder.clone(), None),
    };
    requests::HandoffRequest {
        request_id: request.id.clone(),
        session_id: meta.id.clone(),
        number: meta.number,
        from: request.from.clone(),
        message: request.message.clone(),
        state: handoff_state(request.ended.as_ref().map(|end| end.outcome), holder.is_some()),
        by,
        note,
        made_at: timestamp(request.made_ms),
        open_ms: request.open_ms(now),
        ends_in_ms: request.is_open().then(|| request.ends_ms.saturating_sub(now)),
        typed_bytes: request.bytes,
        since: request.from_seq,
    }
}

/// The state of a hand-off request. `held`: a person has the keyboard.
pub(crate) fn handoff_state(outcome: Option<HandoffOutcome>, held: bool) -> requests::State {
    match outcome {
        None if held => requests::State::Taken,
        None => requests::State::Waiting,
        Some(outcome) => outcome.into(),
    }
}

pub(super) fn info(info: Info) -> SessionInfo {
    let command = info.meta.command();
    let open = info.handoff.as_ref().filter(|request| request.is_open());
    let handoff = open.map(|open| request(open, &info.meta, &info.keyboard));
    SessionInfo {
        session_id: info.meta.id,
        number: info.meta.number,
        name: info.meta.name,
        title: info.title,
        command,
        program: info.meta.program,
        args: info.meta.args,
        pid: info.pid,
        created_at: timestamp(info.meta.created_ms),
        dimensions: dimensions(info.size),
        cursor: place(info.cursor),
        exited: info.ended.is_some(),
        exit_code: info.ended.and_then(|e| e.exit_code),
        signal: info.ended.and_then(|e| e.signal),
        healthy: info.ended.is_none(),
        activity: info.activity,
        stopped: info.stopped,
        panel_id: info.meta.panel.map(|panel| panel.id),
        owner: info.meta.actor.owner,
        cwd: info.cwd.or(info.meta.cwd),
        seq: info.seq,
        keyboard: keyboard_state(info.keyboard),
        history_lines: info.history_lines,
        idle_ms: info.idle_ms,
        recording: op::Recording {
            on: info.recording.on,
            bytes: info.recording.bytes,
            lost_bytes: info.recording.lost,
            error: info.recording.error,
        },
        handoff,
        history_lost: info.lost.map(history_lost),
        checkpointed: info.checkpointed,
    }
}

pub(super) fn history_lost(lost: Lost) -> op::HistoryLost {
    op::HistoryLost { at: timestamp(lost.at_ms), before_seq: lost.before_seq, what: lost.what }
}

/// The input of a `send`.
pub(super) fn send_input(params: &send::Params) -> Result<Input, ApiError> {
    let kinds = [
        ("text", params.text.is_some()),
        ("key", params.key.is_some()),
        ("mouse", params.mouse.is_some()),
        ("control", params.control.is_some()),
        ("bytes", params.bytes.is_some()),
    ];
    let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.len() > 1 {
        let message = format!("{} cannot be given together", given.join(" and "));
        return Err(ApiError::invalid_instead(message, "send one after the other"));
    }
    if let Some(control) = params.control {
        return Ok(Input::Control(match control {
            send::Control::Interrupt => Control::Interrupt,
            send::Control::Eof => Control::Eof,
            send::Control::Suspend => Control::Suspend,
        }));
    }
    if let Some(mouse) = &params.mouse {
        return mouse_input(mouse, params);
    }
    if let Some(bytes) = &params.bytes {
        let bytes = base64::prelude::BASE64_STANDARD
            .decode(bytes)
            .map_err(|error| ApiError::invalid(format!("`bytes` is not base64: {error}")))?;
        return match bytes.is_empty() {
            true => Err(no_input("`bytes` is empty")),
            false => Ok(Input::Bytes(bytes)),
        };
    }
    match (&params.text, &params.key) {
        (None, None) => Err(no_input("No input provided (need text or key)")),
        (Some(text), None) if text.is_empty() => Err(no_input("`text` is empty")),
        (Some(_), None) if params.ctrl || params.alt || params.shift => Err(ApiError::invalid_instead(
            "ctrl, alt and shift need a key, not text",
            "give the key as `key`",
        )),
        (Some(text), None) if params.special => Ok(Input::Several(with_keys(text))),
        (Some(text), None) => {
            let paste = match params.paste {
                send::Paste::Auto => Paste::Auto,
                send::Paste::Always => Paste::Always,
                send::Paste::Never => Paste::Never,
            };
            Ok(Input::Text { text: text.clone(), paste })
        }
        (_, Some(name)) => {
            let key = Key::parse(name).map_err(|unknown| ApiError::UnknownKey {
                key: name.clone(),
                near: unknown.did_you_mean.map(|meant| meant.to_string()),
            })?;
            let action = match params.event {
                send::KeyEvent::Press => KeyAction::Press,
                send::KeyEvent::Repeat => KeyAction::Repeat,
                send::KeyEvent::Release => KeyAction::Release,
            };
            Ok(Input::Key(Key { action, ..key.with(params.ctrl, params.alt, params.shift) }))
        }
    }
}

fn no_input(problem: &str) -> ApiError {
    ApiError::NoInput { problem: problem.to_owned() }
}

fn mouse_input(given: &mouse::Mouse, params: &send::Params) -> Result<Input, ApiError> {
    let at = match (&given.label, given.row, given.col) {
        (Some(label), None, None) if !label.is_empty() => {
            Target::Label { text: label.clone(), nth: given.nth.unwrap_or(1) }
        }
        (None, Some(row @ 1..), Some(col @ 1..)) => Target::Cell { row: row - 1, col: col - 1 },
        _ => {
            return Err(ApiError::invalid_instead(
                "the mouse needs a position",
                "give row and col, both from 1, or a label that the screen shows",
            ));
        }
    };
    let scrolls = given.action == mouse::Action::Scroll;
    if !scrolls && (given.down.is_some() || given.right.is_some()) {
        return Err(ApiError::invalid("`down` and `right` are only for the action `scroll`"));
    }
    let gesture = match given.action {
        mouse::Action::Click => Gesture::Click,
        mouse::Action::DoubleClick => Gesture::DoubleClick,
        mouse::Action::Press => Gesture::Press,
        mouse::Action::Release => Gesture::Release,
        mouse::Action::Move => Gesture::Move,
        mouse::Action::Scroll => {
            let down = given.down.unwrap_or(if given.right.is_some() { 0 } else { 3 });
            let right = given.right.unwrap_or(0);
            let steps = down.unsigned_abs().max(right.unsigned_abs());
            if steps == 0 || steps > 1000 {
                return Err(ApiError::invalid("a scroll has 1 to 1000 steps"));
            }
            Gesture::Scroll { down, right }
        }
    };
    let button = match given.button {
        mouse::Button::Left => MouseButton::Left,
        mouse::Button::Middle => MouseButton::Middle,
        mouse::Button::Right => MouseButton::Right,
        mouse::Button::None => MouseButton::None,
    };
    let send::Params { ctrl, alt, shift, .. } = *params;
    Ok(Input::Mouse(Mouse { gesture, at, button, ctrl, alt, shift }))
}
