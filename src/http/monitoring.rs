//! Endpoints for monitoring: `/healthz`, `/readyz` and `/metrics`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::connection::{ConnectionService, HttpConnectionServer};
use super::newest_connections::NewestConnections;
use super::serve::accept;
use crate::clock;
use crate::health::{BusReadiness, Readiness};
use crate::kernel::Timestamp;
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::telemetry::log_spans::ConnectionId;
use crate::telemetry::{self, Exposition, Scrape};

/// Maximum number of concurrent connections from monitoring systems.
const MAX_CONNECTIONS: usize = 64;

/// Listener on the second address, `metrics_listen`. It accepts connections until this is dropped, even while the
/// server drains.
pub struct MonitoringServer {
    /// Address of the listener.
    pub address: SocketAddr,
    _serving: AbortOnDropHandle<()>,
}

impl MonitoringServer {
    /// Starts to serve metrics and health checks on `metrics_listen`. Returns `None` if this setting is absent.
    ///
    /// # Errors
    /// Fails if the server cannot listen on the address.
    pub async fn start(node: &Arc<Node>) -> anyhow::Result<Option<Self>> {
        let Some(listen) = &node.config.metrics_listen else { return Ok(None) };
        let started = clock::now();
        let listener = TcpListener::bind(listen);
        let listener = listener.await.with_context(|| format!("cannot listen on {listen}; change metrics_listen"))?;
        let address = listener.local_addr()?;
        let router = health()
            .route("/metrics", get(move |node, headers| metrics_text(node, headers, started)))
            .with_state(node.clone());
        let (protocol, proxies) = (HttpConnectionServer::new(&node.config), Arc::new(node.proxies.clone()));
        let serving = tokio::spawn(async move {
            let mut lane = NewestConnections::new(MAX_CONNECTIONS);
            loop {
                let (tcp, peer) = accept(&listener).await;
                let (router, proxies) = (router.clone(), proxies.clone());
                let requests = ConnectionService { router, proxies, peer, place: None, id: ConnectionId::next() };
                lane.spawn(protocol.clone().serve(tcp, requests, CancellationToken::new()));
            }
        });
        Ok(Some(Self { address, _serving: AbortOnDropHandle::new(serving) }))
    }
}

/// Returns the routes for connections without a slot: health checks, and `busy` for everything else.
pub(super) fn overflow(node: &Arc<Node>) -> Router {
    let busy = async || {
        let message = "too many connections, in total or from your address; retry later";
        Problem::new(Code::Busy, message).retry_after(5_000)
    };
    let close = async |request: Request, next: Next| {
        let version = request.version();
        let mut response = next.run(request).await;
        if version < Version::HTTP_2 {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    };
    health().fallback(busy).with_state(node.clone()).layer(from_fn(close))
}

/// Returns the routes for health checks.
pub(super) fn health() -> Router<Arc<Node>> {
    Router::new().route("/healthz", get(async || "ok\n")).route("/readyz", get(ready))
}

async fn ready(State(node): State<Arc<Node>>) -> Response {
    let readiness = readiness(&node);
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

fn readiness(node: &Node) -> Readiness {
    let timeout = Duration::from_secs(node.config.store.unready_seconds);
    // Without Redis, the bus is within this process and cannot fail.
    let bus = node.bus.as_ref().filter(|_| node.config.redis_url.is_some()).map(|bus| bus.status().borrow().clone());
    let bus = bus.map(|status| BusReadiness::new(&status, Duration::from_millis(node.config.feed.poll_ms)));
    node.health.readiness(timeout, node.stopping.is_cancelled(), bus).with_mcp(node.mcp.status())
}

async fn metrics_text(State(node): State<Arc<Node>>, headers: HeaderMap, started: Timestamp) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    let format = Exposition::accepted(accept);
    let text = format.write(telemetry::render(&scrape(&node, started)));
    ([(header::CONTENT_TYPE, format.content_type()), (header::VARY, "accept")], text).into_response()
}

fn scrape(node: &Node, started: Timestamp) -> Scrape {
    use std::sync::atomic::Ordering::Relaxed;
    let scrape = Scrape::default();
    let readiness = readiness(node);
    let size = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    scrape.started.set(i64::try_from(started.millis() / 1000).unwrap_or(i64::MAX));
    scrape.build.set([env!("CARGO_PKG_VERSION")], 1);
    scrape.ready.set(readiness.ready.into());
    scrape.store_up.set(readiness.store.ok.into());
    scrape.lease_held.set(node.session_registry.may_write().into());
    scrape.bus_up.set(readiness.bus.is_none_or(|bus| bus.ok).into());
    for (server, part) in &readiness.mcp {
        scrape.mcp_up.set([server], part.ok.into());
    }
    if let Some(bus) = &node.bus {
        let carried = bus.traffic();
        scrape.bus_published.inc_by(carried.published.load(Relaxed));
        scrape.bus_dropped.inc_by(carried.dropped.load(Relaxed));
        scrape.bus_received.inc_by(carried.received.load(Relaxed));
        scrape.bus_lost.inc_by(carried.lost.load(Relaxed));
        scrape.bus_reconnections.inc_by(carried.reconnections.load(Relaxed));
    }
    scrape.connections.set(size(node.sockets.traffic.connections.load(Relaxed)));
    scrape.sent.inc_by(node.sockets.traffic.sent_bytes.load(Relaxed));
    scrape.sessions.set(size(node.session_registry.len()));
    scrape.feeds.set(size(node.feeds.len()));
    scrape
}
