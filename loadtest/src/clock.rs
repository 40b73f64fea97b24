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

use crate::{machine, pieces, timestamped_listener};

/// Serves on a free port until this process ends. Returns the settings of a server that uses it.
pub async fn serve(rate: u64, tokens: u64) -> anyhow::Result<[(&'static str, String); 4]> {
    let answer = move |_: Bytes| async move { stream(rate, tokens, String::new(), || ()) };
    let app = axum::Router::new().route("/v1/chat/completions", post(answer));
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

/// Streams this many tokens at this rate, the first one after `first`. Notifies `ended` when the last chunk is sent.
pub fn stream(rate: u64, tokens: u64, first: String, ended: impl FnOnce() + Send + 'static) -> Response {
    // Runs begin together, but their tokens must not arrive together.
    let offset = machine::nanos() % (1_000_000_000 / rate);
    let start = tokio::time::Instant::now() + Duration::from_nanos(offset);
    let ticks = tokio::time::interval_at(start, Duration::from_secs_f64(1.0 / rate as f64));
    let begun = (ticks, 0, first, Some(ended));
    let stream = stream::unfold(begun, move |(mut ticks, index, before, mut ended)| async move {
        if index > tokens {
            return None;
        }
        ticks.tick().await;
        let bytes = if index == tokens {
            ended.take().into_iter().for_each(|ended| ended());
            pieces::end("stop")
        } else {
            pieces::words(&format!("{before}@{}@ ", machine::nanos()))
        };
        Some((Ok::<_, Infallible>(bytes), (ticks, index + 1, String::new(), ended)))
    });
    pieces::stream(Body::from_stream(stream))
}
