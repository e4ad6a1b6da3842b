//! JSON Schema in a form that every MCP client accepts.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The schema of a tool's parameters: inline, without what some clients reject (unknown integer formats, and `null`
/// beside the type of an optional parameter).
pub(crate) fn input_schema<T: JsonSchema>() -> JsonObject {
    schema_of::<T>(&SchemaSettings::draft2020_12(), Nulls::Removed)
}

/// The schema of a tool's answer. Clients validate answers against it, so it allows `null` where a value can be
/// `null`. Some validate errors, too, which have an `error` and nothing else.
pub(crate) fn output_schema<T: JsonSchema>() -> JsonObject {
    let mut schema = schema_of::<T>(&SchemaSettings::draft2020_12().for_serialize(), Nulls::Kept);
    let reply = schema.remove("required").unwrap_or_else(|| json!([]));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let text = || json!({"type": "string"});
        let error = json!({"code": text(), "message": text(), "hint": text()});
        properties.insert("error".into(), json!({"type": "object", "properties": error}));
    }
    schema.insert("anyOf".into(), json!([{"required": reply}, {"required": ["error"]}]));
    schema
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Kept,
    Removed,
}

fn schema_of<T: JsonSchema>(settings: &SchemaSettings, nulls: Nulls) -> JsonObject {
    let settings = settings.clone().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema, nulls);
    match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn simplify(value: &mut Value, nulls: Nulls) {
    match value {
        Value::Object(object) => {
            object.remove("format");
            // Names of our types and null defaults are removed: an agent pays for every word.
            object.remove("title");
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            if nulls == Nulls::Removed {
                remove_nulls(object);
            }
            split_types(object);
            for (key, value) in object {
                match value {
                    // Its keys are names of parameters, not schema keywords: one may be called `format`.
                    Value::Object(named) if key == "properties" => {
                        named.values_mut().for_each(|value| simplify(value, nulls));
                    }
                    value => simplify(value, nulls),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| simplify(item, nulls)),
        _ => {}
    }
}

/// Puts each type into its own branch: some clients do not support lists of types.
fn split_types(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get("type") {
        let branches: Vec<Value> = types.iter().map(|one| json!({ "type": one })).collect();
        object.remove("type");
        object.insert("anyOf".into(), Value::Array(branches));
    }
}

fn remove_nulls(object: &mut JsonObject) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(options)) = object.get_mut("anyOf") {
        options.retain(|o| o.get("type") != Some(&Value::from("null")));
        if let [Value::Object(only)] = options.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            object.extend(only);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Example {
        format: Option<String>,
        count: Option<u64>,
        nested: Option<Inner>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Inner {
        x: u16,
    }

    #[test]
    fn an_input_schema_has_no_formats_nulls_or_references() {
        let text = Value::Object(input_schema::<Example>()).to_string();
        for word in ["uint", "null", "$ref", "anyOf"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
        assert!(text.contains(r#""x""#) && text.contains(r#""format""#));
        assert!(Value::Object(output_schema::<Example>()).to_string().contains("null"));
    }
}
