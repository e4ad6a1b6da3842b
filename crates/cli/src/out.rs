//! All that is printed. The one place that writes to stdout.

use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;

use cotty_client::ClientError;
use cotty_protocol::Code;
use cotty_protocol::text::inert;
use serde::Serialize;

use crate::advice;

/// It was not understood; the parser's own number, too.
pub(crate) const USAGE: u8 = 2;
/// A command did what it was asked, but the answer is no: a wait ran out, nothing is running.
pub(crate) const NO: u8 = 3;
/// The session is not there, or no longer, or its program has ended.
pub(crate) const GONE: u8 = 4;

/// The one list of what the numbers above mean. Shown by `cotty --help`, and thereby in docs/cli.md and the man page.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done; what was waited for came
  1  refused, or failed; the reason and the next step are on stderr
  2  the command line was not understood
  3  the answer is no: the time ran out, nothing was found, no daemon is running
  4  gone: there is no such session, recording or request, or it ended before
`cotty run` exits with its command's code, and with 128 + N where signal N ended it.
`cotty --host` exits with what the command there exits with, and with 255 where ssh itself failed.

Variables:
  COTTY_HOME   where everything of cotty lies
  COTTY_SSH    what --host runs instead of `ssh`: a program, and options after spaces
  COTTY_THERE  the path of cotty on the other machine, where it is not on the PATH there
  NO_COLOR     no colours, also on a terminal";

/// How a word stands out, on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Warning,
    Bad,
}

/// Why not all of it could be printed.
static UNPRINTED: OnceLock<std::io::Error> = OnceLock::new();

/// Prints text as it is; answers whether anybody still reads. A closed pipe is no error: whoever read has seen enough. A
/// full disk is one, which [`printed`] tells.
pub(crate) fn text(text: &str) -> bool {
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

/// How a command ended that has printed all it had to: what could not be printed is its failure.
pub(crate) fn printed(code: ExitCode) -> ExitCode {
    match UNPRINTED.get() {
        Some(error) => {
            eprintln!("cotty: not all could be printed: {error}");
            ExitCode::FAILURE
        }
        None => code,
    }
}

/// Prints a line.
pub(crate) fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// Prints what a terminal showed, if anything.
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

/// JSON as it is, but for characters that some terminals obey and JSON lets stand.
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

/// Says something that is not the answer.
pub(crate) fn note(text: &str) {
    eprintln!("{}", without_controls(text));
}

/// Says what went wrong and what to do next.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    let name = painted_for(rustix::stdio::stderr(), Style::Bad, "cotty:");
    eprintln!("{name} {}", without_controls(&words(error)));
    let client = error.downcast_ref::<ClientError>();
    if let Some(hint) = client.and_then(advice::hint) {
        eprintln!("       {}", without_controls(&hint));
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

/// A word that stands out where stdout is a terminal.
pub(crate) fn painted(look: Style, text: &str) -> String {
    painted_for(rustix::stdio::stdout(), look, text)
}

fn painted_for(to: impl std::os::fd::AsFd, look: Style, text: &str) -> String {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    if !rustix::termios::isatty(to) || set("NO_COLOR") || dumb {
        return text.to_owned();
    }
    let code = match look {
        Style::Bold => 1,
        Style::Dim => 2,
        Style::Good => 32,
        Style::Warning => 33,
        Style::Bad => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Text of programs on one line: nothing of it may act on the person's terminal, or turn around what stands beside it.
pub(crate) fn plain(text: &str) -> String {
    inert(text, '?')
}

/// The same for text of several lines, which may well be written from right to left.
fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '?' } else { c }).collect()
}

/// Rows of cells as columns, the last of them cut where the terminal ends. The first row is the head.
pub(crate) fn table<const N: usize>(rows: &[[String; N]], look: impl Fn(usize, usize) -> Option<Style>) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let room = crate::command::terminal_width().unwrap_or(usize::MAX);
    let mut text_of_all = String::new();
    for (at, row) in rows.iter().enumerate() {
        let mut left = room;
        let last = row.iter().rposition(|cell| !cell.is_empty()).unwrap_or(0);
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate().take(last + 1) {
            let cell: String = plain(cell).chars().take(left).collect();
            let used = cell.chars().count();
            let padding = if column == last { 0 } else { (width + 2 - used).min(left - used) };
            left -= used + padding;
            let look = if at == 0 { Some(Style::Bold) } else { look(at, column) };
            text_of_all.push_str(&look.map_or_else(|| cell.clone(), |look| painted(look, &cell)));
            text_of_all.push_str(&" ".repeat(padding));
        }
        text_of_all.push('\n');
    }
    text(&text_of_all);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_programs_cannot_act() {
        assert_eq!(plain("a\x1b[31m\u{9b}2J\u{202e}b\n"), "a?[31m?2J?b?");
        assert_eq!(without_controls("a\x1b\nb\u{7f}\u{200f}"), "a?\nb?\u{200f}");
        let value = serde_json::json!({ "title": "\u{9b}\u{7f}ü" });
        let text = safe_json(&value.to_string());
        assert_eq!(text, r#"{"title":"\u009b\u007fü"}"#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
