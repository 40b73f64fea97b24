//! Merges the parts of a schema that apply to one value: the targets of references, the parts of `allOf`, and one
//! alternative of each choice.

use serde_json::{Map, Value, json};

/// Maximum number of references and alternatives that are followed for one value.
const MAX_STEPS: usize = 64;

/// Returns the keywords that a value has to match. `at` determines which alternatives are taken. Returns `None` for a
/// schema that is not an object.
pub(super) fn merged(root: &Value, schema: &Value, at: usize) -> Option<Map<String, Value>> {
    let mut merged = schema.as_object()?.clone();
    for _ in 0..MAX_STEPS {
        let Some(part) = take_part(root, &mut merged, at) else { break };
        let Value::Object(whole) = merge(&Value::Object(merged.clone()), &part) else { break };
        merged = whole;
    }
    Some(merged)
}

/// Removes a keyword that combines schemas, and returns the schema to merge in its place; `None` if there is no such
/// keyword.
fn take_part(root: &Value, merged: &mut Map<String, Value>, at: usize) -> Option<Value> {
    if let Some(to) = merged.remove("$ref") {
        let part = to.as_str().and_then(|to| root.pointer(to.strip_prefix('#')?));
        return Some(part.cloned().unwrap_or_else(|| json!({})));
    }
    if let Some(Value::Array(parts)) = merged.remove("allOf") {
        return Some(parts.iter().fold(json!({}), |whole, part| merge(&whole, part)));
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = merged.remove(keyword) {
            let useful: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
            let choices = if useful.is_empty() { choices.iter().collect() } else { useful };
            return Some(choices.get(at % choices.len().max(1)).map_or_else(|| json!({}), |choice| (*choice).clone()));
        }
    }
    let condition = merged.remove("if")?;
    let (then, otherwise) = (merged.remove("then"), merged.remove("else"));
    Some(match at % 2 {
        0 => merge(&condition, &then.unwrap_or_else(|| json!({}))),
        _ => otherwise.unwrap_or_else(|| json!({})),
    })
}

/// Returns a schema that accepts the values that both schemas accept, as far as keywords can express this.
pub(super) fn merge(one: &Value, other: &Value) -> Value {
    let (Value::Object(one), Value::Object(other)) = (one, other) else {
        return if one.is_object() { one.clone() } else { other.clone() };
    };
    let mut whole = one.clone();
    for (keyword, value) in other {
        let joined = match whole.get(keyword) {
            None => value.clone(),
            Some(known) => join(keyword, known, value),
        };
        whole.insert(keyword.clone(), joined);
    }
    whole.into()
}

fn join(keyword: &str, known: &Value, value: &Value) -> Value {
    let numbers = || Some((known.as_f64()?, value.as_f64()?));
    let lists = || Some((known.as_array()?, value.as_array()?));
    match keyword {
        "properties" | "patternProperties" => merge_parts(known, value),
        "required" => match lists() {
            Some((known, value)) => {
                let more = value.iter().filter(|name| !known.contains(name));
                known.iter().chain(more).cloned().collect()
            }
            None => value.clone(),
        },
        "enum" => match lists() {
            Some((known, value)) => known.iter().filter(|option| value.contains(option)).cloned().collect(),
            None => value.clone(),
        },
        "type" => common_types(known, value),
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" | "minContains" => {
            match numbers() {
                Some((low, high)) if low > high => known.clone(),
                _ => value.clone(),
            }
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => match numbers() {
            Some((low, high)) if low < high => known.clone(),
            _ => value.clone(),
        },
        "allOf" => match lists() {
            Some((known, value)) => known.iter().chain(value).cloned().collect(),
            None => value.clone(),
        },
        "items" | "contains" | "propertyNames" | "additionalProperties" => merge(known, value),
        // Two choices of the same kind apply, so one of them becomes a separate part.
        "anyOf" | "oneOf" => known.clone(),
        _ => value.clone(),
    }
}

fn merge_parts(known: &Value, value: &Value) -> Value {
    let mut parts = known.as_object().cloned().unwrap_or_default();
    for (name, part) in value.as_object().into_iter().flatten() {
        let joined = parts.get(name).map_or_else(|| part.clone(), |known| merge(known, part));
        parts.insert(name.clone(), joined);
    }
    parts.into()
}

fn common_types(known: &Value, value: &Value) -> Value {
    let list = |types: &Value| match types {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    let (known, value) = (list(known), list(value));
    let has =
        |types: &[Value], name: &Value| types.contains(name) || *name == "integer" && types.contains(&json!("number"));
    let common = known.iter().filter(|name| has(&value, name)).chain(value.iter().filter(|name| has(&known, name)));
    let mut types: Vec<Value> = vec![];
    for name in common {
        if !types.contains(name) {
            types.push(name.clone());
        }
    }
    match types.len() {
        1 => types.remove(0),
        _ => types.into(),
    }
}
