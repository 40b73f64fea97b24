//! JSON in the output of models and people, and its validation.

pub mod bounds;
mod check_cost;
pub mod json_error;
pub mod output_schema;
pub mod size;
pub mod strict_json;
pub mod strict_types;
pub mod violation;

use std::ops::Range;

use serde_json::Value;

use size::{Recursion, check_size};

/// Maximum number of bytes in the schema of a form. It is limited because every viewer receives it with the question.
pub const MAX_FORM_BYTES: usize = 16 << 10;

/// Checks a value against a schema. The error lists at most the first five violations, for the author of the value.
/// Formats are not checked, because schemas of tools use them as annotations.
pub fn check(schema: &Value, value: &Value) -> Result<(), String> {
    check_with(&validator(schema, false)?, schema, value)
}

/// Checks a person's answer against the schema of its form. Formats are checked, for example that an e-mail address is
/// valid.
pub fn check_answer(form: &Value, answer: &Value) -> Result<(), String> {
    check_with(&validator(form, true)?, form, answer)
}

fn check_with(validator: &jsonschema::Validator, schema: &Value, value: &Value) -> Result<(), String> {
    if validator.is_valid(value) {
        return Ok(());
    }
    // The validator collects the errors of all alternatives before it returns the first one. In a tree with nested
    // alternatives, one wrong leaf would produce millions of errors.
    if check_size(schema, Recursion::Never).is_err() {
        return Err("the value does not match the schema".into());
    }
    let faults: Vec<String> = validator
        .iter_errors(value)
        .take(5)
        .map(|fault| match fault.instance_path().as_str() {
            "" => fault.to_string(),
            path => format!("{path}: {fault}"),
        })
        .collect();
    Err(faults.join("; "))
}

/// Checks that a schema is valid, and that validation against it is fast. The error gives the reason if it is not.
pub fn check_schema(schema: &Value, recursion: Recursion) -> Result<(), String> {
    check_size(schema, recursion).map_err(|text| format!("the schema is not supported: {text}"))?;
    validator(schema, true).map(drop)
}

/// Checks the schema of a form for people, which also has a maximum size.
pub fn check_form(schema: &Value) -> Result<(), String> {
    if schema.to_string().len() > MAX_FORM_BYTES {
        return Err(format!("the schema is longer than {} KiB; shorten it", MAX_FORM_BYTES >> 10));
    }
    check_schema(schema, Recursion::Never)
}

fn validator(schema: &Value, formats: bool) -> Result<jsonschema::Validator, String> {
    jsonschema::options()
        .should_validate_formats(formats)
        .build(schema)
        .map_err(|error| format!("the schema is invalid: {error}"))
}

/// Returns the first complete JSON object in `text`: the whole text, the content of a code fence, or a part of the
/// text. Returns `None` if there is none.
pub fn json_in(text: &str) -> Option<Value> {
    let starts = text.match_indices('{').map(|(at, _)| at).take(64);
    starts.into_iter().find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

/// Returns the JSON value of text that consists only of that value, with or without a code fence; otherwise, the first
/// complete JSON object in the text. Returns `None` if there is neither.
pub fn value_in(text: &str) -> Option<Value> {
    let text = text.trim();
    let alone = |text: &str| serde_json::from_str::<Value>(text).ok();
    let fenced = || {
        let (_, inside) = text.split_once("```")?.1.split_once('\n')?;
        alone(inside.split_once("```")?.0)
    };
    alone(text).or_else(fenced).or_else(|| json_in(text))
}

/// Returns the JSON objects, and arrays of objects, in text that otherwise contains only code fences and introductions
/// (`Here they are:`). Returns `None` if the text contains anything else, or no JSON.
pub fn only_values_in(text: &str) -> Option<Vec<Value>> {
    let (mut rest, mut after, mut values) = (String::new(), 0, vec![]);
    for (value, place) in records(text) {
        rest.push_str(&text[after..place.start]);
        rest.push('\n');
        after = place.end;
        values.push(value);
    }
    rest.push_str(&text[after..]);
    let is_frame = |line: &str| line.starts_with("```") || line.starts_with("~~~") || line.ends_with([':', '：']);
    let only = rest.lines().map(str::trim).filter(|line| !line.is_empty()).all(is_frame);
    (only && !values.is_empty()).then_some(values)
}

/// Returns all JSON objects and arrays of objects in `text`, in order, with their positions. Nested ones are not listed
/// separately.
fn records(text: &str) -> Vec<(Value, Range<usize>)> {
    /// Maximum number of parse attempts, for text with many brackets that start no JSON.
    const STARTS: usize = 4096;
    let is_record = |value: &Value| match value.as_array() {
        Some(items) => !items.is_empty() && items.iter().all(Value::is_object),
        None => value.is_object(),
    };
    let (mut found, mut after) = (vec![], 0);
    for (at, _) in text.match_indices(['{', '[']).take(STARTS) {
        if at < after {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        if let Some(value) = values.next().and_then(Result::ok).filter(is_record) {
            after = at + values.byte_offset();
            found.push((value, at..after));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_wherever_a_model_puts_it() {
        for text in ["{\"a\":1}", "Here it is:\n```json\n{\"a\":1}\n```\nDone.", "a {b} c {\"a\":1} {"] {
            assert_eq!(json_in(text), Some(json!({ "a": 1 })), "{text}");
        }
        for text in ["", "no", "{", "[1]", "{a:1}"] {
            assert_eq!(json_in(text), None, "{text}");
        }
    }

    #[test]
    fn a_value_is_taken_alone_or_from_a_fence_and_an_object_from_anywhere() {
        for text in ["[1]", " [1]\n", "Here:\n```json\n[1]\n```\nDone."] {
            assert_eq!(value_in(text), Some(json!([1])), "{text}");
        }
        assert_eq!(value_in("It is {\"a\":1}."), Some(json!({ "a": 1 })));
        assert_eq!(value_in("\"word\""), Some(json!("word")));
        for text in ["", "words", "see [1]", "```\nwords\n```"] {
            assert_eq!(value_in(text), None, "{text}");
        }
    }

    #[test]
    fn json_with_other_words_beside_it_is_not_all_of_a_text() {
        let one = Some(vec![json!({ "id": 1 })]);
        for text in ["{\"id\":1}", "Here they are:\n```json\n{\"id\":1}\n```\n", "用例如下：\n{\"id\":1}"] {
            assert_eq!(only_values_in(text), one, "{text}");
        }
        let nested = "One:\n```json\n{\"id\":1,\"of\":{\"x\":2}}\n```\nTwo:\n{\"id\":2}";
        assert_eq!(only_values_in(nested), Some(vec![json!({ "id": 1, "of": { "x": 2 } }), json!({ "id": 2 })]));
        let list = Some(vec![json!([{ "id": 1 }, { "id": 2 }])]);
        assert_eq!(only_values_in("a list: [{\"id\":1},{\"id\":2}]"), list);
        for text in ["", "words", "| a | `{\"user\":\"a\"}` |", "{\"id\":1}\nThe refund is not covered.", "[1, 2]"] {
            assert_eq!(only_values_in(text), None, "{text}");
        }
    }

    #[test]
    fn a_fault_says_where_it_is() {
        let schema = json!({ "properties": { "n": { "type": "integer" } }, "required": ["m"] });
        let error = check(&schema, &json!({ "n": "x" })).expect_err("the value is invalid");
        assert!(error.contains("/n") && error.contains("\"m\""), "{error}");
        assert_eq!(check(&schema, &json!({ "n": 1, "m": 2 })), Ok(()));
    }

    #[test]
    fn a_format_binds_people_and_is_a_remark_of_a_tool() {
        let schema = json!({ "type": "string", "format": "email" });
        assert!(
            check_answer(&schema, &json!("ann")).is_err() && check_answer(&schema, &json!("ann@example.org")).is_ok()
        );
        assert_eq!(check(&schema, &json!("ann")), Ok(()));
    }

    #[test]
    fn one_wrong_leaf_of_a_deep_tree_is_told_at_once() {
        let kind = |name: String| {
            let children = json!({ "type": "array", "items": { "$ref": "#/$defs/node" } });
            json!({ "properties": { "kind": { "const": name }, "children": children }, "required": ["kind"] })
        };
        let kinds: Vec<Value> = (0..8).map(|at| kind(format!("k{at}"))).collect();
        let schema = json!({ "$ref": "#/$defs/node", "$defs": { "node": { "anyOf": kinds } } });
        assert_eq!(check_schema(&schema, Recursion::Inward), Ok(()));
        let tree =
            |leaf: &str| (0..40).fold(json!({ "kind": leaf }), |inner, _| json!({ "kind": "k7", "children": [inner] }));
        assert_eq!(check(&schema, &tree("k0")), Ok(()));
        assert_eq!(check(&schema, &tree("none")), Err("the value does not match the schema".into()));
    }
}
