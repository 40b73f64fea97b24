//! Error response of several doors' specifications: `{"detail": …}` with an HTTP status.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::protocol::Problem;

/// Error response `{"detail": …, "code": …, "retryable": …}`.
#[derive(Debug)]
pub(super) struct DetailError(pub(super) Problem);

impl<T: Into<Problem>> From<T> for DetailError {
    fn from(problem: T) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for DetailError {
    fn into_response(self) -> Response {
        let problem = &*self.0.0;
        let status = StatusCode::from_u16(problem.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(json!({ "detail": problem.message, "code": problem.code, "retryable": problem.retryable })))
            .into_response()
    }
}
