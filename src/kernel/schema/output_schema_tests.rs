use serde_json::json;

use super::*;

fn violations(schema: &Value, value: &Value) -> Vec<(String, String, String)> {
    let schema = OutputSchema::compile(schema).expect("a schema");
    let found = schema.check(value).err().unwrap_or_default();
    let text = |text: &str| text.to_owned();
    found.iter().map(|one| (text(&one.pointer), text(&one.path), text(&one.message))).collect()
}

fn schema_error(schema: &Value) -> String {
    OutputSchema::compile(schema).map(drop).expect_err("is refused")
}

fn issue_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/report",
        "type": "object",
        "properties": {
            "summary": { "type": "string" },
            "issues": { "type": "array", "items": { "$ref": "#/$defs/issue" } },
        },
        "required": ["summary", "issues"],
        "$defs": { "issue": {
            "type": "object",
            "properties": { "severity": { "enum": ["critical", "high", "medium", "low"] } },
            "additionalProperties": false,
        } },
    })
}

#[test]
fn a_violation_has_a_pointer_a_path_and_a_sentence() {
    let value = json!({ "issues": [{ "severity": "urgent" }, { "severity": "low", "odd name/x": 1 }] });
    let found = violations(&issue_schema(), &value);
    let cases = [
        ("/issues/0/severity", "$.issues[0].severity", "'urgent' is not one of 'critical', 'high', 'medium', 'low'"),
        ("/issues/1", "$.issues[1]", "the property 'odd name/x' is not allowed"),
        ("", "$", "the property 'summary' is missing"),
    ];
    for (pointer, path, message) in cases {
        let one = (pointer.to_owned(), path.to_owned(), message.to_owned());
        assert!(found.contains(&one), "{one:?} in {found:?}");
    }
    assert_eq!(found.len(), 3);
    assert_eq!(violations(&issue_schema(), &json!({ "summary": "", "issues": [] })), []);
}

#[test]
fn every_keyword_has_its_words() {
    let long = "x".repeat(100);
    let table = [
        (json!({ "type": "integer" }), json!("x"), "'x' is not of type integer"),
        (json!({ "type": ["string", "null"] }), json!([1, 2]), "the array is not of type null or string"),
        (json!({ "const": 7 }), json!(8), "8 is not 7"),
        (json!({ "minimum": 3 }), json!(2), "2 is less than the minimum 3"),
        (json!({ "maximum": 3 }), json!(4), "4 is greater than the maximum 3"),
        (json!({ "exclusiveMinimum": 3 }), json!(3), "3 is not greater than 3"),
        (json!({ "exclusiveMaximum": 3 }), json!(3), "3 is not less than 3"),
        (json!({ "multipleOf": 5 }), json!(7), "7 is not a multiple of 5"),
        (json!({ "minLength": 2 }), json!("a"), "'a' is shorter than 2 characters"),
        (json!({ "maxLength": 1 }), json!("ab"), "'ab' is longer than 1 character"),
        (json!({ "pattern": "^[a-z]+$" }), json!("A1"), "'A1' does not match the pattern ^[a-z]+$"),
        (json!({ "format": "date" }), json!("soon"), "'soon' is not a valid date"),
        (json!({ "minItems": 2 }), json!([1]), "the array has fewer than 2 items"),
        (json!({ "maxItems": 1 }), json!([1, 2]), "the array has more than 1 item"),
        (
            json!({ "uniqueItems": true }),
            json!([1, 1]),
            "the array has equal items; each item must differ from the others",
        ),
        (json!({ "contains": { "const": 1 } }), json!([2]), "the number of items that match 'contains' is wrong"),
        (json!({ "minProperties": 1 }), json!({}), "the object has fewer than 1 property"),
        (json!({ "maxProperties": 0 }), json!({ "a": 1 }), "the object has more than 0 properties"),
        (
            json!({ "propertyNames": { "maxLength": 1 } }),
            json!({ "ab": 1 }),
            "a property has a wrong name: 'ab' is longer than 1 character",
        ),
        (json!({ "not": { "type": "null" } }), json!(null), "null is not allowed"),
        (
            json!({ "unevaluatedProperties": false }),
            json!({ "a": 1, "b": 2 }),
            "the properties 'a', 'b' are not allowed",
        ),
        (json!({ "oneOf": [{}, {}] }), json!(1), "1 matches more than one alternative of 'oneOf'"),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "object", "properties": { "a": { "const": 1 } } }] }),
            json!({ "a": 2 }),
            "{\"a\":2} matches none of the 2 alternatives; the closest one: 2 is not 1",
        ),
        (json!({ "maxLength": 1 }), json!(long), &format!("'{}…' is longer than 1 character", "x".repeat(60))),
    ];
    for (schema, value, text) in table {
        let found = violations(&schema, &value);
        assert_eq!(found.iter().map(|one| &*one.2).collect::<Vec<_>>(), [text], "{schema}");
    }
}

#[test]
fn formats_that_nobody_knows_are_remarks() {
    assert_eq!(violations(&json!({ "format": "colour" }), &json!("x")), []);
    assert_eq!(violations(&json!({ "format": "regex" }), &json!("(".repeat(100_000))), []);
}

#[test]
fn at_most_twenty_violations_are_listed_and_their_texts_are_cut() {
    let value = json!(vec!["x"; 100]);
    assert_eq!(violations(&json!({ "items": { "type": "null" } }), &value).len(), MAX_VIOLATIONS);
    let deep = json!({ "name".repeat(1_000): [1] });
    let found = violations(&json!({ "additionalProperties": { "items": { "type": "null" } } }), &deep);
    assert!(found.len() == 1 && found.iter().all(|one| one.0.len() < 510 && one.1.len() < 510), "{found:?}");
    let options: Vec<String> = (0..1_000).map(|at| format!("option {at}")).collect();
    assert!(violations(&json!({ "enum": options }), &json!("x"))[0].2.len() < 510);
}

#[test]
fn what_is_no_schema_is_refused_with_a_reason() {
    let table = [
        (json!([]), "not an object"),
        (json!({ "type": "strin" }), "the schema is invalid at /type"),
        (json!({ "properties": { "a": { "minimum": "x" } } }), "the schema is invalid at /properties/a/minimum"),
        (
            json!({ "$schema": "http://json-schema.org/draft-07/schema#" }),
            "use https://json-schema.org/draft/2020-12/schema",
        ),
        (
            json!({ "$ref": "https://example.com/x" }),
            "it refers to https://example.com/x; use references to a place in the schema",
        ),
        (json!({ "$ref": "file:///etc/passwd" }), "it refers to file:///etc/passwd"),
        (json!({ "$ref": "#/$defs/none" }), "it refers to #/$defs/none"),
        (json!({ "pattern": "(" }), "the schema is invalid at /pattern"),
    ];
    for (schema, message) in table {
        let error = schema_error(&schema);
        assert!(error.contains(message), "{schema}: {error}");
    }
}

#[test]
fn references_that_go_round_are_refused_and_trees_are_not() {
    let rounds = [
        json!({ "$ref": "#" }),
        json!({ "anyOf": [{ "$ref": "#" }, {}] }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "not": { "$ref": "#/$defs/a" } } } }),
        json!({ "dependencies": { "a": { "$ref": "#" } } }),
        json!({ "dependentSchemas": { "a": { "$ref": "#" } } }),
        // Below its own $id, a reference starts at another base, which the walk does not visit.
        json!({
            "$ref": "#/$defs/a/$defs/b",
            "$defs": {
                "c": {},
                "a": { "$id": "https://x.example/", "$defs": { "b": { "$ref": "#/$defs/c" }, "c": { "$ref": "#/$defs/c" } } },
            },
        }),
        json!({ "properties": { "a": { "$schema": "http://json-schema.org/draft-04/schema#", "id": "https://x.example/" } } }),
    ];
    for schema in rounds {
        assert!(schema_error(&schema).contains("not supported"), "{schema}");
    }
    let chain = |length: usize| {
        let link = |at: usize| (format!("d{at}"), json!({ "$ref": format!("#/$defs/d{}", at + 1) }));
        let defs: serde_json::Map<_, _> = (0..length).map(link).chain([(format!("d{length}"), json!({}))]).collect();
        json!({ "$ref": "#/$defs/d0", "$defs": defs })
    };
    assert!(OutputSchema::compile(&chain(50)).is_ok());
    assert!(schema_error(&chain(1_000)).contains("nested more than"));
    let node = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } },
        "required": ["name"],
    });
    let tree = |leaf: Value| json!({ "name": "a", "children": [{ "name": "b", "children": [leaf] }] });
    assert_eq!(violations(&node, &tree(json!({ "name": "c" }))), []);
    let found = violations(&node, &tree(json!({ "name": 1 })));
    assert_eq!(found[0].1, "$.children[0].children[0].name");
}

#[test]
fn a_value_that_doubles_the_work_with_each_level_is_not_checked() {
    let next = json!({ "properties": { "rest": { "$ref": "#" } } });
    let schema = json!({ "allOf": [next, next], "maxProperties": 1 });
    let chain = (0..60).fold(json!(null), |rest, _| json!({ "rest": rest }));
    assert!(violations(&schema, &chain)[0].2.contains("too deeply nested to be checked"));
    let deep = (0..70).fold(json!(null), |rest, _| json!([rest]));
    assert!(violations(&json!({}), &deep)[0].2.contains("nested more than 64 levels"));
}

#[test]
fn patterns_run_in_linear_time_and_have_a_size() {
    let catastrophic = json!({ "pattern": "^(a+)+$" });
    assert_eq!(violations(&catastrophic, &json!(format!("{}!", "a".repeat(10_000)))).len(), 1);
    for large in ["(a{1000}){1000}", "\\p{L}{500}"] {
        assert!(schema_error(&json!({ "pattern": large })).contains("invalid at /pattern"), "{large}");
    }
    // Look-around and backreferences are rejected, because they need backtracking.
    for pattern in ["(a)\\1", "a(?=b)", "(?<!a)b"] {
        assert!(
            schema_error(&json!({ "pattern": pattern })).contains("has look-around or refers to a group"),
            "{pattern}"
        );
    }
    for pattern in ["(a", "((a{1000}){1000}){1000}"] {
        let error = schema_error(&json!({ "properties": { "id": { "pattern": pattern } } }));
        let shown =
            format!("invalid at /properties/id/pattern: the pattern {pattern:?} is not a regular expression, or ");
        assert!(error.contains(&shown) && error.ends_with("use fewer and smaller repetitions"), "{error}");
    }
    let many: Vec<Value> = (0..=MAX_PATTERNS).map(|at| json!({ "pattern": format!("a{at}") })).collect();
    assert!(schema_error(&json!({ "anyOf": many })).contains("more than 64 patterns"));
}

#[test]
fn a_schema_that_doubles_with_every_line_is_refused() {
    let line = |at: usize| {
        let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
        (format!("d{at}"), json!({ "allOf": [next, next] }))
    };
    let defs: serde_json::Map<_, _> = (0..40).map(line).chain([("d40".to_owned(), json!({}))]).collect();
    assert!(schema_error(&json!({ "$ref": "#/$defs/d0", "$defs": defs })).contains("more than 4000 parts"));
}
