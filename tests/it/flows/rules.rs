//! An operator's own team, whose rules say what its agents' calls may do.

use std::path::Path;

use roundtable::config::Config;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::harness::{Echo, FlowHarness};

/// A folder that contains this team.
fn folder(team: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("makes a folder");
    std::fs::write(folder.path().join("keeper.toml"), team).expect("writes");
    folder
}

fn settings(folder: &Path) -> impl FnOnce(&mut Config) {
    let folder = folder.to_owned();
    |config| config.teams.folder = Some(folder)
}

/// The example of the page: it asks about files in `secret`, and may push to any branch except one.
fn example() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/teams.md");
    let page = std::fs::read_to_string(page).expect("the page is there");
    let (_, rest) = page.split_once("```toml\n# teams/keeper.toml\n").expect("the example");
    let example = rest.split("```").next().expect("its end");
    example.replace("mcp_github_push_files", "push").replace("mcp_github_*", "push")
}

/// The example's team with every tool and without rules.
fn without_rules() -> String {
    let example = example();
    let (team, _) = example.split_once("# The first rule").expect("it has rules");
    let every = |line: &str| if line.starts_with("tools = ") { "tools = [\"*\"]".to_owned() } else { line.to_owned() };
    team.lines().map(|line| every(line) + "\n").collect()
}

async fn begin(folder: &TempDir, calls: &[&str]) -> FlowHarness {
    let words = calls.iter().map(|call| format!("/tool {call}")).collect::<Vec<_>>().join("\n");
    FlowHarness::bound("keeper", &words, json!({}), settings(folder.path())).await
}

#[tokio::test]
async fn calls_are_made_asked_about_or_refused_by_the_first_rule_that_fits_their_arguments() {
    let folder = folder(&example());
    let mut harness =
        begin(&folder, &[r#"code_list {"path":"shop/secret"}"#, r#"push {"branch":"main"}"#, r#"push {"branch":"x"}"#])
            .await;
    let gate = harness.gate("tool").await;
    let asked = harness.all("tool.proposed").into_iter().find(|call| call["call"] == gate["call"]).expect("is there");
    assert_eq!(asked["name"], "code_list");
    harness.vote(&gate, "approve", json!({})).await;
    let answer = harness.finished().await;
    assert!(answer.contains(r#"code_list heard {"path":"shop/secret"}"#), "{answer}");
    assert!(answer.contains(r#"push heard {"branch":"x"}"#) && !answer.contains(r#"push heard {"branch":"main"}"#));
    let failed: Vec<&Value> = harness.all("tool.failed").into_iter().map(|failed| &failed["error"]["code"]).collect();
    assert_eq!(failed, ["denied"]);
    assert_eq!(harness.all("gate.opened").len(), 1, "what a rule allows is not asked about");
}

#[tokio::test]
async fn people_change_no_call_into_one_that_a_rule_denies() {
    let folder = folder(&example().replace("permission = \"allow\"", "permission = \"ask\""));
    let mut harness = begin(&folder, &[r#"push {"branch":"x"}"#]).await;
    let gate = harness.gate("tool").await;
    let edit = |branch: &str| json!({ "gate": gate["id"], "choice": "approve", "edit": { "branch": branch } });
    let refused = harness.does("vote", edit("main"), Some(&gate["rev"])).await.expect("is refused");
    assert_eq!(refused["code"], "forbidden", "{refused}");
    assert_eq!(harness.does("vote", edit("y"), Some(&gate["rev"])).await, None);
    let answer = harness.finished().await;
    assert!(answer.contains(r#"push heard {"branch":"y"}"#), "{answer}");
    assert_eq!(harness.all("tool.started").len(), 1);
}

#[tokio::test]
async fn calls_that_could_leak_private_data_need_approval() {
    const CALL: &str = r#"/tool look_up {"query":"x"}"#;
    let folder = folder(&without_rules());
    let begin = async |settings: Value| {
        let (shop, teams) = (folder.path().to_owned(), folder.path().to_owned());
        let change = |config: &mut Config| {
            config.tools.code.bases.insert("shop".into(), shop.into());
            config.teams.folder = Some(teams);
        };
        FlowHarness::with(vec![Echo::outbound("look_up")], "keeper", CALL, settings, change).await
    };
    let mut bare = begin(json!({ "code": [] })).await;
    assert!(bare.finished().await.contains("look_up heard"));
    assert!(bare.all("gate.opened").is_empty(), "{:?}", bare.story());
    let mut private = begin(json!({ "code": ["shop"] })).await;
    let gate = private.gate("tool").await;
    private.vote(&gate, "approve", json!({})).await;
    assert!(private.finished().await.contains("look_up heard"));
}

#[tokio::test]
async fn a_session_keeps_the_team_that_it_began_with() {
    let folder = folder(&example());
    let mut harness = begin(&folder, &[r#"push {"branch":"x"}"#]).await;
    harness.finished().await;
    let view = harness.server.node.session_registry.state(harness.session).await.expect("is there").view().team.clone();
    // The restarted server does not have the tool `push`.
    let changed = example().replace("allow", "deny").replace("\"push\"", "\"code_read\"");
    std::fs::write(folder.path().join("keeper.toml"), changed).expect("writes");
    let data = harness.server.stop().await;
    let server = crate::server::Server::start_in(data, settings(folder.path())).await;
    let state = server.node.session_registry.state(harness.session).await.expect("is there");
    assert_eq!(state.view().team, view);
    let offered = server.node.teams.iter().find(|team| *team.name == *"keeper").expect("is offered");
    assert_ne!(*offered, view);
}
