//! A model and a tool that respond immediately, and record the time since the cause of each request.

use std::sync::Arc;

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use hdrhistogram::Histogram;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::report::latencies;
use crate::stamp::{self, Cause};
use crate::timestamped_listener::{self, Arrival};
use crate::{clock, pieces};

/// Records of both.
pub struct InstantModel {
    ways: Mutex<[Histogram<u64>; 4]>,
    /// Notified when a server requests the list of tools.
    pub listed: Notify,
}

impl InstantModel {
    /// Serves on a free port until this process ends. Returns the settings of a server whose agents use a model with
    /// this name.
    pub async fn serve(model: &str) -> anyhow::Result<(Arc<Self>, Vec<(&'static str, String)>)> {
        let here = Arc::new(Self { ways: Mutex::new(Cause::ALL.map(|_| latencies())), listed: Notify::new() });
        let app = axum::Router::new().route("/v1/chat/completions", post(turn)).route("/mcp", post(tool));
        let address = timestamped_listener::serve(app.with_state(here.clone())).await?;
        let mut settings = clock::settings(address, model).to_vec();
        settings.extend([
            ("TOOLS__MCP__CLOCK__URL", format!("http://{address}/mcp")),
            ("TOOLS__MCP__CLOCK__TRUST_HINTS", "true".to_owned()),
            ("TOOLS__MCP__CLOCK__MAX_CONCURRENT_CALLS", "1000".to_owned()),
        ]);
        Ok((here, settings))
    }

    /// Returns and clears the records.
    pub fn take(&self) -> impl Iterator<Item = (Cause, Histogram<u64>)> {
        let noted = std::mem::replace(&mut *self.ways.lock(), Cause::ALL.map(|_| latencies()));
        Cause::ALL.into_iter().zip(noted)
    }

    /// Returns the cause of this request.
    fn note(&self, arrival: &Arrival, request: &str) -> Option<Cause> {
        let (cause, at) = stamp::newest(request)?;
        self.ways.lock()[cause as usize].saturating_record(arrival.at().saturating_sub(at));
        Some(cause)
    }
}

/// Calls the tool if the last message is from a person; otherwise responds with text.
async fn turn(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(here): State<Arc<InstantModel>>,
    request: String,
) -> Response {
    let (piece, reason) = match here.note(&arrival, &request) {
        Some(Cause::Message) => {
            let arguments = json!({ "sent": Cause::ToolCall.stamp() });
            (pieces::call("mcp_clock_tell", &arguments), "tool_calls")
        }
        _ => (pieces::words(&format!("It is {}", Cause::Response.stamp())), "stop"),
    };
    pieces::stream([&piece[..], &pieces::end(reason)].concat())
}

/// The tool, as an MCP server over HTTP.
async fn tool(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(here): State<Arc<InstantModel>>,
    request: String,
) -> Response {
    let asked: Value = serde_json::from_str(&request).unwrap_or_default();
    let id = &asked["id"];
    let result = match asked["method"].as_str().unwrap_or_default() {
        _ if id.is_null() => return StatusCode::ACCEPTED.into_response(),
        "initialize" => json!({
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "clock", "version": "1" },
        }),
        "tools/list" => {
            here.listed.notify_one();
            let schema = json!({ "type": "object", "properties": { "sent": { "type": "string" } } });
            let hints = json!({ "readOnlyHint": true });
            let tell =
                json!({ "name": "tell", "description": "The time.", "inputSchema": schema, "annotations": hints });
            json!({ "tools": [tell] })
        }
        "tools/call" => {
            here.note(&arrival, &request);
            json!({ "content": [{ "type": "text", "text": Cause::ToolResult.stamp() }] })
        }
        _ => {
            let error = json!({ "code": -32601, "message": "there is no such method" });
            return Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response();
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}
