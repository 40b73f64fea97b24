//! Chunks of a streamed chat completion, as server-sent events.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde_json::{Value, json};

/// Returns a chunk with text.
pub fn text(text: &str) -> Bytes {
    chunk(&json!({ "content": text }), None)
}

/// Returns a chunk with a tool call.
pub fn call(name: &str, arguments: &Value) -> Bytes {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    chunk(&json!({ "tool_calls": [{ "index": 0, "id": "call", "type": "function", "function": function }] }), None)
}

/// Returns the last chunk, with the finish reason `stop` or `tool_calls`.
pub fn end(reason: &str) -> Bytes {
    Bytes::from([&chunk(&json!({}), Some(reason))[..], b"data: [DONE]\n\n"].concat())
}

/// Returns a response with these chunks.
pub fn stream(body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], body.into()).into_response()
}

fn chunk(delta: &Value, finish: Option<&str>) -> Bytes {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    let chunk = json!({ "id": "clock", "object": "chat.completion.chunk", "created": 0, "model": "clock", "choices": [choice] });
    Bytes::from(format!("data: {chunk}\n\n"))
}
