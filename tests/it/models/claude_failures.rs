//! Failures of Claude's Messages API: the same codes as for other providers, after one request.

use std::time::Duration;

use roundtable::agent::{ProviderSettings, TurnError};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::claude_streams::{block, events, play_stream, start, stop, text};
use super::stub::{ModelStub, StubResponse};
use super::{claude, models, turn, turn_request};

async fn fail(script: StubResponse, change: impl FnOnce(&mut ProviderSettings)) -> (TurnError, ModelStub) {
    let stub = ModelStub::start(script).await;
    let models = models(&claude(&stub.base_url, change));
    let failure = turn(&models, turn_request("m", "hello")).await.0.expect_err("a failure");
    (failure, stub)
}

fn error(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_1" })
}

/// Returns the status and body of each of the API's errors, and the code and retryability that it maps to.
fn table() -> Vec<(u16, Value, &'static str, bool)> {
    let low = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.";
    let long = "prompt is too long: 208310 tokens > 200000 maximum";
    let both = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000";
    let limited = "Rate limit reached for requests. Visit https://api.example/account/billing to raise it.";
    let spent = "You have reached your specified API usage limits. You will regain access on 2026-12-01.";
    vec![
        (400, error("invalid_request_error", "tools.0.name: too short"), "model_bad_request", false),
        (400, error("invalid_request_error", long), "context_too_large", false),
        (400, error("invalid_request_error", both), "context_too_large", false),
        (400, error("invalid_request_error", low), "model_quota_exhausted", false),
        (400, error("invalid_request_error", spent), "model_quota_exhausted", false),
        (401, error("authentication_error", "invalid x-api-key"), "model_unauthorized", false),
        (402, error("billing_error", "payment"), "model_quota_exhausted", false),
        (403, error("permission_error", "not yours"), "model_unauthorized", false),
        (404, error("not_found_error", "model: m"), "model_not_found", false),
        (413, error("request_too_large", "too many bytes"), "context_too_large", false),
        (429, error("rate_limit_error", "slow down"), "model_rate_limited", true),
        (429, error("rate_limit_error", limited), "model_rate_limited", true),
        (500, error("api_error", "Internal server error"), "model_unavailable", true),
        (504, error("timeout_error", "took too long"), "model_timeout", true),
        (529, error("overloaded_error", "Overloaded"), "model_unavailable", true),
    ]
}

#[tokio::test]
async fn every_error_has_its_code_as_a_status_and_within_a_stream() {
    for (status, body, code, retryable) in table() {
        let script = StubResponse::status(status, &body.to_string()).header("retry-after", "7");
        let (failure, stub) = fail(script, |_| {}).await;
        assert_eq!((&*failure.error.code, failure.retryable), (code, retryable), "{status} {body}");
        assert_eq!(failure.retry_after_ms, retryable.then_some(7_000), "{status} {body}");
        assert_eq!(stub.requests().len(), 1, "trying again is not this layer's");

        let (answer, fragments) =
            play_stream(events(&[vec![start()], text(0, &["ha"]), vec![body.clone()]].concat())).await;
        let failure = answer.expect_err("a failure");
        assert_eq!((&*failure.error.code, failure.retryable), (code, retryable), "{body}");
        assert_eq!(fragments, ["ha"]);
    }
}

#[tokio::test]
async fn texts_of_the_provider_are_not_passed_on() {
    for kind in ["api_error", "invalid_request_error", "overloaded_error", "brand_new_error"] {
        let body = error(kind, "key sk-ant-secret of somebody");
        let streamed = play_stream(events(std::slice::from_ref(&body))).await.0.expect_err("a failure");
        let (answered, _) = fail(StubResponse::status(500, &body.to_string()), |_| {}).await;
        for failure in [streamed, answered] {
            assert!(!failure.error.message.contains("secret"), "{}", failure.error.message);
        }
    }
}

#[tokio::test]
async fn a_stream_that_ends_before_its_last_event_is_an_error() {
    let whole = [vec![start()], text(0, &["ha", "lf"]), stop("end_turn")].concat();
    for kept in 0..whole.len() {
        let failure = play_stream(events(&whole[..kept])).await.0.expect_err("a failure");
        assert_eq!((&*failure.error.code, failure.retryable), ("model_stream_cut", true), "after {kept} events");
    }
    assert_eq!(play_stream(events(&whole)).await.0.expect("whole").text, "half");
}

#[tokio::test]
async fn invalid_streams_are_errors() {
    let unnamed = json!({ "type": "tool_use", "id": "a", "input": {} });
    let reasonless = vec![json!({ "type": "message_delta", "delta": {} }), json!({ "type": "message_stop" })];
    let table = [
        ("no JSON", "data: {\"type\"\n\n".to_owned(), "model_bad_response"),
        ("no object", "data: 5\n\n".into(), "model_bad_response"),
        ("no type", "data: {}\n\n".into(), "model_bad_response"),
        ("no words", events(&[vec![start()], stop("end_turn")].concat()), "model_bad_response"),
        ("only thoughts", events(&[vec![start()], stop("max_tokens")].concat()), "model_bad_response"),
        ("no name", events(&[vec![start()], block(0, unnamed, &[]), stop("tool_use")].concat()), "model_bad_response"),
        ("refused", events(&[vec![start()], stop("refusal")].concat()), "model_refused"),
        ("refused late", events(&[vec![start()], text(0, &["Well, "]), stop("refusal")].concat()), "model_refused"),
        ("no reason", events(&[vec![start()], text(0, &["a"]), reasonless].concat()), "model_stream_cut"),
        ("OpenAI's", "data: {\"choices\":[]}\n\ndata: [DONE]\n\n".into(), "model_bad_response"),
    ];
    for (what, stream, code) in table {
        let failure = play_stream(stream).await.0.expect_err(what);
        assert_eq!(&*failure.error.code, code, "{what}");
    }
    let failure = play_stream(b"data: \xff\xfe\n\n".as_slice()).await.0.expect_err("no UTF-8");
    assert_eq!(&*failure.error.code, "model_bad_response");
}

#[tokio::test]
async fn the_bounds_of_a_provider_are_the_same_for_every_kind() {
    let more = events(&[vec![start()], text(0, &["more"; 100])].concat());
    let (failure, _) = fail(StubResponse::stream(more), |provider| provider.max_response_bytes = 2_000).await;
    assert_eq!((&*failure.error.code, failure.retryable), ("model_bad_response", false));
    let (failure, _) = fail(StubResponse::status(200, "{}"), |_| {}).await;
    assert_eq!(&*failure.error.code, "model_bad_response");
    assert!(failure.error.message.contains("https://api.anthropic.com"), "{}", failure.error.message);
    let elsewhere = ModelStub::start(StubResponse::stream("")).await;
    let (failure, _) = fail(StubResponse::status(307, "").header("location", &elsewhere.base_url), |_| {}).await;
    assert_eq!((&*failure.error.code, failure.retryable), ("model_unavailable", false));
    assert!(elsewhere.requests().is_empty(), "the key goes nowhere else");
}

/// Runs a turn with a server that sends this and then nothing more, but stays connected until the turn is over.
async fn send_and_hold(sent: &str, change: impl FnOnce(&mut ProviderSettings)) -> Result<String, TurnError> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{sent}");
    let models = models(&claude(&base_url, change));
    let serving = async {
        let (mut connection, _) = listener.accept().await.expect("a connection");
        let mut request = vec![];
        while !String::from_utf8_lossy(&request).contains("hello\"") {
            connection.read_buf(&mut request).await.expect("a request");
        }
        connection.write_all(answer.as_bytes()).await.expect("written");
        std::future::pending::<()>().await;
    };
    tokio::select! {
        (answer, _) = turn(&models, turn_request("m", "hello")) => answer.map(|answer| answer.text),
        () = serving => panic!("the connection stays open"),
    }
}

#[tokio::test]
async fn a_silent_stream_times_out_and_a_complete_one_is_not_awaited() {
    let half = events(&[vec![start()], text(0, &["half"])].concat());
    let failure = send_and_hold(&half, |provider| provider.idle_ms = 100).await.expect_err("silence");
    assert_eq!((&*failure.error.code, failure.retryable), ("model_timeout", true));
    let whole = half + &events(&stop("end_turn"));
    let patient = |provider: &mut ProviderSettings| (provider.idle_ms, provider.trailer_ms) = (60_000, 60_000);
    let answer = tokio::time::timeout(Duration::from_secs(10), send_and_hold(&whole, patient)).await;
    assert_eq!(answer.expect("at once").expect("an answer"), "half");
}
