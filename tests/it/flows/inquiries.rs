//! MCP servers that ask a question in the middle of a call: people are asked over the wire, and the call continues.

use roundtable::tool::mcp::{McpServerSettings, McpServerState};
use serde_json::{Value, json};

use super::harness::FlowHarness;

/// Starts a session whose agent has called the `ask` tool of a server. Returns the session and the gate at which people
/// answer.
async fn start_with_question() -> (FlowHarness, Value) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/odd.mjs").to_owned();
    let paint = McpServerSettings { command: "node".into(), args: vec![script], ..McpServerSettings::default() };
    let mut harness = FlowHarness::start_with_settings("assistant-en", "hello", json!({}), |config| {
        config.tools.mcp.insert("paint".into(), paint);
    })
    .await;
    harness.finish().await;
    let mut watch = harness.server.node.mcp.watch("paint").expect("is configured");
    watch.wait_for(|status| status.condition == McpServerState::Ready).await.expect("is there");
    harness.say("/tool mcp_paint_ask {}").await;
    let gate = harness.wait_for_gate("tool").await;
    harness.vote(&gate, "approve", json!({})).await;
    let gate = harness.wait_for_gate("question").await;
    (harness, gate)
}

#[tokio::test]
async fn a_servers_question_is_a_form_and_its_answer_arrives() {
    let (mut harness, gate) = start_with_question().await;
    assert_eq!((&gate["prompt"], &gate["allow"]), (&json!("Which colour?"), &json!(["respond", "reject"])));
    assert_eq!(gate["schema"]["required"], json!(["colour"]));
    assert!(gate["context"].as_str().is_some_and(|text| text.contains("paint")), "{gate}");
    assert_eq!(gate["origin"], json!({ "server": "paint" }), "clients can say who reads the answer");
    harness.answer(&gate, json!({ "colour": "blue" })).await;
    let answer = harness.finish().await;
    assert!(answer.contains(r#"{"action":"accept","content":{"colour":"blue"}}"#), "{answer}");
}

#[tokio::test]
async fn people_can_decline_a_question() {
    let (mut harness, gate) = start_with_question().await;
    harness.vote(&gate, "reject", json!({})).await;
    let answer = harness.finish().await;
    assert!(answer.contains(r#"{"action":"decline"}"#), "{answer}");
}

#[tokio::test]
async fn an_interrupt_withdraws_the_question() {
    let (mut harness, _) = start_with_question().await;
    assert_eq!(harness.send_command("interrupt", json!({ "run": harness.run() }), None).await, None);
    harness.wait_for("gate.closed").await;
    harness.wait_for("tool.failed interrupted").await;
}
