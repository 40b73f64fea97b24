//! A model that says what time it is: each token it streams carries the moment when it was sent, so that viewers can tell
//! how late it is after its way through the provider's client, the orchestrator, the feed and the socket.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use futures_util::stream;

use crate::{arrival, machine, pieces};

/// Serve on a free port until this process ends; the settings of a server that asks it.
pub async fn serve(rate: u64, tokens: u64) -> anyhow::Result<[(&'static str, String); 4]> {
    let answer = move |_: Bytes| async move { stream(rate, tokens, String::new(), || ()) };
    let app = axum::Router::new().route("/v1/chat/completions", post(answer));
    Ok(settings(arrival::serve(app).await?, "clock"))
}

/// The settings of a server whose agents ask the model of this name at this address.
pub fn settings(address: SocketAddr, model: &str) -> [(&'static str, String); 4] {
    [
        ("ONLY_DEMO_MODEL", "false".to_owned()),
        ("PROVIDERS__DEFAULT", format!("clock/{model}")),
        ("PROVIDERS__NAMED__CLOCK__BASE_URL", format!("http://{address}/v1")),
        ("PROVIDERS__NAMED__CLOCK__CONCURRENCY", "4096".to_owned()),
    ]
}

/// So many tokens, so many a second, the first of them behind these words; `ended` is told when the last piece is sent.
pub fn stream(rate: u64, tokens: u64, first: String, ended: impl FnOnce() + Send + 'static) -> Response {
    // Runs begin together; their tokens must not.
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
