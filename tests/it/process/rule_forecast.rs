//! Forecast of a suggested rule for the caller's other sessions with the same team, on either database engine.

use ::servers::random::Random;
use serde_json::{Value, json};

use super::counting_tool::{CountingTool, TOOL};
use super::server::{ServerProcess, settings_with_tool};
use super::viewer::{SocketViewer, ViewerState, event};
use crate::fresh_database::{FreshDatabase, laws};

laws! { a_rule_is_forecast_for_the_other_sessions_of_its_team }

/// Creates a session owned by this person, lets its agent propose a call per choice, and decides on all of them.
/// Returns the id of the session.
async fn decide_calls(server: &ServerProcess, token: &str, team: &str, choices: &[&str]) -> String {
    let created = server.post_as(token, "/api/v1/sessions", json!({ "team": team })).await;
    let session = created["session"].as_str().expect("an id").to_owned();
    let mut viewer = SocketViewer::connect(&server.url, token).await;
    let mut seen = ViewerState::default();
    viewer.join(&session, 0).await;
    let learning = json!({ "mode": "manual", "min_decisions": 2, "min_people": 1 });
    viewer.command(&session, "c1", "set", json!({ "settings": { "learning": learning } })).await;
    let calls: String = (0..choices.len()).map(|n| format!("\n/tool {TOOL} {{\"n\":\"{n}\"}}")).collect();
    viewer.command(&session, "c2", "say", json!({ "text": format!("write test cases{calls}") })).await;
    let mut votes = vec![];
    for choice in choices {
        let opened = viewer.wait_for(&mut seen, event("gate.opened")).await.expect("asks people");
        votes.push(json!({ "gate": opened["data"]["gate"]["id"], "rev": 1, "choice": choice }));
    }
    viewer.command(&session, "c3", "vote_batch", json!({ "votes": votes })).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("the run ends");
    session
}

async fn a_rule_is_forecast_for_the_other_sessions_of_its_team(fresh: FreshDatabase) {
    let tool = CountingTool::start(Random::new(1)).await.expect("listens");
    let url = format!("http://{}/mcp", tool.address);
    let settings = [&settings_with_tool(&url)[..], &[("ROUNDTABLE_TOOLS__MCP__CHAOS__TRUST_HINTS", "true")]].concat();
    let mut server = ServerProcess::start_on(fresh, &settings).await;
    let ann = server.token.clone();
    let bea = server.command(&["token", "create", "--name", "bea", "--role", "member"]).await;
    let learned = decide_calls(&server, &ann, "assistant-en", &["approve", "approve"]).await;
    let mixed = decide_calls(&server, &ann, "assistant-en", &["approve", "reject", "approve"]).await;
    decide_calls(&server, &bea, "assistant-en", &["approve", "reject"]).await;
    decide_calls(&server, &ann, "assistant-zh", &["approve"]).await;
    server.post("/api/v1/sessions", json!({ "team": "assistant-en" })).await;

    let path = format!("/api/v1/sessions/{learned}/rule-suggestions");
    let suggested = server.get(&path).await["suggestions"][0].take();
    assert_eq!((&suggested["allowed"], &suggested["pattern"]["tool"]), (&json!(2), &json!(TOOL)), "{suggested}");
    let path = format!("{path}/{}/forecast", suggested["id"].as_str().expect("an id"));
    let calls = json!({ "allowed": 2, "changed": 0, "refused": 1, "undecided": 0 });
    let title = server.get(&format!("/api/v1/sessions/{mixed}")).await["state"]["title"].take();
    let expected = json!({
        "session_count": 2,
        "total": calls,
        "sessions": [{ "session": mixed, "title": title, "calls": calls }],
    });
    assert_eq!(server.get(&path).await, expected, "bea's sessions and those of other teams do not count");

    // A proposed rule has the same forecast, and a restart does not change it.
    let data = json!({ "suggestion": suggested["id"] });
    let command = json!({ "id": "c4", "do": "propose_rule", "data": data });
    server.post(&format!("/api/v1/sessions/{learned}/commands"), command).await;
    server.kill().await;
    server.restart().await;
    assert_eq!(server.get(&path).await, expected);

    let unknown = format!("{}/api/v1/sessions/{learned}/rule-suggestions/0/forecast", server.url);
    let answer = reqwest::Client::new().get(unknown).bearer_auth(&ann).send().await.expect("answers");
    assert_eq!(answer.status(), 404);
    let problem: Value = answer.json().await.expect("JSON");
    assert_eq!(problem["code"], "unknown_suggestion", "{problem}");
}
