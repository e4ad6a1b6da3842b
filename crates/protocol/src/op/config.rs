//! `config`: the daemon's configuration, and where each value comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Params {}

/// Every key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// The keys, in the order of the file.
    pub keys: Vec<Key>,
    /// Problems in the configuration.
    pub problems: Vec<String>,
}

/// One key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Key {
    /// `section.name`.
    pub key: String,
    /// Its value, as written in the file.
    pub value: Value,
    /// The layer: `built_in`, `file`, `environment` or `flag`.
    pub source: String,
    /// Where exactly: a file and line, a variable, a flag.
    pub from: String,
}
