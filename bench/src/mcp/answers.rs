//! The size of answers: recorded outputs (`bench/corpus`), printed in a session and read as an agent reads them.
//!
//! Useful text is the text that a person would see at the end, with repeated lines merged. Another engine determines it.

use std::collections::BTreeSet;
use std::path::Path;

use avt::Terminal;
use serde_json::{Value, json};

use super::pipe::Pipe;
use crate::daemon::home::Home;

/// The result for one output.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) name: String,
    /// Bytes that the program wrote, bytes of useful text, and bytes that the model received.
    pub(crate) written: usize,
    pub(crate) useful: usize,
    pub(crate) given: usize,
    /// Distinct lines that are missing in the answer.
    pub(crate) lost: Vec<String>,
}

impl Answer {
    pub(crate) fn ratio(&self) -> f64 {
        self.given as f64 / self.useful as f64
    }
}

/// Outputs of full-screen programs, which end with the screen still shown.
const FULL_SCREEN: [&str; 2] = ["vim", "less"];

pub(super) fn measure(home: &Home) -> Result<Vec<Answer>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "bin") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut pipe = Pipe::start(home.command()?, &[])?;
    paths.iter().map(|path| answer(&mut pipe, path)).collect()
}

fn answer(pipe: &mut Pipe, path: &Path) -> Result<Answer, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_full_screen = FULL_SCREEN.contains(&name.as_str());
    let useful = lines(&bytes, is_full_screen);
    let (text, answer) = if is_full_screen { screen(pipe, path)? } else { output(pipe, path)? };
    let shown = answer[if is_full_screen { "content" } else { "output" }].as_str().unwrap_or_default();
    let shown: BTreeSet<&str> = shown.lines().map(str::trim_end).collect();
    let distinct: BTreeSet<&String> = useful.iter().filter(|line| !line.is_empty()).collect();
    let lost = distinct.into_iter().filter(|line| !shown.contains(line.as_str())).cloned().collect();
    let size = useful.iter().map(|line| line.len() + 1).sum();
    Ok(Answer { name, written: bytes.len(), useful: size, given: text.len(), lost })
}

/// Prints the recording with a command and returns the answer. Recorded line ends already have CR, so `onlcr` is off.
fn output(pipe: &mut Pipe, path: &Path) -> Result<(String, Value), String> {
    let session = pipe.shell()?;
    let command = format!("stty -onlcr; cat '{}'; stty onlcr", path.display());
    let answer = pipe.call("terminal__run", &json!({"session_id": session, "command": command}))?;
    pipe.call("terminal__destroy_session", &json!({"session_id": session, "force": true}))?;
    Ok(answer)
}

/// Prints the recording with a program that keeps running, and reads the screen.
fn screen(pipe: &mut Pipe, path: &Path) -> Result<(String, Value), String> {
    let script = format!("stty -onlcr -echo; cat '{}'; exec sleep 1000", path.display());
    let program = json!({"program": "sh", "args": ["-c", script], "wait_ready": false});
    let (_, made) = pipe.call("terminal__create_session", &program)?;
    let session = &made["session_id"];
    pipe.call("terminal__wait", &json!({"session_id": session, "idle_ms": 500}))?;
    let answer = pipe.call("terminal__read", &json!({"session_id": session, "view": "screen"}))?;
    pipe.call("terminal__destroy_session", &json!({"session_id": session, "force": true}))?;
    Ok(answer)
}

/// The lines that are visible at the end.
fn lines(bytes: &[u8], is_full_screen: bool) -> Vec<String> {
    let mut terminal = Terminal::with_scrollback(80, 24, Some(10_000)).expect("size is zero");
    terminal.feed(&*String::from_utf8_lossy(bytes));
    let screen = terminal.screen();
    let mut found = Vec::new();
    let mut whole = String::new();
    let all: Vec<_> =
        if is_full_screen { screen.visible_lines().collect() } else { screen.all_lines().collect() };
    for line in all {
        whole.push_str(&line.text());
        // Join the rows of a wrapped line.
        if !line.is_wrapped() {
            found.push(std::mem::take(&mut whole).trim_end().to_owned());
        }
    }
    found.dedup();
    // Remove the unused rest of the screen.
    while found.last().is_some_and(String::is_empty) {
        found.pop();
    }
    found
}

/// Bytes of the description of the default tools that a model receives.
pub(super) fn schema(home: &Home) -> Result<usize, String> {
    let listed = Pipe::start(home.command()?, &[])?.request("tools/list", json!({}))?;
    let tools = listed["tools"].as_array().cloned().unwrap_or_default();
    let size = |tool: &Value| {
        let text = |field: &str| tool[field].as_str().map_or(0, str::len);
        text("name") + text("description") + tool["inputSchema"].to_string().len()
    };
    Ok(tools.iter().map(size).sum())
}
