//! `config`: what the daemon was told, and where each value comes from.

use cotty_protocol::ApiError;
use cotty_protocol::op::config::{Params, Reply};

use super::{Access, Context, Operation, Route};

/// See the module.
#[derive(Debug)]
pub struct Config;

impl Operation for Config {
    const NAME: &'static str = "config";
    const SUMMARY: &'static str = "Tell every setting of the daemon and where it comes from";
    const ACCESS: Access = Access::Read;
    const ROUTE: Route = Route::get("/v1/config");
    type Params = Params;
    type Reply = Reply;

    async fn run(context: Context, _params: Params) -> Result<Reply, ApiError> {
        let place = &context.place;
        Ok(Reply {
            keys: place.config.keys(),
            problems: place.problems.iter().map(ToString::to_string).collect(),
        })
    }
}
