use cotty_protocol::ApiError;
use cotty_protocol::op::search::{self, Pattern};
use cotty_protocol::op::{list, search_recordings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::face::mcp::contract::tool::{Call, McpTool};
use crate::ops::{Access, perform};

/// Default limit of matches, and about how many bytes of a long line are shown.
const LIMIT: usize = 20;
const LINE: usize = 400;
/// Most matches that are taken from a session; several may be in one line.
const MOST: usize = 1000;

pub(super) struct Search;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    /// Literal text to find. Give query or regex.
    query: Option<String>,
    /// Regular expression, for each unwrapped line.
    regex: Option<String>,
    /// Only in this session. Default: all of yours.
    session_id: Option<String>,
    /// "terminal" (default): screen, history and what full-screen programs showed. "recordings": all recorded output, also of sessions that have ended.
    #[serde(rename = "where", default)]
    place: Where,
    /// Most matches, newest first. Default: 20.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Where {
    #[default]
    Terminal,
    Recordings,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reply {
    matches: Vec<Match>,
    count: usize,
    /// There are more.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    more: bool,
    /// What to do if nothing was found, or not all was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Match {
    session_id: String,
    line: String,
    /// A full-screen program showed it; the screen no longer does.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    full_screen: bool,
}

impl McpTool for Search {
    const NAME: &'static str = "terminal__search";
    const TITLE: &'static str = "Search terminals";
    const DESCRIPTION: &'static str = "Search your sessions' output, past and present, newest first.";
    const ACCESS: Access = Access::Read;
    type Params = Params;
    type Reply = Reply;

    async fn call(call: Call, params: Params) -> Result<Reply, ApiError> {
        let limit = params.limit.unwrap_or(LIMIT);
        if params.query.is_some() == params.regex.is_some() {
            return Err(ApiError::invalid("give either query or regex"));
        }
        if params.query.as_ref().or(params.regex.as_ref()).is_some_and(String::is_empty) {
            return Err(ApiError::invalid_instead(
                "the pattern is empty and would match everywhere",
                "give some text as query, or a regex",
            ));
        }
        let found = match params.place {
            Where::Terminal => terminals(call, params, limit).await,
            Where::Recordings => recordings(call, params, limit).await,
        };
        // The parameter for plain text has another name here than in the operation.
        found.map_err(|error| error.or_literal("query"))
    }
}

async fn terminals(call: Call, params: Params, limit: usize) -> Result<Reply, ApiError> {
    let sessions = match params.session_id {
        Some(session) => vec![session],
        None => {
            let listed = perform(call.context.clone(), list::Params::default()).await?;
            listed.sessions.into_iter().rev().map(|info| info.session_id).collect()
        }
    };
    let (mut matches, mut more) = (Vec::new(), false);
    for session in sessions {
        let (regex, text) = (params.regex.clone(), params.query.clone());
        let pattern = Pattern { regex, text, limit: Some(MOST) };
        let asked = search::Params { session: session.clone(), pattern };
        let found = perform(call.context.clone(), asked).await?;
        more |= found.more;
        let mut hits = found.matches;
        // A line is listed once, however often it matches.
        hits.dedup_by(|hit, other| hit.line_id == other.line_id && hit.line == other.line);
        matches.extend(hits.into_iter().map(|hit| Match {
            session_id: session.clone(),
            full_screen: hit.line_id.is_none(),
            line: around(hit.line, &hit.text),
        }));
        more |= matches.len() > limit;
        matches.truncate(limit);
    }
    let note = matches
        .is_empty()
        .then_some("not found: where \"recordings\" also searches dropped output and ended sessions");
    Ok(Reply { count: matches.len(), matches, more, note })
}

async fn recordings(call: Call, params: Params, limit: usize) -> Result<Reply, ApiError> {
    let pattern = Pattern { regex: params.regex, text: params.query, limit: Some(limit) };
    let asked = search_recordings::Params { session: params.session_id, pattern };
    let found = perform(call.context, asked).await?;
    let matches: Vec<Match> = found
        .matches
        .into_iter()
        .map(|hit| Match {
            session_id: hit.session_id,
            full_screen: false,
            line: around(hit.line, &hit.text),
        })
        .collect();
    let note = found.gave_up.then_some("not all was searched, because there is too much: give session_id");
    Ok(Reply { count: matches.len(), matches, more: found.more, note })
}

/// A line, or the part of a long line around the match.
fn around(line: String, found: &str) -> String {
    if line.len() <= LINE {
        return line;
    }
    let at = line.find(found).unwrap_or(0);
    let from = line.floor_char_boundary(at.saturating_sub(LINE / 4));
    let to = line.ceil_char_boundary((from + LINE).min(line.len()));
    format!(
        "{}{}{}",
        if from > 0 { "…" } else { "" },
        &line[from..to],
        if to < line.len() { "…" } else { "" }
    )
}
