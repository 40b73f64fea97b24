//! MCP servers: the reference server over pipes and over HTTP, and one that misbehaves.

mod conformance;
mod http;
mod inquiries;
mod large;
mod misbehaving_server;
mod oauth;
mod program;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use roundtable::kernel::CallGuard;
use roundtable::kernel::{CallId, SessionId};
use roundtable::tool::mcp::{McpServerRegistry, McpServerSettings, McpServerState, McpServerStatus};
use roundtable::tool::{CallContext, Confinement, NoPeople, Output, People, Stopwatch, Tool, ToolError, ToolSource};
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Timeout that only a failing test reaches.
const TIMEOUT: Duration = Duration::from_secs(60);

fn mcp_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mcp")
}

/// Returns the path of the reference server, which `scripts/test-setup.sh` installs.
fn reference_server() -> PathBuf {
    let script = mcp_folder().join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    assert!(script.exists(), "the reference server is not installed: run  make test-setup");
    script
}

/// Returns the settings of a server that is a Node.js program.
fn node_settings(script: PathBuf, args: &[&str]) -> McpServerSettings {
    let script = script.into_os_string().into_string().expect("text");
    let args = [script].into_iter().chain(args.iter().map(|arg| (*arg).to_owned())).collect();
    McpServerSettings { command: "node".into(), args, restart_ms: 10, ..McpServerSettings::default() }
}

fn misbehaving_settings(how: &str) -> McpServerSettings {
    node_settings(mcp_folder().join("odd.mjs"), &[how])
}

/// The server of one test, named `s`.
struct McpHarness {
    servers: McpServerRegistry,
    stopping: CancellationToken,
    /// Folder of the credentials.
    folder: TempDir,
}

impl McpHarness {
    fn start_without_waiting(settings: McpServerSettings) -> Self {
        let (stopping, folder) = (CancellationToken::new(), tempfile::tempdir().expect("a folder"));
        let settings = [("s".to_owned(), settings)].into();
        let servers = McpServerRegistry::start(&settings, folder.path(), &Confinement::Off, &stopping);
        Self { servers: servers.expect("the settings are good"), stopping, folder }
    }

    async fn start(settings: McpServerSettings) -> Self {
        let harness = Self::start_without_waiting(settings);
        harness.wait_for(|status| status.condition == McpServerState::Ready).await;
        harness
    }

    async fn wait_for(&self, wanted: impl FnMut(&McpServerStatus) -> bool) -> McpServerStatus {
        let mut watch = self.servers.watch("s").expect("is there");
        let reached = tokio::time::timeout(TIMEOUT, watch.wait_for(wanted)).await;
        reached.unwrap_or_else(|_| panic!("{:?}", self.servers.status())).expect("is supervised").clone()
    }

    fn tool(&self, name: &str) -> Arc<dyn Tool> {
        let tools = self.servers.tools();
        let names: Vec<String> = tools.iter().map(|tool| tool.spec().name.to_string()).collect();
        tools.into_iter().find(|tool| &*tool.spec().name == name).unwrap_or_else(|| panic!("{name} of {names:?}"))
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<String, ToolError> {
        self.call_at(&call_context(1), name, arguments).await
    }

    async fn call_at(&self, at: &CallContext, name: &str, arguments: Value) -> Result<String, ToolError> {
        let tool = self.tool(&format!("mcp_s_{name}"));
        let called = tokio::time::timeout(TIMEOUT, tool.call(at, arguments)).await.expect("in time");
        called.map(|Output { text, .. }| text)
    }
}

fn call_context(session: u128) -> CallContext {
    call_context_with(session, Arc::new(NoPeople))
}

fn call_context_with(session: u128, people: Arc<dyn People>) -> CallContext {
    CallContext {
        people,
        watch: Stopwatch::default(),
        guard: CallGuard::default(),
        session: SessionId(Uuid::from_u128(session)),
        team: "team".into(),
        agent: "helper".parse().expect("a name"),
        call: CallId(1),
        code: vec![],
        knowledge: vec![],
        files: vec![],
        caused_by: None,
        python: roundtable::tool::PythonMeter::default(),
    }
}
