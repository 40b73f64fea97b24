//! HTTP server: chat completions, the list of models, and two paths for tests that run the server as a separate
//! process.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State as Shared};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::DemoModel;
use super::reply::DemoReply;
use super::settings::ModelNameError;
use super::state::{DemoState, LoggedRequest, OpenStream};
use super::stream::ReplyStream;
use super::{DemoSettings, Fault};

/// Maximum size of a request, in bytes: room for a hundred long messages.
const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

pub(super) fn router(state: Arc<DemoState>) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/demo/counters", get(|Shared(state): Shared<Arc<DemoState>>| async move { Json(state.now()) }))
        .route("/demo/release", post(release))
        .route("/healthz", get(async || "ok"))
        .fallback(async || {
            error(StatusCode::NOT_FOUND, "not_found", "unknown path; use /v1/chat/completions or /v1/models")
        })
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(state)
}

async fn models() -> Json<Value> {
    let models =
        DemoModel::NAMES.map(|name| json!({ "id": name, "object": "model", "created": 0, "owned_by": "roundtable" }));
    Json(json!({ "object": "list", "data": models }))
}

async fn release(Shared(state): Shared<Arc<DemoState>>) -> StatusCode {
    state.release();
    StatusCode::NO_CONTENT
}

async fn complete(
    Shared(state): Shared<Arc<DemoState>>,
    body: Result<Json<Value>, axum::extract::rejection::JsonRejection>,
) -> Response {
    let Ok(Json(body)) = body else {
        return error(
            StatusCode::BAD_REQUEST,
            "invalid_json",
            "the body is not JSON or is too large; send a smaller JSON body",
        );
    };
    let (Some(model), Some(messages)) = (body["model"].as_str(), body["messages"].as_array()) else {
        return error(StatusCode::BAD_REQUEST, "invalid_request", "model or messages is missing; send both");
    };
    let settings = match state.settings.for_model(model) {
        Ok(settings) => settings,
        Err(ModelNameError::Unknown) => {
            return error(
                StatusCode::NOT_FOUND,
                "model_not_found",
                "the model does not exist; use demo, demo-fast or demo-slow",
            );
        }
        Err(ModelNameError::Option(why)) => return error(StatusCode::BAD_REQUEST, "invalid_request", &why),
    };
    state.log(LoggedRequest { model: model.to_owned(), messages: messages.clone() });
    let fault = settings.fault.filter(|_| state.goes_wrong(model, &settings));
    match fault {
        Some(Fault::TooManyRequests) => {
            let mut refused =
                error(StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded", "scripted: too many requests");
            refused.headers_mut().insert(header::RETRY_AFTER, settings.retry_after_seconds.into());
            return refused;
        }
        Some(Fault::ServerError) => {
            return error(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "scripted: internal server error");
        }
        Some(Fault::Unauthorized) => {
            return error(StatusCode::UNAUTHORIZED, "invalid_api_key", "scripted: the key is invalid");
        }
        _ => {}
    }
    let mistake = settings.mistake.filter(|mistake| mistake.fits(&body));
    let mistake = mistake.filter(|mistake| state.takes_mistake(model, *mistake, settings.mistake_times));
    let reply = DemoReply::to(&body, settings.response_tokens, mistake);
    if body["stream"] == true {
        let with_usage = body["stream_options"]["include_usage"] == true;
        let writing = ReplyStream::new(state, settings, fault, model, reply, with_usage);
        let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
        return (headers, Body::from_stream(writing.into_stream())).into_response();
    }
    complete_response(state, &settings, fault, model, &reply).await
}

/// Returns a response that is not streamed, after the time that streaming it would have taken.
async fn complete_response(
    state: Arc<DemoState>,
    settings: &DemoSettings,
    fault: Option<Fault>,
    model: &str,
    reply: &DemoReply,
) -> Response {
    let mut open = OpenStream::new(state.clone());
    let rate = settings.tokens_per_second;
    let writing = if rate > 0.0 { reply.written() as f64 / rate } else { 0.0 };
    tokio::time::sleep(Duration::from_millis(settings.delay_ms) + Duration::from_secs_f64(writing.min(3_600.0))).await;
    if settings.hold_after_tokens.is_some() {
        state.hold().await;
    }
    open.complete();
    match fault {
        None => {}
        Some(Fault::Stall) => std::future::pending().await,
        Some(_) => return (StatusCode::OK, "scripted garbage").into_response(),
    }
    Json(json!({
        "id": "chatcmpl-demo",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{ "index": 0, "message": reply.message(), "finish_reason": reply.finish_reason() }],
        "usage": reply.usage(),
    }))
    .into_response()
}

fn error(status: StatusCode, code: &str, message: &str) -> Response {
    let body = json!({ "error": { "message": message, "type": code, "param": null, "code": code } });
    (status, Json(body)).into_response()
}
