//! Tests of the document: values that can never work or that mislead people, and the advice for misspelled fields.

use serde_json::{Value, json};

use super::tests::{catalog, edge, faults, faults_with, good, node, one, team};
use super::{TopologyErrorCode, read_document};

#[test]
fn a_result_can_only_come_from_a_node_that_works_before() {
    for (relation, from, to, is_right) in [
        ("data_flow", "a", "b", true),
        ("depends_on", "b", "a", true),
        ("depends_on", "a", "b", false),
        ("monitors", "a", "b", false),
        ("integrates", "a", "b", false),
        ("calls", "b", "a", false),
    ] {
        let mut document =
            team(&[node("a"), node("b"), node("c")], &[edge(from, to, relation), edge("b", "c", "calls")]);
        let pointer = "/topology/nodes/2/agents/0/user_prompt_template";
        *document.pointer_mut(pointer).expect("a template") = json!("{upstream.b} {upstream.a}");
        let expected = if is_right { vec![] } else { one("unknown_variable", pointer) };
        let found = read_document(&document, &catalog()).map(drop).err().map(|_| faults(&document)).unwrap_or_default();
        assert_eq!(found, expected, "{relation} {from} {to}");
    }
}

#[test]
fn rules_name_tools_that_can_exist() {
    let rules = |tools: &[&str]| -> Vec<Value> {
        tools.iter().map(|tool| json!({ "tool": tool, "permission": "deny" })).collect()
    };
    let mut document = good();
    document["topology"]["nodes"][0]["agents"][0]["permissions"] =
        json!(rules(&["*", "code_*", "web_search", "mcp_github_push", "ask_people"]));
    assert!(read_document(&document, &catalog()).is_ok());
    document["topology"]["nodes"][0]["agents"][0]["permissions"] = json!(rules(&["report", "web_serach"]));
    document["topology"]["nodes"][0]["supervisor_config"]["options"] =
        json!({ "permissions": rules(&["mcp_gitlab_*"]) });
    let report = read_document(&document, &catalog()).expect_err("is wrong");
    let found: Vec<_> = report.errors().iter().map(|error| (&*error.pointer, &*error.message)).collect();
    let place = "/topology/nodes/0/agents/0/permissions/1/tool";
    assert_eq!(
        found[0],
        (place, "Node 'web' references undefined tool 'web_serach' (agent 'a'); did you mean web_search?")
    );
    assert_eq!(found[1].0, "/topology/nodes/0/supervisor_config/options/permissions/0/tool");
    assert_eq!(found.len(), 2);
}

#[test]
fn names_and_keys_that_mislead_are_reported() {
    let name = "/topology/nodes/0/agents/0/agent_name";
    for reserved in ["All", "people", "Roundtab1e"] {
        assert_eq!(faults_with(name, json!(reserved)), one("reserved_id", name), "{reserved}");
    }
    for key in ["a b", "a\u{200b}", "\u{3164}"] {
        let mut document = good();
        document["topology"]["nodes"][0]["attributes"][key] = json!(1);
        assert_eq!(faults(&document), one("invalid_characters", "/topology/nodes/0/attributes"), "{key:?}");
    }
    let mut document = good();
    document["starters"] = json!(["a\u{202e}b"]);
    assert_eq!(faults(&document), one("invalid_characters", "/starters"));
}

#[test]
fn an_unknown_field_names_the_nearest_and_all_others() {
    let mut document = good();
    document["topology"]["nodes"][0]["agents"][0]["agent_nam"] = json!("x");
    let report = read_document(&document, &catalog()).expect_err("is wrong");
    let place = "/topology/nodes/0/agents/0: unknown field agent_nam; did you mean agent_name? Known fields: ";
    let message = &report.errors()[0].message;
    assert!(message.starts_with(place) && message.contains("model_id") && !message.contains("node_id"), "{message}");
    document["topology"]["node"] = json!([]);
    let report = read_document(&document, &catalog()).expect_err("is wrong");
    assert!(report.summary().ends_with("(and 1 more error in details.errors)"), "{}", report.summary());
}

#[test]
fn unknown_variables_are_reported_together_with_other_errors() {
    let web = "/topology/nodes/0/agents/0/user_prompt_template";
    let db = "/topology/nodes/1/agents/0/user_prompt_template";
    let mut document = team(&[node("web"), node("db"), node("mq")], &[edge("web", "db", "calls")]);
    document["topology"]["edges"].as_array_mut().expect("edges").push(edge("cache", "mq", "calls"));
    // A template with an error in one place, and one that names a node that does not work before its own.
    *document.pointer_mut(web).expect("a template") = json!("{ {node.port} {upstream.none} {nothing}");
    *document.pointer_mut(db).expect("a template") = json!("{upstream.web} {upstream.mq}");
    document["topology"]["nodes"][1]["agents"][0]["model_id"] = json!("huge");
    let expected = [
        one("unknown_model", "/topology/nodes/1/agents/0/model_id"),
        one("unknown_node", "/topology/edges/1/source_node_id"),
        one("invalid_template", web),
        one("unknown_variable", web),
        one("unknown_variable", web),
        one("unknown_node", web),
        one("unknown_variable", db),
    ];
    assert_eq!(faults(&document), expected.concat());
    // The author could have meant the invalid edge to lead from any node to this one.
    let mq = "/topology/nodes/2/agents/0/user_prompt_template";
    *document.pointer_mut(mq).expect("a template") = json!("{upstream.web}");
    assert_eq!(faults(&document), expected.concat());
}

#[test]
fn a_wrong_name_is_answered_with_the_names_even_where_null_is_accepted() {
    let mut document = good();
    document["language"] = json!("fr");
    let report = read_document(&document, &catalog()).expect_err("is wrong");
    let error = &report.errors()[0];
    assert_eq!((&*error.pointer, error.code), ("/language", TopologyErrorCode::UnknownValue));
    assert_eq!(error.message, "/language: 'fr' is unknown; use one of en, zh");
}
