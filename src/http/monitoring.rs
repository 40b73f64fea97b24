//! What machines ask that watch over the server: whether it lives, whether it takes work, and its figures.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use crate::clock;
use crate::health::{BusPart, Readiness};
use crate::kernel::Timestamp;
use crate::node::Node;
use crate::telemetry::{self, Scrape};

/// The second address, `metrics_listen`; it is served until this is dropped, also while the server drains.
pub struct Monitoring {
    /// Where it is.
    pub address: SocketAddr,
    _serving: AbortOnDropHandle<()>,
}

impl Monitoring {
    /// Serve metrics and health on `metrics_listen`, if it is set.
    ///
    /// # Errors
    /// Where the address cannot be had.
    pub async fn start(node: &Arc<Node>) -> anyhow::Result<Option<Self>> {
        let Some(listen) = &node.config.metrics_listen else { return Ok(None) };
        let started = clock::now();
        let listener = TcpListener::bind(listen);
        let listener =
            listener.await.with_context(|| format!("cannot listen on {listen}, which metrics_listen names"))?;
        let address = listener.local_addr()?;
        let router = health().route("/metrics", get(move |node| metrics(node, started))).with_state(node.clone());
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "metrics are no longer served");
            }
        });
        Ok(Some(Self { address, _serving: AbortOnDropHandle::new(serving) }))
    }
}

/// Whether the process lives, and whether it is to be sent work.
pub(super) fn health() -> Router<Arc<Node>> {
    Router::new().route("/healthz", get(async || "ok\n")).route("/readyz", get(ready))
}

async fn ready(State(node): State<Arc<Node>>) -> Response {
    let readiness = readiness(&node);
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

fn readiness(node: &Node) -> Readiness {
    let patience = Duration::from_secs(node.config.store.unready_seconds);
    // The bus within one process leads nowhere else.
    let bus = node.bus.as_ref().filter(|_| node.config.redis_url.is_some()).map(|bus| bus.status().borrow().clone());
    let bus = bus.map(|status| BusPart::new(&status, Duration::from_millis(node.config.feed.poll_ms)));
    node.health.readiness(patience, node.stopping.is_cancelled(), bus).with_mcp(node.mcp.status())
}

async fn metrics(State(node): State<Arc<Node>>, started: Timestamp) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], telemetry::render(&scrape(&node, started))).into_response()
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
    scrape.lease_held.set(node.orchestrators.may_write().into());
    scrape.bus_up.set(readiness.bus.is_none_or(|bus| bus.ok).into());
    for (server, part) in &readiness.mcp {
        scrape.mcp_up.set([server], part.ok.into());
    }
    if let Some(bus) = &node.bus {
        let carried = bus.traffic();
        scrape.bus_published.inc_by(carried.published.load(Relaxed));
        scrape.bus_dropped.inc_by(carried.dropped.load(Relaxed));
        scrape.bus_heard.inc_by(carried.heard.load(Relaxed));
        scrape.bus_lost.inc_by(carried.lost.load(Relaxed));
        scrape.bus_reconnections.inc_by(carried.reconnections.load(Relaxed));
    }
    scrape.connections.set(size(node.sockets.traffic.connections.load(Relaxed)));
    scrape.sent.inc_by(node.sockets.traffic.sent_bytes.load(Relaxed));
    scrape.sessions.set(size(node.orchestrators.len()));
    scrape.feeds.set(size(node.feeds.len()));
    scrape
}
