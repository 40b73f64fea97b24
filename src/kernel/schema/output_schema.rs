//! Caller-supplied schemas for the output of a run: JSON Schema 2020-12, checked in bounded time and memory.
//!
//! References are local, patterns run in linear time, and the work of a check is estimated before it is done. Known
//! formats are checked; others are annotations.

use std::collections::BTreeSet;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::bounds::ValueBounds;
use super::check_cost::{CheckCost, CostLimitError};
use super::size::{Recursion, check_size};
use super::violation::SchemaViolation;
use crate::text::truncate::first_chars;

/// Maximum number of violations in a result.
pub const MAX_VIOLATIONS: usize = 20;
/// Maximum number of different patterns in a schema.
const MAX_PATTERNS: usize = 64;
/// Maximum number of bytes in one compiled pattern. `PATTERN_CACHE_BYTES` limits its cache.
const PATTERN_BYTES: usize = 64 << 10;
const PATTERN_CACHE_BYTES: usize = 256 << 10;
/// Maximum number of characters that an error quotes from the validator's message about a schema.
const MAX_REASON_CHARS: usize = 300;
/// Maximum number of characters that an error shows of a pattern.
const MAX_PATTERN_CHARS: usize = 100;
/// Value of `$schema`.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// Bounds on a checked value.
const VALUE: ValueBounds = ValueBounds { max_bytes: 512 << 10, max_depth: 64 };

/// A caller's schema, compiled.
#[derive(Debug)]
pub struct OutputSchema {
    /// The schema without `$schema` and `$id`, so that references start at its root.
    schema: Value,
    validator: Validator,
}

impl OutputSchema {
    /// Compiles a schema. The error says what its author has to change.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        let Value::Object(keywords) = schema else { return Err("the schema is not an object; use one".into()) };
        match keywords.get("$schema").map(Value::as_str) {
            None => {}
            Some(Some(dialect)) if dialect.trim_end_matches('#') == DIALECT => {}
            Some(_) => return Err(format!("the dialect in $schema is not supported; use {DIALECT}, or omit it")),
        }
        let mut keywords = keywords.clone();
        keywords.retain(|keyword, _| !matches!(keyword.as_str(), "$schema" | "$id"));
        let schema = Value::Object(keywords);
        let mut patterns = BTreeSet::new();
        collect_patterns(&schema, &mut patterns);
        if patterns.len() > MAX_PATTERNS {
            return Err(format!("the schema has more than {MAX_PATTERNS} patterns; use fewer"));
        }
        check_size(&schema, Recursion::Inward).map_err(|message| format!("the schema is not supported: {message}"))?;
        let engine = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_CACHE_BYTES);
        let options = jsonschema::options().offline().with_draft(Draft::Draft202012).with_pattern_options(engine);
        let options = options.should_validate_formats(true).should_ignore_unknown_formats(true);
        // The regular expression parser recurses for each bracket in a string, and a model writes that string.
        let options = options.with_format("regex", |_: &str| true);
        match options.build(&schema) {
            Ok(validator) => Ok(Self { schema, validator }),
            Err(error) => {
                let at = error.instance_path().to_string();
                // The validator reports every pattern that it does not accept as an invalid regular expression.
                let pattern = schema.pointer(&at).and_then(Value::as_str).filter(|_| at.ends_with("/pattern"));
                let reason = match pattern {
                    Some(pattern) => pattern_error(pattern),
                    None => first_chars(&error.to_string(), MAX_REASON_CHARS).to_owned(),
                };
                let place = if at.is_empty() { String::new() } else { format!(" at {}", first_chars(&at, 100)) };
                Err(format!("the schema is invalid{place}: {reason}"))
            }
        }
    }

    /// Checks a value. The error lists at most [`MAX_VIOLATIONS`] violations, sorted by their pointers.
    pub fn check(&self, value: &Value) -> Result<(), Vec<SchemaViolation>> {
        let whole = |text: &str| Err(vec![SchemaViolation::of_whole(text)]);
        if let Err(error) = VALUE.check(value) {
            return whole(&error.to_string());
        }
        let cost = match CheckCost::of(&self.schema, value) {
            Ok(cost) => cost,
            Err(CostLimitError) => {
                return whole(
                    "the value is too large or too deeply nested to be checked against this schema; shorten it",
                );
            }
        };
        if self.validator.is_valid(value) {
            return Ok(());
        }
        if !cost.lists_errors {
            return whole("the value does not match the schema; it is too large for a list of the errors");
        }
        let errors = self.validator.iter_errors(value).take(MAX_VIOLATIONS);
        let mut violations: Vec<SchemaViolation> = errors.map(|error| SchemaViolation::new(&error, value)).collect();
        // The validator's order depends on how it compiled the schema.
        violations.sort_by(|one, other| (&one.pointer, &one.message).cmp(&(&other.pointer, &other.message)));
        Err(violations)
    }
}

/// Returns why a pattern cannot be compiled, and what to do.
fn pattern_error(pattern: &str) -> String {
    let shown = first_chars(pattern, MAX_PATTERN_CHARS);
    if needs_backtracking(pattern) {
        return format!(
            "the pattern {shown:?} has look-around or refers to a group; the server matches patterns in linear time, so \
             rewrite it without them"
        );
    }
    format!(
        "the pattern {shown:?} is not a regular expression, or needs too much memory; fix its syntax, or use fewer and \
         smaller repetitions"
    )
}

/// Returns whether a pattern has look-around or a reference to a group. Mistakes an escaped backslash before a digit
/// for a reference.
fn needs_backtracking(pattern: &str) -> bool {
    let is_reference = |pair: &[u8]| pair[0] == b'\\' && matches!(pair[1], b'1'..=b'9' | b'k');
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|group| pattern.contains(group))
        || pattern.as_bytes().windows(2).any(is_reference)
}

/// Collects the patterns in a schema, and in data that looks like one.
fn collect_patterns<'a>(part: &'a Value, patterns: &mut BTreeSet<&'a str>) {
    match part {
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                match (keyword.as_str(), value) {
                    ("pattern", Value::String(pattern)) => drop(patterns.insert(pattern)),
                    ("patternProperties", Value::Object(parts)) => patterns.extend(parts.keys().map(String::as_str)),
                    _ => {}
                }
                collect_patterns(value, patterns);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_patterns(part, patterns)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
#[path = "output_schema_tests.rs"]
mod tests;
