//! Timeout of requests, with an error in the format of the protocol. Streams and transfers have no timeout, or their
//! own.

use std::convert::Infallible;
use std::time::Duration;

use axum::BoxError;
use axum::error_handling::HandleErrorLayer;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::Route;
use tower::timeout::TimeoutLayer;
use tower::{Layer, Service, ServiceBuilder};

use crate::protocol::{Code, Problem};

/// Returns the layer that fails a request with `timed_out` if it takes too long. The layer of `tower-http` responds
/// without a body.
pub(super) fn layer(
    within: Duration,
) -> impl Layer<
    Route,
    Service: Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static,
> + Clone
+ Send
+ Sync
+ 'static {
    // The timeout is the only possible error, because a handler converts its own errors to responses.
    let late =
        async |_: BoxError| Problem::new(Code::TimedOut, "the request took longer than http.timeout_seconds; retry it");
    ServiceBuilder::new().layer(HandleErrorLayer::new(late)).layer(TimeoutLayer::new(within))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::get;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_request_that_takes_too_long_is_answered_all_the_same() {
        let slow: Router = Router::new().route("/", get(std::future::pending::<()>));
        let request = Request::builder().uri("/").body(Body::empty()).expect("a request");
        let answer = slow.layer(layer(Duration::from_secs(5))).oneshot(request).await.expect("never fails");
        assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
        let body = axum::body::to_bytes(answer.into_body(), 10_000).await.expect("a body");
        assert!(String::from_utf8_lossy(&body).contains("timed_out"), "{body:?}");
    }
}
