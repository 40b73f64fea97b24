//! Error response of the door: `{"detail": …}` with an HTTP status, as in the framework of its specification.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::protocol::{Code, Problem};

/// Error response to a request.
#[derive(Debug)]
pub(super) struct TeamChatError {
    status: StatusCode,
    detail: Value,
}

impl TeamChatError {
    pub(super) fn empty_message() -> Self {
        Self { status: StatusCode::BAD_REQUEST, detail: "消息不能为空".into() }
    }

    pub(super) fn not_waiting() -> Self {
        Self { status: StatusCode::BAD_REQUEST, detail: "当前会话不在等待反馈状态".into() }
    }

    pub(super) fn unknown_conversation() -> Self {
        Self { status: StatusCode::NOT_FOUND, detail: "会话不存在".into() }
    }

    pub(super) fn unknown_file(id: &str) -> Self {
        let id: String = id.chars().take(100).collect();
        Self { status: StatusCode::BAD_REQUEST, detail: format!("文件不存在: {id}").into() }
    }
}

impl From<Problem> for TeamChatError {
    fn from(problem: Problem) -> Self {
        let status = StatusCode::from_u16(problem.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let message = problem.0.message.to_string();
        match problem.code() {
            Code::UnknownSession => Self::unknown_conversation(),
            Code::UnknownFile => {
                let details = problem.0.details.as_ref();
                Self::unknown_file(details.and_then(|details| details["file"].as_str()).unwrap_or_default())
            }
            // Format of validation errors in that framework.
            Code::BadFrame | Code::InvalidArgument => Self {
                status: StatusCode::UNPROCESSABLE_ENTITY,
                detail: json!([{ "loc": ["body"], "msg": message, "type": "value_error" }]),
            },
            _ => Self { status, detail: message.into() },
        }
    }
}

impl IntoResponse for TeamChatError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "detail": self.detail }))).into_response()
    }
}
