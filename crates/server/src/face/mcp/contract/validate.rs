//! Validates arguments against a tool's schema, so that an error names the argument, the given value and what is
//! allowed.

use cotty_protocol::ApiError;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::near::nearest;

/// Most characters of a wrong value in an error.
const SHOWN: usize = 40;

/// Refuses arguments that do not fit the schema. Optional arguments may be null.
pub(crate) fn arguments(schema: &JsonObject, given: &JsonObject, tool: &str) -> Result<(), ApiError> {
    Checked { tool }.object(schema, given, "")
}

/// Accepts a session's number that is not written as text.
pub(crate) fn name_by_number(schema: &JsonObject, given: &mut JsonObject) {
    let taken = schema.get("properties").and_then(|known| known.get("session_id")).and_then(Value::as_object);
    let as_text = taken.and_then(types).is_some_and(|types| types.split(' ').any(|name| name == "string"));
    if let Some(value) = given.get_mut("session_id").filter(|value| as_text && value.is_u64()) {
        *value = Value::String(value.to_string());
    }
}

/// Checks the arguments of one call.
struct Checked<'a> {
    tool: &'a str,
}

impl Checked<'_> {
    fn object(&self, schema: &JsonObject, given: &JsonObject, path: &str) -> Result<(), ApiError> {
        let of = || self.tool.to_owned();
        let known = schema.get("properties").and_then(Value::as_object);
        let names = || known.into_iter().flat_map(|known| known.keys().map(String::as_str));
        let required =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let required: Vec<&str> = required.collect();
        let within = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        for (name, value) in given {
            match (known.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
                (Some(_), _) if value.is_null() && !required.contains(&name.as_str()) => {}
                (Some(schema), _) | (None, Some(schema @ Value::Object(_))) => {
                    self.value(schema, value, &within(name))?;
                }
                (None, None | Some(Value::Bool(true))) if known.is_none() => {}
                (None, _) => {
                    return Err(ApiError::UnknownParameter {
                        of: of(),
                        name: within(name),
                        near: nearest(name, names()).map(str::to_owned),
                        known: names().map(str::to_owned).collect(),
                    });
                }
            }
        }
        match required.into_iter().find(|name| given.get(*name).is_none_or(Value::is_null)) {
            Some(missing) => Err(ApiError::MissingParameter { of: of(), name: within(missing) }),
            None => Ok(()),
        }
    }

    fn value(&self, schema: &Value, value: &Value, path: &str) -> Result<(), ApiError> {
        let Value::Object(schema) = schema else { return Ok(()) };
        if let Some(choices) = choices(schema) {
            return self.choice(&choices, value, path);
        }
        if let Some(options) = options(schema) {
            if options.iter().any(|option| self.value(option, value, path).is_ok()) {
                return Ok(());
            }
            let takes: Vec<String> = options.iter().filter_map(Value::as_object).map(takes).collect();
            return Err(self.wrong(value, path, takes.join(" or "), None));
        }
        if !types(schema).iter().all(|types| types.split(' ').any(|name| is_a(name, value)))
            || !in_range(schema, value)
        {
            return Err(self.wrong(value, path, takes(schema), None));
        }
        match value {
            Value::Object(given) => self.object(schema, given, path),
            Value::Array(items) => {
                let Some(item) = schema.get("items") else { return Ok(()) };
                let mut items = items.iter().enumerate();
                items.try_for_each(|(at, value)| self.value(item, value, &format!("{path}[{at}]")))
            }
            _ => Ok(()),
        }
    }

    fn choice(&self, choices: &[&str], value: &Value, path: &str) -> Result<(), ApiError> {
        let given = value.as_str();
        if given.is_some_and(|given| choices.contains(&given)) {
            return Ok(());
        }
        let near = given.and_then(|given| nearest(given, choices.iter().copied()));
        Err(self.wrong(value, path, format!("one of: {}", choices.join(", ")), near))
    }

    fn wrong(&self, value: &Value, path: &str, takes: String, near: Option<&str>) -> ApiError {
        ApiError::WrongParameter {
            of: self.tool.to_owned(),
            name: path.to_owned(),
            given: shown(value),
            takes,
            near: near.map(str::to_owned),
        }
    }
}

/// The allowed values, if the schema lists them.
fn choices(schema: &JsonObject) -> Option<Vec<&str>> {
    let of = |value: &'_ Value| value.get("const").and_then(Value::as_str).map(str::to_owned);
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(Value::as_str).collect();
    }
    let options = options(schema)?;
    options.iter().all(|option| of(option).is_some()).then_some(())?;
    options.iter().map(|option| option.get("const").and_then(Value::as_str)).collect()
}

fn options(schema: &JsonObject) -> Option<&Vec<Value>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)
}

/// The types that a schema names, separated by spaces.
fn types(schema: &JsonObject) -> Option<String> {
    match schema.get("type")? {
        Value::String(one) => Some(one.clone()),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")),
        _ => None,
    }
}

fn is_a(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

fn in_range(schema: &JsonObject, value: &Value) -> bool {
    let Some(value) = value.as_f64() else { return true };
    let bound = |name| schema.get(name).and_then(Value::as_f64);
    bound("minimum").is_none_or(|least| value >= least) && bound("maximum").is_none_or(|most| value <= most)
}

/// What a schema allows, in words.
fn takes(schema: &JsonObject) -> String {
    if let Some(choices) = choices(schema) {
        return format!("one of: {}", choices.join(", "));
    }
    let words = |name: &str| match name {
        "string" => "a string".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!("a whole number from {least} to {most}"),
            (Some(least), None) => format!("a whole number of at least {least}"),
            _ => "a whole number".to_owned(),
        },
        "number" => "a number".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        other => other.to_owned(),
    };
    let types = types(schema).unwrap_or_default();
    types.split(' ').map(words).collect::<Vec<_>>().join(" or ")
}

/// A given value, in words.
fn shown(value: &Value) -> String {
    let mut shown = value.to_string();
    if let Some((cut, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(cut);
        shown.push('…');
    }
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => shown,
        Value::String(_) => format!("the string {shown}"),
        Value::Array(_) => format!("the list {shown}"),
        Value::Object(_) => format!("the object {shown}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::in_plain_words;
    use schemars::JsonSchema;
    use serde_json::json;

    #[derive(JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Params {
        session_id: String,
        rows: Option<u16>,
        view: Option<View>,
        env: Option<std::collections::BTreeMap<String, String>>,
        steps: Option<Vec<Step>>,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is used")]
    enum View {
        /// All of it.
        Screen,
        /// Some of it.
        New,
    }

    #[derive(JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Step {
        wait: Option<bool>,
    }

    fn error_for(given: Value) -> String {
        let schema = crate::face::mcp::contract::schema::input_schema::<Params>();
        match arguments(&schema, given.as_object().unwrap(), "tool") {
            Ok(()) => String::new(),
            Err(error) => {
                let error = in_plain_words(error);
                format!("{} {}", error.message, error.hint.unwrap_or_default())
            }
        }
    }

    #[test]
    fn valid_arguments_pass() {
        let given = json!({
            "session_id": "a", "rows": 24, "view": "new", "env": {"A": "b"}, "steps": [{"wait": true}, {"wait": null}]
        });
        assert_eq!(error_for(given), "");
        assert_eq!(error_for(json!({ "session_id": "a", "rows": null })), "");
    }

    #[test]
    fn an_error_names_the_invalid_argument() {
        for (given, expected) in [
            (json!({}), "tool: `session_id` is missing "),
            (json!({ "session_id": null }), "tool: `session_id` must be a string; got null "),
            (json!({ "session_id": 5 }), "tool: `session_id` must be a string; got 5 "),
            (
                json!({ "session_id": "a", "rows": "24" }),
                "tool: `rows` must be a whole number from 0 to 65535; got the string \"24\" ",
            ),
            (
                json!({ "session_id": "a", "rows": 70000 }),
                "tool: `rows` must be a whole number from 0 to 65535; got 70000 ",
            ),
            (
                json!({ "session_id": "a", "rows": -1 }),
                "tool: `rows` must be a whole number from 0 to 65535; got -1 ",
            ),
            (
                json!({ "session_id": "a", "view": "screeen" }),
                "tool: `view` must be one of: screen, new; got the string \"screeen\" did you mean `screen`?",
            ),
            (
                json!({ "session_id": "a", "sesion": 1 }),
                "tool has no parameter `sesion` choose one of: env, rows, session_id, steps, view",
            ),
            (json!({ "session_id": "a", "row": 1 }), "tool has no parameter `row` did you mean `rows`?"),
            (json!({ "session_id": "a", "env": {"A": 1} }), "tool: `env.A` must be a string; got 1 "),
            (
                json!({ "session_id": "a", "steps": [{}, {"wiat": true}] }),
                "tool has no parameter `steps[1].wiat` did you mean `wait`?",
            ),
            (json!({ "session_id": "a", "steps": {} }), "tool: `steps` must be a list; got the object {} "),
        ] {
            assert_eq!(error_for(given.clone()), expected, "{given}");
        }
    }
}
