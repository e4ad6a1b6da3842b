//! JSON Schema as every MCP client accepts it.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// What a tool takes: inline, without what some clients stumble over (integer formats that validators do not know, and
/// `null` beside the type of an optional parameter).
pub(crate) fn input_schema<T: JsonSchema>() -> JsonObject {
    schema_of::<T>(&SchemaSettings::draft2020_12(), Nulls::Removed)
}

/// What a tool answers: clients check answers against it, so a value that can be `null` says so. Some check refusals,
/// too, which have an `error` and nothing else.
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
            // The name of a type of ours, and what is so anyway where nothing is given: an agent pays for every word.
            object.remove("title");
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
            if nulls == Nulls::Removed {
                remove_nulls(object);
            }
            part_types(object);
            for (key, value) in object {
                match value {
                    // Names of parameters, not words of the schema: one may be called `format`.
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

/// One type a branch: some clients know no lists of types.
fn part_types(object: &mut JsonObject) {
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
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Example {
        format: Option<String>,
        count: Option<u64>,
        nested: Option<Inner>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        x: u16,
    }

    #[test]
    fn no_formats_no_nulls_no_references() {
        let text = Value::Object(input_schema::<Example>()).to_string();
        for word in ["uint", "null", "$ref", "anyOf"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
        assert!(text.contains(r#""x""#) && text.contains(r#""format""#));
        assert!(Value::Object(output_schema::<Example>()).to_string().contains("null"));
    }
}
