//! Error response of several doors' specifications: `{"detail": …}` with an HTTP status.

use std::sync::Arc;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::protocol::{Code, ErrorBody, Problem};

/// Error response `{"detail": …, "code": …, "retryable": …}`.
#[derive(Debug)]
pub(super) struct DetailError(pub(super) Problem);

/// Body of an error response.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DetailErrorBody {
    /// Explanation for people: what happened, then what to do.
    detail: Arc<str>,
    /// Error code, for example `rate_limited`.
    code: Code,
    /// True if the same request can succeed later.
    retryable: bool,
}

/// Body of an error response of a door: its own, or the server's if the request did not reach the door.
#[derive(Debug, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum DoorErrorBody {
    /// Error of the door.
    Door(DetailErrorBody),
    /// Error of the server.
    Server(ErrorBody),
}

impl<T: Into<Problem>> From<T> for DetailError {
    fn from(problem: T) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for DetailError {
    fn into_response(self) -> Response {
        let problem = &*self.0.0;
        let status = StatusCode::from_u16(problem.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (code, retryable) = (problem.code, problem.retryable);
        let body = DetailErrorBody { detail: problem.message.clone(), code, retryable };
        (status, Json(body)).into_response()
    }
}
