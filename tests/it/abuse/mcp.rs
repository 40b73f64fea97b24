//! An MCP server whose results are all too large.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::Json;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::{Router, routing::post};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::LatencyProbe;
use super::agents::{AgentCallFlood, SETTINGS};

/// Maximum size of a message from the server, in bytes.
const MESSAGE_BYTES: usize = 64 << 10;
/// Size of each of its results, in bytes.
const RESULT_BYTES: usize = 4 << 20;
/// One chunk of each result.
const CHUNK: &[u8] = &[b'x'; 64 << 10];

async fn answer(Json(message): Json<Value>) -> axum::response::Response {
    let id = &message["id"];
    let result = |result: Value| json!({ "jsonrpc": "2.0", "id": id, "result": result });
    let hints = json!({ "readOnlyHint": true, "openWorldHint": false });
    match message["method"].as_str().expect("a method") {
        "initialize" => Json(result(json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "flood", "version": "1" },
        })))
        .into_response(),
        "tools/list" => {
            let tool = json!({ "name": "pour", "inputSchema": { "type": "object" }, "annotations": hints });
            Json(result(json!({ "tools": [tool] }))).into_response()
        }
        "tools/call" => {
            // The chunks are static, so that the flood does not keep this process busier than the server.
            let whole = result(json!({ "content": [{ "type": "text", "text": "*" }] })).to_string();
            let (head, tail) = whole.split_once('*').expect("has it once");
            let pieces = std::iter::repeat_n(Bytes::from_static(CHUNK), RESULT_BYTES / CHUNK.len());
            let pieces = std::iter::once(head.to_owned().into()).chain(pieces).chain([tail.to_owned().into()]);
            let body = Body::from_stream(stream::iter(pieces.map(Ok::<Bytes, Infallible>)));
            ([(CONTENT_TYPE, "application/json")], body).into_response()
        }
        _ => axum::http::StatusCode::ACCEPTED.into_response(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oversized_results_of_an_mcp_server_do_not_slow_others() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let address = listener.local_addr().expect("has one");
    tokio::spawn(async move { axum::serve(listener, Router::new().route("/mcp", post(answer))).await });
    let folder = tempfile::tempdir().expect("makes a folder");
    let path = folder.path().join("roundtable.toml");
    let url = format!("http://{address}/mcp");
    let settings =
        format!("[tools.mcp.flood]\nurl = {url:?}\ntrust_hints = true\nmax_message_bytes = {MESSAGE_BYTES}\n");
    std::fs::write(&path, settings).expect("writes");
    let path = path.to_str().expect("text");
    let server = super::server(&[&SETTINGS[..], &[("ROUNDTABLE_CONFIG", path)]].concat()).await;
    server.wait_for_readiness(200).await;
    // Other failures do not count as acts of this abuse.
    let is_too_large = |event: &Value| event.to_string().contains("tool_result_too_large");
    let calls = AgentCallFlood::of(&server, "mcp_flood_pour {}").await;
    let measurement =
        LatencyProbe::on(server).await.measure_during(|counter| calls.run_forever(is_too_large, counter)).await;
    measurement.assert_within_limits(128 << 20);
}
