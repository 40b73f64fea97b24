//! An operator's own team, with rules that limit its agents' calls.

use std::path::Path;

use roundtable::config::Config;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::harness::{EchoTool, FlowHarness};

/// Creates a folder that contains this team.
fn team_folder(team: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("makes a folder");
    std::fs::write(folder.path().join("keeper.toml"), team).expect("writes");
    folder
}

fn settings(folder: &Path) -> impl FnOnce(&mut Config) {
    let folder = folder.to_owned();
    |config| config.teams.folder = Some(folder)
}

/// Returns the example team of docs/teams.md. It must ask about files in `secret`, and may push to any branch except
/// one.
fn example_team() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/teams.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let (_, rest) = page.split_once("```toml\n# teams/keeper.toml\n").expect("the example");
    let example = rest.split("```").next().expect("its end");
    example.replace("mcp_github_push_files", "push").replace("mcp_github_*", "push")
}

/// Returns the example team with every tool and without rules.
fn example_team_without_rules() -> String {
    let example = example_team();
    let (team, _) = example.split_once("# The first rule").expect("it has rules");
    let every = |line: &str| if line.starts_with("tools = ") { "tools = [\"*\"]".to_owned() } else { line.to_owned() };
    team.lines().map(|line| every(line) + "\n").collect()
}

async fn start(folder: &TempDir, calls: &[&str]) -> FlowHarness {
    let text = calls.iter().map(|call| format!("/tool {call}")).collect::<Vec<_>>().join("\n");
    FlowHarness::start_with_settings("keeper", &text, json!({}), settings(folder.path())).await
}

#[tokio::test]
async fn the_first_rule_that_matches_the_arguments_decides_about_a_call() {
    let folder = team_folder(&example_team());
    let mut harness =
        start(&folder, &[r#"code_list {"path":"shop/secret"}"#, r#"push {"branch":"main"}"#, r#"push {"branch":"x"}"#])
            .await;
    let gate = harness.wait_for_gate("tool").await;
    let proposed =
        harness.events("tool.proposed").into_iter().find(|call| call["call"] == gate["call"]).expect("is there");
    assert_eq!(proposed["name"], "code_list");
    harness.vote(&gate, "approve", json!({})).await;
    let answer = harness.finish().await;
    assert!(answer.contains(r#"code_list heard {"path":"shop/secret"}"#), "{answer}");
    assert!(answer.contains(r#"push heard {"branch":"x"}"#) && !answer.contains(r#"push heard {"branch":"main"}"#));
    let failed: Vec<&Value> =
        harness.events("tool.failed").into_iter().map(|failed| &failed["error"]["code"]).collect();
    assert_eq!(failed, ["denied"]);
    assert_eq!(harness.events("gate.opened").len(), 1, "what a rule allows is not asked about");
}

#[tokio::test]
async fn people_cannot_edit_a_call_into_a_denied_one() {
    let folder = team_folder(&example_team().replace("permission = \"allow\"", "permission = \"ask\""));
    let mut harness = start(&folder, &[r#"push {"branch":"x"}"#]).await;
    let gate = harness.wait_for_gate("tool").await;
    let edit = |branch: &str| json!({ "gate": gate["id"], "choice": "approve", "edit": { "branch": branch } });
    let refused = harness.send_command("vote", edit("main"), Some(&gate["rev"])).await.expect("is refused");
    assert_eq!(refused["code"], "forbidden", "{refused}");
    assert_eq!(harness.send_command("vote", edit("y"), Some(&gate["rev"])).await, None);
    let answer = harness.finish().await;
    assert!(answer.contains(r#"push heard {"branch":"y"}"#), "{answer}");
    assert_eq!(harness.events("tool.started").len(), 1);
}

#[tokio::test]
async fn calls_that_could_leak_private_data_need_approval() {
    const CALL: &str = r#"/tool look_up {"query":"x"}"#;
    let folder = team_folder(&example_team_without_rules());
    let begin = async |settings: Value| {
        let (shop, teams) = (folder.path().to_owned(), folder.path().to_owned());
        let change = |config: &mut Config| {
            config.tools.code.bases.insert("shop".into(), shop.into());
            config.teams.folder = Some(teams);
        };
        FlowHarness::start_with_tools(vec![EchoTool::outbound("look_up")], "keeper", CALL, settings, change).await
    };
    let mut bare = begin(json!({ "code": [] })).await;
    assert!(bare.finish().await.contains("look_up heard"));
    assert!(bare.events("gate.opened").is_empty(), "{:?}", bare.outline());
    let mut private = begin(json!({ "code": ["shop"] })).await;
    let gate = private.wait_for_gate("tool").await;
    private.vote(&gate, "approve", json!({})).await;
    assert!(private.finish().await.contains("look_up heard"));
}

#[tokio::test]
async fn a_session_keeps_its_original_team() {
    let folder = team_folder(&example_team());
    let mut harness = start(&folder, &[r#"push {"branch":"x"}"#]).await;
    harness.finish().await;
    let view = harness.server.node.session_registry.state(harness.session).await.expect("is there").view().team.clone();
    // The restarted server does not have the tool `push`.
    let changed = example_team().replace("allow", "deny").replace("\"push\"", "\"code_read\"");
    std::fs::write(folder.path().join("keeper.toml"), changed).expect("writes");
    let data = harness.server.stop().await;
    let server = crate::server::Server::start_in(data, settings(folder.path())).await;
    let state = server.node.session_registry.state(harness.session).await.expect("is there");
    assert_eq!(state.view().team, view);
    let offered = server.node.teams.iter().find(|team| *team.name == *"keeper").expect("is offered");
    assert_ne!(*offered, view);
}
