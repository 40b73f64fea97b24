//! Requests that change something are carried out to their end, whether or not somebody still waits for the answer.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument;

use super::admission::RequestPlace;
use crate::audit::Origin;
use crate::protocol::Problem;

/// Mark on the answer of a handler that was run to its end whatever became of its caller.
#[derive(Debug, Clone, Copy)]
pub struct Detached;

/// Run the handler of an unsafe method (RFC 9110, section 9.2.1) in a task of its own: a caller who hangs up between two
/// writes would otherwise leave the first alone, as a session without the words that it was begun with (law 8). It goes
/// inside the time-out, which answers the caller but must not undo half of the work either. The task keeps the request's
/// place: work that nobody waits for any more still counts.
pub(super) async fn detached(request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    let place = request.extensions().get::<RequestPlace>().cloned();
    let work = async move {
        let mut response = next.run(request).await;
        drop(place);
        response.extensions_mut().insert(Detached);
        response
    };
    let work = Origin::current().scope(work).in_current_span();
    match tokio::spawn(work).await {
        Ok(response) => response,
        // The panic is answered, counted and logged where all are.
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

    /// Whether the handler of a request is at its end after the caller hung up in its middle.
    async fn is_carried_out(method: Method) -> bool {
        let (begun, go, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(Notify::new()));
        let handler = {
            let (begun, go, done) = (begun.clone(), go.clone(), done.clone());
            move || async move {
                begun.notify_one();
                go.notified().await;
                done.notify_one();
                StatusCode::NO_CONTENT
            }
        };
        let app: Router = Router::new().route("/", any(handler)).route_layer(from_fn(detached));
        let request = Request::builder().method(method).uri("/").body(Body::empty()).expect("a request");
        let call = tokio::spawn(app.oneshot(request));
        begun.notified().await;
        call.abort();
        call.await.expect_err("hung up");
        // Whoever still waits has this one's permit; else it goes to nobody.
        go.notify_one();
        tokio::task::yield_now().await;
        tokio::time::timeout(std::time::Duration::from_millis(50), done.notified()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn what_changes_something_goes_on_when_its_caller_hangs_up() {
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(is_carried_out(method.clone()).await, "{method}");
        }
        assert!(!is_carried_out(Method::GET).await, "nobody reads it");
    }
}
