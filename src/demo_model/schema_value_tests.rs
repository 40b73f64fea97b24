use super::*;

#[test]
fn values_fit_their_schemas() {
    let table = [
        (json!({"type": "integer", "minimum": 3, "maximum": 9}), json!(3)),
        (json!({"type": "integer", "multipleOf": 5, "minimum": 7}), json!(10)),
        (json!({"enum": ["retry", "skip"]}), json!("retry")),
        (json!({"const": 7}), json!(7)),
        (json!({"type": ["null", "boolean"]}), json!(true)),
        (json!({"type": "string", "minLength": 6}), json!("word..")),
        (json!({"type": "string", "maxLength": 2}), json!("wo")),
        (json!({"type": "array", "minItems": 2, "items": {"type": "null"}}), json!([null, null])),
        (json!({"anyOf": [{"type": "null"}, {"type": "number", "maximum": 0}]}), json!(0.0)),
        (json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "boolean"}}}), json!(true)),
        (
            json!({"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}),
            json!({"a": 1, "b": 2}),
        ),
        (json!({"type": "object", "required": ["a"]}), json!({"a": "word"})),
    ];
    for (schema, value) in table {
        assert_eq!(instance(&schema, "word"), value, "{schema}");
    }
}

#[test]
fn schemas_of_every_kind_are_met() {
    let person = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let schemas = [
        json!({ "exclusiveMinimum": 3, "exclusiveMaximum": 4, "type": "number" }),
        json!({ "exclusiveMinimum": 3, "exclusiveMaximum": 5, "type": "integer" }),
        json!({ "type": "integer", "maximum": -10 }),
        json!({ "type": "array", "items": { "enum": ["a", "b", "c"] }, "minItems": 3, "uniqueItems": true }),
        json!({ "type": "array", "items": { "type": "integer" }, "minItems": 5, "uniqueItems": true }),
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "uniqueItems": true }),
        json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "integer" }], "items": false }),
        json!({ "type": "array", "items": { "type": "integer" }, "contains": { "minimum": 10 }, "minContains": 2 }),
        json!({ "oneOf": [{ "type": "string" }, { "type": "object", "required": ["a"] }] }),
        json!({ "oneOf": [{ "multipleOf": 5, "type": "integer" }, { "multipleOf": 3, "type": "integer" }] }),
        json!({ "allOf": [person, { "required": ["age"], "properties": { "age": { "type": "integer", "minimum": 18 } } }] }),
        json!({ "allOf": [{ "type": "integer", "minimum": 3 }, { "type": "number", "maximum": 4 }] }),
        json!({ "allOf": [{ "enum": [1, 2, 3] }, { "enum": [3, 4] }] }),
        json!({ "type": "object", "minProperties": 3, "propertyNames": { "pattern": "^[a-z]+$" }, "maxProperties": 5 }),
        json!({ "type": "object", "additionalProperties": { "type": "integer" }, "minProperties": 2 }),
        json!({ "type": "object", "properties": { "a": {} }, "dependentRequired": { "a": ["b", "c"] } }),
        json!({ "type": "object", "properties": { "a": { "not": {} } } }),
        json!({
            "type": "object",
            "properties": { "kind": { "enum": ["card", "cash"] }, "number": { "type": "string" } },
            "required": ["kind"],
            "if": { "properties": { "kind": { "const": "card" } } },
            "then": { "required": ["number"] },
        }),
        json!({ "type": "string", "pattern": "^[A-Z]{3}-[0-9]{3}$" }),
        json!({ "type": "string", "pattern": "^[0-9]{16}$" }),
        json!({ "type": "string", "format": "date" }),
        json!({ "type": "string", "format": "ipv6" }),
        json!({
            "$ref": "#/$defs/tree",
            "$defs": { "tree": {
                "type": "object",
                "properties": { "value": { "type": "integer" }, "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } } },
                "required": ["value", "children"],
                "additionalProperties": false,
            } },
        }),
        json!({
            "type": "object",
            "properties": {
                "summary": { "type": "string" },
                "issues": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "severity": { "type": "string", "enum": ["critical", "high", "medium", "low"] } },
                } },
                "metrics": { "type": "object", "properties": { "total": { "type": "integer" } } },
            },
            "required": ["summary", "issues"],
        }),
    ];
    for schema in schemas {
        let checked = OutputSchema::compile(&schema).expect("a schema");
        let value = instance(&schema, "the outage");
        assert_eq!(checked.check(&value), Ok(()), "{schema}: {value}");
    }
}

#[test]
fn a_schema_that_holds_itself_comes_to_an_end() {
    let schema = json!({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]});
    assert!(instance(&schema, "word").is_object());
    let wide = (0..10).fold(json!({}), |inner, _| json!({ "type": "array", "minItems": 20, "items": inner }));
    assert!(instance(&wide, "word").is_array());
    let round = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } });
    assert!(instance(&round, "word").is_string());
}
