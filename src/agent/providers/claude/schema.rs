//! Reduces a JSON Schema to the part that Claude's structured output supports.

use serde_json::{Map, Value, json};

/// Keywords that only describe or narrow the response. They are moved into the description. The response then nearly
/// always conforms to them, and the caller validates it anyway.
const DESCRIBED_KEYWORDS: [&str; 17] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "examples",
    "title",
];

/// Keywords that mean nothing to a model.
const DROPPED_KEYWORDS: [&str; 4] = ["$schema", "$id", "$comment", "additionalProperties"];

/// Returns the schema in the supported form. Returns `None` if it uses free-form objects, recursion or conditions,
/// because the API cannot express them.
pub(in crate::agent) fn strict_schema(schema: &Value) -> Option<Value> {
    if schema["type"] != "object" {
        return None;
    }
    convert(schema, schema, &mut vec![])
}

/// Converts `schema`, which is part of `root`. `open` contains the references that are being resolved, to detect
/// recursion.
fn convert<'s>(schema: &'s Value, root: &'s Value, open: &mut Vec<&'s str>) -> Option<Value> {
    let mut kept = Map::new();
    let mut descriptions: Vec<String> = vec![];
    for (key, value) in schema.as_object()? {
        match key.as_str() {
            "type" | "const" | "required" => drop(kept.insert(key.clone(), value.clone())),
            "enum" if value.as_array()?.iter().all(|one| !one.is_object() && !one.is_array()) => {
                kept.insert(key.clone(), value.clone());
            }
            "description" => descriptions.insert(0, value.as_str()?.to_owned()),
            "properties" => {
                let properties = value.as_object()?.iter();
                let properties: Option<Map<_, _>> =
                    properties.map(|(name, value)| Some((name.clone(), convert(value, root, open)?))).collect();
                kept.insert(key.clone(), properties?.into());
            }
            "items" => drop(kept.insert(key.clone(), convert(value, root, open)?)),
            // The API supports `anyOf`, but not `oneOf`. `anyOf` is less strict, but the caller validates the response
            // anyway.
            "anyOf" | "oneOf" => {
                let any: Option<Vec<Value>> = value.as_array()?.iter().map(|one| convert(one, root, open)).collect();
                kept.insert("anyOf".into(), any?.into());
            }
            "$ref" => {
                let path = value.as_str()?;
                if open.contains(&path) {
                    return None;
                }
                open.push(path);
                let meant = convert(root.pointer(path.strip_prefix('#')?)?, root, open);
                open.pop();
                return meant;
            }
            "$defs" | "definitions" => {}
            key if DROPPED_KEYWORDS.contains(&key) => {}
            key if DESCRIBED_KEYWORDS.contains(&key) => descriptions.push(format!("{key}: {value}")),
            _ => return None,
        }
    }
    if is_object(schema) {
        // The API cannot express an object with arbitrary property names.
        if !kept.contains_key("properties")
            || !matches!(schema["additionalProperties"], Value::Null | Value::Bool(false))
        {
            return None;
        }
        kept.insert("additionalProperties".into(), false.into());
    }
    if !["type", "enum", "const", "anyOf"].iter().any(|key| kept.contains_key(*key)) {
        return None;
    }
    if !descriptions.is_empty() {
        kept.insert("description".into(), descriptions.join("\n").into());
    }
    Some(kept.into())
}

fn is_object(schema: &Value) -> bool {
    schema["type"] == "object"
        || schema["type"].as_array().is_some_and(|types| types.contains(&json!("object")))
        || schema["properties"].is_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(properties: Value) -> Value {
        json!({ "type": "object", "properties": properties })
    }

    #[test]
    fn objects_are_closed_and_bounds_are_said_in_words() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["score"],
            "properties": {
                "score": { "type": "integer", "minimum": 1, "maximum": 5, "description": "How good it is." },
                "steps": { "type": "array", "items": { "type": "object", "properties": { "name": { "type": "string" } } } },
                "state": { "oneOf": [{ "const": "open" }, { "type": "null" }] },
            },
        });
        let expected = json!({
            "type": "object",
            "required": ["score"],
            "additionalProperties": false,
            "properties": {
                "score": { "type": "integer", "description": "How good it is.\nminimum: 1\nmaximum: 5" },
                "steps": { "type": "array", "items": {
                    "type": "object", "additionalProperties": false, "properties": { "name": { "type": "string" } },
                } },
                "state": { "anyOf": [{ "const": "open" }, { "type": "null" }] },
            },
        });
        assert_eq!(strict_schema(&schema), Some(expected));
    }

    #[test]
    fn references_are_written_out() {
        let mut schema = object(json!({ "a": { "$ref": "#/$defs/name" }, "b": { "$ref": "#/$defs/name" } }));
        schema["$defs"] = json!({ "name": { "type": "string" } });
        let string = json!({ "type": "string" });
        assert_eq!(strict_schema(&schema).expect("fits")["properties"], json!({ "a": string, "b": string }));
    }

    #[test]
    fn a_schema_that_the_interface_cannot_express_is_not_converted() {
        let mut recursive = object(json!({ "next": { "$ref": "#/$defs/node" } }));
        recursive["$defs"] = json!({ "node": object(json!({ "next": { "$ref": "#/$defs/node" } })) });
        let mut open = object(json!({ "a": { "type": "string" } }));
        open["additionalProperties"] = json!({ "type": "string" });
        let table = [
            json!(true),
            json!({ "type": "array", "items": { "type": "string" } }),
            json!({ "type": "object" }),
            object(json!({ "anything": {} })),
            object(json!({ "map": { "type": "object", "additionalProperties": { "type": "integer" } } })),
            object(json!({ "a": { "type": "string", "not": { "const": "x" } } })),
            object(json!({ "a": { "enum": [{ "b": 1 }] } })),
            object(json!({ "a": { "$ref": "https://example.com/schema" } })),
            object(json!({ "a": { "$ref": "#/$defs/absent" } })),
            object(json!({ "a": { "$ref": "#" } })),
            recursive,
            open,
        ];
        for schema in table {
            assert_eq!(strict_schema(&schema), None, "{schema}");
        }
    }
}
