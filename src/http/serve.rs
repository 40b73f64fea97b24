//! Connections in, until it is time to stop.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use crate::node::Node;
use crate::socket::Patient;

/// The other end of a connection, as a request's extension. Behind a proxy it is the proxy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// Serve on this listener until the node has stopped: its sessions are handed over, its viewers sent elsewhere and its
/// requests finished, within `http.drain_seconds` and the spread of the closing.
pub async fn serve(node: Arc<Node>, listener: TcpListener) -> anyhow::Result<()> {
    let router = super::router(node.clone());
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    // Without a timer hyper waits for ever for a head that somebody sends a byte at a time.
    let head = Duration::from_secs(node.config.http.head_seconds);
    builder.http1().timer(TokioTimer::new()).header_read_timeout(head);
    let connections = TaskTracker::new();
    let stop = CancellationToken::new();
    let stall = Duration::from_secs(node.config.socket.stall_seconds);
    let leaving = leave(&node);
    tokio::pin!(leaving);
    let end = loop {
        let accepted = tokio::select! {
            left = &mut leaving => break left,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                // A frame is written whole; Nagle's algorithm would hold it back for the last one's acknowledgement.
                let _ = stream.set_nodelay(true);
                let service = (router.clone(), Peer(address.ip()));
                connections.spawn(connection(builder.clone(), Patient::new(stream, stall), service, stop.clone()));
            }
            Err(error) => {
                // Out of file descriptors, most likely: without a pause this loop would spin until one is free.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    };
    drop(listener);
    stop.cancel();
    connections.close();
    if timeout_at(end, connections.wait()).await.is_err() {
        tracing::warn!(open = connections.len(), "closing connections that did not end in time");
    }
    Ok(())
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

async fn connection(
    builder: Builder<TokioExecutor>,
    stream: Patient,
    (router, peer): (Router, Peer),
    stop: CancellationToken,
) {
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.clone().call(request.map(axum::body::Body::new))
    });
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
