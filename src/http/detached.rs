//! Runs requests that change data to completion, even if the client disconnects.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use crate::audit::RequestOrigin;
use crate::limits::RequestPermit;
use crate::protocol::Problem;

/// Response extension that marks a handler that ran to completion independently of its client.
#[derive(Debug, Clone, Copy)]
pub struct DetachedMarker;

/// Runs the handler of an unsafe method (RFC 9110, section 9.2.1) in its own task. Otherwise, if a client disconnected
/// between two writes, only the first one would take effect, for example a session without its first message (law 8).
/// This layer is inside the timeout layer, because a timeout must not cancel the work halfway either. The task keeps
/// the request's slot, because work without a client still uses resources.
pub(super) async fn detached(request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let place = request.extensions().get::<RequestPermit>().cloned();
    let work = async move {
        let mut response = next.run(request).await;
        drop(place);
        response.extensions_mut().insert(DetachedMarker);
        response
    };
    let work = RequestOrigin::current().scope(work).in_current_span();
    match tokio::spawn(work).await {
        Ok(response) => response,
        // The outer layer responds to, counts and logs all panics.
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(error) => Problem::internal(error).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::Router;
    use axum::body::Body;
    use axum::http::{Method, StatusCode};
    use axum::middleware::from_fn;
    use axum::routing::any;
    use tokio::sync::Notify;
    use tower::ServiceExt;

    use super::*;

    /// Returns whether the handler of a request completes although its client disconnects before the response.
    async fn is_carried_out(method: Method) -> bool {
        let (started, go, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
        let handler = {
            let (started, go, done) = (started.clone(), go.clone(), done.clone());
            move || async move {
                started.notify_one();
                go.notified().await;
                done.notify_one();
                StatusCode::NO_CONTENT
            }
        };
        let app: Router = Router::new().route("/", any(handler)).route_layer(from_fn(detached));
        let request = Request::builder().method(method).uri("/").body(Body::empty()).expect("a request");
        let call = tokio::spawn(app.oneshot(request));
        started.notified().await;
        call.abort();
        call.await.expect_err("hung up");
        // Only a handler that still runs waits for this notification.
        go.notify_one();
        tokio::task::yield_now().await;
        tokio::time::timeout(std::time::Duration::from_millis(50), done.notified()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_continues_when_its_caller_disconnects() {
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(is_carried_out(method.clone()).await, "{method}");
        }
        assert!(!is_carried_out(Method::GET).await, "nobody reads it");
    }
}
