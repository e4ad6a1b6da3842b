use std::time::Instant;

use serde_json::{Value, json};

use super::pipe::Pipe;
use crate::args::Args;
use crate::daemon::home::Home;
use crate::daemon::quantile;

/// How long a tool takes.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// Milliseconds.
    pub(crate) median: f64,
    pub(crate) p99: f64,
}

/// How to call a tool. The calls before and after are not measured. `$made` is the session that a call created,
/// `$session` a shell at its prompt.
struct Case {
    before: Option<(&'static str, Value)>,
    arguments: Value,
    after: Option<(&'static str, Value)>,
}

fn case(arguments: Value) -> Option<Case> {
    Some(Case { before: None, arguments, after: None })
}

/// How to call each tool so that it does not have to wait.
fn case_of(tool: &str) -> Option<Case> {
    let session = || json!({"session_id": "$session"});
    let with = |more: Value| {
        let mut arguments = session();
        if let (Some(all), Value::Object(more)) = (arguments.as_object_mut(), more) {
            all.extend(more);
        }
        case(arguments)
    };
    let made = json!({"session_id": "$made"});
    let makes = |arguments, end| Some(Case { before: None, arguments, after: Some((end, made.clone())) });
    let ends = |make, with| Some(Case { before: Some((make, with)), arguments: made.clone(), after: None });
    let cat = json!({"program": "cat", "wait_ready": false});
    match tool {
        "terminal__create_session" => makes(cat, "terminal__destroy_session"),
        "terminal__destroy_session" => ends("terminal__create_session", cat),
        "terminal__run" => with(json!({"command": "true"})),
        "terminal__send" => with(json!({"key": "ctrl+l"})),
        "terminal__wait" => with(json!({"prompt": true})),
        "terminal__read" | "terminal__get_info" | "terminal__screenshot" => with(json!({})),
        "terminal__resize" => with(json!({"rows": 24, "cols": 80})),
        "terminal__search" => with(json!({"query": "nothing like it"})),
        "terminal__list_sessions" | "pty_list" => case(json!({})),
        "pty_launch" => makes(json!({"command": "cat"}), "pty_kill"),
        "pty_kill" => ends("pty_launch", json!({"command": "cat"})),
        "pty_send_keys" => with(json!({"keys": "^L", "special": true})),
        "pty_get_screen" | "pty_get_cursor" => with(json!({})),
        "pty_resize" => with(json!({"cols": 80, "rows": 24})),
        "pty_set_scrollback" => with(json!({"lines": 1000})),
        "pty_start_capture" => {
            Some(Case { before: None, arguments: session(), after: Some(("pty_stop_capture", session())) })
        }
        "pty_stop_capture" => {
            Some(Case { before: Some(("pty_start_capture", session())), arguments: session(), after: None })
        }
        "terminal_write" | "tui_terminal_write" => case(json!({"text": " "})),
        "terminal_read_screen" | "tui_terminal_read" => case(json!({})),
        "tui_create_window" => case(json!({})),
        _ => None,
    }
}

/// Tools that wait for a person.
const WAITS: [&str; 2] = ["terminal__request_user_input", "pty_request_user_input"];

pub(super) fn measure(home: &Home, args: &Args) -> Result<Vec<Tool>, String> {
    let mut pipe = Pipe::start(home.command()?, &["--tools", "terminal,pty,panel,tui"])?;
    let session = pipe.shell()?;
    let listed = pipe.request("tools/list", json!({}))?;
    let names = listed["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
    let names: Vec<String> = names.filter(|name| !WAITS.contains(name)).map(str::to_owned).collect();
    let mut tools = Vec::new();
    for name in names {
        let case = case_of(&name).ok_or(format!("no case for {name}: add one to bench/src/mcp/tools.rs"))?;
        let mut times = Vec::new();
        for _ in 0..args.reps * 15 {
            let mut made = Value::Null;
            if let Some((tool, arguments)) = &case.before {
                made = pipe.call(tool, &filled(arguments, &session, &made))?.1;
            }
            let arguments = filled(&case.arguments, &session, &made);
            let started = Instant::now();
            let (_, answer) = pipe.call(&name, &arguments)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
            if let Some((tool, arguments)) = &case.after {
                pipe.call(tool, &filled(arguments, &session, &answer))?;
            }
            // Capture names have a resolution of one second: a second capture would wait for the next second.
            let _ = std::fs::remove_dir_all(home.path("home/captures"));
        }
        tools.push(Tool { name, median: quantile(&mut times, 0.5), p99: quantile(&mut times, 0.99) });
    }
    Ok(tools)
}

fn filled(arguments: &Value, session: &str, made: &Value) -> Value {
    let mut filled = arguments.clone();
    for value in filled.as_object_mut().into_iter().flat_map(|all| all.values_mut()) {
        match value.as_str() {
            Some("$session") => *value = session.into(),
            Some("$made") => *value = made["session_id"].clone(),
            _ => {}
        }
    }
    filled
}
