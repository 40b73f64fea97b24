//! All MCP servers of the configuration.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::super::{Confinement, Tool, ToolSource};
use super::connect::McpServerTransport;
use super::server::{McpServerHandle, McpServerState, McpServerStatus};
use super::{McpServerSettings, supervise::supervise};

/// All MCP servers, connected in the background. Dropping this stops them.
pub struct McpServerRegistry {
    servers: Vec<Arc<McpServerHandle>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl McpServerRegistry {
    /// Starts the enabled servers without waiting for them. Their credentials are stored in `folder`. `confinement`
    /// applies to programs whose `confined` setting is true.
    ///
    /// # Errors
    /// Fails if settings are invalid, for example if they name an environment variable that is not set.
    pub fn start(
        settings: &BTreeMap<String, McpServerSettings>,
        folder: &Path,
        confinement: &Confinement,
        stopping: &CancellationToken,
    ) -> Result<Self, String> {
        Self::start_with(settings, folder, confinement, |variable| std::env::var(variable).ok(), stopping)
    }

    /// Starts the enabled servers with an environment other than that of the process.
    ///
    /// # Errors
    /// Fails like [`McpServerRegistry::start`].
    pub fn start_with(
        settings: &BTreeMap<String, McpServerSettings>,
        folder: &Path,
        confinement: &Confinement,
        environment: impl Fn(&str) -> Option<String>,
        stopping: &CancellationToken,
    ) -> Result<Self, String> {
        let enabled = settings.iter().filter(|(_, settings)| settings.enabled);
        let enabled = enabled.map(|(name, settings)| {
            let transport = settings
                .check(name)
                .and_then(|()| McpServerTransport::new(name, settings, folder, confinement, &environment));
            Ok((
                Arc::new(McpServerHandle::new(name, settings)),
                transport.map_err(|error| format!("tools.mcp.{name}: {error}"))?,
            ))
        });
        let enabled = enabled.collect::<Result<Vec<_>, String>>()?;
        let (tasks, stopping) = (TaskTracker::new(), stopping.child_token());
        let begin = |(server, transport)| {
            tasks.spawn(supervise(Arc::clone(&server), transport, stopping.clone()));
            server
        };
        let servers = enabled.into_iter().map(begin).collect();
        tasks.close();
        Ok(Self { servers, tasks, stopping })
    }

    /// Returns the status of each server.
    pub fn status(&self) -> Vec<McpServerStatus> {
        self.servers.iter().map(|server| server.watch().borrow().clone()).collect()
    }

    /// Returns a receiver for the status of one server, or `None` if there is no enabled server with this name.
    pub fn watch(&self, name: &str) -> Option<watch::Receiver<McpServerStatus>> {
        self.servers.iter().find(|server| &*server.switch.server == name).map(|server| server.watch())
    }

    /// Waits until each server has either connected or failed to connect.
    pub async fn settled(&self) {
        for server in &self.servers {
            // This cannot fail: the server owns the sender.
            let _ = server.watch().wait_for(|status| status.condition != McpServerState::Starting).await;
        }
    }

    /// Stops all servers and waits until their processes and connections are closed.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.wait().await;
    }
}

impl ToolSource for McpServerRegistry {
    /// Returns the tools of all servers, including unavailable ones, whose calls fail.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.servers.iter().flat_map(|server| server.tools().iter().map(Arc::clone).collect::<Vec<_>>()).collect()
    }
}

impl Drop for McpServerRegistry {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}
