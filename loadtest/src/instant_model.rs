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

use crate::report::latency_histogram;
use crate::stamp::{self, Cause};
use crate::timestamped_listener::{self, Arrival};
use crate::{chunks, timing_model};

/// Records of the model and the tool.
pub struct InstantModel {
    latencies: Mutex<[Histogram<u64>; 4]>,
    /// Notified when a server requests the list of tools.
    pub tools_listed: Notify,
}

impl InstantModel {
    /// Serves on a free port until this process ends. Returns the settings of a server whose agents use a model with
    /// this name.
    pub async fn serve(name: &str) -> anyhow::Result<(Arc<Self>, Vec<(&'static str, String)>)> {
        let model = Arc::new(Self {
            latencies: Mutex::new(Cause::ALL.map(|_| latency_histogram())),
            tools_listed: Notify::new(),
        });
        let app = axum::Router::new().route("/v1/chat/completions", post(turn)).route("/mcp", post(tool));
        let address = timestamped_listener::serve(app.with_state(model.clone())).await?;
        let mut settings = timing_model::settings(address, name).to_vec();
        settings.extend([
            ("TOOLS__MCP__CLOCK__URL", format!("http://{address}/mcp")),
            ("TOOLS__MCP__CLOCK__TRUST_HINTS", "true".to_owned()),
            ("TOOLS__MCP__CLOCK__MAX_CONCURRENT_CALLS", "1000".to_owned()),
        ]);
        Ok((model, settings))
    }

    /// Returns and clears the records.
    pub fn take(&self) -> impl Iterator<Item = (Cause, Histogram<u64>)> {
        let latencies = std::mem::replace(&mut *self.latencies.lock(), Cause::ALL.map(|_| latency_histogram()));
        Cause::ALL.into_iter().zip(latencies)
    }

    /// Records the time since the cause of this request, and returns the cause.
    fn record(&self, arrival: &Arrival, request: &str) -> Option<Cause> {
        let (cause, at) = stamp::newest(request)?;
        self.latencies.lock()[cause as usize].saturating_record(arrival.at().saturating_sub(at));
        Some(cause)
    }
}

/// Calls the tool if the last message is from a person; otherwise responds with text.
async fn turn(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(model): State<Arc<InstantModel>>,
    request: String,
) -> Response {
    let (chunk, reason) = match model.record(&arrival, &request) {
        Some(Cause::Message) => {
            let arguments = json!({ "sent": Cause::ToolCall.stamp() });
            (chunks::call("mcp_clock_now", &arguments), "tool_calls")
        }
        _ => (chunks::text(&format!("It is {}", Cause::Response.stamp())), "stop"),
    };
    chunks::stream([&chunk[..], &chunks::end(reason)].concat())
}

/// Handles requests to the tool, as an MCP server over HTTP.
async fn tool(
    ConnectInfo(arrival): ConnectInfo<Arrival>,
    State(model): State<Arc<InstantModel>>,
    request: String,
) -> Response {
    let body: Value = serde_json::from_str(&request).unwrap_or_default();
    let id = &body["id"];
    let result = match body["method"].as_str().unwrap_or_default() {
        _ if id.is_null() => return StatusCode::ACCEPTED.into_response(),
        "initialize" => json!({
            "protocolVersion": body["params"]["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "clock", "version": "1" },
        }),
        "tools/list" => {
            model.tools_listed.notify_one();
            let schema = json!({ "type": "object", "properties": { "sent": { "type": "string" } } });
            let hints = json!({ "readOnlyHint": true });
            let now = json!({ "name": "now", "description": "The time.", "inputSchema": schema, "annotations": hints });
            json!({ "tools": [now] })
        }
        "tools/call" => {
            model.record(&arrival, &request);
            json!({ "content": [{ "type": "text", "text": Cause::ToolResult.stamp() }] })
        }
        _ => {
            let error = json!({ "code": -32601, "message": "there is no such method" });
            return Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response();
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}
