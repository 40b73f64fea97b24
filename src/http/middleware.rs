//! Middleware: request slots, tracing, unread bodies, host check, panics.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Poll;

use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tracing::Instrument;
use tracing::field::display;

use super::auth::{self, Caller};
use crate::audit::RequestOrigin;
use crate::kernel::SessionId;
use crate::limits::RequestSender;
use crate::network::{ClientAddress, requested_host};
use crate::node::Node;
use crate::protocol::{Code, Problem};
use crate::telemetry::log_spans;

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Takes a slot for the request until the head of its response is ready, or rejects the request with `busy` if there is
/// no slot. The rest of a response, such as a stream, needs no slot.
pub(super) async fn admit_request(State(node): State<Arc<Node>>, mut request: Request, next: Next) -> Response {
    let Some(sender) = RequestSender::of(request.extensions()) else { return next.run(request).await };
    let place = match node.admission.request(sender) {
        Ok(place) => place,
        Err(problem) => return problem.into_response(),
    };
    request.extensions_mut().insert(place.clone());
    let response = next.run(request).await;
    place.pause();
    response
}

/// Opens a span with a generated id, which the response also contains, and logs the result. The route is logged, not
/// the path, because paths contain ids.
///
/// The layers of `tower-http` are not suitable. The layer for request ids keeps an id that the client sends, which
/// would then appear in the audit log. The layer for traces enters its span for each chunk of a stream, and its
/// callbacks see either the request or the response, while a log line needs both.
pub(super) async fn trace(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    node.guest_doors.note(request.headers());
    let id = uuid::Uuid::now_v7().simple().to_string();
    let route = request.extensions().get::<MatchedPath>().map_or("-", MatchedPath::as_str).to_owned();
    let span = log_spans::request(&id, request.method(), &route);
    let started = tokio::time::Instant::now();
    let address = request.extensions().get().map(|ClientAddress(address)| *address);
    let origin = RequestOrigin { address, request: Some(id.as_str().into()) };
    let session = request.uri().path().split('/').find_map(|part| part.parse::<SessionId>().ok());
    let has_credential = auth::has_credential(&node, request.headers());
    let work = async {
        let mut response = next.run(request).await;
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let status = response.status().as_u16();
        // At info level, because users ask operators about rejected requests.
        if response.status().is_client_error() {
            let who = response.extensions().get().map(|Caller(who)| who);
            let code = response.extensions().get::<Code>().copied();
            let actor = who.map(|who| display(who.id));
            tracing::info!(
                status,
                duration_ms,
                actor,
                address = address.map(display),
                code = code.map(Code::as_str),
                "refused"
            );
            // A request without a credential only leads to the sign-in page, as every first visit does, so it does not
            // count as a denial.
            let is_denial = code.map_or(matches!(status, 401 | 403), Code::is_denial);
            if is_denial && (who.is_some() || has_credential) {
                node.audit.denial(who, session, &route, code);
            }
        } else {
            tracing::debug!(status, duration_ms, "request completed");
        }
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(REQUEST_ID.clone(), id);
        }
        response
    };
    origin.scope(work.instrument(span)).await
}

/// Adds `Connection: close` to a response that is sent before the body was read. Such a connection is closed, because
/// the rest of the body would be parsed as the next request. Without the header, the client could send further requests
/// on the connection and lose them (RFC 9112, 9.3 and 9.6).
pub(super) async fn close_unread(request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let version = request.version();
    let whole = Arc::new(AtomicBool::new(false));
    let request = request.map(|body| {
        let whole = whole.clone();
        let end = stream::poll_fn(move |_| {
            whole.store(true, Relaxed);
            Poll::Ready(None)
        });
        Body::from_stream(body.into_data_stream().chain(end))
    });
    let mut response = next.run(request).await;
    // HTTP/2 has no such header, because it ends only the stream.
    if !whole.load(Relaxed) && version < Version::HTTP_2 {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// Rejects requests for a host name that is not this server's, before authentication. Of the other checks, only CORS
/// and the rate limit by address come earlier.
pub(super) async fn check_host(State(node): State<Arc<Node>>, mut request: Request, next: Next) -> Response {
    let named = requested_host(&request).filter(|host| node.hosts.accepts_host(host)).map(HeaderValue::from_str);
    if let Some(Ok(named)) = named {
        // HTTP/2 sends the host in the request target, but the origin check reads this header.
        request.headers_mut().insert(header::HOST, named);
        return next.run(request).await;
    }
    let message = format!(
        "the host name of the request is not this server's; use {}, or ask the operator to set public_url or \
         allowed_hosts (with the port, unless it is 80 or 443)",
        node.hosts.public_url()
    );
    Problem::new(Code::WrongOrigin, message).into_response()
}

/// Converts a panic into an internal error of its own request.
pub(super) fn panic_response(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
    Problem::internal(format!("a request panicked: {text}")).into_response()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::get;
    use tower::ServiceExt;
    use tower_http::catch_panic::CatchPanicLayer;

    use super::*;

    async fn ask(router: &Router, path: &str) -> (StatusCode, String) {
        let request = Request::builder().uri(path).body(Body::empty()).expect("a request");
        let answer = router.clone().oneshot(request).await.expect("never fails");
        let status = answer.status();
        let body = axum::body::to_bytes(answer.into_body(), 10_000).await.expect("a body");
        (status, String::from_utf8(body.to_vec()).expect("UTF-8"))
    }

    #[tokio::test]
    async fn a_panic_is_an_incident_and_says_nothing_of_itself() {
        async fn broken() {
            panic!("the secret is 7");
        }
        let router = Router::new().route("/", get(broken)).layer(CatchPanicLayer::custom(panic_response));
        let (status, body) = ask(&router, "/").await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(body.contains("incident") && !body.contains("secret"), "{body}");
        assert_eq!(ask(&router, "/").await.0, StatusCode::INTERNAL_SERVER_ERROR, "and the next request is served");
    }
}
