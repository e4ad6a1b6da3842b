//! `token_revoke`: a token opens nothing any more.

use cotty_protocol::ApiError;
use cotty_protocol::op::token_revoke::{Params, Reply};

use super::convert::token_error;
use super::{Access, Context, Operation, Route};
use crate::tokens::Tokens;

/// See the module.
#[derive(Debug)]
pub struct TokenRevoke;

impl Operation for TokenRevoke {
    const NAME: &'static str = "token_revoke";
    const SUMMARY: &'static str = "Revoke a token: it opens nothing any more, at once";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::delete("/v1/tokens/{name}");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, params: Params) -> Result<Reply, ApiError> {
        let revoke = move |tokens: &Tokens| tokens.revoke(&params.name);
        context.place.tokens.on_disk(revoke).await.flatten().map_err(token_error)?;
        Ok(Reply { revoked: true })
    }
}
