//! `commands`: the commands that a session's shell ran.

use cotty_protocol::ApiError;
use cotty_protocol::op::commands::{Command, Output, Params, Reply, State};
use cotty_session::{CommandState, RanCommand};

use super::{Access, Context, Perform, Route};
use cotty_session::timestamp;

/// Default number of listed commands.
const LIMIT: usize = 20;
/// Default number of output lines at either end.
const LINES: usize = 100;

impl Perform for Params {
    const SUMMARY: &'static str = "List the commands that a session's shell ran, or read the output of one";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/commands");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let limit = if params.output.is_some() { 0 } else { params.limit.unwrap_or(LIMIT) };
        let ran = session.commands(limit).await?;
        let mut commands: Vec<Command> = ran.commands.into_iter().map(command).collect();
        if let Some(number) = params.output {
            let Some((one, text)) = session.command_output(number).await? else {
                return Err(no_such(params.session, number, ran.total));
            };
            let (head, tail) = (params.head.unwrap_or(LINES), params.tail.unwrap_or(LINES));
            commands.push(Command { output: Some(ends(&text, head, tail)), ..command(one) });
        }
        Ok(Reply { commands, total: ran.total })
    }
}

fn no_such(session: String, number: u64, total: u64) -> ApiError {
    match total {
        0 => ApiError::NoCommands { session },
        _ => ApiError::NoSuchCommand { number, total },
    }
}

fn command(ran: RanCommand) -> Command {
    let (state, reason) = match ran.state {
        CommandState::Done => (State::Done, None),
        CommandState::Running => (State::Running, None),
        CommandState::Denied(reason) => (State::Denied, Some(reason)),
        CommandState::Exited => (State::Exited, None),
    };
    Command {
        number: ran.number,
        text: ran.text,
        state,
        reason,
        exit_code: ran.exit_code,
        started: timestamp(ran.started_ms),
        duration_ms: ran.duration_ms,
        directory: ran.directory,
        lines: ran.lines,
        bytes: ran.bytes,
        dropped_lines: ran.dropped,
        output: None,
    }
}

/// The first and the last lines of a text.
fn ends(text: &str, head: usize, tail: usize) -> Output {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let left_out = lines.len().saturating_sub(head.saturating_add(tail));
    if left_out == 0 {
        return Output { head: text.to_owned(), left_out, tail: String::new() };
    }
    Output { head: lines[..head].concat(), left_out, tail: lines[head + left_out..].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_lines_are_counted() {
        let text = "1\n2\n3\n4\n5";
        let shown = |head, tail| {
            let output = ends(text, head, tail);
            (output.head, output.left_out, output.tail)
        };
        assert_eq!(shown(1, 2), ("1\n".into(), 2, "4\n5".into()));
        assert_eq!(shown(3, 2), (text.into(), 0, String::new()));
        assert_eq!(shown(0, 1), (String::new(), 4, "5".into()));
        assert_eq!(shown(usize::MAX, usize::MAX), (text.into(), 0, String::new()));
        assert_eq!(ends("", 0, 0), Output { head: String::new(), left_out: 0, tail: String::new() });
    }
}
