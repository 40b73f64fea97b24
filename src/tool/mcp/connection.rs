//! A connection to a server, from the handshake to its end.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::SubscriptionFilter;
use rmcp::service::Subscription;
use rmcp::{Peer, RoleClient, ServiceError};
use tokio::sync::Notify;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};
use tokio_util::sync::CancellationToken;

use super::super::Stopwatch;
use super::client::McpClient;
use super::client_handler::McpClientHandler;
use super::connect::{McpServerTransport, RunningConnection};
use super::elicitation::Elicitor;
use super::error::{MAX_ERROR_TEXT_BYTES, UNAUTHORIZED, wants_authorization};
use super::handshake::Handshake;
use super::in_flight::InFlightCalls;
use super::server::McpServerHandle;
use super::tool_list::{ListedTool, list};
use crate::kernel::first_bytes;

/// Minimum time between two listings of tools, however often the server reports a change.
const MIN_LIST_INTERVAL: Duration = Duration::from_millis(100);

/// A connection after the handshake and the first listing of tools.
pub(super) struct McpConnection {
    opened: RunningConnection,
    client: Arc<McpClient>,
    changed: Arc<Notify>,
    /// Subscription to changes of the tool list. `None` if the server has an older protocol or reports no changes.
    changes: Option<Subscription>,
}

impl McpConnection {
    /// Connects, performs the handshake and lists the tools.
    ///
    /// # Errors
    /// Fails with the reason, for the operator.
    pub(super) async fn open(
        server: &McpServerHandle,
        transport: &McpServerTransport,
        asker: &Arc<Elicitor>,
        handshake: Handshake,
    ) -> Result<(Self, Vec<ListedTool>), String> {
        let (calls, changed) = (Arc::new(InFlightCalls::new(server.settings.call())), Arc::new(Notify::new()));
        let handler =
            McpClientHandler { asker: Arc::clone(asker), calls: Arc::clone(&calls), changed: Arc::clone(&changed) };
        let opened = transport.open(handler, handshake).await?;
        let peer = opened.peer.clone();
        let newest = peer.peer_info().is_some_and(|info| !info.protocol_version.has_initialize());
        let changes = if newest { subscribe(&peer).await } else { None };
        let (idle, over) = (Stopwatch::default(), CancellationToken::new());
        let client = Arc::new(McpClient { peer, calls, idle, asker: Arc::clone(asker), over });
        let listed = list_tools(server, &client).await?;
        Ok((Self { opened, client, changed, changes }, listed))
    }

    pub(super) fn client(&self) -> &Arc<McpClient> {
        &self.client
    }

    /// Keeps the list of tools current until the connection ends. Then returns the reason, for the operator.
    pub(super) async fn hold(&mut self, server: &McpServerHandle) -> String {
        let mut checks =
            interval_at(Instant::now() + server.settings.check_interval(), server.settings.check_interval());
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let Self { opened, client, changed, changes } = self;
        loop {
            let pipes = opened.program.is_some();
            tokio::select! {
                why = wait_for_end(opened, client) => return why,
                () = changed.notified() => sleep(MIN_LIST_INTERVAL).await,
                () = wait_for_tool_change(changes) => sleep(MIN_LIST_INTERVAL).await,
                () = wait_for_ping_time(&mut checks, client), if !pipes => {}
            }
            let listed = tokio::select! {
                why = wait_for_end(opened, client) => return why,
                listed = list_tools(server, client) => listed,
                // The timeout excludes calls, because a server that handles one request at a time lists its tools only
                // after its calls.
                () = client.idle.passed(server.settings.start()) => Err("listing its tools timed out".into()),
            };
            match listed {
                Ok(listed) => server.has(listed),
                Err(why) => return why,
            }
        }
    }

    /// Closes the connection, and kills the program if it does not exit by itself.
    pub(super) async fn end(self) {
        self.client.over.cancel();
        self.opened.end().await;
    }
}

/// Waits until the connection ends. Returns the reason, for the operator.
async fn wait_for_end(opened: &mut RunningConnection, client: &McpClient) -> String {
    tokio::select! {
        why = opened.ended() => why,
        () = client.over.cancelled() => "a call found the connection broken".into(),
    }
}

async fn list_tools(server: &McpServerHandle, client: &McpClient) -> Result<Vec<ListedTool>, String> {
    let listed = list(&server.switch.server, &server.settings, &client.peer).await;
    listed.map_err(|error| match error {
        ServiceError::McpError(error) => {
            format!("it did not list its tools: {}", first_bytes(&error.message, MAX_ERROR_TEXT_BYTES))
        }
        ServiceError::TransportSend(error) if wants_authorization(&error) => UNAUTHORIZED.into(),
        _ => "it did not list its tools".into(),
    })
}

/// Waits until the next liveness check is due. While calls are in progress, no check is needed, because they show that
/// the server is alive.
async fn wait_for_ping_time(checks: &mut Interval, client: &McpClient) {
    loop {
        checks.tick().await;
        if client.calls.is_empty() {
            return;
        }
    }
}

/// Waits until the server reports that its tools have changed. Without a subscription, never returns.
async fn wait_for_tool_change(changes: &mut Option<Subscription>) {
    while let Some(subscription) = changes {
        match subscription.next().await {
            Ok(Some(_)) => return,
            _ => *changes = None,
        }
    }
    std::future::pending().await
}

/// Subscribes to changes of the tool list. Returns `None` if this fails, for example because the server does not report
/// changes.
async fn subscribe(peer: &Peer<RoleClient>) -> Option<Subscription> {
    peer.listen(SubscriptionFilter::builder().tools_list_changed().build()).await.ok()
}
