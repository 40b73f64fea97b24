//! Security headers of every response.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::Route;
use tower::{Layer, Service, ServiceBuilder};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::network::{Scheme, requested_host};
use crate::node::Node;

/// Content security policy: only scripts, styles and connections from and to this server, which is all that the
/// client's bundle needs. Inline styles are allowed, because components position menus with them.
const CSP_VALUE: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
    object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Strict transport security: for one year, browsers connect to this host only over TLS.
const HSTS_VALUE: &str = "max-age=31536000";

/// Returns the layer that adds the headers that are the same for all requests.
pub(super) fn layer() -> impl Layer<
    Route,
    Service: Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static,
> + Clone
+ Send
+ Sync
+ 'static {
    let always = |name, value| SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value));
    // Responses with user content set a stricter policy, and files of the page can be cached.
    let unless_set =
        |name: HeaderName, value| SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value));
    ServiceBuilder::new()
        .layer(unless_set(header::CONTENT_SECURITY_POLICY, CSP_VALUE))
        .layer(unless_set(header::CACHE_CONTROL, "no-store"))
        .layer(always(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(always(header::REFERRER_POLICY, "no-referrer"))
        .layer(always(header::X_FRAME_OPTIONS, "DENY"))
}

/// Adds the `Strict-Transport-Security` header if the client used TLS.
pub(super) async fn require_tls(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    let scheme = request.extensions().get().copied().unwrap_or(Scheme::Http);
    let is_https = requested_host(&request).is_some_and(|host| node.hosts.is_https(host, scheme));
    let mut response = next.run(request).await;
    if is_https {
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS_VALUE));
    }
    response
}
