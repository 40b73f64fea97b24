//! Accepts connections, and shuts the server down gracefully.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{ConnectionService, HttpConnectionServer};
use super::connection_limits::ConnectionLimits;
use super::monitoring;
use super::newest_connections::NewestConnections;
use super::router::DoorRoutes;
use crate::node::Node;
use crate::telemetry::log_spans::ConnectionId;
use crate::telemetry::metrics;

/// Maximum number of concurrent connections without a slot, which only get responses to health checks.
const MAX_OVERFLOW_CONNECTIONS: usize = 32;
/// Timeout of a connection without a slot.
const OVERFLOW_TIMEOUT: Duration = Duration::from_secs(2);

/// Maximum time that a shutdown waits for the audit log.
const AUDIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves REST and these doors on this listener until the node has stopped. To stop, the node releases its sessions,
/// tells its clients to reconnect to other nodes and finishes its requests, within `http.drain_seconds` plus
/// `socket.drain_ms`.
pub async fn serve(node: Arc<Node>, doors: DoorRoutes, listener: TcpListener) -> anyhow::Result<()> {
    if let Some(warning) = node.hosts.warning() {
        tracing::warn!(reason = warning, "clients can reach this server without TLS");
    }
    let (router, overflow) = (super::router(node.clone(), doors), monitoring::overflow(&node));
    let proxies = Arc::new(node.proxies.clone());
    let protocol = HttpConnectionServer::new(&node.config);
    let places = ConnectionLimits::new(&node.config.http, proxies.clone());
    let mut lane = NewestConnections::new(MAX_OVERFLOW_CONNECTIONS);
    let connections = TaskTracker::new();
    let stop = CancellationToken::new();
    let leaving = leave(&node);
    tokio::pin!(leaving);
    let end = loop {
        let (tcp, peer) = tokio::select! {
            left = &mut leaving => break left,
            accepted = accept(&listener) => accepted,
        };
        let place = places.admit(peer);
        let id = ConnectionId::next();
        let requests = |router| ConnectionService { router, proxies: proxies.clone(), peer, place: place.clone(), id };
        if place.is_some() {
            connections.spawn(protocol.clone().serve(tcp, requests(router.clone()), stop.clone()));
        } else {
            metrics().rate_limited.count(["connection"]);
            let served = protocol.clone().serve(tcp, requests(overflow.clone()), stop.clone());
            lane.spawn(async { _ = timeout(OVERFLOW_TIMEOUT, served).await });
        }
    };
    drop(listener);
    stop.cancel();
    connections.close();
    if timeout_at(end, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "connections did not end in time; closing them");
    }
    if tokio::time::timeout(AUDIT_TIMEOUT, node.audit.flush()).await.is_err() {
        tracing::warn!("audit log entries were not written in time");
    }
    Ok(())
}

/// Returns the next connection, and the IP address of its other end.
pub(super) async fn accept(listener: &TcpListener) -> (TcpStream, std::net::IpAddr) {
    loop {
        match listener.accept().await {
            Ok((tcp, address)) => return (tcp, address.ip()),
            Err(error) => {
                // Most likely there are no file descriptors left. Without a pause, this loop would spin until one is
                // free.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Waits for the shutdown, then releases the sessions and closes the sockets, so that clients reconnect to the nodes
/// that continue the runs. In the meantime, requests still get responses, in particular readiness checks. Returns the
/// deadline for the remaining connections.
async fn leave(node: &Node) -> Instant {
    node.stopping.cancelled().await;
    let spread = Duration::from_millis(node.config.socket.drain_ms);
    let end = Instant::now() + Duration::from_secs(node.config.http.drain_seconds) + spread;
    // This has a timeout, because a database that hangs must not keep the process running. No acknowledged command is
    // lost, because all of them are in the log.
    if timeout_at(end - spread, node.session_registry.shutdown()).await.is_err() {
        tracing::warn!("sessions were not released in time; other nodes take them over when this node's lease expires");
    }
    if timeout_at(end - spread, node.mcp.stop()).await.is_err() {
        tracing::warn!("MCP servers did not end in time");
    }
    if timeout_at(end, node.sockets.drain()).await.is_err() {
        tracing::warn!("sockets did not close in time");
    }
    end
}
