//! A tool that counts its effects: an MCP server in this process, which no fault affects. The counts are exact,
//! whatever happens to the node that called the tool.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use servers::random::Random;

/// Name of the tool, as agents see it.
pub const TOOL: &str = "mcp_chaos_put";

/// Result of the tool.
pub const DONE: &str = "put";

/// Range of the duration of a call in milliseconds: long enough that some calls lose their node before they return.
const DURATION_MS: (u64, u64) = (20, 900);

pub struct CountingTool {
    pub address: SocketAddr,
    executions: Executions,
    server: AbortHandle,
}

/// Number of executions by arguments.
type Executions = Arc<Mutex<BTreeMap<String, u64>>>;

impl CountingTool {
    /// Starts the tool. The random numbers determine how long each call takes.
    pub async fn start(random: Random) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, executions) = (listener.local_addr()?, Executions::default());
        let (counts, random) = (executions.clone(), Arc::new(Mutex::new(random)));
        let app = Router::new().route("/mcp", post(move |request| respond(request, counts.clone(), random.clone())));
        let server = tokio::spawn(async move { axum::serve(listener, app).await }).abort_handle();
        Ok(Self { address, executions, server })
    }

    /// Returns the number of executions by arguments.
    pub fn executions(&self) -> BTreeMap<String, u64> {
        self.executions.lock().clone()
    }
}

impl Drop for CountingTool {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn respond(Json(request): Json<Value>, executions: Executions, random: Arc<Mutex<Random>>) -> Response {
    let Some(id) = request.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "chaos", "version": "1" },
        }),
        "ping" => json!({}),
        "tools/list" => {
            let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "string" } } });
            // Medium risk, so that rules about the tool are learned.
            let hints = json!({ "destructiveHint": false });
            json!({ "tools": [{ "name": "put", "description": "Puts.", "inputSchema": schema, "annotations": hints }] })
        }
        "tools/call" => {
            // Counted even if the response is lost.
            *executions.lock().entry(request["params"]["arguments"].to_string()).or_default() += 1;
            let duration_ms = random.lock().between(DURATION_MS.0, DURATION_MS.1);
            tokio::time::sleep(Duration::from_millis(duration_ms)).await;
            json!({ "content": [{ "type": "text", "text": DONE }] })
        }
        method => {
            let error = json!({ "code": -32601, "message": format!("there is no {method}") });
            return Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response();
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}
