//! A model that says what time it is: each token it streams carries the moment when it was sent, so that viewers can tell
//! how late it is after its way through the provider's client, the orchestrator, the feed and the socket.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};

use crate::machine;

/// Serve on a free port until this process ends; the settings of a server that asks it.
pub async fn serve(rate: u64, tokens: u64) -> anyhow::Result<[(&'static str, String); 4]> {
    let answer = move |Json(request): Json<Value>| async move { answer(&request, rate, tokens) };
    let app = axum::Router::new().route("/v1/chat/completions", post(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        use axum::serve::ListenerExt;
        let listener = listener.tap_io(|tcp| {
            let _ = tcp.set_nodelay(true);
        });
        axum::serve(listener, app).await
    });
    Ok([
        ("ONLY_DEMO_MODEL", "false".to_owned()),
        ("PROVIDERS__DEFAULT", "clock/clock".to_owned()),
        ("PROVIDERS__NAMED__CLOCK__BASE_URL", format!("http://{address}/v1")),
        ("PROVIDERS__NAMED__CLOCK__CONCURRENCY", "4096".to_owned()),
    ])
}

fn answer(request: &Value, rate: u64, tokens: u64) -> Response {
    let model = request["model"].clone();
    let chunk = move |choice: Value| {
        let chunk = json!({ "id": "clock", "object": "chat.completion.chunk", "created": 0, "model": model, "choices": [choice] });
        Bytes::from(format!("data: {chunk}\n\n"))
    };
    // Runs begin together; their tokens must not.
    let offset = machine::nanos() % (1_000_000_000 / rate);
    let start = tokio::time::Instant::now() + Duration::from_nanos(offset);
    let ticks = tokio::time::interval_at(start, Duration::from_secs_f64(1.0 / rate as f64));
    let stream = stream::unfold((ticks, 0), move |(mut ticks, index)| {
        let chunk = chunk.clone();
        async move {
            if index > tokens {
                return None;
            }
            ticks.tick().await;
            let bytes = if index == tokens {
                let end = chunk(json!({ "index": 0, "delta": {}, "finish_reason": "stop" }));
                Bytes::from([&end[..], b"data: [DONE]\n\n"].concat())
            } else {
                let content = format!("@{}@ ", machine::nanos());
                chunk(json!({ "index": 0, "delta": { "content": content }, "finish_reason": null }))
            };
            Some((Ok::<_, Infallible>(bytes), (ticks, index + 1)))
        }
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(stream)).into_response()
}
