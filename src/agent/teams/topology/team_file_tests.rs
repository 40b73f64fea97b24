//! Tests of team files in TOML that are read as a document.

use serde_json::Value;

use super::tests::{catalog, good};
use super::{read_document, read_team_file, write_team_file};

fn file_of(document: &Value) -> String {
    write_team_file(&read_document(document, &catalog()).expect("is right")).expect("writes")
}

/// Code and pointer of each error of a file.
fn errors_of(file: &str) -> Vec<(String, String)> {
    let report = read_team_file(file, &catalog()).expect_err("is wrong");
    let code = |code| serde_json::to_value(code).expect("writes").as_str().expect("text").to_owned();
    report.errors().iter().map(|error| (code(error.code), error.pointer.clone())).collect()
}

/// A file with errors in its topology that the schema of a team does not rule out.
fn file_with_wrong_topology() -> String {
    let replacements = [
        ("target = \"db\"", "target = \"cache\""),
        ("{node.host}", "{node.port}"),
        ("model = \"listed/small\"", "model = \"listed/huge\""),
    ];
    replacements.iter().fold(file_of(&good()), |file, (from, to)| {
        assert!(file.contains(from), "{file}");
        file.replacen(from, to, 1)
    })
}

const WRONG_TOPOLOGY: [(&str, &str); 3] = [
    ("unknown_model", "/topology/nodes/0/agents/0/model_id"),
    ("unknown_node", "/topology/edges/0/target_node_id"),
    ("unknown_variable", "/topology/nodes/0/agents/0/user_prompt_template"),
];

fn with_wrong_topology(own: &[(&str, &str)]) -> Vec<(String, String)> {
    own.iter().chain(&WRONG_TOPOLOGY).map(|(code, pointer)| ((*code).to_owned(), (*pointer).to_owned())).collect()
}

#[test]
fn errors_of_structure_are_reported_together_with_all_others() {
    let file = file_with_wrong_topology();
    assert_eq!(errors_of(&file), with_wrong_topology(&[]));
    let structure = file.replacen("title = \"Order service\"", "titel = \"Order service\"", 1);
    let expected = with_wrong_topology(&[("invalid_team_file", ""), ("invalid_team_file", "")]);
    assert_eq!(errors_of(&structure), expected, "an unknown and a missing field");
    // A node is not reported as empty if only the place of its agent is unreadable.
    let misplaced = file.replacen("id = \"db/a\"", "id = 5", 1);
    assert_eq!(errors_of(&misplaced), with_wrong_topology(&[("invalid_team_file", "/agents/2/id")]));
    let date = file.replacen("temperature = 0.2", "temperature = 1979-05-27", 1);
    assert_eq!(errors_of(&date), with_wrong_topology(&[("invalid_team_file", "/agents/0/temperature")]));
    assert_eq!(errors_of("title = "), [("invalid_team_file".to_owned(), String::new())], "no TOML");
}

#[test]
fn other_errors_of_a_file_are_reported_together_and_once() {
    let file = file_with_wrong_topology();
    let name = file.replacen("title = \"Order service\"", "title = \"\"", 1);
    assert_eq!(errors_of(&name), with_wrong_topology(&[("invalid_team_file", "")]));
    let role = file.replacen("id = \"db-supervisor\"", "id = \"boss\"", 1);
    let expected = with_wrong_topology(&[("misplaced_agent", "/agents/3"), ("misplaced_agent", "")]);
    assert_eq!(errors_of(&role), expected, "the agent, and the node without a supervisor");
    let structure = role.replacen("title = \"Order service\"", "titel = \"Order service\"", 1);
    let own = [("invalid_team_file", ""), ("invalid_team_file", ""), ("misplaced_agent", "/agents/3")];
    assert_eq!(errors_of(&structure), with_wrong_topology(&own), "a wrong structure hides no wrong place");
}

#[test]
fn a_team_file_is_checked_like_a_document() {
    let mut document = read_document(&good(), &catalog()).expect("is right");
    document.topology.edges[0].target_node_id = "cache".into();
    document.topology.nodes[0].agents[0].user_prompt_template = Some("{node.port}".into());
    let file = write_team_file(&document).expect("writes");
    let lines = read_team_file(&file, &catalog()).expect_err("is wrong");
    let messages: Vec<&str> = lines.errors().iter().map(|error| &*error.message).collect();
    let pointers: Vec<&str> = lines.errors().iter().map(|error| &*error.pointer).collect();
    assert!(pointers.contains(&"/topology/edges/0/target_node_id"), "{pointers:?}");
    let shape =
        read_team_file(&file.replace("role = \"worker\"", "role = \"work\""), &catalog()).expect_err("is wrong");
    assert!(shape.errors()[0].pointer.starts_with("/agents/"), "{shape:?}");
    for text in [
        "Node 'web': agent 'a': the template names {node.port}, but the node has no such attribute",
        "Edge 1: it references undefined node 'cache'",
    ] {
        assert!(messages.iter().any(|line| line.starts_with(text)), "{text}: {messages:#?}");
    }
    // The author could have meant the edge to the unknown node for this node.
    assert!(!messages.iter().any(|line| line.contains("it has no edges")), "{messages:#?}");
    let file = write_team_file(&read_document(&good(), &catalog()).expect("is right")).expect("writes");
    for (from, to, text) in [
        ("id = \"web/a\"", "id = \"a\"", "Agent 'a': its id must begin with 'web/'"),
        ("id = \"db-supervisor\"", "id = \"boss\"", "Agent 'boss': a supervisor's id must be 'db-supervisor'"),
        ("node = \"web\"", "node = \"cache\"", "Agent 'web/a': its node 'cache' is not in the topology"),
        ("flow = \"topology\"", "flow = \"react\"", "topology: flow react has no topology"),
    ] {
        assert!(file.contains(from), "{file}");
        let report = read_team_file(&file.replacen(from, to, 1), &catalog()).expect_err("is wrong");
        assert!(report.errors().iter().any(|error| error.message.starts_with(text)), "{text}: {report:#?}");
    }
}
