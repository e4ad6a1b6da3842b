//! `token_new`: makes a token for the HTTP listener.

use cotty_protocol::ApiError;
use cotty_protocol::op::token_new::{Kind, Params, Reply};

use super::convert::{now_ms, token_error};
use super::{Access, Context, Perform, Route};
use crate::tokens::Tokens;

impl Perform for Params {
    const SUMMARY: &'static str =
        "Make a token for the HTTP listener, for a person, for an agent, or only to read";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::make("/v1/tokens");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let kind = match (params.kind, params.read_only) {
            (Some(kind), false) => kind,
            (None | Some(Kind::ReadOnly), true) => Kind::ReadOnly,
            (None, false) => Kind::Full,
            (Some(_), true) => return Err(ApiError::invalid("`kind` and `read_only` contradict each other")),
        };
        let (name, retry_id) = (params.name.clone(), context.retry_id);
        let make = move |tokens: &Tokens| tokens.make(&name, kind, &retry_id, now_ms());
        let made = context.daemon.tokens.on_disk(make).await.flatten();
        Ok(Reply { token: made.map_err(token_error)?, name: params.name, kind })
    }
}
