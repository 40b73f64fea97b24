//! A model whose tokens carry their send time. Viewers can therefore measure the latency of the whole path: provider
//! client, orchestrator, feed and socket.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use futures_util::stream;

use crate::{chunks, machine, timestamped_listener};

/// Serves on a free port until this process ends. Returns the settings of a server that uses the model.
pub async fn serve(rate: u64, tokens: u64) -> anyhow::Result<[(&'static str, String); 4]> {
    let respond = move |_: Bytes| async move { stream(rate, tokens, String::new(), || ()) };
    let app = axum::Router::new().route("/v1/chat/completions", post(respond));
    Ok(settings(timestamped_listener::serve(app).await?, "clock"))
}

/// Returns the settings of a server whose agents use the model with this name at this address.
pub fn settings(address: SocketAddr, model: &str) -> [(&'static str, String); 4] {
    [
        ("ONLY_DEMO_MODEL", "false".to_owned()),
        ("PROVIDERS__DEFAULT", format!("clock/{model}")),
        ("PROVIDERS__NAMED__CLOCK__BASE_URL", format!("http://{address}/v1")),
        ("PROVIDERS__NAMED__CLOCK__MAX_CONCURRENT_REQUESTS", "4096".to_owned()),
    ]
}

/// Streams this many tokens at this rate, the first one with the prefix `first`. Calls `on_end` when the last chunk is
/// sent.
pub fn stream(rate: u64, tokens: u64, first: String, on_end: impl FnOnce() + Send + 'static) -> Response {
    // Runs start at the same time, but their tokens must not arrive at the same time.
    let offset = machine::nanos() % (1_000_000_000 / rate);
    let start = tokio::time::Instant::now() + Duration::from_nanos(offset);
    let ticks = tokio::time::interval_at(start, Duration::from_secs_f64(1.0 / rate as f64));
    let state = (ticks, 0, first, Some(on_end));
    let stream = stream::unfold(state, move |(mut ticks, index, prefix, mut on_end)| async move {
        if index > tokens {
            return None;
        }
        ticks.tick().await;
        let bytes = if index == tokens {
            on_end.take().into_iter().for_each(|on_end| on_end());
            chunks::end("stop")
        } else {
            chunks::text(&format!("{prefix}@{}@ ", machine::nanos()))
        };
        Some((Ok::<_, Infallible>(bytes), (ticks, index + 1, String::new(), on_end)))
    });
    chunks::stream(Body::from_stream(stream))
}
