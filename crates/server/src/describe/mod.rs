//! Descriptions of the operations as JSON Schema, OpenAPI and TypeScript, all made from the table.

mod openapi;
mod types;
mod typescript;

use std::sync::LazyLock;

use serde_json::{Value, json};

pub use openapi::openapi;
pub(crate) use types::is_text;
use types::{Types, camel};
pub use typescript::typescript;

/// Every type by its name, made once.
static TYPES: LazyLock<Types> = LazyLock::new(Types::of_all);

/// All parameters, replies, and messages to viewers and front ends, as one JSON Schema.
pub fn json_schema() -> Value {
    let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let operations: serde_json::Map<String, Value> = crate::ops::OPERATIONS
        .iter()
        .map(|entry| {
            let described = json!({
                "description": entry.summary,
                "params": reference(&format!("{}Params", camel(entry.name))),
                "reply": reference(&format!("{}Reply", camel(entry.name))),
            });
            (entry.name.to_owned(), described)
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cotty",
        "operations": operations,
        "$defs": TYPES.referring_to("#/$defs/"),
    })
}
