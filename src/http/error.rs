//! Errors as HTTP responses, with the status from the error table and the same body as over a socket.

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use super::operations::Operations;
use super::rate_limit;
use crate::protocol::{Code, Problem};

/// Error of a response that is in the standard format. [`apply_format`] replaces it with the format of the operation.
#[derive(Debug, Clone)]
struct StandardFormat(Problem);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.response_with(Json(&*self.0));
        response.extensions_mut().insert(StandardFormat(self));
        response
    }
}

impl Problem {
    /// Returns a response with the status and headers of the error and with this body. Doors pass the body that their
    /// specification defines.
    pub(crate) fn response_with(&self, body: impl IntoResponse) -> Response {
        let status = StatusCode::from_u16(self.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let seconds = self.0.retry_after_ms.map(|ms| ms.div_ceil(1000).max(1));
        let mut response = (status, body).into_response();
        if let Some(seconds) = seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        rate_limit::set_rejection_headers(&self.0, response.headers_mut());
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // The audit log and the log line of the request contain this code.
        response.extensions_mut().insert(self.code());
        response
    }
}

/// Converts errors in the standard format to the format of the operation. Most come from the layers around the handler,
/// such as authentication and rate limits. Without this conversion, a client of a door would have to parse two formats.
pub(super) async fn apply_format(State(operations): State<Operations>, request: Request, next: Next) -> Response {
    let format = operations.error_response(&request);
    let mut response = next.run(request).await;
    if let Some(format) = format
        && let Some(StandardFormat(problem)) = response.extensions_mut().remove()
    {
        let (mut parts, body) = format(problem).into_parts();
        *response.status_mut() = parts.status;
        *response.body_mut() = body;
        if let Some(kind) = parts.headers.remove(header::CONTENT_TYPE) {
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
        }
    }
    response
}

/// Returns the error for unknown paths.
pub(super) async fn not_found() -> Problem {
    Problem::new(Code::NotFound, "there is nothing at this path; /api/docs lists all paths")
}

/// Returns the error for paths that support other methods. Pages have only `GET`.
pub(super) async fn method_not_allowed(path: Option<MatchedPath>, operations: Extension<Operations>) -> Problem {
    let methods = path.and_then(|path| operations.methods(path.as_str())).unwrap_or_else(|| "GET".into());
    Problem::new(Code::MethodNotAllowed, format!("the path does not support this method; use {methods}"))
}
