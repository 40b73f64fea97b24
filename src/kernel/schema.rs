//! JSON in what models and people write, and whether it is what was asked for.

use serde_json::Value;

use super::expansion::{Recursion, bounded};

/// Bytes that the schema of a form may have: every viewer gets it with the question.
pub const FORM: usize = 16 << 10;

/// Whether `value` is as the schema has it; else what is wrong with it, for its author: at most the first five faults.
pub fn check(schema: &Value, value: &Value) -> Result<(), String> {
    let faults: Vec<String> = validator(schema)?
        .iter_errors(value)
        .take(5)
        .map(|fault| match fault.instance_path().as_str() {
            "" => fault.to_string(),
            path => format!("{path}: {fault}"),
        })
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

/// Whether a schema can be used, and soon tells of any value whether it fits; else why not.
pub fn check_schema(schema: &Value, recursion: Recursion) -> Result<(), String> {
    bounded(schema, recursion).map_err(|words| format!("the schema cannot be used: {words}"))?;
    validator(schema).map(drop)
}

/// The same of a form for people, which is also bounded in bytes.
pub fn check_form(schema: &Value) -> Result<(), String> {
    if schema.to_string().len() > FORM {
        return Err(format!("the schema is longer than {} KiB", FORM >> 10));
    }
    check_schema(schema, Recursion::Never)
}

fn validator(schema: &Value) -> Result<jsonschema::Validator, String> {
    // Since 2019-09 a schema's formats are remarks unless somebody asks for more: a form's e-mail address is meant as one.
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| format!("the schema itself is wrong: {error}"))
}

/// The JSON object in a text: all of it, what stands in a fence, or the first object in it that is whole.
pub fn json_in(text: &str) -> Option<Value> {
    let starts = text.match_indices('{').map(|(at, _)| at).take(64);
    starts.into_iter().find_map(|at| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
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
    fn a_fault_says_where_it_is() {
        let schema = json!({ "properties": { "n": { "type": "integer" } }, "required": ["m"] });
        let said = check(&schema, &json!({ "n": "x" })).expect_err("is wrong");
        assert!(said.contains("/n") && said.contains("\"m\""), "{said}");
        assert_eq!(check(&schema, &json!({ "n": 1, "m": 2 })), Ok(()));
        let schema = json!({ "type": "string", "format": "email" });
        assert!(check(&schema, &json!("ann")).is_err() && check(&schema, &json!("ann@example.org")).is_ok());
    }
}
