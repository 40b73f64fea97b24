//! One server of the configuration: its tools and its status.

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::watch;

use super::super::{QueueSettings, Tool, call_queue::CallQueue};
use super::McpServerSettings;
use super::client::McpClient;
use super::mcp_tool::{McpClientSlot, McpTool};
use super::tool_list::ListedTool;

/// Condition of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpServerState {
    /// The server has not responded yet.
    Starting,
    /// The tools of the server can be called.
    Ready,
    /// The server is unavailable for this reason. Roundtable reconnects automatically.
    Away(String),
}

/// Status of a server, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerStatus {
    /// Name of the server in the configuration, such as `files`.
    pub server: Arc<str>,
    /// Condition of the server.
    pub condition: McpServerState,
    /// Number of the server's tools, as last listed.
    pub tools: usize,
    /// Number of connections so far.
    pub connected: u64,
}

pub(super) struct McpServerHandle {
    pub(super) settings: McpServerSettings,
    pub(super) switch: Arc<McpClientSlot>,
    status: watch::Sender<McpServerStatus>,
    tools: RwLock<Arc<[Arc<dyn Tool>]>>,
}

impl McpServerHandle {
    pub(super) fn new(name: &str, settings: &McpServerSettings) -> Self {
        let server: Arc<str> = name.into();
        let places = CallQueue::new(&QueueSettings::of(settings.max_concurrent_calls));
        let client = RwLock::new(Err("the server has not responded yet".into()));
        let switch = Arc::new(McpClientSlot { server: Arc::clone(&server), client, places });
        let status =
            watch::Sender::new(McpServerStatus { server, condition: McpServerState::Starting, tools: 0, connected: 0 });
        Self { settings: settings.clone(), switch, status, tools: RwLock::new(Arc::new([])) }
    }

    pub(super) fn tools(&self) -> Arc<[Arc<dyn Tool>]> {
        Arc::clone(&self.tools.read())
    }

    pub(super) fn watch(&self) -> watch::Receiver<McpServerStatus> {
        self.status.subscribe()
    }

    /// Uses this connection for calls from now on, replaces the list of tools and marks the server as ready.
    pub(super) fn ready(&self, client: &Arc<McpClient>, listed: Vec<ListedTool>) {
        *self.switch.client.write() = Ok(Arc::clone(client));
        self.has(listed);
        self.status.send_modify(|status| {
            status.condition = McpServerState::Ready;
            status.connected += 1;
        });
    }

    /// Replaces the list of tools.
    pub(super) fn has(&self, listed: Vec<ListedTool>) {
        let tool = |found| Arc::new(McpTool { switch: Arc::clone(&self.switch), found }) as Arc<dyn Tool>;
        let tools: Arc<[Arc<dyn Tool>]> = listed.into_iter().map(tool).collect();
        let count = tools.len();
        *self.tools.write() = tools;
        self.status.send_modify(|status| status.tools = count);
    }

    /// Makes calls fail until the server is connected again. Its tools stay in the list, so that a run does not lose
    /// them during a restart.
    pub(super) fn away(&self, why: &str) {
        *self.switch.client.write() = Err(why.into());
        self.status.send_modify(|status| status.condition = McpServerState::Away(why.into()));
    }
}
