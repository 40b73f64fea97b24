//! Teams provided by an operator: the offered teams, and the messages about files that cannot be used.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use roundtable::agent::teams::builtin_teams;
use roundtable::agent::teams::{TeamSettings, ToolNames, read};
use roundtable::agent::{ProviderSettings, ProvidersSettings};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::node::Node;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::Server;

/// Creates a folder with these files, each derived from the file of a built-in team.
fn folder(files: &[(&str, String)]) -> TempDir {
    let folder = tempfile::tempdir().expect("makes a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("writes");
    }
    folder
}

fn text(team: &str) -> String {
    builtin_teams::text(team).expect("is built in").to_owned()
}

fn settings(folder: &Path) -> TeamSettings {
    TeamSettings { folder: Some(folder.to_owned()), ..TeamSettings::default() }
}

/// Returns the error message for these files.
fn load_error(files: &[(&str, String)]) -> String {
    read(&settings(folder(files).path())).expect_err("cannot be used").to_string()
}

#[tokio::test]
async fn own_teams_follow_or_replace_the_built_in_ones() {
    let folder = folder(&[
        ("b.toml", text("assistant-en").replace("assistant-en", "second").replace("One agent", "Mine, an agent")),
        ("a.toml", text("testcase-en").replace("testcase-en", "third")),
        ("z.toml", text("testcase-zh").replace("TestCase_Reviewer", "Second_Reader")),
        (".b.toml.swp.toml", "half a fi".into()),
        ("README.md", "# Teams".into()),
    ]);
    let path = folder.path().to_owned();
    let server = Server::start_with(|config| config.teams = settings(&path)).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let about = server.get(&ann, "/api/v1/server").await;
    let names: Vec<&str> =
        about["teams"].as_array().expect("teams").iter().filter_map(|t| t["name"].as_str()).collect();
    let tools = about["tools"].as_array().expect("tools");
    assert!(tools.contains(&json!("ask_people")) && tools.contains(&json!("file_read")), "{tools:?}");
    let provider = about["model"]["name"].as_str().and_then(|name| name.split('/').next());
    assert_eq!(about["providers"][0]["name"].as_str(), provider, "{about}");
    let built_in: Vec<&str> = builtin_teams::all().iter().map(|team| &*team.name).collect();
    assert_eq!(names, [built_in, vec!["third", "second"]].concat());
    let agents = |team: &Value| team["agents"].as_array().expect("agents")[1]["id"].clone();
    assert_eq!(agents(&about["teams"][0]), "Second_Reader");
    let of = async |body: Value| {
        let session = server.session(&ann, &body).await;
        server.node.session_registry.state(session).await.expect("is there").view().team.clone()
    };
    assert_eq!(&*of(json!({ "team": "second" })).await.name, "second");
    assert_eq!(&*of(json!({ "message": "hello" })).await.name, "testcase-en", "who names none gets what they had");
    let replaced = of(json!({ "message": "你好" })).await;
    assert_eq!((&*replaced.name, replaced.agents[1].id.as_str()), ("testcase-zh", "Second_Reader"));
}

#[test]
fn all_errors_in_team_files_are_reported_at_once() {
    let error = load_error(&[
        ("a.toml", text("assistant-en").replace("tools", "tolls")),
        ("b.toml", text("solver-en").replace("solver-en", "b").replace("role = \"planner\"", "role = \"worker\"")),
        ("c.toml", text("router-en").replace("router-en", "b2")),
        ("d.toml", text("router-en").replace("router-en", "b2")),
        ("e.toml", text("assistant-en").replace("assistant-en", "testcase-en")),
        ("f.toml", "name = ".into()),
        ("g.toml", "#".repeat(3_000_000)),
        ("h.toml", text("workflow-en").replace("agent = \"Drafter\"", "agent = \"Nobody\"")),
    ]);
    for expected in [
        "a.toml: agent Assistant: unknown field tolls; known fields: id, name, role,",
        "b.toml: flow plan_solve requires an agent in role planner",
        "d.toml: name: c.toml already defines the team b2; choose another name",
        "e.toml: flow: react, but the built-in team testcase-en that it replaces has flow review;",
        "f.toml: invalid TOML: line 1:",
        "g.toml: it is too large; at most 2097152 bytes are accepted",
        "h.toml: steps name the agent Nobody, which the team does not have",
    ] {
        assert!(error.lines().any(|line| line.trim().starts_with(expected)), "{expected}\n\n{error}");
    }
    assert_eq!(error.lines().count(), 8, "{error}");
    assert!(error.starts_with("teams.folder: "), "{error}");
}

#[test]
fn a_lookalike_name_of_a_built_in_team_is_rejected() {
    for name in ["Testcase-EN", "testcase_en", "testcase-еn"] {
        let error = load_error(&[("a.toml", text("testcase-en").replacen("testcase-en", name, 1))]);
        assert!(error.contains(&format!("a.toml: name: {name} looks like the built-in team testcase-en")), "{error}");
    }
}

#[test]
fn tools_that_cannot_exist_are_found_in_tools_and_rules() {
    let rule = "permissions = [\n{ tool = \"code_raed\", permission = \"deny\" },";
    let folder = folder(&[(
        "mine.toml",
        text("assistant-en")
            .replace("assistant-en", "mine")
            .replace("[\"*\"]", "[\"*\", \"reprot\", \"mcp_x_*\"]")
            .replace("permissions = [", rule),
    )]);
    let teams = read(&settings(folder.path())).expect("has the form of a team");
    let known = ToolNames::new(["code_read", "file_write", "report"].map(Arc::from), ["github"]);
    let error = teams.check_tools(&known).expect_err("is wrong").to_string();
    for expected_text in [
        "mine.toml: agent Assistant: tools: there is no tool reprot; did you mean report?",
        "mine.toml: agent Assistant: permission 1: tool: there is no tool code_raed; did you mean code_read?",
    ] {
        assert!(error.lines().any(|line| line.trim() == expected_text), "{expected_text}: {error}");
    }
    assert_eq!(error.lines().count(), 3, "{error}");
    let known = ToolNames::new(["code_raed", "file_write", "reprot"].map(Arc::from), ["github"]);
    let warnings = teams.check_tools(&known).expect("no errors");
    let expected = "mine.toml: agent Assistant: tools: no MCP server of the configuration has a tool mcp_x_*";
    assert_eq!(warnings, [expected]);
}

#[test]
fn a_pipe_is_rejected_as_a_team_without_waiting() {
    let folder = folder(&[]);
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("a.toml")).status();
    assert!(made.expect("runs").success());
    let error = read(&settings(folder.path())).expect_err("is wrong").to_string();
    assert!(error.contains("a.toml: it is not a regular file"), "{error}");
}

#[tokio::test]
async fn a_server_does_not_start_with_unusable_teams() {
    let nowhere = tempfile::tempdir().expect("makes a folder");
    let config = Config {
        data_dir: nowhere.path().join("data"),
        only_demo_model: true,
        teams: settings(&nowhere.path().join("teams")),
        ..Config::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let error = Node::start(config, address).await.err().expect("does not start").to_string();
    assert!(error.contains("teams.folder") && error.contains("cannot read the folder"), "{error}");
    assert!(!nowhere.path().join("data").exists(), "before anything else is begun");
}

#[tokio::test]
async fn an_unknown_model_of_a_team_is_found_at_startup() {
    let role = "role = \"worker\"\n";
    let team = text("assistant-en").replace(role, &format!("{role}model = \"nowhere/gpt-9\"\n"));
    let folder = folder(&[("mine.toml", team)]);
    let provider = ProviderSettings { base_url: "http://127.0.0.1:1/v1".into(), ..ProviderSettings::default() };
    let named = [("mine".to_owned(), provider)].into();
    let config = Config {
        data_dir: folder.path().join("data"),
        providers: ProvidersSettings { default: "mine/usual".into(), named, ..ProvidersSettings::default() },
        teams: settings(folder.path()),
        ..Config::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let error = Node::start(config, address).await.err().expect("does not start").to_string();
    let expected = "mine.toml: agent Assistant: model: no provider has the model \"nowhere/gpt-9\"; use provider/model with an \
                 available provider (mine)";
    assert!(error.starts_with("teams.folder: ") && error.contains(expected), "{error}");
    assert!(!folder.path().join("data").exists(), "before anything else is begun");
}
