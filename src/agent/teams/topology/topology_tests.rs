//! Tests of the document: every rule, all errors at once, and the conversion to the kernel's team and back.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::agent::teams::ToolNames;
use crate::agent::{ModelSettings, ProviderSettings, ProvidersSettings};

pub(super) fn catalog() -> ReferenceCatalog {
    let listed = ProviderSettings {
        models: vec![ModelSettings { name: "small".into(), ..ModelSettings::default() }],
        ..ProviderSettings::default()
    };
    let named = [("listed".to_owned(), listed), ("open".to_owned(), ProviderSettings::default())].into();
    let providers = ProvidersSettings { default: "listed/usual".into(), named, ..ProvidersSettings::default() };
    let names = ToolNames::new(["web_search"].map(Arc::from), ["github"]);
    ReferenceCatalog::new(Arc::new(ModelCatalog::new(&providers)), ["code_read", "report"].map(Arc::from), names)
}

pub(super) fn node(id: &str) -> Value {
    json!({
        "node_id": id, "node_name": format!("Node {id}"), "node_type": "service",
        "attributes": { "host": "10.0.0.1", "ports": [80, 443], "limits": { "cpu": 1.5 } },
        "agents": [agent("a")],
        "supervisor_config": supervisor("round_robin"),
    })
}

fn agent(id: &str) -> Value {
    json!({
        "agent_id": id, "agent_name": format!("Agent {id}"), "model_provider": "listed", "model_id": "small",
        "system_prompt": "You check a service.", "user_prompt_template": "Check {node.host} for {task}: {context.note} {{}}",
        "tools": ["code_*", "report", "ask_people"], "temperature": 0.2, "max_tokens": 1000,
    })
}

pub(super) fn supervisor(strategy: &str) -> Value {
    json!({
        "model_provider": "open", "model_id": "any/model", "system_prompt": "You lead.", "coordination_strategy": strategy,
    })
}

pub(super) fn edge(source: &str, target: &str, relation: &str) -> Value {
    json!({ "source_node_id": source, "target_node_id": target, "relation_type": relation, "attributes": { "by": "http" } })
}

pub(super) fn team(nodes: &[Value], edges: &[Value]) -> Value {
    json!({
        "team_name": "Order service", "description": "Two services",
        "topology": { "nodes": nodes, "edges": edges, "global_supervisor": supervisor("hierarchical") },
    })
}

pub(super) fn good() -> Value {
    team(&[node("web"), node("db")], &[edge("web", "db", "calls")])
}

/// Code and pointer of each error.
pub(super) fn faults(document: &Value) -> Vec<(String, String)> {
    let report = read_document(document, &catalog()).expect_err("is wrong");
    let code = |code: TopologyErrorCode| serde_json::to_value(code).expect("writes").as_str().expect("text").to_owned();
    report.errors().iter().map(|error| (code(error.code), error.pointer.clone())).collect()
}

/// Errors after a value is inserted at the pointer.
pub(super) fn faults_with(pointer: &str, value: Value) -> Vec<(String, String)> {
    let mut document = good();
    *document.pointer_mut(pointer).expect("a place") = value;
    faults(&document)
}

pub(super) fn one(code: &str, pointer: &str) -> Vec<(String, String)> {
    vec![(code.into(), pointer.into())]
}

#[test]
fn a_document_reads_and_its_defaults_are_those_of_the_specification() {
    let mut document = good();
    let agent = document.pointer_mut("/topology/nodes/0/agents/0").and_then(Value::as_object_mut).expect("an agent");
    for optional in ["user_prompt_template", "tools", "temperature", "max_tokens"] {
        agent.remove(optional);
    }
    let read = read_document(&document, &catalog()).expect("is right");
    assert_eq!((read.timeout_seconds, read.max_iterations), (300, 50));
    let agent = &read.topology.nodes[0].agents[0];
    assert_eq!(agent.temperature.map(crate::kernel::Temperature::value), Some(0.7));
    assert_eq!(agent.max_tokens.map(std::num::NonZeroU32::get), Some(4096));
    assert_eq!((read.summary().node_count, read.summary().agent_count, read.summary().edge_count), (2, 2, 1));
    assert!(read.references().are_known(&catalog()));
    assert!(!read.references().are_known(&ReferenceCatalog::new(Arc::default(), [], ToolNames::default())));
}

#[test]
fn the_way_to_the_kernel_and_to_a_team_file_and_back_loses_nothing() {
    let mut document = good();
    document["language"] = json!("zh");
    document["slug"] = json!("orders");
    document["starters"] = json!(["Why is it slow?"]);
    document["timeout_seconds"] = json!(60);
    document["max_iterations"] = json!(7);
    document["topology"]["allow_isolated_nodes"] = json!(true);
    document["topology"]["nodes"][0]["agents"] = json!([agent("a"), agent("b")]);
    let agent = &mut document["topology"]["nodes"][0]["agents"][1];
    agent["priority"] = json!(-3);
    agent["temperature"] = Value::Null;
    agent["max_tokens"] = Value::Null;
    agent["title"] = json!("🔍 Reads logs");
    agent["tool_choice"] = json!("required");
    agent["permissions"] = json!([{ "tool": "code_*", "arguments": "*secret*", "permission": "ask" }]);
    document["topology"]["nodes"][1]["supervisor_config"]["options"] =
        json!({ "name": "Boss", "title": "Leads", "tools": ["report"], "temperature": 1, "max_tokens": 5 });
    let read = read_document(&document, &catalog()).expect("is right");
    let team = read.to_team().expect("ids are right");
    assert_eq!((&*team.name, &*team.title, &*team.flow), ("orders", "Order service", "topology"));
    let ids: Vec<&str> = team.agents.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(ids, ["web/a", "web/b", "web-supervisor", "db/a", "db-supervisor", "global-supervisor"]);
    assert_eq!(team.agents[0].model.as_deref(), Some("listed/small"));
    assert_eq!(TeamDocument::from_team(&team, &catalog()), Ok(read.clone()));
    let file = write_team_file(&read).expect("TOML has everything");
    assert_eq!(read_team_file(&file, &catalog()).map_err(|report| report.summary()), Ok(read.clone()), "{file}");
    let again = serde_json::to_value(&read).expect("writes");
    assert_eq!(read_document(&again, &catalog()), Ok(read));
}

#[test]
fn every_text_and_number_has_its_bounds() {
    let long = "x".repeat(1 << 20);
    for (pointer, value, code) in [
        ("/team_name", json!(""), "empty"),
        ("/team_name", json!(" \u{200b}"), "empty"),
        ("/team_name", json!(long), "too_long"),
        ("/team_name", json!("a\nb"), "invalid_characters"),
        ("/description", json!(long), "too_long"),
        ("/topology/nodes/0/node_name", json!(""), "empty"),
        ("/topology/nodes/0/node_name", json!(long), "too_long"),
        ("/topology/nodes/0/node_type", json!("\u{202e}"), "empty"),
        ("/topology/nodes/0/agents/0/agent_name", json!(long), "too_long"),
        ("/topology/nodes/0/agents/0/agent_id", json!(""), "empty"),
        ("/topology/nodes/0/agents/0/agent_id", json!("a/b"), "invalid_id"),
        ("/topology/nodes/0/agents/0/agent_id", json!(long), "invalid_id"),
        ("/topology/nodes/0/agents/0/system_prompt", json!("\n"), "empty"),
        ("/topology/nodes/0/agents/0/system_prompt", json!(long), "too_long"),
        ("/topology/nodes/0/agents/0/system_prompt", json!("a\0"), "invalid_characters"),
        ("/topology/nodes/0/agents/0/model_provider", json!(""), "empty"),
        ("/topology/nodes/0/agents/0/model_id", json!(""), "empty"),
        ("/topology/nodes/0/agents/0/temperature", json!(2.01), "out_of_range"),
        ("/topology/nodes/0/agents/0/temperature", json!(-1), "out_of_range"),
        ("/topology/nodes/0/agents/0/max_tokens", json!(0), "out_of_range"),
        ("/topology/nodes/0/agents/0/max_tokens", json!(1e9), "out_of_range"),
        ("/topology/nodes/0/agents/0/tools/0", json!(""), "empty"),
        ("/topology/nodes/0/agents/0/tools/0", json!(long), "too_long"),
        ("/topology/global_supervisor/system_prompt", json!(""), "empty"),
    ] {
        assert_eq!(faults_with(pointer, value.clone()), one(code, pointer), "{pointer} {}", value.to_string().len());
    }
    for (field, values) in [("timeout_seconds", [0, 1801]), ("max_iterations", [0, 1001])] {
        for value in values {
            let mut document = good();
            document[field] = json!(value);
            assert_eq!(faults(&document), one("out_of_range", &format!("/{field}")), "{value}");
        }
    }
    let slugs = [("", "empty"), ("a b", "invalid_id"), ("incident-en", "reserved_id"), ("incident_en", "reserved_id")];
    for (slug, code) in slugs {
        let mut document = good();
        document["slug"] = json!(slug);
        assert_eq!(faults(&document), one(code, "/slug"), "{slug}");
    }
    for attributes in [
        json!({ "a": null }),
        json!({ "a": [{ "b": null }] }),
        json!({ "a": u64::MAX }),
        json!({ "": 1 }),
        json!({ "a": "\0" }),
        json!({ "a": "x".repeat(17_000) }),
    ] {
        let mut document = good();
        document["topology"]["edges"][0]["attributes"] = attributes.clone();
        let found = faults(&document);
        assert_eq!(found.iter().map(|(_, pointer)| &**pointer).collect::<Vec<_>>(), ["/topology/edges/0/attributes"]);
    }
}

#[test]
fn shapes_are_checked_with_pointers() {
    for (pointer, value, code) in [
        ("/team_name", json!(5), "invalid_type"),
        ("/topology/nodes", json!({}), "invalid_type"),
        ("/topology/nodes/0/agents/0/tools", json!("code_read"), "invalid_type"),
        ("/topology/nodes/0/agents/0/max_tokens", json!("many"), "invalid_type"),
        ("/topology/nodes/0/agents/0/temperature", json!("hot"), "invalid_type"),
        ("/topology/nodes/0/supervisor_config/coordination_strategy", json!("best"), "unknown_value"),
        ("/topology/global_supervisor/coordination_strategy", json!("round_robin"), "unknown_value"),
        ("/topology/edges/0/relation_type", json!("likes"), "unknown_value"),
    ] {
        let found = faults_with(pointer, value);
        assert_eq!(found, one(code, pointer), "{pointer}");
    }
    let mut document = good();
    document["topolgy"] = json!({});
    document["topology"]["nodes"][1].as_object_mut().expect("a node").remove("node_name");
    let mut found = faults(&document);
    found.sort_unstable();
    assert_eq!(found, [one("missing_field", "/topology/nodes/1"), one("unknown_field", "")].concat());
    for other in [json!({}), json!({ "topology": 5 }), json!({ "topology": { "nodes": [5, null, []], "edges": [5] } })]
    {
        assert!(!faults(&other).is_empty(), "{other}");
    }
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let mut document = good();
    let nodes = "/topology/nodes";
    *document.pointer_mut(&format!("{nodes}/0/agents/0/model_provider")).expect("there") = json!("unknown-provider");
    *document.pointer_mut(&format!("{nodes}/0/agents/0/tools/1")).expect("there") = json!("rep*x");
    *document.pointer_mut(&format!("{nodes}/1/agents/0/model_id")).expect("there") = json!("large");
    *document.pointer_mut(&format!("{nodes}/1/node_type")).expect("there") = json!(1);
    document["topology"]["global_supervisor"]["model_provider"] = json!("nobody");
    document["topology"]["global_supervisor"]["options"] = json!({ "tools": ["nothing"] });
    document["topology"]["edges"] = json!([edge("web", "db", "calls"), edge("web", "cache", "calls")]);
    let report = read_document(&document, &catalog()).expect_err("is wrong");
    let value = serde_json::to_value(&report).expect("writes");
    assert_eq!(value["invalid_nodes"], json!(["db", "web"]));
    let missing = json!(["unknown-provider", "rep*x", "large", "nobody", "nothing", "cache"]);
    assert_eq!(value["missing_references"], missing);
    assert_eq!(report.errors().len(), 7, "{report:#?}");
    assert_eq!(
        report.errors()[1].message,
        "Node 'web' references undefined model provider 'unknown-provider' (agent 'a'); use one of listed, open"
    );
    assert!(report.summary().ends_with("(and 6 more errors in details.errors)"), "{}", report.summary());
    let pointer = &report.errors().last().expect("one").pointer;
    assert_eq!(pointer, "/topology/edges/1/target_node_id");
}

#[test]
fn ids_are_unique_regardless_of_case_and_unicode_form() {
    let pair = |second: &str| faults(&team(&[node("db"), node(second)], &[edge("db", second, "calls")]));
    assert_eq!(pair("DB"), one("duplicate_id", "/topology/nodes/1/node_id"));
    let wide = pair("ｄｂ");
    assert_eq!(wide[0], one("invalid_id", "/topology/nodes/1/node_id")[0]);
    assert_eq!(wide[1], one("duplicate_id", "/topology/nodes/1/node_id")[0]);
    assert_eq!(pair("Global"), one("reserved_id", "/topology/nodes/1/node_id"));
    let mut document = good();
    document["topology"]["nodes"][0]["agents"] = json!([agent("x"), agent("X")]);
    assert_eq!(faults(&document), one("duplicate_id", "/topology/nodes/0/agents/1/agent_id"));
    document["topology"]["nodes"][0]["agents"] = json!([agent("x"), agent("WEB-supervisor"), agent("db-supervisor")]);
    let expected = one("reserved_id", "/topology/nodes/0/agents/1/agent_id");
    assert_eq!(faults(&document), expected, "only the supervisor of its own node has this id");
}

#[test]
fn edges_lead_between_nodes_once() {
    let web = || vec![node("web"), node("db"), node("mq")];
    let of = |edges: &[Value]| faults(&team(&web(), edges));
    let edges = [edge("web", "db", "calls"), edge("db", "mq", "calls"), edge("web", "db", "calls")];
    assert_eq!(of(&edges), one("duplicate_edge", "/topology/edges/2"));
    let edges = [edge("web", "db", "calls"), edge("mq", "mq", "monitors")];
    let isolated = one("isolated_node", "/topology/nodes/2");
    assert_eq!(of(&edges), [one("self_edge", "/topology/edges/1/target_node_id"), isolated.clone()].concat());
    let lonely = team(&web(), &[edge("web", "db", "integrates")]);
    assert_eq!(faults(&lonely), isolated);
    let mut allowed = lonely;
    allowed["topology"]["allow_isolated_nodes"] = json!(true);
    assert!(read_document(&allowed, &catalog()).is_ok());
    assert!(read_document(&team(&[node("web")], &[]), &catalog()).is_ok(), "a team of one node is not isolated");
    assert_eq!(faults(&team(&[], &[])), one("empty", "/topology/nodes"));
}

#[test]
fn cycles_are_refused_where_nodes_have_an_order() {
    let ring = |relation: &str, strategy: &str| {
        let nodes: Vec<Value> = ["a", "b", "c", "d"].iter().map(|id| node(id)).collect();
        let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")];
        let mut document = team(&nodes, &edges.map(|(from, to)| edge(from, to, relation)));
        document["topology"]["global_supervisor"]["coordination_strategy"] = json!(strategy);
        read_document(&document, &catalog()).map(drop)
    };
    for (relation, strategy) in [
        ("depends_on", "parallel"),
        ("depends_on", "hierarchical"),
        ("calls", "hierarchical"),
        ("calls", "sequential"),
        ("data_flow", "sequential"),
    ] {
        let report = ring(relation, strategy).expect_err("a cycle");
        let [error] = report.errors() else { panic!("{report:?}") };
        assert_eq!((error.code, &*error.pointer), (TopologyErrorCode::Cycle, "/topology/edges"));
        assert!(error.message.contains("'a'") && !error.message.contains("'d'"), "{}", error.message);
        let mut nodes: Vec<&str> = report.invalid_nodes().iter().map(|id| &**id).collect();
        nodes.sort_unstable();
        assert_eq!(nodes, ["a", "b", "c"], "those on the cycle");
    }
    for (relation, strategy) in [("calls", "parallel"), ("integrates", "sequential"), ("monitors", "hierarchical")] {
        assert_eq!(ring(relation, strategy), Ok(()), "{relation} {strategy}");
    }
    let mixed = team(&[node("a"), node("b")], &[edge("a", "b", "calls"), edge("a", "b", "depends_on")]);
    assert_eq!(faults(&mixed), one("cycle", "/topology/edges"), "b waits for a, and a for b");
}

#[test]
fn numbers_of_nodes_agents_and_levels_are_bounded() {
    let chain = |number: usize, relation: &str| {
        let names: Vec<String> = (0..number).map(|at| format!("n{at}")).collect();
        let nodes: Vec<Value> = names.iter().map(|name| node(name)).collect();
        let edges: Vec<Value> = names.windows(2).map(|pair| edge(&pair[0], &pair[1], relation)).collect();
        team(&nodes, &edges)
    };
    assert!(read_document(&chain(10, "calls"), &catalog()).is_ok());
    for relation in ["calls", "data_flow", "depends_on"] {
        assert_eq!(faults(&chain(11, relation)), one("too_deep", "/topology/edges"), "{relation}");
    }
    assert!(read_document(&chain(11, "monitors"), &catalog()).is_ok());
    assert!(read_document(&chain(100, "integrates"), &catalog()).is_ok());
    assert_eq!(faults(&chain(101, "integrates")), one("too_long", "/topology/nodes"));
    let mut document = good();
    let agents: Vec<Value> = (0..21).map(|at| agent(&format!("a{at}"))).collect();
    document["topology"]["nodes"][0]["agents"] = json!(agents);
    document["topology"]["nodes"][1]["agents"] = json!([]);
    let expected = [one("too_long", "/topology/nodes/0/agents"), one("empty", "/topology/nodes/1/agents")].concat();
    assert_eq!(faults(&document), expected);
    document["topology"]["nodes"][0]["agents"] = json!(agents[..20]);
    document["topology"]["nodes"][1]["agents"] = json!([agent("a")]);
    assert!(read_document(&document, &catalog()).is_ok());
}

#[test]
fn a_cycle_does_not_hide_a_path_that_is_too_long() {
    let names: Vec<String> = (0..13).map(|at| format!("n{at}")).collect();
    let nodes: Vec<Value> = names.iter().map(|name| node(name)).collect();
    let with_cycle = |length: usize, cycle: &[(usize, usize)], strategy: &str| {
        let chain = (1..length).map(|at| (at - 1, at));
        let edges = chain.chain(cycle.iter().copied()).map(|(from, to)| edge(&names[from], &names[to], "calls"));
        let mut document = team(&nodes, &edges.collect::<Vec<_>>());
        document["topology"]["allow_isolated_nodes"] = json!(true);
        document["topology"]["global_supervisor"]["coordination_strategy"] = json!(strategy);
        document
    };
    let beside = [(11, 12), (12, 11)];
    let too_deep = one("too_deep", "/topology/edges");
    assert!(read_document(&with_cycle(10, &beside, "parallel"), &catalog()).is_ok());
    assert_eq!(faults(&with_cycle(11, &beside, "parallel")), too_deep);
    let both = [one("cycle", "/topology/edges"), too_deep.clone()].concat();
    assert_eq!(faults(&with_cycle(11, &beside, "hierarchical")), both);
    // A cycle on the path counts as one node: 9 other nodes and the cycle are allowed, 10 other nodes are not.
    assert!(read_document(&with_cycle(11, &[(5, 4)], "parallel"), &catalog()).is_ok());
    assert_eq!(faults(&with_cycle(12, &[(5, 4)], "parallel")), too_deep);
}

#[test]
fn the_depth_of_the_largest_graph_is_measured() {
    let names: Vec<String> = (0..100).map(|at| format!("n{at}")).collect();
    let nodes: Vec<Value> = names.iter().map(|name| node(name)).collect();
    let all = |is_edge: fn(usize, usize) -> bool| {
        let pairs =
            (0..100).flat_map(|from| (0..100).map(move |to| (from, to))).filter(|(from, to)| is_edge(*from, *to));
        let edges: Vec<Value> = pairs.map(|(from, to)| edge(&names[from], &names[to], "calls")).collect();
        let mut document = team(&nodes, &edges);
        document["topology"]["global_supervisor"]["coordination_strategy"] = json!("parallel");
        document
    };
    assert!(read_document(&all(|from, to| from != to), &catalog()).is_ok(), "every node is on one cycle");
    // The number of paths in this graph has 30 digits, and its last two nodes form a cycle.
    assert_eq!(faults(&all(|from, to| from < to || (from, to) == (99, 98))), one("too_deep", "/topology/edges"));
}

#[test]
fn templates_are_checked_as_far_as_they_can_be() {
    let pointer = "/topology/nodes/1/agents/0/user_prompt_template";
    for (text, codes) in [
        ("{upstream.db}", vec!["unknown_variable"]),
        ("{upstream.web} {task} {context.anything} {node.ports}", vec![]),
        ("{", vec!["invalid_template"]),
        ("{nothing} and }", vec!["unknown_variable", "invalid_template"]),
        ("{node.port} {node.port} {upstream.cache}", vec!["unknown_variable", "unknown_node"]),
        (" ", vec!["empty"]),
        (&*"{task}".repeat(101), vec!["invalid_template"]),
        (&*"{".repeat(1 << 20), vec!["too_long"]),
    ] {
        let mut document = good();
        *document.pointer_mut(pointer).expect("a template") = json!(text);
        let found = read_document(&document, &catalog()).map(drop).err().map(|_| faults(&document)).unwrap_or_default();
        let expected: Vec<_> = codes.iter().flat_map(|code| one(code, pointer)).collect();
        assert_eq!(found, expected, "{}", &text[..text.len().min(60)]);
    }
}

#[test]
fn a_report_is_bounded() {
    let nodes = vec![json!({}); 50_000];
    let report = read_document(&team(&nodes, &vec![json!(0); 50_000]), &catalog()).expect_err("is wrong");
    let value = serde_json::to_value(&report).expect("writes");
    assert_eq!((report.errors().len(), &value["truncated"]), (100, &json!(true)));
    let names = "x".repeat(100_000);
    let report = read_document(&team(&[node(&names)], &[edge(&names, &names, "calls")]), &catalog());
    assert!(report.expect_err("is wrong").errors().iter().all(|error| error.message.len() < 400));
}
