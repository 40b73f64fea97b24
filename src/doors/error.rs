//! Error response that the specifications of several doors define: `{"detail": …}` with an HTTP status.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::openapi::ErrorFormat;
use crate::protocol::{Code, Problem};

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

impl<T: Into<Problem>> From<T> for DetailError {
    fn from(problem: T) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for DetailError {
    fn into_response(self) -> Response {
        let error = &*self.0.0;
        let (code, retryable) = (error.code, error.retryable);
        let body = DetailErrorBody { detail: error.message.clone(), code, retryable };
        self.0.response_with(Json(body))
    }
}

impl ErrorFormat for DetailError {
    type Body = DetailErrorBody;
}
