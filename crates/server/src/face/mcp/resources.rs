//! Sessions as resources: `terminal://{session}/screen`, `history`, `commands` and `recording`. They are read through
//! the operations, so that rights apply.

use cotty_protocol::op::{commands, list, read, recording};
use cotty_protocol::{ApiError, Code};
use cotty_session::Session;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use crate::app::in_plain_words;
use crate::face::mcp::contract::tool::{brief, short};
use crate::ops::{Context, perform};

const SCHEME: &str = "terminal://";
/// Most lines of history, newest first, and most bytes of a text.
const LINES: usize = 10_000;
const BYTES: usize = 4 << 20;
/// Most commands.
const COMMANDS: usize = 1_000;
/// A reader of its own, so that reading a resource moves no other reader's position.
const READER: &str = "resource";

/// A part of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Screen,
    History,
    Commands,
    Recording,
}

impl Part {
    const ALL: [Part; 4] = [Part::Screen, Part::History, Part::Commands, Part::Recording];

    fn name(self) -> &'static str {
        match self {
            Part::Screen => "screen",
            Part::History => "history",
            Part::Commands => "commands",
            Part::Recording => "recording",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Part::Screen => "What a person sees on this terminal now",
            Part::History => "The lines that left the screen, oldest first",
            Part::Commands => "The commands that the shell ran, with exit codes and times",
            Part::Recording => "All output of the terminal, with times, as an asciicast (version 3)",
        }
    }

    fn mime_type(self) -> &'static str {
        match self {
            Part::Screen | Part::History => "text/plain",
            Part::Commands => "application/json",
            Part::Recording => "application/x-asciicast",
        }
    }
}

/// The session and the part that a URI names.
pub(super) fn parse(uri: &str) -> Option<(&str, Part)> {
    let (session, name) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    let part = Part::ALL.into_iter().find(|part| part.name() == name)?;
    (!session.is_empty()).then_some((session, part))
}

/// The resources of every session that the actor may use.
pub(super) async fn listed(context: Context) -> Result<Vec<Resource>, ApiError> {
    let listed = perform(context, list::Params::default()).await?;
    let of = |(session, called): (String, String)| {
        Part::ALL.map(|part| {
            Resource::new(format!("{SCHEME}{session}/{}", part.name()), format!("{called} {}", part.name()))
                .with_description(part.description())
                .with_mime_type(part.mime_type())
        })
    };
    let sessions = listed.sessions.into_iter().map(|info| {
        let called = info.name.unwrap_or_else(|| info.session_id.clone());
        (info.session_id, called)
    });
    Ok(sessions.flat_map(of).collect())
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |part: Part| {
        ResourceTemplate::new(format!("{SCHEME}{{session}}/{}", part.name()), part.name())
            .with_description(format!("{}; {{session}} is an id, number or name", part.description()))
            .with_mime_type(part.mime_type())
    };
    Part::ALL.map(template).to_vec()
}

/// The session and the part that a URI names, if the actor may use the session. A subscription does not make it the
/// active session.
pub(super) fn find(context: &Context, uri: &str) -> Result<(Session, Part), ErrorData> {
    let (session, part) = parse(uri).ok_or_else(|| unknown(uri))?;
    let shown = context.hub.show_to(session, &context.actor);
    Ok((shown.map_err(|error| refused(context.with_nearest_name(error)))?, part))
}

pub(super) async fn read(context: Context, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let Some((session, part)) = parse(uri) else { return Err(unknown(uri)) };
    let text = text(context, session.to_owned(), part).await.map_err(refused)?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(part.mime_type())]))
}

async fn text(context: Context, session: String, part: Part) -> Result<String, ApiError> {
    match part {
        Part::Screen | Part::History => {
            let view = if part == Part::Screen { read::View::Screen } else { read::View::Scrollback };
            let params = read::Params {
                session,
                view,
                limit: Some(LINES),
                max_bytes: Some(BYTES),
                reader: Some(READER.to_owned()),
                ..read::Params::default()
            };
            let read = perform(context, params).await?;
            Ok(match read.left_out {
                Some(out) => {
                    format!("{}\n[{} bytes in {} lines are left out]\n", read.content, out.bytes, out.lines)
                }
                None => read.content,
            })
        }
        Part::Commands => {
            let params = commands::Params { session, limit: Some(COMMANDS), ..commands::Params::default() };
            let ran = perform(context, params).await?;
            serde_json::to_string(&ran).map_err(|error| ApiError::Broken { error: error.to_string() })
        }
        Part::Recording => {
            let params = recording::Params { session, limit: Some(BYTES), ..recording::Params::default() };
            let recorded = perform(context, params).await?;
            Ok(match recorded.end {
                true => recorded.content,
                // A line that begins with # is a comment in an asciicast.
                false => {
                    let way = "`cotty log` or GET /v1/sessions/{session}/recording has all of it";
                    format!("{}# cut here: {way}\n", recorded.content)
                }
            })
        }
    }
}

fn unknown(uri: &str) -> ErrorData {
    let parts = Part::ALL.map(Part::name).join("|");
    let uri = short(uri.to_owned());
    let data = serde_json::json!({ "uri": uri });
    ErrorData::resource_not_found(
        format!("there is no resource {uri}: try {SCHEME}{{session}}/{parts}"),
        Some(data),
    )
}

/// An error for clients of resources. Which of two codes means "not found" depends on the era.
pub(super) fn refused(error: ApiError) -> ErrorData {
    let error = brief(in_plain_words(error));
    let data = serde_json::to_value(&error).ok();
    match error.code {
        Code::SessionError => ErrorData::internal_error(error.to_string(), data),
        _ => ErrorData::resource_not_found(error.to_string(), data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_session_and_a_part() {
        assert_eq!(parse("terminal://sess_1/screen"), Some(("sess_1", Part::Screen)));
        assert_eq!(parse("terminal://work/recording"), Some(("work", Part::Recording)));
        for wrong in
            ["terminal:///screen", "terminal://a", "terminal://a/b", "terminal://a/screen/", "file:///screen"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
