//! Checks the attributes of nodes and edges. All values that pass can be expressed in a TOML team file.

use serde_json::{Map, Value};

use super::error_place::{ErrorPlace, quote};
use crate::agent::teams::topology::limits::{MAX_ATTRIBUTE_BYTES, MAX_ATTRIBUTE_DEPTH, MAX_ATTRIBUTES, MAX_KEY_CHARS};
use crate::agent::teams::topology::report::{TopologyErrorCode, TopologyReport};
use crate::kernel::{is_default_ignorable, is_hidden, is_within_chars};

pub(super) fn check(report: &mut TopologyReport, at: &ErrorPlace<'_>, attributes: Option<&Map<String, Value>>) {
    let Some(attributes) = attributes else { return };
    if attributes.len() > MAX_ATTRIBUTES {
        let message = format!("it has too many attributes; use at most {MAX_ATTRIBUTES}");
        report.fault(at, "attributes", TopologyErrorCode::TooLong, message);
        return;
    }
    for key in attributes.keys() {
        if key.is_empty() || !is_within_chars(key, MAX_KEY_CHARS) {
            let message = format!("the attribute {} needs a key of 1 to {MAX_KEY_CHARS} characters", quote(key));
            report.fault(at, "attributes", TopologyErrorCode::TooLong, message);
        } else if key.chars().any(|c| c.is_whitespace() || is_hidden(c) || is_default_ignorable(c)) {
            let message =
                format!("the attribute {} has spaces or invisible characters in its key; remove them", quote(key));
            report.fault(at, "attributes", TopologyErrorCode::InvalidCharacters, message);
        }
    }
    for (key, value) in attributes {
        if let Err(message) = check_value(value, 0) {
            let message = format!("the attribute {} {message}", quote(key));
            report.fault(at, "attributes", TopologyErrorCode::UnsupportedValue, message);
        }
    }
    let text = serde_json::to_string(attributes).expect("attributes serialize: their keys are strings");
    if text.len() > MAX_ATTRIBUTE_BYTES {
        let message = format!("its attributes are too large; use at most {MAX_ATTRIBUTE_BYTES} bytes of JSON");
        report.fault(at, "attributes", TopologyErrorCode::TooLong, message);
    }
}

/// Checks that TOML can express the value and PostgreSQL can store it.
fn check_value(value: &Value, depth: usize) -> Result<(), &'static str> {
    if depth > MAX_ATTRIBUTE_DEPTH {
        return Err("is nested too deeply; simplify it");
    }
    match value {
        Value::Null => Err("contains null; leave it out"),
        Value::Number(number) if number.is_u64() && !number.is_i64() => {
            Err("contains a number that is too large; write it as text")
        }
        Value::String(text) if text.contains('\0') => Err("contains a NUL character; remove it"),
        Value::Array(items) => items.iter().try_for_each(|item| check_value(item, depth + 1)),
        Value::Object(fields) => {
            if fields.keys().any(|key| key.contains('\0')) {
                return Err("contains a NUL character; remove it");
            }
            fields.values().try_for_each(|field| check_value(field, depth + 1))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
