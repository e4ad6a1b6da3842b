//! Printing. Only this module writes to stdout.

use std::borrow::Cow;
use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;

use cotty_client::ClientError;
use cotty_protocol::Code;
use cotty_protocol::text::{inert, reorders};
use serde::Serialize;

use crate::advice;

/// The command line is invalid; clap uses the same code.
pub(crate) const USAGE: u8 = 2;
/// The command worked, but the answer is no: a wait timed out, no daemon is running.
pub(crate) const NO: u8 = 3;
/// The session does not exist, or its program has ended.
pub(crate) const GONE: u8 = 4;

/// The list of exit codes in `cotty --help`, docs/cli.md and the man page.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success; for `cotty wait`, the condition held
  1  refused or failed; stderr shows the reason and the next step
  2  the command line is invalid
  3  the answer is no: the wait timed out, nothing was found, or no daemon is running
  4  gone: there is no such session, recording or request, or it has already ended
`cotty run` exits with its command's code, or with 128 + N if signal N ended it.
`cotty --host` exits with the remote command's code, or with 255 if ssh itself failed.

Variables:
  COTTY_HOME   the directory with all of cotty's files
  COTTY_SSH    the program that --host runs instead of `ssh`, with options after spaces
  COTTY_THERE  the path of cotty on the other machine, if it is not on the PATH there
  NO_COLOR     no colours, even on a terminal";

/// How a word is highlighted on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Warning,
    Bad,
}

/// Why stdout could not be written.
static UNPRINTED: OnceLock<std::io::Error> = OnceLock::new();

/// The text for a terminal: without characters that change the direction of text, which could make a line show something else
/// than it says. Letters of right-to-left scripts stay.
fn for_terminal(text: &str) -> Cow<'_, str> {
    match text.contains(reorders) {
        true => text.replace(reorders, "").into(),
        false => text.into(),
    }
}

/// Prints text, unchanged unless stdout is a terminal. `false`: nothing reads stdout any more. A closed pipe is not an error, because the reader has
/// seen enough; a full disk is one, which [`printed`] reports.
pub(crate) fn text(text: &str) -> bool {
    let is_terminal = rustix::termios::isatty(rustix::stdio::stdout());
    let text = if is_terminal { for_terminal(text) } else { text.into() };
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => true,
        Err(error) => {
            if error.kind() != std::io::ErrorKind::BrokenPipe {
                let _ = UNPRINTED.set(error);
            }
            false
        }
    }
}

/// The exit code of a command after its last output: failure if stdout could not be written.
pub(crate) fn printed(code: ExitCode) -> ExitCode {
    match UNPRINTED.get() {
        Some(error) => {
            eprintln!("cotty: cannot write to stdout: {error}");
            ExitCode::FAILURE
        }
        None => code,
    }
}

/// Prints a line.
pub(crate) fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// Prints the text of a screen, if there is any.
pub(crate) fn screen(shown: &str) {
    let shown = shown.trim_end_matches('\n');
    if !shown.is_empty() {
        line(&without_controls(shown));
    }
}

/// Prints data for scripts.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(&safe_json(&serde_json::to_string_pretty(value)?));
    Ok(())
}

/// Escapes characters that JSON leaves unescaped and that control some terminals.
pub(crate) fn safe_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}' => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe
}

/// Prints a message to stderr.
pub(crate) fn note(text: &str) {
    eprintln!("{}", for_terminal(&without_controls(text)));
}

/// Tells which sessions ended with a keeper that was killed.
pub(crate) fn lost(names: &[String]) {
    note(&format!(
        "cotty was killed, and these sessions ended with it: {}. `cotty recording` shows what they did",
        names.join(", ")
    ));
}

/// Prints what went wrong and what to do next.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    let name = painted_for(rustix::stdio::stderr(), Style::Bad, "cotty:");
    eprintln!("{name} {}", for_terminal(&without_controls(&words(error))));
    let client = error.downcast_ref::<ClientError>();
    if let Some(hint) = client.and_then(advice::hint) {
        eprintln!("       {}", for_terminal(&without_controls(&hint)));
    }
    match client {
        Some(ClientError::NotRunning) => ExitCode::from(NO),
        Some(ClientError::Stopped) => ExitCode::from(GONE),
        Some(ClientError::Refused(error)) if is_gone(error.code) => ExitCode::from(GONE),
        _ => ExitCode::FAILURE,
    }
}

fn is_gone(code: Code) -> bool {
    matches!(
        code,
        Code::SessionNotFound
            | Code::SessionDestroyed
            | Code::ProcessExited
            | Code::NoRecording
            | Code::RequestNotFound
            | Code::RequestEnded
    )
}

fn words(error: &anyhow::Error) -> String {
    match error.downcast_ref::<ClientError>() {
        // People read the message; the code is for programs.
        Some(ClientError::Refused(error)) => error.message.clone(),
        _ => format!("{error:#}"),
    }
}

/// Highlights a word if stdout is a terminal.
pub(crate) fn painted(style: Style, text: &str) -> String {
    painted_for(rustix::stdio::stdout(), style, text)
}

fn painted_for(to: impl std::os::fd::AsFd, style: Style, text: &str) -> String {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if !rustix::termios::isatty(to) || set("NO_COLOR") || dumb {
        return text.to_owned();
    }
    let code = match style {
        Style::Bold => 1,
        Style::Dim => 2,
        Style::Good => 32,
        Style::Warning => 33,
        Style::Bad => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Untrusted text on one line, without characters that control the terminal or change the direction of text.
pub(crate) fn plain(text: &str) -> String {
    inert(text, '?')
}

/// Untrusted text of several lines, without control characters.
fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '?' } else { c }).collect()
}

/// Prints rows of cells in columns, cut at the terminal's width. The first row is the header.
pub(crate) fn table<const N: usize>(rows: &[[String; N]], style: impl Fn(usize, usize) -> Option<Style>) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let room = crate::command::terminal_width().unwrap_or(usize::MAX);
    let mut table = String::new();
    for (at, row) in rows.iter().enumerate() {
        let mut left = room;
        let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate().take(last + 1) {
            let cell: String = plain(cell).chars().take(left).collect();
            let used = cell.chars().count();
            let padding = if column == last { 0 } else { (width + 2 - used).min(left - used) };
            left -= used + padding;
            let style = if at == 0 { Some(Style::Bold) } else { style(at, column) };
            table.push_str(&style.map_or_else(|| cell.clone(), |style| painted(style, &cell)));
            table.push_str(&" ".repeat(padding));
        }
        table.push('\n');
    }
    text(&table);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_has_no_control_characters() {
        assert_eq!(plain("a\x1b[31m\u{9b}2J\u{202e}b\n"), "a?[31m?2J?b?");
        assert_eq!(without_controls("a\x1b\nb\u{7f}\u{200f}"), "a?\nb?\u{200f}");
        assert_eq!(for_terminal("שלום\u{202e}fdp\u{2066}.\u{200f}exe\u{61c}"), "שלוםfdp.exe");
        let value = serde_json::json!({ "title": "\u{9b}\u{7f}ü" });
        let text = safe_json(&value.to_string());
        assert_eq!(text, r#"{"title":"\u009b\u007fü"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
