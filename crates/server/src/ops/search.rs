//! `search`: searches everything that a session holds.

use cotty_protocol::ApiError;
use cotty_protocol::op::search::{Match, Params, Pattern, Reply};
use cotty_session as session;
use cotty_session::{Found, FoundAt, Regex};

use super::{Access, Context, Perform, Route};

const DEFAULT_LIMIT: usize = 50;
const MOST: usize = 1000;

impl Perform for Params {
    const SUMMARY: &'static str = "Search the screen, the history and the alternate-screen history";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/search");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let session = context.session(&params.session, Self::ACCESS).await?;
        let (pattern, limit) = compiled(params.pattern)?;
        let mut found = session.search(pattern, limit + 1).await?;
        let more = found.len() > limit;
        found.truncate(limit);
        Ok(Reply { matches: found.into_iter().map(hit).collect(), more })
    }
}

/// The pattern, and the most matches.
pub(super) fn compiled(pattern: Pattern) -> Result<(Regex, usize), ApiError> {
    let limit = pattern.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    match (given(pattern.regex), given(pattern.text)) {
        (Some(regex), None) => {
            let compiled = session::pattern(&regex).map_err(|error| error.or_literal("text"))?;
            Ok((compiled, limit))
        }
        (None, Some(text)) => Ok((session::literal(&text)?, limit)),
        (Some(_), Some(_)) => Err(ApiError::invalid("give regex or text, not both")),
        (None, None) => Err(ApiError::invalid_instead(
            "the pattern is empty and would match everywhere",
            "give regex or text",
        )),
    }
}

fn hit(found: Found) -> Match {
    let (line_id, col) = match found.place {
        FoundAt::Line { id, cell } => (Some(id), Some(cell + 1)),
        FoundAt::Past => (None, None),
    };
    Match { text: found.text, line: found.line, line_id, col }
}
