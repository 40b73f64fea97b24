//! Upper bound on the work of checking a value against a schema. Parts that refer to each other can double the work
//! with each level of the value, so that a one-kilobyte value could keep its session busy for years.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::bounds::json_bytes;

/// Maximum number of units of work. A unit is one keyword, or one option of an `enum`, for one part of the value.
const MAX_UNITS: usize = 1_000_000;
/// Maximum number of nested parts. The validator recurses once for each of them.
const MAX_DEPTH: usize = 256;
/// Maximum number of errors that the validator may collect. `MAX_COPIED_BYTES` limits the bytes of values in them. The
/// validator collects all errors, and copies the values in alternatives, before it returns the first error.
const MAX_ERRORS: usize = 100_000;
const MAX_COPIED_BYTES: usize = 16 << 20;
/// Units per byte of a string that is compared with a pattern or a format.
const UNITS_PER_BYTE: usize = 8;
/// Bytes of an error without its value.
const ERROR_BYTES: usize = 300;

/// Result of estimating a check whose work is within the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckCost {
    /// True if the validator can also list the errors within its limit.
    pub(super) lists_errors: bool,
}

/// Error for a check that would take too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CostLimitError;

impl CheckCost {
    /// Estimates an upper bound on the work of checking `value` against `schema`: all alternatives count, whether or
    /// not they match.
    ///
    /// The references of the schema must exist; see [`super::size::check_size`].
    pub(super) fn of(schema: &Value, value: &Value) -> Result<Self, CostLimitError> {
        let mut sizes = HashMap::new();
        measure(value, &mut sizes);
        let mut walk = CostWalk { root: schema, sizes, left: MAX_UNITS, errors: 0, copied_bytes: 0 };
        walk.part(schema, value, &Place::default())?;
        Ok(Self { lists_errors: walk.errors <= MAX_ERRORS && walk.copied_bytes <= MAX_COPIED_BYTES })
    }
}

/// Records the size of each part of a value, keyed by the part's memory address. Returns the size of the whole value.
fn measure(value: &Value, sizes: &mut HashMap<*const Value, usize>) -> usize {
    let size = match value {
        Value::Array(items) => 2 + items.iter().map(|item| 1 + measure(item, sizes)).sum::<usize>(),
        Value::Object(fields) => {
            2 + fields.iter().map(|(name, field)| 4 + name.len() + measure(field, sizes)).sum::<usize>()
        }
        Value::String(text) => text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => return json_bytes(value),
    };
    sizes.insert(value, size);
    size
}

struct CostWalk<'a> {
    root: &'a Value,
    sizes: HashMap<*const Value, usize>,
    left: usize,
    errors: usize,
    copied_bytes: usize,
}

/// Position of a part in the walk.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    depth: usize,
    /// True in an alternative, whose errors contain copies of the value.
    is_alternative: bool,
    /// True if an enclosing `unevaluated…` checks the parts for the same value again, to learn what they cover.
    is_repeated: bool,
}

impl Place {
    fn deeper(&self) -> Self {
        Self { depth: self.depth + 1, ..*self }
    }
}

impl<'a> CostWalk<'a> {
    fn charge(&mut self, units: usize) -> Result<(), CostLimitError> {
        self.left = self.left.checked_sub(units).ok_or(CostLimitError)?;
        Ok(())
    }

    fn size(&self, value: &Value) -> usize {
        self.sizes.get(&std::ptr::from_ref(value)).copied().unwrap_or(ERROR_BYTES)
    }

    /// Visits a part of the schema for a part of the value.
    fn part(&mut self, part: &'a Value, value: &Value, place: &Place) -> Result<(), CostLimitError> {
        if place.depth > MAX_DEPTH {
            return Err(CostLimitError);
        }
        let Value::Object(keywords) = part else { return self.charge(1) };
        let length = |name: &str| keywords.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        self.charge(1 + keywords.len() + length("enum") + length("required"))?;
        if let (Value::String(text), true) =
            (value, ["pattern", "format"].iter().any(|name| keywords.contains_key(*name)))
        {
            self.charge(text.len().saturating_mul(UNITS_PER_BYTE))?;
        }
        let errors = 1 + keywords.len() + length("required");
        self.errors = self.errors.saturating_add(errors);
        if place.is_alternative {
            let bytes = errors.saturating_mul(self.size(value) + ERROR_BYTES);
            self.copied_bytes = self.copied_bytes.saturating_add(bytes);
        }
        let is_repeated = place.is_repeated || keywords.keys().any(|name| name.starts_with("unevaluated"));
        let inside = Place { is_repeated, ..place.deeper() };
        for (keyword, parts) in keywords {
            // The validator checks a part once for its own sake, and up to twice to learn what it covers.
            for _ in 0..if is_repeated { 3 } else { 1 } {
                self.same_value(keyword, parts, value, &inside)?;
            }
            self.nested_values(keyword, parts, value, &Place { is_repeated: false, ..inside })?;
        }
        Ok(())
    }

    /// Visits parts that apply to the same value.
    fn same_value(
        &mut self,
        keyword: &str,
        parts: &'a Value,
        value: &Value,
        place: &Place,
    ) -> Result<(), CostLimitError> {
        let alternative = Place { is_alternative: true, ..*place };
        match (keyword, parts) {
            ("$ref" | "$dynamicRef", Value::String(to)) => match self.referred(to) {
                Some(part) => self.part(part, value, place),
                None => Ok(()),
            },
            ("allOf", Value::Array(parts)) => parts.iter().try_for_each(|part| self.part(part, value, place)),
            ("anyOf" | "oneOf", Value::Array(parts)) => {
                parts.iter().try_for_each(|part| self.part(part, value, &alternative))
            }
            ("not" | "if" | "then" | "else", part) => self.part(part, value, place),
            ("dependentSchemas" | "dependencies", Value::Object(parts)) => {
                parts.values().try_for_each(|part| self.part(part, value, place))
            }
            ("contains", part) => {
                let items = value.as_array().into_iter().flatten();
                items.into_iter().try_for_each(|item| self.part(part, item, place))
            }
            _ => Ok(()),
        }
    }

    /// Visits parts that apply to the items or properties of the value.
    fn nested_values(
        &mut self,
        keyword: &str,
        parts: &'a Value,
        value: &Value,
        place: &Place,
    ) -> Result<(), CostLimitError> {
        match (keyword, parts, value) {
            ("properties", Value::Object(parts), Value::Object(fields)) => {
                let known = parts.iter().filter_map(|(name, part)| Some((part, fields.get(name)?)));
                known.into_iter().try_for_each(|(part, field)| self.part(part, field, place))
            }
            ("patternProperties", Value::Object(parts), Value::Object(fields)) => {
                for (name, field) in fields {
                    self.charge(parts.len().saturating_mul(1 + name.len() * UNITS_PER_BYTE))?;
                    parts.values().try_for_each(|part| self.part(part, field, place))?;
                }
                Ok(())
            }
            ("additionalProperties" | "unevaluatedProperties", part, Value::Object(fields)) => {
                fields.values().try_for_each(|field| self.part(part, field, place))
            }
            ("propertyNames", part, Value::Object(fields)) => {
                let alternative = Place { is_alternative: true, ..*place };
                fields.keys().try_for_each(|name| self.part(part, &Value::from(name.as_str()), &alternative))
            }
            ("items" | "unevaluatedItems", part, Value::Array(items)) => {
                items.iter().try_for_each(|item| self.part(part, item, place))
            }
            ("prefixItems", Value::Array(parts), Value::Array(items)) => {
                parts.iter().zip(items).try_for_each(|(part, item)| self.part(part, item, place))
            }
            // A few items are compared in pairs, more of them by their hash values.
            ("uniqueItems", _, Value::Array(_)) => self.charge(self.size(value)),
            _ => Ok(()),
        }
    }

    fn referred(&self, to: &str) -> Option<&'a Value> {
        let place = percent_decode_str(to.strip_prefix('#')?).decode_utf8().ok()?;
        self.root.pointer(&place)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a chain of this many nested objects.
    fn chain(levels: usize) -> Value {
        (0..levels).fold(json!(null), |rest, _| json!({ "rest": rest }))
    }

    fn doubling(keyword: &str) -> Value {
        let next = json!({ "properties": { "rest": { "$ref": "#" } } });
        json!({ keyword: [next, next] })
    }

    #[test]
    fn what_doubles_with_each_level_of_the_value_is_found() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            assert!(CheckCost::of(&doubling(keyword), &chain(8)).is_ok(), "{keyword}");
            assert_eq!(CheckCost::of(&doubling(keyword), &chain(60)), Err(CostLimitError), "{keyword}");
        }
    }

    #[test]
    fn what_is_checked_again_to_learn_what_it_covers_counts_each_time() {
        let nested = |levels: usize| {
            (0..levels).fold(
                json!({}),
                |inner, _| json!({ "anyOf": [{ "properties": { "rest": inner } }], "unevaluatedProperties": false }),
            )
        };
        assert!(CheckCost::of(&nested(4), &chain(4)).is_ok());
        assert_eq!(CheckCost::of(&nested(14), &chain(14)), Err(CostLimitError));
    }

    #[test]
    fn a_long_way_down_is_refused_before_the_stack_ends() {
        let wrapped =
            (0..20).fold(json!({ "properties": { "rest": { "$ref": "#" } } }), |inner, _| json!({ "allOf": [inner] }));
        assert!(CheckCost::of(&wrapped, &chain(10)).is_ok());
        assert_eq!(CheckCost::of(&wrapped, &chain(60)), Err(CostLimitError));
    }

    #[test]
    fn many_options_for_many_items_are_counted() {
        let options: Vec<String> = (0..2_000).map(|at| format!("option {at}")).collect();
        let schema = json!({ "items": { "enum": options } });
        let items = |count: usize| json!(vec!["none"; count]);
        assert!(CheckCost::of(&schema, &items(100)).is_ok());
        assert_eq!(CheckCost::of(&schema, &items(1_000)), Err(CostLimitError));
        let pattern = json!({ "items": { "pattern": "(a|b)*c" } });
        assert_eq!(CheckCost::of(&pattern, &json!(["a".repeat(200_000)])), Err(CostLimitError));
    }

    #[test]
    fn errors_are_listed_only_where_they_are_few_and_small() {
        let large = json!({ "text": "x".repeat(100_000) });
        let alternatives = |count: usize| json!({ "anyOf": vec![json!({ "required": ["a"] }); count] });
        let lists = |schema: &Value, value: &Value| CheckCost::of(schema, value).map(|cost| cost.lists_errors);
        assert_eq!(lists(&alternatives(5), &large), Ok(true));
        assert_eq!(lists(&alternatives(500), &large), Ok(false), "each would contain a copy");
        assert_eq!(lists(&json!({ "items": { "type": "string" } }), &json!(vec![0; 60_000])), Ok(false));
    }
}
