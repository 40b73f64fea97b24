//! A way of saying no that the documents of several doors share: `{"detail": …}` with a status.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::protocol::Problem;

/// Why a request is refused.
#[derive(Debug)]
pub(super) struct Detail(pub(super) Problem);

impl<T: Into<Problem>> From<T> for Detail {
    fn from(problem: T) -> Self {
        Self(problem.into())
    }
}

impl IntoResponse for Detail {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(json!({ "detail": self.0.0.message, "code": self.0.code() }))).into_response()
    }
}
