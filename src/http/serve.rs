//! Connections in, until it is time to stop.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use crate::node::Node;

/// The other end of a connection, as a request's extension. Behind a proxy it is the proxy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// Serve on this listener until the node is stopping, then finish what is under way within `http.drain_seconds`.
pub async fn serve(node: Arc<Node>, listener: TcpListener) -> anyhow::Result<()> {
    let router = super::router(node.clone());
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    // Without a timer hyper waits for ever for a head that somebody sends a byte at a time.
    let head = Duration::from_secs(node.config.http.head_seconds);
    builder.http1().timer(TokioTimer::new()).header_read_timeout(head);
    let connections = TaskTracker::new();
    let stop = node.stopping.clone();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                // A frame is written whole; Nagle's algorithm would hold it back for the last one's acknowledgement.
                let _ = stream.set_nodelay(true);
                let service = (router.clone(), Peer(address.ip()));
                connections.spawn(connection(builder.clone(), stream, service, stop.clone()));
            }
            Err(error) => {
                // Out of file descriptors, most likely: without a pause this loop would spin until one is free.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    drop(listener);
    connections.close();
    let drain = Duration::from_secs(node.config.http.drain_seconds);
    let all = async { tokio::join!(connections.wait(), node.sockets.drain()) };
    let (drained, ()) = tokio::join!(tokio::time::timeout(drain, all), node.reception.orchestrators.shutdown());
    if drained.is_err() {
        tracing::warn!(open = connections.len(), "closing connections that did not end in time");
    }
    Ok(())
}

async fn connection(
    builder: Builder<TokioExecutor>,
    stream: TcpStream,
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
