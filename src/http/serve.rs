//! Connections in, until it is time to stop.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{Protocol, Requests};
use super::connections::Connections;
use super::lane::Lane;
use super::monitoring;
use crate::node::Node;
use crate::telemetry::happened;

/// Connections at once beyond those that have a place; they get health answers.
const OVERFLOW: usize = 32;
/// How long each of them may take.
const OVERFLOW_TIME: Duration = Duration::from_secs(2);

/// How long a stop waits for the audit log.
const AUDIT_PATIENCE: Duration = Duration::from_secs(2);

/// Serve on this listener until the node has stopped: its sessions are handed over, its viewers sent elsewhere and its
/// requests finished, within `http.drain_seconds` and the spread of the closing.
pub async fn serve(node: Arc<Node>, listener: TcpListener) -> anyhow::Result<()> {
    if let Some(warning) = node.hosts.warning() {
        tracing::warn!("{warning}");
    }
    let (router, overflow) = (super::router(node.clone()), monitoring::overflow(&node));
    let proxies = Arc::new(node.proxies.clone());
    let protocol = Protocol::new(&node.config);
    let places = Connections::new(&node.config.http, proxies.clone());
    let mut lane = Lane::new(OVERFLOW);
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
        let requests = |router| Requests { router, proxies: proxies.clone(), peer, place: place.clone() };
        if place.is_some() {
            connections.spawn(protocol.clone().serve(tcp, requests(router.clone()), stop.clone()));
        } else {
            happened().rate_limited.count(["connection"]);
            let served = protocol.clone().serve(tcp, requests(overflow.clone()), stop.clone());
            lane.spawn(async { _ = timeout(OVERFLOW_TIME, served).await });
        }
    };
    drop(listener);
    stop.cancel();
    connections.close();
    if timeout_at(end, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "closing connections that did not end in time");
    }
    if tokio::time::timeout(AUDIT_PATIENCE, node.audit.flush()).await.is_err() {
        tracing::warn!("some entries of the audit log were not written in time");
    }
    Ok(())
}

/// The next connection, and the address of its other end.
pub(super) async fn accept(listener: &TcpListener) -> (TcpStream, std::net::IpAddr) {
    loop {
        match listener.accept().await {
            Ok((tcp, address)) => return (tcp, address.ip()),
            Err(error) => {
                // Out of file descriptors, most likely: without a pause this loop would spin until one is free.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// When the node is stopping: hand its sessions over, then close its sockets, so that viewers come back to where their
/// runs go on. Requests are still answered meanwhile, above all those that ask whether the node is ready. Until when what
/// is left may take.
async fn leave(node: &Node) -> Instant {
    node.stopping.cancelled().await;
    let spread = Duration::from_millis(node.config.socket.drain_millis);
    let end = Instant::now() + Duration::from_secs(node.config.http.drain_seconds) + spread;
    // A database that hangs would keep the process for longer than its operators wait. What was acknowledged is in the log.
    if timeout_at(end - spread, node.orchestrators.shutdown()).await.is_err() {
        tracing::warn!("sessions are not handed over in time; others take them when this node's lease ends");
    }
    if timeout_at(end - spread, node.mcp.stop()).await.is_err() {
        tracing::warn!("some MCP servers did not end in time");
    }
    if timeout_at(end, node.sockets.drain()).await.is_err() {
        tracing::warn!("some sockets did not close in time");
    }
    end
}
