//! OpenAPI 3.1, which uses plain JSON Schema.

use serde_json::{Map, Value, json};

use super::TYPES;
use super::types::camel;
use crate::ops::{OPERATIONS, OperationEntry};

/// The routes of all operations.
pub fn openapi() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for entry in OPERATIONS {
        let path = paths.entry(entry.route.path).or_insert_with(|| json!({}));
        path[entry.route.method.to_ascii_lowercase()] = operation(entry);
    }
    paths.insert("/metrics".into(), metrics());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "cotty",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The terminal that agents and people share.",
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "parameters": headers(),
            "responses": { "ErrorBody": content("Why the operation failed", &json!({
                "type": "object",
                "properties": { "error": reference("ErrorBody") },
                "required": ["error"],
            })) },
            "schemas": TYPES.referring_to("#/components/schemas/"),
        },
    })
}

fn operation(entry: &OperationEntry) -> Value {
    let (name, route) = (camel(entry.name), entry.route);
    let status = route.status.to_string();
    let mut described = json!({
        "operationId": entry.name,
        "summary": entry.summary,
        "parameters": parameters(entry),
        "responses": {
            status: content("The reply", &reference(&format!("{name}Reply"))),
            "default": { "$ref": "#/components/responses/ErrorBody" },
        },
    });
    if !route.takes_query() {
        let mut schema = reference(&format!("{name}Params"));
        let in_path: Vec<&str> = route.in_path().collect();
        if !in_path.is_empty() {
            // The same without the parameters in the path.
            let mut rest = TYPES.referring_to("#/components/schemas/")[&format!("{name}Params")].clone();
            if let Some(properties) = rest.get_mut("properties").and_then(Value::as_object_mut) {
                properties.retain(|name, _| !in_path.contains(&name.as_str()));
            }
            if let Some(required) = rest.get_mut("required").and_then(Value::as_array_mut) {
                required.retain(|name| !in_path.iter().any(|known| name == known));
            }
            schema = rest;
        }
        described["requestBody"] = json!({ "content": { "application/json": { "schema": schema } } });
    }
    described
}

fn parameters(entry: &OperationEntry) -> Vec<Value> {
    let route = entry.route;
    let in_path: Vec<&str> = route.in_path().collect();
    let types = TYPES.referring_to("#/components/schemas/");
    let properties = types[&format!("{}Params", camel(entry.name))].get("properties").cloned();
    let mut parameters: Vec<Value> = Vec::new();
    for (name, schema) in properties.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let is_in_path = in_path.contains(&name.as_str());
        if !is_in_path && !route.takes_query() {
            continue;
        }
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let place = if is_in_path { "path" } else { "query" };
        let mut parameter = json!({ "name": name, "in": place, "required": is_in_path, "schema": schema });
        if let Some(description) = description {
            parameter["description"] = description;
        }
        parameters.push(parameter);
    }
    let headers = ["Actor", "Client", "Directory", "Request"];
    parameters.extend(headers.map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })));
    parameters
}

/// Headers that describe the caller.
fn headers() -> Value {
    let header = |name: &str, description: &str, schema: Value| json!({ "name": name, "in": "header", "description": description, "schema": schema });
    json!({
        "Actor": header("Cotty-Actor", "Kind of caller. Default: person.", json!({ "enum": ["person", "agent"] })),
        "Client": header("Cotty-Client", "The caller's name, for lists and logs.", json!({ "type": "string" })),
        "Directory": header("Cotty-Directory", "The caller's directory. An agent owns the sessions of its name \
    and directory.", json!({ "type": "string" })),
        "Request": header("Idempotency-Key", "Repeat it when you send a request again: the operation happens once.", json!({ "type": "string" })),
    })
}

fn metrics() -> Value {
    json!({ "get": {
        "operationId": "metrics",
        "summary": "The daemon's metrics, in the Prometheus text format",
        "responses": {
            "200": { "description": "The metrics", "content": { "text/plain": { "schema": { "type": "string" } } } },
            "default": { "$ref": "#/components/responses/ErrorBody" },
        },
    } })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn content(description: &str, schema: &Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_described_at_its_route() {
        let described = openapi();
        for entry in OPERATIONS {
            let pointer = [entry.route.path, &entry.route.method.to_ascii_lowercase()]
                .map(|part| part.replace('~', "~0").replace('/', "~1"))
                .join("/");
            let operation = described.pointer(&format!("/paths/{pointer}")).unwrap();
            assert_eq!(operation["operationId"], entry.name);
            let names: Vec<&str> = operation["parameters"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|p| p["name"].as_str())
                .collect();
            assert!(entry.route.in_path().all(|name| names.contains(&name)));
            assert_eq!(operation.get("requestBody").is_none(), entry.route.takes_query());
        }
        let body = "/paths/~1v1~1sessions~1{session}~1send/post/requestBody/content/application~1json/schema/properties";
        let body = described.pointer(body).unwrap();
        assert!(body.get("session").is_none() && body.get("text").is_some());
    }
}
