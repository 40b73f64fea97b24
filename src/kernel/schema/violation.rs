//! Violations of a caller's schema, as data and as text.

use std::sync::Arc;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::truncate::{first_bytes, first_chars};

/// Maximum number of characters that a message quotes from a value.
const MAX_VALUE_CHARS: usize = 60;
/// Maximum number of values that a message lists.
const MAX_LISTED: usize = 20;
/// Maximum number of bytes in a message. The same limit applies separately to a path.
const MAX_TEXT_BYTES: usize = 500;

/// Violation of a schema by a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SchemaViolation {
    /// JSON Pointer to the wrong part of the value; empty for the whole value. Example: `/issues/0/severity`.
    pub pointer: Arc<str>,
    /// The same place as a path. Example: `$.issues[0].severity`.
    pub path: Arc<str>,
    /// Explanation for people and models. Example: `'urgent' is not one of 'critical', 'high', 'medium', 'low'`.
    pub message: Arc<str>,
}

impl SchemaViolation {
    /// Creates a violation of the whole value.
    pub fn of_whole(message: &str) -> Self {
        Self { pointer: "".into(), path: "$".into(), message: message.into() }
    }

    /// Describes an error that the validator found in `value`.
    pub(super) fn new(error: &ValidationError, value: &Value) -> Self {
        let pointer = error.instance_path().as_str();
        Self { pointer: cut(pointer.to_owned()), path: cut(path(pointer, value)), message: cut(message(error)) }
    }
}

fn cut(text: String) -> Arc<str> {
    match first_bytes(&text, MAX_TEXT_BYTES) {
        kept if kept.len() < text.len() => format!("{kept}…").into(),
        _ => text.into(),
    }
}

/// Returns the path form of a JSON Pointer into `value`, such as `$.a[0]['odd name']`.
fn path(pointer: &str, value: &Value) -> String {
    let (mut path, mut at) = ("$".to_owned(), Some(value));
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let is_index = at.is_some_and(Value::is_array);
        at = match at {
            Some(Value::Array(items)) => name.parse().ok().and_then(|index: usize| items.get(index)),
            Some(Value::Object(fields)) => fields.get(&name),
            _ => None,
        };
        if is_index {
            path.push_str(&format!("[{name}]"));
        } else if is_plain(&name) {
            path.push_str(&format!(".{name}"));
        } else {
            path.push_str(&format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")));
        }
        if path.len() > MAX_TEXT_BYTES {
            break;
        }
    }
    path
}

fn is_plain(name: &str) -> bool {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '_');
    rest.len() < name.len() && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns a value as people write it in a sentence, truncated to [`MAX_VALUE_CHARS`].
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) if items.len() > 1 => "the array".into(),
        Value::Object(fields) if fields.len() > 1 => "the object".into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            shortened(&value.to_string())
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", shortened(text))
}

fn shortened(text: &str) -> String {
    let kept = first_chars(text, MAX_VALUE_CHARS);
    let more = if kept.len() < text.len() { "…" } else { "" };
    let kept: String = kept.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{kept}{more}")
}

fn listed<'a>(values: impl ExactSizeIterator<Item = &'a Value>) -> String {
    let more = if values.len() > MAX_LISTED { ", …" } else { "" };
    let values: Vec<String> = values.take(MAX_LISTED).map(shown_in_list).collect();
    format!("{}{more}", values.join(", "))
}

fn shown_in_list(value: &Value) -> String {
    value.as_str().map_or_else(|| shortened(&value.to_string()), quoted)
}

fn names(unexpected: &[String]) -> String {
    let more = if unexpected.len() > MAX_LISTED { ", …" } else { "" };
    let names: Vec<String> = unexpected.iter().take(MAX_LISTED).map(|name| quoted(name)).collect();
    match unexpected {
        [_] => format!("the property {} is not allowed", names.join("")),
        _ => format!("the properties {}{more} are not allowed", names.join(", ")),
    }
}

fn types(kind: &TypeKind) -> String {
    let name = |kind: JsonType| kind.to_string();
    match kind {
        TypeKind::Single(kind) => name(*kind),
        TypeKind::Multiple(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}

fn count(limit: u64, one: &str, many: &str) -> String {
    format!("{limit} {}", if limit == 1 { one } else { many })
}

/// Returns the first error of the alternative that the value resembles most: the one with the deepest errors and, among
/// those, the fewest.
fn closest(alternatives: &[Vec<ValidationError<'static>>]) -> Option<String> {
    let depth = |error: &ValidationError| error.instance_path().as_str().matches('/').count();
    let rank =
        |errors: &&Vec<ValidationError>| (errors.iter().map(depth).min().unwrap_or(0), std::cmp::Reverse(errors.len()));
    let error = alternatives.iter().max_by_key(rank)?.first()?;
    // One level of alternatives is enough: a message about nested ones would not be actionable.
    let is_nested =
        matches!(error.kind(), ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. });
    (!is_nested).then(|| message(error))
}

fn message(error: &ValidationError) -> String {
    use ValidationErrorKind::*;
    let value = || shown(error.instance());
    match error.kind() {
        Type { kind } => format!("{} is not of type {}", value(), types(kind)),
        Enum { options } => {
            let options = options.as_array().map(|options| listed(options.iter())).unwrap_or_default();
            format!("{} is not one of {options}", value())
        }
        Constant { expected_value } => format!("{} is not {}", value(), shown_in_list(expected_value)),
        Required { property } => format!("the property {} is missing", shown_in_list(property)),
        AdditionalProperties { unexpected } | UnevaluatedProperties { unexpected } => names(unexpected),
        AdditionalItems { .. } | UnevaluatedItems { .. } => "the array has items that are not allowed".into(),
        Maximum { limit } => format!("{} is greater than the maximum {limit}", value()),
        Minimum { limit } => format!("{} is less than the minimum {limit}", value()),
        ExclusiveMaximum { limit } => format!("{} is not less than {limit}", value()),
        ExclusiveMinimum { limit } => format!("{} is not greater than {limit}", value()),
        MaxLength { limit } => format!("{} is longer than {}", value(), count(*limit, "character", "characters")),
        MinLength { limit } => format!("{} is shorter than {}", value(), count(*limit, "character", "characters")),
        MaxItems { limit } => format!("the array has more than {}", count(*limit, "item", "items")),
        MinItems { limit } => format!("the array has fewer than {}", count(*limit, "item", "items")),
        MaxProperties { limit } => format!("the object has more than {}", count(*limit, "property", "properties")),
        MinProperties { limit } => format!("the object has fewer than {}", count(*limit, "property", "properties")),
        MultipleOf { multiple_of } => format!("{} is not a multiple of {multiple_of}", value()),
        Pattern { pattern } => format!("{} does not match the pattern {}", value(), shortened(pattern)),
        Format { format } => format!("{} is not a valid {}", value(), shortened(format)),
        UniqueItems => "the array has equal items; each item must differ from the others".into(),
        Contains => "the number of items that match 'contains' is wrong".into(),
        AnyOf { context } | OneOfNotValid { context } => {
            let close = closest(context).map_or_else(String::new, |text| format!("; the closest one: {text}"));
            format!("{} matches none of the {} alternatives{close}", value(), context.len())
        }
        OneOfMultipleValid { .. } => format!("{} matches more than one alternative of 'oneOf'", value()),
        Not { .. } => format!("{} is not allowed", value()),
        FalseSchema => "no value is allowed here".into(),
        PropertyNames { error } => format!("a property has a wrong name: {}", message(error)),
        BacktrackLimitExceeded { .. }
        | RegexEngineFailure { .. }
        | ContentEncoding { .. }
        | ContentMediaType { .. }
        | Custom { .. }
        | FromUtf8 { .. }
        | Referencing(_) => format!("{} does not match the schema", value()),
    }
}
