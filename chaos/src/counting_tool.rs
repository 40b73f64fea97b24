//! A tool with counted effects: an MCP server in this process, which no fault affects. Its effects are certain,
//! whatever happens to the node that called it.

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

/// Name of the tool for agents.
pub const TOOL: &str = "mcp_chaos_put";

/// Result of the tool.
pub const DONE: &str = "put";

/// Milliseconds that a call takes: long enough that some calls lose their node meanwhile.
const TAKES: (u64, u64) = (20, 900);

pub struct CountingTool {
    pub address: SocketAddr,
    executions: Executions,
    serving: AbortHandle,
}

/// Number of executions by arguments.
type Executions = Arc<Mutex<BTreeMap<String, u64>>>;

impl CountingTool {
    /// Starts the tool. The random numbers determine how long each call takes.
    pub async fn start(random: Random) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, executions) = (listener.local_addr()?, Executions::default());
        let (counted, random) = (executions.clone(), Arc::new(Mutex::new(random)));
        let app = Router::new().route("/mcp", post(move |asked| answer(asked, counted.clone(), random.clone())));
        let serving = tokio::spawn(async move { axum::serve(listener, app).await }).abort_handle();
        Ok(Self { address, executions, serving })
    }

    /// Returns all executions: the arguments, and how often.
    pub fn executions(&self) -> BTreeMap<String, u64> {
        self.executions.lock().clone()
    }
}

impl Drop for CountingTool {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(Json(asked): Json<Value>, executions: Executions, random: Arc<Mutex<Random>>) -> Response {
    let Some(id) = asked.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let result = match asked["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "chaos", "version": "1" },
        }),
        "ping" => json!({}),
        "tools/list" => {
            let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "string" } } });
            // Of medium risk, so that rules about it are learned.
            let hints = json!({ "destructiveHint": false });
            json!({ "tools": [{ "name": "put", "description": "Puts.", "inputSchema": schema, "annotations": hints }] })
        }
        "tools/call" => {
            // Counted even if the response is lost.
            *executions.lock().entry(asked["params"]["arguments"].to_string()).or_default() += 1;
            let takes = random.lock().between(TAKES.0, TAKES.1);
            tokio::time::sleep(Duration::from_millis(takes)).await;
            json!({ "content": [{ "type": "text", "text": DONE }] })
        }
        method => {
            let error = json!({ "code": -32601, "message": format!("there is no {method}") });
            return Json(json!({ "jsonrpc": "2.0", "id": id, "error": error })).into_response();
        }
    };
    Json(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}
