//! `withdraw`: an agent no longer asks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::pleas::Plea;

/// Which plea.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
    /// The plea's id, or that of the request that made it.
    pub plea: String,
}

/// The plea, which has ended.
pub type Reply = Plea;
