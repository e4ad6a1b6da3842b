//! Between the session's types and the wire's. The only place that knows both.

use std::time::Duration;

use cotty_protocol::op::{self, Dimensions, Place, SessionInfo, send};
use cotty_protocol::{Code, Fault};
use cotty_session::{Activity, Info, Input, Key, KeyCode, Met, Paste, SessionError, Wait};

/// A session's error as it goes over the wire: the code once, here.
pub(crate) fn fault(error: SessionError) -> Fault {
    let code = match &error {
        SessionError::NotFound(_) => Code::SessionNotFound,
        SessionError::Destroyed(_) => Code::SessionDestroyed,
        SessionError::TooMany { .. } => Code::MaxSessions,
        SessionError::BadName(_) | SessionError::Invalid(_) | SessionError::Directory { .. } => {
            Code::InvalidInput
        }
        SessionError::ProgramNotFound(_) => Code::ProgramNotFound,
        SessionError::Pty(_) => Code::PtyError,
        SessionError::Io(_) | SessionError::Keeper(_) => Code::IoError,
        SessionError::Broken(_) => Code::SessionError,
        SessionError::Exited(_) => Code::ProcessExited,
        SessionError::Busy => Code::Busy,
        SessionError::NotAtPrompt { .. } | SessionError::LineBegun => Code::NotAtPrompt,
        SessionError::NoShell => Code::NoShell,
        SessionError::Denied { .. } => Code::PolicyDenied,
        SessionError::BadPattern(_) => Code::InvalidPattern,
        SessionError::Capturing(_) => Code::CaptureRunning,
        SessionError::NotCapturing => Code::NoCapture,
        SessionError::NoRecording(_) => Code::NoRecording,
        SessionError::ShuttingDown => Code::ShuttingDown,
    };
    Fault { code, message: error.to_string(), hint: error.hint() }
}

pub(crate) fn activity(activity: Activity) -> op::Activity {
    match activity {
        Activity::Prompt => op::Activity::Prompt,
        Activity::Running(program) => op::Activity::Running { program },
        Activity::SecretInput => op::Activity::SecretInput,
        Activity::Exited => op::Activity::Exited,
    }
}

pub(super) fn dimensions(size: (u16, u16)) -> Dimensions {
    Dimensions { cols: size.0, rows: size.1 }
}

pub(super) fn place(cursor: (u16, u16)) -> Place {
    Place { row: cursor.0 + 1, col: cursor.1 + 1 }
}

pub(super) fn info(info: Info) -> SessionInfo {
    let created =
        i64::try_from(info.meta.created_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    SessionInfo {
        session_id: info.meta.id,
        number: info.meta.number,
        name: info.meta.name,
        title: info.title,
        program: info.meta.program,
        args: info.meta.args,
        pid: info.pid,
        created_at: created.map(|t| t.to_string()).unwrap_or_default(),
        dimensions: dimensions(info.size),
        cursor: place(info.cursor),
        exited: info.ended.is_some(),
        exit_code: info.ended.and_then(|e| e.exit_code),
        signal: info.ended.and_then(|e| e.signal),
        healthy: info.ended.is_none(),
        activity: activity(info.activity),
        owner: info.meta.actor.owner,
        cwd: info.cwd,
        seq: info.seq,
        recording: op::Recording {
            on: info.recording.on,
            bytes: info.recording.bytes,
            lost_bytes: info.recording.lost,
            error: info.recording.error,
        },
    }
}

/// The wire's wait as the session's.
pub(super) fn wait(wait: op::Wait) -> Result<Wait, Fault> {
    let nonempty = |what: &str, value: &Option<String>| match value {
        Some(value) if value.is_empty() => {
            Err(Fault::new(Code::InvalidInput, format!("`{what}` is empty, and would hold at once")))
        }
        _ => Ok(()),
    };
    nonempty("text", &wait.text)?;
    nonempty("regex", &wait.regex)?;
    Ok(Wait {
        text: wait.text,
        regex: wait.regex.as_deref().map(Wait::pattern).transpose().map_err(fault)?,
        idle: wait.idle_ms.filter(|&ms| ms > 0).map(Duration::from_millis),
        prompt: wait.prompt,
        command: None,
        since: wait.since,
        timeout: wait.timeout_ms.map(Duration::from_millis),
    })
}

pub(super) fn met(met: Met) -> op::Met {
    match met {
        Met::Text => op::Met::Text,
        Met::Regex => op::Met::Regex,
        Met::Idle => op::Met::Idle,
        Met::Prompt | Met::Command => op::Met::Prompt,
        Met::Exit => op::Met::Exit,
        Met::Timeout => op::Met::Timeout,
    }
}

/// What `send` was asked to type.
pub(crate) fn send_input(params: &send::Params) -> Result<Input, Fault> {
    match (&params.text, &params.key) {
        (Some(_), Some(_)) => Err(Fault::new(Code::InvalidInput, "text and key cannot be given together")
            .with_hint("send the text first, then the key")),
        (None, None) => Err(Fault::new(Code::NoInput, "No input provided (need text or key)")),
        (Some(text), None) if text.is_empty() => Err(Fault::new(Code::NoInput, "the text is empty")),
        (Some(_), None) if params.ctrl || params.alt || params.shift => {
            Err(Fault::new(Code::InvalidInput, "modifiers belong to a key, not to text")
                .with_hint("give the key as `key`"))
        }
        (Some(text), None) => {
            let paste = match params.paste {
                send::Paste::Auto => Paste::Auto,
                send::Paste::Always => Paste::Always,
                send::Paste::Never => Paste::Never,
            };
            Ok(Input::Text { text: text.clone(), paste })
        }
        (None, Some(key)) => key_input(key, params),
    }
}

fn key_input(name: &str, params: &send::Params) -> Result<Input, Fault> {
    let mut key = Key::parse(name).map_err(|unknown| {
        let fault = Fault::new(Code::InvalidKey, format!("Invalid key: {name}"));
        match unknown.did_you_mean {
            Some(meant) => fault.with_hint(format!("did you mean `{meant}`?")),
            None => {
                fault.with_hint("keys are `enter`, `up`, `f5`, … or one character, with ctrl, alt and shift")
            }
        }
    })?;
    key.ctrl |= params.ctrl;
    key.alt |= params.alt;
    key.shift |= params.shift;
    // Shift with a letter is its capital: no terminal tells the two apart.
    if let (KeyCode::Char(c), true) = (key.code, params.shift) {
        key.code = KeyCode::Char(c.to_uppercase().next().unwrap_or(c));
    }
    Ok(Input::Key(key))
}
