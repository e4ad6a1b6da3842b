//! TypeScript, for the part of JSON Schema that our types use.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::TYPES;
use super::types::camel;
use crate::ops::OPERATIONS;

/// The types of everything that goes over the wire, as one file.
pub fn typescript() -> String {
    let mut text = String::from(
        "// The messages between cotty and its clients. Written by `make docs`; served as /v1/types.ts.\n",
    );
    for (name, schema) in TYPES.iter() {
        text.push('\n');
        comment(&mut text, schema, "");
        let written = of(schema, "");
        match written.starts_with('{') && !written.contains("} |") && !written.contains("} &") {
            true => writeln!(text, "export interface {name} {written}"),
            false => writeln!(text, "export type {name} = {written};"),
        }
        .unwrap_or_default();
    }
    text.push_str(
        "\n/** The parameters and the reply of each operation. */\nexport interface Operations {\n",
    );
    for entry in OPERATIONS {
        let name = camel(entry.name);
        let _ = writeln!(text, "  /** {} */", plain(entry.summary));
        let _ = writeln!(text, "  {}: {{ params: {name}Params; reply: {name}Reply }};", entry.name);
    }
    text.push_str("}\n");
    text
}

/// A type, as written after `=`.
fn of(schema: &Value, indent: &str) -> String {
    let Some(object) = schema.as_object() else { return "unknown".to_owned() };
    let mut parts = Vec::new();
    if let Some(target) = object.get("$ref").and_then(Value::as_str) {
        parts.push(target.rsplit('/').next().unwrap_or(target).to_owned());
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(options) = object.get(key).and_then(Value::as_array) {
            parts.push(union(options.iter().map(|option| of(option, indent))));
        }
    }
    for part in object.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        parts.push(of(part, indent));
    }
    if let Some(value) = object.get("const") {
        parts.push(value.to_string());
    } else if let Some(values) = object.get("enum").and_then(Value::as_array) {
        parts.push(union(values.iter().map(Value::to_string)));
    } else {
        parts.extend(typed(object, indent));
    }
    match parts.len() {
        0 => "unknown".to_owned(),
        1 => parts.remove(0),
        // An intersection.
        _ => parts.iter().map(|part| grouped(part)).collect::<Vec<_>>().join(" & "),
    }
}

fn typed(object: &Map<String, Value>, indent: &str) -> Option<String> {
    let kinds: Vec<&str> = match object.get("type")? {
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        one => vec![one.as_str()?],
    };
    let options = kinds.into_iter().map(|kind| match kind {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => match object.get("prefixItems").and_then(Value::as_array) {
            Some(items) => {
                format!("[{}]", items.iter().map(|item| of(item, indent)).collect::<Vec<_>>().join(", "))
            }
            None => format!("{}[]", grouped(&of(object.get("items").unwrap_or(&Value::Null), indent))),
        },
        "object" => fields(object, indent),
        _ => "unknown".to_owned(),
    });
    Some(union(options))
}

fn fields(object: &Map<String, Value>, indent: &str) -> String {
    let properties = object.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        return match object.get("additionalProperties") {
            Some(value @ Value::Object(_)) => format!("Record<string, {}>", of(value, indent)),
            // An empty object: `{}` would allow any value but null.
            _ => "Record<string, never>".to_owned(),
        };
    };
    let required: Vec<&str> = object
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let inner = format!("{indent}  ");
    let mut text = String::from("{\n");
    for (name, schema) in properties {
        comment(&mut text, schema, &inner);
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let _ = writeln!(text, "{inner}{name}{mark}: {};", of(schema, &inner));
    }
    text + indent + "}"
}

fn union(options: impl Iterator<Item = String>) -> String {
    let mut different: Vec<String> = Vec::new();
    for option in options {
        if !different.contains(&option) {
            different.push(option);
        }
    }
    different.join(" | ")
}

/// Adds parentheses if precedence needs them.
fn grouped(part: &str) -> String {
    match part.contains([' ', '|', '&']) && !(part.starts_with('{') && part.matches('{').count() == 1) {
        true => format!("({part})"),
        false => part.to_owned(),
    }
}

fn comment(text: &mut String, schema: &Value, indent: &str) {
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        let _ = writeln!(text, "{indent}/** {} */", plain(description));
    }
}

/// Text that cannot end a comment.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_typescript_types() {
        for (schema, expected) in [
            (json!({ "type": "integer", "format": "uint16" }), "number"),
            (json!({ "type": ["string", "null"] }), "string | null"),
            (json!({ "type": "array", "items": { "type": ["string", "null"] } }), "(string | null)[]"),
            (json!({ "enum": ["a", "b"], "type": "string" }), "\"a\" | \"b\""),
            (json!({ "oneOf": [{ "const": "a", "type": "string" }, { "$ref": "#/$defs/B" }] }), "\"a\" | B"),
            (json!({ "anyOf": [{ "$ref": "#/$defs/B" }, { "type": "null" }] }), "B | null"),
            (
                json!({ "type": "object", "additionalProperties": { "type": "string" } }),
                "Record<string, string>",
            ),
            (json!({ "type": "object" }), "Record<string, never>"),
            (json!(true), "unknown"),
            (
                json!({ "type": "object", "properties": { "a": { "type": "boolean" }, "b": { "type": "null" } }, "required": ["b"] }),
                "{\n  a?: boolean;\n  b: null;\n}",
            ),
        ] {
            assert_eq!(of(&schema, ""), expected);
        }
        assert_eq!(plain("a */ b"), "a * / b");
    }

    #[test]
    fn the_types_of_the_page_are_up_to_date() {
        let path = "../../web/src/protocol.gen.ts";
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, typescript()).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == typescript(), "web/src/protocol.gen.ts is out of date: run `make docs`");
    }
}
