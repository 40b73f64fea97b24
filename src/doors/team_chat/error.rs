//! Error response of the door: `{"detail": …}` with an HTTP status, as in the web framework that its specification
//! uses.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::first_chars;
use crate::openapi::ErrorFormat;
use crate::protocol::{Code, Problem};

/// Error response to a request.
#[derive(Debug)]
pub(super) struct TeamChatError {
    problem: Problem,
    status: StatusCode,
    detail: TeamChatDetail,
}

/// Body of an error response.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TeamChatErrorBody {
    /// Message of the error, or the invalid fields of the request.
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

impl TeamChatError {
    fn with_text(code: Code, status: StatusCode, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { problem: Problem::new(code, text.as_str()), status, detail: TeamChatDetail::Text(text) }
    }

    pub(super) fn empty_message() -> Self {
        Self::with_text(Code::InvalidArgument, StatusCode::BAD_REQUEST, "消息不能为空")
    }

    pub(super) fn unnamed_conversation() -> Self {
        let text = "is_feedback 为 true 时必须提供 conversation_id（响应头 x-conversation-id 的值）；开始新会话时请不要设置 is_feedback";
        Self::with_text(Code::InvalidArgument, StatusCode::BAD_REQUEST, text)
    }

    pub(super) fn not_waiting() -> Self {
        Self::with_text(Code::NotWaiting, StatusCode::BAD_REQUEST, "当前会话不在等待反馈状态")
    }

    pub(super) fn unknown_conversation() -> Self {
        Self::with_text(Code::UnknownSession, StatusCode::NOT_FOUND, "会话不存在")
    }

    pub(super) fn unknown_file(id: &str) -> Self {
        let text = format!("文件不存在: {}", first_chars(id, 100));
        Self::with_text(Code::UnknownFile, StatusCode::BAD_REQUEST, text)
    }
}

impl From<Problem> for TeamChatError {
    fn from(problem: Problem) -> Self {
        let status = StatusCode::from_u16(problem.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let msg = problem.0.message.to_string();
        match problem.code() {
            Code::UnknownSession => Self::unknown_conversation(),
            Code::UnknownFile => {
                let details = problem.0.details.as_ref();
                Self::unknown_file(details.and_then(|details| details["file"].as_str()).unwrap_or_default())
            }
            // Format of validation errors in the framework of the specification.
            Code::BadFrame | Code::InvalidArgument => Self {
                problem,
                status: StatusCode::UNPROCESSABLE_ENTITY,
                detail: TeamChatDetail::Fields([TeamChatFieldError { loc: ["body"], msg, r#type: "value_error" }]),
            },
            _ => Self { problem, status, detail: TeamChatDetail::Text(msg) },
        }
    }
}

impl IntoResponse for TeamChatError {
    fn into_response(self) -> Response {
        let mut response = self.problem.response_with(Json(TeamChatErrorBody { detail: self.detail }));
        *response.status_mut() = self.status;
        response
    }
}

impl ErrorFormat for TeamChatError {
    type Body = TeamChatErrorBody;
}
