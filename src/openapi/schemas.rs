//! Changes to generated schemas, because the generator does not know about requests, responses and references.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Location of the schemas of types.
pub(super) const SCHEMAS: &str = "#/components/schemas/";
/// Location of the schemas of types in requests, until they have names.
pub(super) const REQUESTS: &str = "#/requests/";

/// Returns the names of the types of requests. A type gets the suffix `Input` if its schema, or that of a type that it
/// refers to, differs in responses.
pub(super) fn request_names(requests: &Map<String, Value>, responses: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut different = BTreeSet::new();
    loop {
        let is_different = |name: &str, schema: &Value| {
            let Some(response) = responses.get(name) else { return false };
            let (text, response) = (schema.to_string(), response.to_string());
            let refers = different.iter().any(|other| text.contains(&format!("\"{REQUESTS}{other}\"")));
            refers || text.replace(REQUESTS, SCHEMAS) != response
        };
        let found: BTreeSet<String> =
            requests.iter().filter(|(name, schema)| is_different(name, schema)).map(|(name, _)| name.clone()).collect();
        if found == different {
            break;
        }
        different = found;
    }
    let named = |name: &String| if different.contains(name) { format!("{name}Input") } else { name.clone() };
    requests.keys().map(|name| (name.clone(), named(name))).collect()
}

/// Removes null from optional fields of responses, because such fields are absent instead of null.
pub(super) fn remove_absent_nulls(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(remove_absent_nulls),
        Value::Object(keywords) => {
            let required = keywords.get("required").cloned().unwrap_or_default();
            let is_required =
                |name: &str| required.as_array().is_some_and(|names| names.iter().any(|known| known == name));
            if let Some(Value::Object(fields)) = keywords.get_mut("properties") {
                fields.iter_mut().filter(|(name, _)| !is_required(name)).for_each(|(_, field)| remove_null(field));
            }
            keywords.values_mut().for_each(remove_absent_nulls);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes null from the values that a schema accepts.
pub(super) fn remove_null(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    if let Some(Value::Array(names)) = keywords.get_mut("type") {
        names.retain(|name| name != "null");
        if let [name] = names.as_slice() {
            let name = name.clone();
            keywords.insert("type".into(), name);
        }
    }
    if let Some(Value::Array(forms)) = keywords.get_mut("anyOf") {
        forms.retain(|form| form["type"] != "null");
        if let [Value::Object(form)] = forms.as_slice() {
            let form = form.clone();
            keywords.remove("anyOf");
            keywords.extend(form);
        }
    }
    if keywords.get("default").is_some_and(Value::is_null) {
        keywords.remove("default");
    }
}

/// Replaces the references for which `replaced` returns a value. Other keywords next to a reference stay.
pub(super) fn rewrite(value: &mut Value, replaced: &impl Fn(&str) -> Option<Value>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, replaced)),
        Value::Object(fields) => {
            if let Some(Value::Object(new)) = fields.get("$ref").and_then(Value::as_str).and_then(replaced) {
                fields.remove("$ref");
                let old = std::mem::replace(fields, new);
                fields.extend(old);
            }
            fields.values_mut().for_each(|field| rewrite(field, replaced));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
