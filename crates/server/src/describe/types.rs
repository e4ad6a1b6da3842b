//! Every type that goes over the wire, each under one name.
//!
//! Each operation's schema contains the types that it uses. Here they are merged: equal types become one, and
//! different types with the same name get their operation's name as a prefix.

use std::collections::{BTreeMap, BTreeSet};

use cotty_protocol::update::Update;
use cotty_protocol::view::{FromViewer, ToViewer};
use cotty_protocol::{Call, ErrorBody};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::ops::OPERATIONS;

/// How a schema refers to its own types.
const DEFS: &str = "#/$defs/";

/// Schemas by name; they refer to each other by `#/$defs/NAME`.
pub(super) struct Types(BTreeMap<String, Value>);

impl Types {
    pub(super) fn of_all() -> Types {
        let receives = |settings: SchemaSettings| settings.for_serialize();
        let draft = SchemaSettings::draft2020_12;
        let mut roots: Vec<(String, String, Value)> = Vec::new();
        for entry in OPERATIONS {
            let name = camel(entry.name);
            roots.push((name.clone(), format!("{name}Params"), (entry.params)().to_value()));
            roots.push((name.clone(), format!("{name}Reply"), (entry.reply)().to_value()));
        }
        let mut other = |name: &str, schema: schemars::Schema| {
            roots.push((name.to_owned(), name.to_owned(), schema.to_value()));
        };
        other("Call", draft().into_generator().into_root_schema_for::<Call>());
        other("FromViewer", draft().into_generator().into_root_schema_for::<FromViewer>());
        other("ErrorBody", receives(draft()).into_generator().into_root_schema_for::<ErrorBody>());
        other("ToViewer", receives(draft()).into_generator().into_root_schema_for::<ToViewer>());
        other("Update", receives(draft()).into_generator().into_root_schema_for::<Update>());
        Types(merge(roots))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter()
    }

    /// All schemas, with references that begin with `place`.
    pub(super) fn referring_to(&self, place: &str) -> Map<String, Value> {
        let moved = |schema: &Value| renamed(schema, &|name| format!("{place}{name}"));
        self.0.iter().map(|(name, schema)| (name.clone(), moved(schema))).collect()
    }
}

/// Merges roots, each with owner, name and schema. The types inside a schema are in its `$defs`.
fn merge(roots: Vec<(String, String, Value)>) -> BTreeMap<String, Value> {
    let mut variants: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let taken: BTreeSet<String> = roots.iter().map(|(_, name, _)| name.clone()).collect();
    for (_, name, schema) in &roots {
        variants.entry(name.clone()).or_default().insert(bare(schema).to_string());
        for (inner, schema) in definitions(schema) {
            variants.entry(inner).or_default().insert(bare(&schema).to_string());
        }
    }
    let mut all = BTreeMap::new();
    for (owner, name, schema) in roots {
        let rename = |inner: &str| {
            // A qualified name that a root already has is not used.
            let ambiguous = variants.get(inner).is_some_and(|seen| seen.len() > 1);
            let qualified = format!("{owner}{inner}");
            if ambiguous && !taken.contains(&qualified) { qualified } else { inner.to_owned() }
        };
        let to = |inner: &str| format!("{DEFS}{}", rename(inner));
        for (inner, schema) in definitions(&schema) {
            all.entry(rename(&inner)).or_insert_with(|| renamed(&bare(&schema), &to));
        }
        all.insert(name, renamed(&bare(&schema), &to));
    }
    named_once(&mut all, &taken);
    all
}

/// Turns a root that equals a named type into a reference to that type.
fn named_once(all: &mut BTreeMap<String, Value>, roots: &BTreeSet<String>) {
    let inner: Vec<(String, Value)> =
        all.iter().filter(|(name, _)| !roots.contains(*name)).map(|(n, s)| (n.clone(), s.clone())).collect();
    for (name, schema) in all.iter_mut().filter(|(name, _)| roots.contains(*name)) {
        if let Some((known, _)) = inner.iter().find(|(_, other)| other == schema && other.is_object()) {
            debug_assert_ne!(known, name);
            *schema = json!({ "$ref": format!("{DEFS}{known}") });
        }
    }
}

fn definitions(schema: &Value) -> Vec<(String, Value)> {
    let inner = schema.get("$defs").and_then(Value::as_object);
    inner.map(|inner| inner.iter().map(|(n, s)| (n.clone(), s.clone())).collect()).unwrap_or_default()
}

/// A schema without the keys of a whole document.
fn bare(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(object) = schema.as_object_mut() {
        for key in ["$schema", "$defs", "title"] {
            object.remove(key);
        }
    }
    schema
}

/// A schema with every reference changed.
fn renamed(schema: &Value, to: &impl Fn(&str) -> String) -> Value {
    match schema {
        Value::Object(object) => {
            let field = |(key, value): (&String, &Value)| match (key.as_str(), value.as_str()) {
                ("$ref", Some(target)) => {
                    (key.clone(), Value::String(to(target.strip_prefix(DEFS).unwrap_or(target))))
                }
                _ => (key.clone(), renamed(value, to)),
            };
            Value::Object(object.iter().map(field).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(|item| renamed(item, to)).collect()),
        other => other.clone(),
    }
}

/// `token_new` as `TokenNew`.
pub(super) fn camel(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect()
}

/// Whether a value of this schema, a part of `root`, is text: a string, or one of several words.
pub(crate) fn is_text(schema: &Value, root: &Value) -> bool {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return target.is_some_and(|target| is_text(target, root));
    }
    let typed = match schema.get("type") {
        Some(Value::String(only)) => only == "string",
        Some(Value::Array(several)) => several.iter().any(|one| one == "string"),
        _ => schema.get("const").is_some_and(Value::is_string),
    };
    let options = ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    typed || options.into_iter().any(|option| is_text(option, root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_types_are_merged_and_different_types_of_one_name_are_renamed() {
        let with = |kind: &str| {
            json!({
                "type": "object",
                "properties": { "a": { "$ref": "#/$defs/Kind" }, "b": { "$ref": "#/$defs/Same" } },
                "$defs": { "Kind": { "type": kind }, "Same": { "type": "null" } },
            })
        };
        let all = merge(vec![
            ("One".into(), "OneParams".into(), with("string")),
            ("Two".into(), "TwoParams".into(), with("integer")),
        ]);
        assert_eq!(all.keys().collect::<Vec<_>>(), ["OneKind", "OneParams", "Same", "TwoKind", "TwoParams"]);
        assert_eq!(all["TwoKind"], json!({ "type": "integer" }));
        assert_eq!(all["TwoParams"]["properties"]["a"]["$ref"], "#/$defs/TwoKind");
        assert_eq!(all["TwoParams"]["properties"]["b"]["$ref"], "#/$defs/Same");
    }

    #[test]
    fn a_root_that_equals_a_named_type_refers_to_it() {
        let inner = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let list =
            json!({ "type": "array", "items": { "$ref": "#/$defs/Info" }, "$defs": { "Info": inner } });
        let all = merge(vec![
            ("List".into(), "ListReply".into(), list),
            ("Info".into(), "InfoReply".into(), inner.clone()),
        ]);
        assert_eq!((&all["InfoReply"], &all["Info"]), (&json!({ "$ref": "#/$defs/Info" }), &inner));
    }

    #[test]
    fn every_reference_has_a_target() {
        fn references(schema: &Value, found: &mut Vec<String>) {
            match schema {
                Value::Object(object) => object.iter().for_each(|(key, value)| match value.as_str() {
                    Some(target) if key == "$ref" => found.push(target.to_owned()),
                    _ => references(value, found),
                }),
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                _ => {}
            }
        }
        let types = Types::of_all();
        let mut found = Vec::new();
        types.iter().for_each(|(_, schema)| references(schema, &mut found));
        assert!(found.len() > 20);
        for target in found {
            assert!(types.0.contains_key(target.strip_prefix(DEFS).unwrap()), "{target}");
        }
    }

    #[test]
    fn a_schema_tells_whether_a_value_is_text() {
        let root = json!({ "$defs": { "View": { "oneOf": [{ "const": "screen" }, { "const": "new" }] } } });
        let text = |schema| is_text(&schema, &root);
        assert!(text(json!({ "type": "string" })) && text(json!({ "type": ["string", "null"] })));
        assert!(text(json!({ "$ref": "#/$defs/View" })));
        assert!(text(json!({ "anyOf": [{ "$ref": "#/$defs/View" }, { "type": "null" }] })));
        assert!(!text(json!({ "type": ["integer", "null"] })) && !text(json!({ "type": "boolean" })));
    }
}
