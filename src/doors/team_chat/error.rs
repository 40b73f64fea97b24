//! Error response of the door: `{"detail": …}` with an HTTP status, as in the framework of its specification.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::first_chars;
use crate::protocol::{Code, ErrorBody, Problem};

/// Error response to a request.
#[derive(Debug)]
pub(super) struct TeamChatError {
    status: StatusCode,
    detail: TeamChatDetail,
}

/// Body of an error response.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamChatErrorBody {
    /// Explanation.
    detail: TeamChatDetail,
}

/// Explanation of an error.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum TeamChatDetail {
    /// Text for people.
    Text(String),
    /// Invalid parts of the request.
    Fields([TeamChatFieldError; 1]),
}

/// Invalid part of a request.
#[derive(Debug, Serialize, JsonSchema)]
struct TeamChatFieldError {
    /// Path of the part, always `["body"]`.
    loc: [&'static str; 1],
    /// Text for people.
    msg: String,
    /// Kind of the error, always `value_error`.
    r#type: &'static str,
}

/// Body of an error response: the door's own, or the server's if the request did not reach the door.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum TeamChatDoorErrorBody {
    /// Error of the door.
    Door(TeamChatErrorBody),
    /// Error of the server.
    Server(ErrorBody),
}

impl TeamChatError {
    pub(super) fn empty_message() -> Self {
        Self { status: StatusCode::BAD_REQUEST, detail: TeamChatDetail::Text("消息不能为空".into()) }
    }

    pub(super) fn not_waiting() -> Self {
        Self {
            status: StatusCode::BAD_REQUEST, detail: TeamChatDetail::Text("当前会话不在等待反馈状态".into())
        }
    }

    pub(super) fn unknown_conversation() -> Self {
        Self { status: StatusCode::NOT_FOUND, detail: TeamChatDetail::Text("会话不存在".into()) }
    }

    pub(super) fn unknown_file(id: &str) -> Self {
        let id = first_chars(id, 100);
        Self { status: StatusCode::BAD_REQUEST, detail: TeamChatDetail::Text(format!("文件不存在: {id}")) }
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
                detail: TeamChatDetail::Fields([TeamChatFieldError {
                    loc: ["body"],
                    msg: message,
                    r#type: "value_error",
                }]),
            },
            _ => Self { status, detail: TeamChatDetail::Text(message) },
        }
    }
}

impl IntoResponse for TeamChatError {
    fn into_response(self) -> Response {
        (self.status, Json(TeamChatErrorBody { detail: self.detail })).into_response()
    }
}
