//! `search`: a pattern in all that a session holds.

use cotty_protocol::op::search::{Match, Params, Reply};
use cotty_protocol::{Code, Fault};
use cotty_session::{Found, FoundAt, Wait};

use super::convert::fault;
use super::{Access, Context, Operation, Route};

const DEFAULT_LIMIT: usize = 50;
const MOST: usize = 1000;

/// See the module.
#[derive(Debug)]
pub struct Search;

impl Operation for Search {
    const NAME: &'static str = "search";
    const SUMMARY: &'static str = "Search the screen, what left it, and what full-screen programs showed";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/sessions/{session}/search");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, Fault> {
        let session = context.session(&params.session)?;
        if params.regex.is_empty() {
            return Err(Fault::new(Code::InvalidInput, "`regex` is empty, and would match everywhere"));
        }
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
        let pattern = Wait::pattern(&params.regex).map_err(fault)?;
        let mut found = session.search(pattern, limit + 1).await.map_err(fault)?;
        let more = found.len() > limit;
        found.truncate(limit);
        Ok(Reply { matches: found.into_iter().map(hit).collect(), more })
    }
}

fn hit(found: Found) -> Match {
    let (line_id, col) = match found.place {
        FoundAt::Line { id, cell } => (Some(id), Some(cell + 1)),
        FoundAt::Past => (None, None),
    };
    Match { text: found.text, line: found.line, line_id, col }
}
