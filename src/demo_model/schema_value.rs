//! Generates a value for a JSON Schema.

use serde_json::{Map, Value, json};

/// Depth below which only required parts are generated, and depth at which a recursive schema ends in null.
const MAX_OPTIONAL_DEPTH: usize = 4;
const MAX_DEPTH: usize = 12;

/// Generates a value that the schema accepts, on a best-effort basis. Strings contain `words`.
pub(super) fn instance(schema: &Value, words: &str) -> Value {
    make_value(schema, schema, words, 0)
}

fn make_value(root: &Value, schema: &Value, words: &str, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|name| root.pointer(name.strip_prefix('#')?)) {
        return make_value(root, target, words, depth + 1);
    }
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)).or_else(|| schema.get("default")) {
        return value.clone();
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let made = parts.iter().map(|part| make_value(root, part, words, depth + 1));
        let objects = made.filter_map(|value| if let Value::Object(map) = value { Some(map) } else { None });
        let mut whole: Map<String, Value> = objects.flatten().collect();
        if let Value::Object(own) = object(root, schema, words, depth) {
            whole.extend(own);
        }
        return Value::Object(whole);
    }
    let choices = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    if let Some(choice) = choices.and_then(|choices| choices.iter().find(|choice| choice["type"] != "null")) {
        return make_value(root, choice, words, depth + 1);
    }
    match kind(schema) {
        "object" => object(root, schema, words, depth),
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(1).min(20);
            let wanted = if depth > MAX_OPTIONAL_DEPTH {
                schema["minItems"].as_u64().unwrap_or(0).min(20)
            } else {
                least.max(1)
            };
            let max_items = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
            (0..wanted.min(max_items)).map(|_| make_value(root, &schema["items"], words, depth + 1)).collect()
        }
        "integer" => json!(number(schema, 1.0).round() as i64),
        "number" => json!(number(schema, 0.5)),
        "boolean" => json!(true),
        "null" => Value::Null,
        _ => json!(text(schema, words)),
    }
}

fn kind(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(kind) => kind,
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null"),
        _ if schema["properties"].is_object() => "object",
        _ if schema["items"].is_object() => "array",
        _ => "string",
    }
}

fn object(root: &Value, schema: &Value, words: &str, depth: usize) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().map_or(vec![], |names| names.iter().filter_map(Value::as_str).collect());
    let mut made = Map::new();
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            if depth <= MAX_OPTIONAL_DEPTH || required.contains(&name.as_str()) {
                made.insert(name.clone(), make_value(root, property, words, depth + 1));
            }
        }
    }
    for name in required {
        made.entry(name).or_insert_with(|| json!(words));
    }
    Value::Object(made)
}

fn number(schema: &Value, wanted: f64) -> f64 {
    let bound = |key: &str| schema[key].as_f64();
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let unit = step.unwrap_or(1.0);
    let least = bound("minimum").or(bound("exclusiveMinimum").map(|least| least + unit));
    let maximum = bound("maximum").or(bound("exclusiveMaximum").map(|bound| bound - unit));
    let value = wanted.max(least.unwrap_or(f64::MIN)).min(maximum.unwrap_or(f64::MAX));
    step.map_or(value, |step| (value / step).ceil() * step)
}

fn text(schema: &Value, words: &str) -> String {
    match schema["format"].as_str() {
        Some("date-time") => return "2026-01-01T00:00:00Z".into(),
        Some("date") => return "2026-01-01".into(),
        Some("time") => return "00:00:00Z".into(),
        Some("email") => return "somebody@example.com".into(),
        Some("uri" | "url") => return "https://example.com/".into(),
        Some("uuid") => return "00000000-0000-4000-8000-000000000000".into(),
        _ => {}
    }
    let least = schema["minLength"].as_u64().unwrap_or(0).min(10_000) as usize;
    let max_chars = schema["maxLength"].as_u64().unwrap_or(u64::MAX) as usize;
    let letters = words.chars().count();
    let padding = std::iter::repeat_n('.', least.saturating_sub(letters));
    words.chars().chain(padding).take(max_chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fit_their_schemas() {
        let table = [
            (json!({"type": "integer", "minimum": 3, "maximum": 9}), json!(3)),
            (json!({"type": "integer", "multipleOf": 5, "minimum": 7}), json!(10)),
            (json!({"enum": ["retry", "skip"]}), json!("retry")),
            (json!({"const": 7}), json!(7)),
            (json!({"type": ["null", "boolean"]}), json!(true)),
            (json!({"type": "string", "minLength": 6}), json!("word..")),
            (json!({"type": "string", "maxLength": 2}), json!("wo")),
            (json!({"type": "array", "minItems": 2, "items": {"type": "null"}}), json!([null, null])),
            (json!({"anyOf": [{"type": "null"}, {"type": "number", "maximum": 0}]}), json!(0.0)),
            (json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}), json!(true)),
            (
                json!({"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}),
                json!({"a": 1, "b": 2}),
            ),
            (json!({"type": "object", "required": ["a"]}), json!({"a": "word"})),
        ];
        for (schema, value) in table {
            assert_eq!(instance(&schema, "word"), value, "{schema}");
        }
    }

    #[test]
    fn a_schema_that_holds_itself_comes_to_an_end() {
        let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]});
        assert!(instance(&schema, "word").is_object());
    }
}
