//! All that is printed. The one place that writes to stdout.

use std::io::Write;
use std::process::ExitCode;

use cotty_client::ClientError;
use serde::Serialize;

/// A command did what it was asked, but the answer is no: a wait ran out, nothing is running.
pub(crate) const NO: u8 = 3;

/// Prints text as it is. A closed pipe is no error: whoever read has seen enough.
pub(crate) fn text(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints a line.
pub(crate) fn line(line: &str) {
    text(&format!("{line}\n"));
}

/// Prints data for scripts.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Says something that is not the answer.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// Says what went wrong and what to do next.
pub(crate) fn failure(error: &anyhow::Error) -> ExitCode {
    eprintln!("cotty: {}", words(error));
    if let Some(hint) = error.downcast_ref::<ClientError>().and_then(ClientError::hint) {
        eprintln!("       {hint}");
    }
    match error.downcast_ref::<ClientError>() {
        Some(ClientError::NotRunning) => ExitCode::from(NO),
        _ => ExitCode::FAILURE,
    }
}

fn words(error: &anyhow::Error) -> String {
    match error.downcast_ref::<ClientError>() {
        // People read the message; the code is for programs.
        Some(ClientError::Fault(fault)) => fault.message.clone(),
        _ => format!("{error:#}"),
    }
}
