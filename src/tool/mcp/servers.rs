//! All servers of the configuration.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::super::{Source, Tool};
use super::opening::Way;
use super::server::{Condition, Server, Status};
use super::{McpServer, supervision::supervise};

/// Connected to in the background. With these dropped they end.
pub struct Servers {
    servers: Vec<Arc<Server>>,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Servers {
    /// Begin with those that are enabled; none of them keeps anybody waiting. Their credentials are kept in `folder`.
    ///
    /// # Errors
    /// Settings that cannot work, as one that names a variable which is not set.
    pub fn start(
        settings: &BTreeMap<String, McpServer>,
        folder: &Path,
        stopping: &CancellationToken,
    ) -> Result<Self, String> {
        Self::start_with(settings, folder, |variable| std::env::var(variable).ok(), stopping)
    }

    /// The same, with an environment other than the process's own.
    ///
    /// # Errors
    /// As [`Servers::start`].
    pub fn start_with(
        settings: &BTreeMap<String, McpServer>,
        folder: &Path,
        environment: impl Fn(&str) -> Option<String>,
        stopping: &CancellationToken,
    ) -> Result<Self, String> {
        let enabled = settings.iter().filter(|(_, settings)| settings.enabled);
        let ways = enabled.map(|(name, settings)| {
            let way = settings.check(name).and_then(|()| Way::new(name, settings, folder, &environment));
            Ok((Arc::new(Server::new(name, settings)), way.map_err(|wrong| format!("tools.mcp.{name}: {wrong}"))?))
        });
        let ways = ways.collect::<Result<Vec<_>, String>>()?;
        let (tasks, stopping) = (TaskTracker::new(), stopping.child_token());
        let begin = |(server, way)| {
            tasks.spawn(supervise(Arc::clone(&server), way, stopping.clone()));
            server
        };
        let servers = ways.into_iter().map(begin).collect();
        tasks.close();
        Ok(Self { servers, tasks, stopping })
    }

    /// How each of them does.
    pub fn status(&self) -> Vec<Status> {
        self.servers.iter().map(|server| server.watch().borrow().clone()).collect()
    }

    /// How one of them does, from now on.
    pub fn watch(&self, name: &str) -> Option<watch::Receiver<Status>> {
        self.servers.iter().find(|server| &*server.switch.server == name).map(|server| server.watch())
    }

    /// Until each of them has answered, or turned out to be away.
    pub async fn settled(&self) {
        for server in &self.servers {
            // The sender is the server's own.
            let _ = server.watch().wait_for(|status| status.condition != Condition::Starting).await;
        }
    }

    /// End them all, and wait until nothing of them is left.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.wait().await;
    }
}

impl Source for Servers {
    /// Those of a server that is away stay, and say so when they are called.
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.servers.iter().flat_map(|server| server.tools().iter().map(Arc::clone).collect::<Vec<_>>()).collect()
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}
