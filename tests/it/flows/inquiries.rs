//! MCP servers that want to know something in the midst of a call: people are asked over the wire, and the call goes on.

use roundtable::tool::mcp::{McpServerSettings, McpServerState};
use serde_json::{Value, json};

use super::bench::Bench;

/// A session whose agent has called a server's `ask`, and the gate at which people are asked.
async fn asked() -> (Bench, Value) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/odd.mjs").to_owned();
    let paint = McpServerSettings { command: "node".into(), args: vec![script], ..McpServerSettings::default() };
    let mut bench = Bench::bound("assistant-en", "hello", json!({}), |config| {
        config.tools.mcp.insert("paint".into(), paint);
    })
    .await;
    bench.finished().await;
    let mut watch = bench.server.node.mcp.watch("paint").expect("is configured");
    watch.wait_for(|status| status.condition == McpServerState::Ready).await.expect("is there");
    bench.says("/tool mcp_paint_ask {}").await;
    let gate = bench.gate("tool").await;
    bench.vote(&gate, "approve", json!({})).await;
    let gate = bench.gate("question").await;
    (bench, gate)
}

#[tokio::test]
async fn what_a_server_asks_is_a_form_and_its_answer_gets_there() {
    let (mut bench, gate) = asked().await;
    assert_eq!((&gate["prompt"], &gate["allow"]), (&json!("Which colour?"), &json!(["respond", "reject"])));
    assert_eq!(gate["schema"]["required"], json!(["colour"]));
    assert!(gate["context"].as_str().is_some_and(|words| words.contains("paint")), "{gate}");
    assert_eq!(gate["origin"], json!({ "server": "paint" }), "clients can say who reads the answer");
    bench.answer(&gate, json!({ "colour": "blue" })).await;
    let answer = bench.finished().await;
    assert!(answer.contains(r#"{"action":"accept","content":{"colour":"blue"}}"#), "{answer}");
}

#[tokio::test]
async fn people_may_say_no() {
    let (mut bench, gate) = asked().await;
    bench.vote(&gate, "reject", json!({})).await;
    let answer = bench.finished().await;
    assert!(answer.contains(r#"{"action":"decline"}"#), "{answer}");
}

#[tokio::test]
async fn who_interrupts_takes_the_question_back() {
    let (mut bench, _) = asked().await;
    assert_eq!(bench.does("interrupt", json!({ "run": bench.run() }), None).await, None);
    bench.until("gate.closed").await;
    bench.until("tool.failed interrupted").await;
}
