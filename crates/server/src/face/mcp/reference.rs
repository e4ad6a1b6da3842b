//! docs/tools.md: every tool of every set, made from the schemas that clients get.

use std::fmt::Write as _;

use rmcp::model::{JsonObject, Tool};
use serde_json::Value;

use crate::face::mcp::sets::SETS;

const BEGINNING: &str = "\
<!-- Made from the tools in crates/server/src/face/mcp: `make docs` writes it. -->

# The tools

The tools that `cotty mcp` and `/mcp` offer an agent ([agents.md](agents.md) explains the setup). Four sets work on the same
sessions: `terminal` is the default, `--tools NAME,…` selects others. Each answer comes twice, as `structuredContent` and as the
same JSON in `content`. An error has `isError`, and an `error` with a `code`, a `message` and usually a `hint`.
";

fn page() -> String {
    let mut text = BEGINNING.to_owned();
    for set in SETS {
        let _ = write!(text, "\n## `{}`\n\nInstructions for the agent:\n\n", set.name);
        for line in set.all_instructions().lines() {
            let _ = writeln!(text, "> {line}");
        }
        for tool in set.tools.iter().map(crate::face::mcp::contract::tool::ToolEntry::describe) {
            section(&mut text, &tool);
        }
    }
    text
}

fn section(text: &mut String, tool: &Tool) {
    let _ = write!(text, "\n### `{}`\n\n{}\n", tool.name, tool.description.as_deref().unwrap_or_default());
    let hints = tool.annotations.as_ref().map(|hints| {
        let named = [
            ("read-only", hints.read_only_hint),
            ("destructive", hints.destructive_hint),
            ("idempotent", hints.idempotent_hint),
            ("open world", hints.open_world_hint),
        ];
        named.iter().filter(|(_, is)| *is == Some(true)).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    });
    if let Some(hints) = hints.filter(|hints| !hints.is_empty()) {
        let _ = write!(text, "\nHints: {hints}.\n");
    }
    table(text, "parameter", &tool.input_schema);
    if let Some(schema) = &tool.output_schema {
        table(text, "in the answer", schema);
    }
}

fn table(text: &mut String, heading: &str, schema: &JsonObject) {
    let Some(Value::Object(properties)) = schema.get("properties") else { return };
    let shown: Vec<_> = properties.iter().filter(|(name, _)| *name != "error").collect();
    if shown.is_empty() {
        return;
    }
    let required = schema.get("required").and_then(Value::as_array);
    let _ = write!(text, "\n| {heading} | | |\n|---|---|---|\n");
    for (name, property) in shown {
        let needed = required.is_some_and(|names| names.iter().any(|n| n == name.as_str()));
        let mark = if needed { " (required)" } else { "" };
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = description.replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(text, "| `{name}`{mark} | {} | {description} |", kind(property));
    }
}

fn kind(schema: &Value) -> String {
    let words = |value: &Value| value.as_str().map(|word| format!("`{word}`"));
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().filter_map(words).collect::<Vec<_>>().join(", ");
    }
    if let Some(value) = schema.get("const").and_then(words) {
        return value;
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(options) = schema.get(several).and_then(Value::as_array) {
            return options.iter().map(kind).filter(|k| !k.is_empty()).collect::<Vec<_>>().join(", ");
        }
    }
    match schema.get("type") {
        Some(Value::String(one)) if one == "array" => {
            format!("list of {}", schema.get("items").map(kind).unwrap_or_default())
        }
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => {
            several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => String::new(),
    }
}

#[test]
fn the_tools_page_is_up_to_date() {
    let path = "../../docs/tools.md";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == page(), "docs/tools.md is out of date: run `make docs`");
}
