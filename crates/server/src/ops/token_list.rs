//! `token_list`: the tokens that were made and not revoked.

use cotty_protocol::ApiError;
use cotty_protocol::op::token_list::{Params, Reply, TokenInfo};

use cotty_session::timestamp;

use super::convert::token_error;
use super::{Access, Context, Perform, Route};
use crate::tokens::Tokens;

impl Perform for Params {
    const SUMMARY: &'static str = "List the tokens for the HTTP listener";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::get("/v1/tokens");

    async fn run(_params: Params, context: Context) -> Result<Reply, ApiError> {
        let known = context.daemon.tokens.on_disk(Tokens::list).await.flatten().map_err(token_error)?;
        let info = |known: crate::tokens::TokenEntry| TokenInfo {
            name: known.name,
            kind: known.kind,
            made: timestamp(known.made_ms),
            last_used: known.used_ms.map(timestamp),
        };
        Ok(Reply { tokens: known.into_iter().map(info).collect() })
    }
}
