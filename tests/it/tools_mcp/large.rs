//! A server over HTTP that responds to one call with too much data, or with invalid data, while other calls wait for
//! it.

use std::sync::Arc;

use axum::extract::{Json, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::post};
use futures_util::FutureExt;
use roundtable::tool::mcp::{McpServerSettings, McpServerState};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use super::{McpHarness, call_context};

const MESSAGE_BYTES: usize = 16 * 1024;

async fn answer(State(go): State<Arc<Notify>>, Json(message): Json<Value>) -> Response {
    let (id, params) = (&message["id"], &message["params"]);
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    let text = |text: String| result(json!({ "content": [{ "type": "text", "text": text }] }));
    let events =
        |event: Value| ([(header::CONTENT_TYPE, "text/event-stream")], format!("data: {event}\n\n")).into_response();
    let huge = "x".repeat(20 * MESSAGE_BYTES);
    let tools = ["json", "events", "note", "broken", "html", "closes", "hold", "whole"];
    let tools = tools.map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }));
    match message["method"].as_str().expect("a method") {
        "initialize" => Json(result(json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "large", "version": "1" },
        })))
        .into_response(),
        "tools/list" => Json(result(json!({ "tools": tools }))).into_response(),
        "tools/call" => match params["name"].as_str().expect("a name") {
            "json" => Json(text(huge)).into_response(),
            "events" => events(text(huge)),
            "note" => {
                let note = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": huge } });
                let both = format!("data: {note}\n\ndata: {}\n\n", text("after the note".into()));
                ([(header::CONTENT_TYPE, "text/event-stream")], both).into_response()
            }
            "broken" => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            "html" => ([(header::CONTENT_TYPE, "text/html")], "<p>hello").into_response(),
            "closes" => ([(header::CONTENT_TYPE, "text/event-stream")], ":nothing\n\n").into_response(),
            "hold" => {
                go.notified().await;
                Json(text("held".into())).into_response()
            }
            _ => Json(text("y".repeat(MESSAGE_BYTES / 2))).into_response(),
        },
        method if method.starts_with("notifications/") => StatusCode::ACCEPTED.into_response(),
        _ => Json(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no such method" } }))
            .into_response(),
    }
}

async fn start() -> (McpHarness, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let url = format!("http://{}/mcp", listener.local_addr().expect("has one"));
    let routes = Router::new().route("/mcp", post(answer)).with_state(go.clone());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let settings =
        McpServerSettings { url, max_message_bytes: MESSAGE_BYTES, restart_ms: 10, ..McpServerSettings::default() };
    (McpHarness::start(settings).await, go)
}

#[tokio::test]
async fn a_failed_call_does_not_affect_others() {
    let (harness, go) = start().await;
    let (hold, stranger) = (harness.tool("mcp_s_hold"), call_context(2));
    let mut held = hold.call(&stranger, json!({}));
    assert!(held.as_mut().now_or_never().is_none());
    for (tool, code) in [
        ("json", "tool_result_too_large"),
        ("events", "tool_result_too_large"),
        ("broken", "tool_failed"),
        ("html", "tool_failed"),
        ("closes", "tool_unavailable"),
    ] {
        let error = harness.call(tool, json!({})).await.expect_err(tool);
        assert_eq!(error.code, code, "{tool}: {}", error.message);
        assert!(code != "tool_result_too_large" || error.message.contains("16384 bytes"), "{}", error.message);
        let whole = harness.call("whole", json!({})).await;
        assert_eq!(whole.map(|text| text.len()), Ok(MESSAGE_BYTES / 2), "after {tool}");
    }
    assert_eq!(harness.call("note", json!({})).await.as_deref(), Ok("after the note"));
    go.notify_one();
    assert_eq!(held.await.map(|output| output.text).as_deref(), Ok("held"));
    let status = &harness.servers.status()[0];
    assert_eq!((&status.condition, status.connected), (&McpServerState::Ready, 1));
}
