//! `token_revoke`: revokes a token.

use cotty_protocol::ApiError;
use cotty_protocol::op::token_revoke::{Params, Reply};

use super::convert::token_error;
use super::{Access, Context, Perform, Route};
use crate::tokens::Tokens;

impl Perform for Params {
    const SUMMARY: &'static str = "Revoke a token at once";
    const ACCESS: Access = Access::Person;
    const ROUTE: Route = Route::delete("/v1/tokens/{name}");

    async fn run(params: Params, context: Context) -> Result<Reply, ApiError> {
        let revoke = move |tokens: &Tokens| tokens.revoke(&params.name);
        context.daemon.tokens.on_disk(revoke).await.flatten().map_err(token_error)?;
        Ok(Reply { revoked: true })
    }
}
