//! Tests of the fast path for reading a document: it accepts the same documents as the slow path, with the same result.

use std::fmt::Write;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use super::tests::{catalog, edge, good, node, supervisor, team};
use super::{TeamDocument, read_document, read_valid_document};
use crate::kernel::strict_json;

/// The document as the slow path reads it; `None` if it has errors.
fn long_way(text: &str) -> Option<TeamDocument> {
    strict_json::parse(text).ok().and_then(|value| read_document(&value, &catalog()).ok())
}

fn short_way(text: &str) -> Option<TeamDocument> {
    read_valid_document(text, &catalog())
}

/// A document that uses every field.
fn complete() -> Value {
    let mut document = team(&[node("web"), node("db")], &[edge("web", "db", "calls"), edge("db", "web", "monitors")]);
    document["timeout_seconds"] = json!(60);
    document["max_iterations"] = json!(7);
    document["language"] = json!("zh");
    document["slug"] = json!("orders");
    document["starters"] = json!(["Why is it slow?"]);
    document["topology"]["allow_isolated_nodes"] = json!(true);
    let agent = &mut document["topology"]["nodes"][0]["agents"][0];
    agent["priority"] = json!(-3);
    agent["title"] = json!("Reads logs");
    agent["tool_choice"] = json!("required");
    agent["permissions"] = json!([{ "tool": "code_*", "arguments": "*x*", "permission": "ask", "risk": "low" }]);
    document["topology"]["nodes"][1]["supervisor_config"]["options"] = json!({
        "name": "Boss", "title": "Leads", "tools": ["report"], "tool_choice": "auto", "temperature": 1, "max_tokens": 5,
        "permissions": [{ "tool": "report", "permission": "deny" }],
    });
    document["topology"]["global_supervisor"] = supervisor("parallel");
    document
}

/// Change to a document at one place.
#[derive(Debug, Clone)]
enum Mutation {
    /// Another value, as text.
    Replace(&'static str),
    /// The values of an object as an array, in the order of its fields.
    ObjectToArray,
    /// A string as the name of the only field of an object, as some formats write the variant of an enum.
    TextToObject(&'static str),
    /// A field that does not exist.
    AddField(&'static str),
    /// The first field, or the first item of a list, is repeated.
    Repeat,
    /// The first field or item is missing.
    RemoveFirst,
    /// The last field or item is missing.
    RemoveLast,
    /// A string in upper case.
    UpperCase,
}

fn mutations() -> impl Strategy<Value = Mutation> {
    let other = prop::sample::select(vec![
        "null",
        "true",
        "0",
        "1",
        "-1",
        "1.0",
        "0.5",
        "2.5",
        "300.0",
        "1e2",
        "1E-7",
        "-0",
        "4294967296",
        "1e400",
        "5e-400",
        "0.70000000000000000001",
        "18446744073709551616",
        "98765432109876543210",
        "\"\"",
        "\" \"",
        "\"db\"",
        "\"auto\"",
        "\"a\\u0000b\"",
        "\"parallel\"",
        "\"{upstream.web}\"",
        "[]",
        "[\"report\"]",
        "[[]]",
        "[null]",
        "{}",
        "{\"a\":1}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":{\"b\":1,\"b\":2}}",
        "{\"a\":[1.2345678901234567890]}",
        "\"\\u0061uto\"",
        "nothing",
        "",
    ]);
    prop_oneof![
        4 => other.prop_map(Mutation::Replace),
        2 => Just(Mutation::ObjectToArray),
        2 => prop::sample::select(vec!["null", "{}", "[]"]).prop_map(Mutation::TextToObject),
        1 => prop::sample::select(vec!["more", "node_name", "tools", "options", "risk"]).prop_map(Mutation::AddField),
        2 => Just(Mutation::Repeat),
        1 => Just(Mutation::RemoveFirst),
        1 => Just(Mutation::RemoveLast),
        1 => Just(Mutation::UpperCase),
    ]
}

/// Writes a value as JSON, with mutations of the values with these numbers, in the order of the text.
fn write(value: &Value, changes: &[(usize, Mutation)], count: &mut usize, text: &mut String) {
    let number = *count;
    *count += 1;
    let change = changes.iter().find(|(at, _)| *at == number).map(|(_, change)| change);
    match (change, value) {
        (Some(Mutation::Replace(other)), _) => text.push_str(other),
        (Some(Mutation::ObjectToArray), Value::Object(fields)) => {
            let items: Vec<Value> = fields.values().cloned().collect();
            write(&Value::Array(items), &[], &mut 0, text);
        }
        (Some(Mutation::TextToObject(content)), Value::String(name)) => {
            let _ = write!(text, "{{{}:{content}}}", json!(name));
        }
        (Some(Mutation::UpperCase), Value::String(message)) => {
            text.push_str(&json!(message.to_uppercase()).to_string())
        }
        (change, Value::Object(fields)) => {
            let mut parts: Vec<String> = vec![];
            for (name, field) in fields {
                let mut part = format!("{}:", json!(name));
                write(field, changes, count, &mut part);
                parts.push(part);
            }
            list(change, parts, ['{', '}'], text);
        }
        (change, Value::Array(items)) => {
            let mut parts: Vec<String> = vec![];
            for item in items {
                let mut part = String::new();
                write(item, changes, count, &mut part);
                parts.push(part);
            }
            list(change, parts, ['[', ']'], text);
        }
        (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => text.push_str(&value.to_string()),
    }
}

fn list(change: Option<&Mutation>, mut parts: Vec<String>, [open, close]: [char; 2], text: &mut String) {
    match change {
        Some(Mutation::AddField(name)) if open == '{' => parts.push(format!("{}:null", json!(name))),
        Some(Mutation::Repeat) => parts.extend(parts.first().cloned()),
        Some(Mutation::RemoveFirst) if !parts.is_empty() => drop(parts.remove(0)),
        Some(Mutation::RemoveLast) => drop(parts.pop()),
        _ => {}
    }
    text.push(open);
    text.push_str(&parts.join(","));
    text.push(close);
}

fn count_values(value: &Value) -> usize {
    let mut count = 0;
    write(value, &[], &mut count, &mut String::new());
    count
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_accept_the_same_documents_and_read_them_alike(
        is_complete in any::<bool>(),
        changes in prop::collection::vec((any::<Index>(), mutations()), 0..4),
    ) {
        let document = if is_complete { complete() } else { good() };
        let number = count_values(&document);
        let changes: Vec<_> = changes.into_iter().map(|(at, change)| (at.index(number), change)).collect();
        let mut text = String::new();
        write(&document, &changes, &mut 0, &mut text);
        prop_assert_eq!(short_way(&text), long_way(&text), "{}", text);
    }
}

#[test]
fn every_single_mutation_is_judged_alike() {
    let document = complete();
    let mutations = [
        Mutation::ObjectToArray,
        Mutation::TextToObject("null"),
        Mutation::AddField("more"),
        Mutation::Repeat,
        Mutation::Replace("null"),
        Mutation::Replace("0.70000000000000000001"),
        Mutation::Replace("98765432109876543210"),
        Mutation::Replace("{\"a\":1,\"a\":2}"),
    ];
    let (mut accepted, mut rejected) = (0, 0);
    for at in 0..count_values(&document) {
        for mutation in &mutations {
            let mut text = String::new();
            write(&document, &[(at, mutation.clone())], &mut 0, &mut text);
            let short = short_way(&text);
            assert_eq!(short, long_way(&text), "{mutation:?} of value {at}: {text}");
            *(if short.is_some() { &mut accepted } else { &mut rejected }) += 1;
        }
    }
    assert!(accepted > 100 && rejected > 300, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn what_a_derived_implementation_accepts_is_not_enough() {
    let options = |text: &str| {
        let mut document = complete().to_string();
        let from = r#""coordination_strategy":"parallel""#;
        assert!(document.contains(from));
        document = document.replace(from, &format!("{from},\"options\":{text}"));
        document
    };
    assert!(short_way(&options("{}")).is_some());
    for (what, text) in [
        ("an array for an object", options("[]")),
        ("an array for an object with values", options(r#"["Boss"]"#)),
        ("an object for the name of a variant", options(r#"{"tool_choice":{"auto":null}}"#)),
        ("an array for an object in a list", options(r#"{"permissions":[["report",null,"deny",null]]}"#)),
        ("a number that is rounded", options(r#"{"temperature":0.70000000000000000001}"#)),
        ("a field twice", options(r#"{"name":"A","name":"B"}"#)),
        ("two documents", format!("{0}{0}", complete())),
        ("an attribute twice", complete().to_string().replacen(r#""host":"#, r#""host":1,"host":"#, 1)),
        ("a nested attribute twice", complete().to_string().replacen(r#""cpu":"#, r#""cpu":1,"cpu":"#, 1)),
    ] {
        assert_eq!((short_way(&text), long_way(&text)), (None, None), "{what}");
    }
    let lenient: Result<TeamDocument, _> = serde_json::from_str(&options(r#"["Boss"]"#));
    assert!(lenient.is_ok(), "a derived implementation accepts an array");
}

#[test]
fn a_document_that_is_too_large_is_left_to_the_long_way() {
    let of = |nodes: usize, agents: usize, edges: usize| {
        let mut nodes: Vec<Value> = (0..nodes).map(|at| node(&format!("n{at}"))).collect();
        let agent = nodes[0]["agents"][0].clone();
        let numbered = |at: usize| {
            let mut fields: Map<String, Value> = agent.as_object().cloned().unwrap_or_default();
            fields.insert("agent_id".into(), json!(format!("a{at}")));
            Value::Object(fields)
        };
        nodes[0]["agents"] = (0..agents).map(numbered).collect();
        let mut document = team(&nodes, &vec![edge("n0", "n1", "calls"); edges]);
        document["topology"]["allow_isolated_nodes"] = json!(true);
        document.to_string()
    };
    assert!(short_way(&of(100, 20, 1)).is_some());
    for text in [of(101, 1, 1), of(2, 21, 1), of(2, 1, 10_001)] {
        assert_eq!((short_way(&text), long_way(&text)), (None, None));
    }
}
