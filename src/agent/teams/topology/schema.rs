//! Validates a document against the JSON Schema of its type: fields, types, and enum values.

use std::borrow::Cow;
use std::sync::LazyLock;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind as Kind;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::TeamDocument;
use super::limits;
use super::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::first_chars;
use crate::kernel::topology::Topology;
use crate::spelling;

/// Validator of documents. Always present, which a test checks. Without it, only the first error would be reported, by
/// deserialization.
static VALIDATOR: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let mut schema = document_schema();
    inline_enum_values(&mut schema);
    jsonschema::validator_for(&schema).ok()
});

/// The same schema without references, to look up the fields of an object.
static INLINED: LazyLock<Value> = LazyLock::new(|| {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<TeamDocument>().to_value()
});

/// Returns the JSON Schema (2020-12) of a document.
pub fn document_schema() -> Value {
    SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<TeamDocument>().to_value()
}

/// Adds the document's schema errors to the report. Limits on strings, lists and numbers are checked elsewhere, with
/// better messages.
pub(super) fn check(document: &Value, report: &mut TopologyReport) {
    let bounded = bounded(document);
    // The search for errors takes several times as long, and most documents have none.
    if VALIDATOR.as_ref().is_some_and(|validator| validator.is_valid(&bounded)) {
        return;
    }
    let errors = VALIDATOR.iter().flat_map(|validator| validator.iter_errors(&bounded));
    // Collect one error more than fits into the report, so that the report says that there are more.
    let errors = errors.filter_map(|error| {
        let pointer = error.instance_path().as_str().to_owned();
        let (code, text) = describe_error(error.kind(), error.instance(), &pointer)?;
        Some((pointer, code, text))
    });
    for (pointer, code, text) in errors.take(limits::MAX_ERRORS + 1) {
        let place = if pointer.is_empty() { "The document" } else { &pointer };
        let place = first_chars(place, 4 * limits::MAX_SHOWN_CHARS);
        report.add_node(node_of(document, &pointer));
        report.add(pointer.clone(), code, format!("{place}: {text}"));
    }
}

/// Returns the document with its lists truncated to the elements that are checked; another check reports lists that are
/// too long. The validator collects an error for every missing field before it returns the first one, which takes
/// gigabytes for a small document of nothing but `{},{},…`.
fn bounded(document: &Value) -> Cow<'_, Value> {
    if !is_long("", document) {
        return Cow::Borrowed(document);
    }
    let mut bounded = document.clone();
    shorten("", &mut bounded);
    Cow::Owned(bounded)
}

/// Returns the maximum number of elements that are checked in a list whose field has this name.
fn max_checked(field: &str) -> usize {
    match field {
        "edges" => limits::MAX_EDGES + 1,
        "agents" => Topology::MAX_AGENTS + 1,
        _ => Topology::MAX_NODES + 1,
    }
}

fn is_long(field: &str, value: &Value) -> bool {
    match value {
        Value::Array(list) => list.len() > max_checked(field) || list.iter().any(|value| is_long("", value)),
        Value::Object(fields) => fields.iter().any(|(name, value)| is_long(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn shorten(field: &str, value: &mut Value) {
    match value {
        Value::Array(list) => {
            list.truncate(max_checked(field));
            list.iter_mut().for_each(|value| shorten("", value));
        }
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| shorten(name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the code and the message of an error; `None` if another check reports the error.
fn describe_error(kind: &Kind, value: &Value, pointer: &str) -> Option<(TopologyErrorCode, String)> {
    Some(match kind {
        Kind::AdditionalProperties { unexpected } => {
            let names: Vec<&str> = unexpected.iter().take(5).map(|name| first_chars(name, 64)).collect();
            let known = fields_of(pointer);
            let nearest = names.first().and_then(|name| spelling::nearest(name, known.iter().copied()));
            let advice = nearest.map_or_else(|| "remove it.".into(), |nearest| format!("did you mean {nearest}?"));
            let message = format!("unknown field {}; {advice} Known fields: {}", names.join(", "), known.join(", "));
            (TopologyErrorCode::UnknownField, message)
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            (TopologyErrorCode::MissingField, format!("{name} is missing; add it"))
        }
        Kind::Enum { options } => {
            let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let given =
                value.as_str().map_or_else(|| "the value".into(), |text| format!("'{}'", first_chars(text, 64)));
            (TopologyErrorCode::UnknownValue, format!("{given} is unknown; use one of {}", options.join(", ")))
        }
        Kind::Type { .. } => {
            let message = format!("{} where another type belongs; see GET /api/v1/teams/schema", kind_of(value));
            (TopologyErrorCode::InvalidType, message)
        }
        // The temperature can be null, so its schema has alternatives. A number that matches none of them is out of
        // range, which another check reports.
        Kind::AnyOf { .. } if pointer.ends_with("/temperature") && value.is_number() => return None,
        Kind::AnyOf { context } => {
            let nested = context.iter().flatten().find(|error| matches!(error.kind(), Kind::Enum { .. }));
            return match nested.filter(|_| value.is_string()) {
                Some(error) => describe_error(error.kind(), value, pointer),
                None => Some((
                    TopologyErrorCode::InvalidType,
                    format!("{} where another type belongs; see GET /api/v1/teams/schema", kind_of(value)),
                )),
            };
        }
        Kind::OneOfNotValid { .. } => {
            (TopologyErrorCode::InvalidType, "the value has the wrong type; see GET /api/v1/teams/schema".into())
        }
        _ => return None,
    })
}

/// Returns the names of the fields of the object at a pointer.
fn fields_of(pointer: &str) -> Vec<&'static str> {
    let place = pointer.split('/').skip(1).fold(&*INLINED, |schema, part| match part.parse::<usize>() {
        Ok(_) => &schema["items"],
        Err(_) => &schema["properties"][part],
    });
    place["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns the id of the node that a pointer leads into; `None` if it leads elsewhere or the node has no id.
fn node_of<'a>(document: &'a Value, pointer: &str) -> Option<&'a str> {
    let index = pointer.strip_prefix("/topology/nodes/")?.split('/').next()?;
    document.pointer(&format!("/topology/nodes/{index}/node_id"))?.as_str()
}

/// Joins the documented values of each enum in the schema into one `enum`, so that an error message can list them.
pub(in crate::agent::teams) fn inline_enum_values(schema: &mut Value) {
    let text = schema["oneOf"].as_array().and_then(|those| those.iter().map(|one| one.get("const").cloned()).collect());
    if let (Some(text), Some(fields)) = (text, schema.as_object_mut()) {
        fields.remove("oneOf");
        fields.insert("enum".into(), Value::Array(text));
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(inline_enum_values),
        Value::Array(items) => items.iter_mut().for_each(inline_enum_values),
        _ => {}
    }
}
