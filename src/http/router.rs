//! Every path.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use super::{client, error, layers};
use crate::node::Node;

/// The whole server as one service.
pub fn router(node: Arc<Node>) -> Router {
    let places = Arc::new(Semaphore::new(node.config.http.concurrent_requests));
    let pages = Router::new()
        .route("/", get(client::page))
        .route("/s/{*session}", get(client::page))
        .route("/sign-in", get(client::page))
        .route("/invite", get(client::page));
    let timed = Router::new().merge(pages).layer(from_fn_with_state(node.clone(), layers::timeout));
    let named = Router::new()
        .merge(timed)
        .fallback(get(client::file).fallback(error::not_found))
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(DefaultBodyLimit::max(node.config.http.body_bytes))
        .layer(from_fn_with_state(node.clone(), layers::host))
        .layer(from_fn_with_state(places, layers::concurrency));
    // Whoever asks after our health asks by address, and also when there is much to do.
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .merge(named)
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(from_fn(layers::secure))
        .layer(from_fn(layers::trace))
        .with_state(node)
}
