//! `snapshot`: the screen, for a front end that draws lines.

use super::JsonSchema;
use crate::update::Snapshot;
use serde::{Deserialize, Serialize};

/// Which session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {
    /// Id, number or name.
    pub session: String,
}

/// The screen.
pub type Reply = Snapshot;
