//! MCP servers that ask a question in the middle of a call: people are asked over the wire, and the call continues.

use roundtable::tool::mcp::{McpServerSettings, McpServerState};
use serde_json::{Value, json};

use super::harness::FlowHarness;

/// A session whose agent has called a server's tool `ask`, and the gate at which people answer.
async fn asked() -> (FlowHarness, Value) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/odd.mjs").to_owned();
    let paint = McpServerSettings { command: "node".into(), args: vec![script], ..McpServerSettings::default() };
    let mut harness = FlowHarness::bound("assistant-en", "hello", json!({}), |config| {
        config.tools.mcp.insert("paint".into(), paint);
    })
    .await;
    harness.finished().await;
    let mut watch = harness.server.node.mcp.watch("paint").expect("is configured");
    watch.wait_for(|status| status.condition == McpServerState::Ready).await.expect("is there");
    harness.says("/tool mcp_paint_ask {}").await;
    let gate = harness.gate("tool").await;
    harness.vote(&gate, "approve", json!({})).await;
    let gate = harness.gate("question").await;
    (harness, gate)
}

#[tokio::test]
async fn a_servers_question_is_a_form_and_its_answer_arrives() {
    let (mut harness, gate) = asked().await;
    assert_eq!((&gate["prompt"], &gate["allow"]), (&json!("Which colour?"), &json!(["respond", "reject"])));
    assert_eq!(gate["schema"]["required"], json!(["colour"]));
    assert!(gate["context"].as_str().is_some_and(|words| words.contains("paint")), "{gate}");
    assert_eq!(gate["origin"], json!({ "server": "paint" }), "clients can say who reads the answer");
    harness.answer(&gate, json!({ "colour": "blue" })).await;
    let answer = harness.finished().await;
    assert!(answer.contains(r#"{"action":"accept","content":{"colour":"blue"}}"#), "{answer}");
}

#[tokio::test]
async fn people_may_say_no() {
    let (mut harness, gate) = asked().await;
    harness.vote(&gate, "reject", json!({})).await;
    let answer = harness.finished().await;
    assert!(answer.contains(r#"{"action":"decline"}"#), "{answer}");
}

#[tokio::test]
async fn an_interrupt_withdraws_the_question() {
    let (mut harness, _) = asked().await;
    assert_eq!(harness.does("interrupt", json!({ "run": harness.run() }), None).await, None);
    harness.until("gate.closed").await;
    harness.until("tool.failed interrupted").await;
}
