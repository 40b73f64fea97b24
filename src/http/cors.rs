//! Cross-origin requests from front ends on other origins (Fetch standard, CORS protocol).

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::network::HttpSettings;

/// Seconds that browsers cache the response to a preflight request: the maximum that Chromium accepts.
const PREFLIGHT_SECONDS: u64 = 7200;

/// Response headers that pages can read, in addition to those that the standard allows.
const EXPOSED_HEADERS: [&str; 7] = [
    "x-conversation-id",
    "x-session-id",
    "x-team-mode",
    "x-request-id",
    "retry-after",
    "ratelimit",
    "ratelimit-policy",
];

/// Returns the layer for the origins in `http.cors_origins`, or `None` if there are none. The layer never allows
/// credentials: a front end sends a token, so that no page acts with its visitor's cookie.
pub(super) fn layer(settings: &HttpSettings) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = settings.cors_origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, HeaderName::from_static("last-event-id")])
        .expose_headers(EXPOSED_HEADERS.map(HeaderName::from_static))
        .max_age(std::time::Duration::from_secs(PREFLIGHT_SECONDS));
    (!origins.is_empty()).then(|| layer.allow_origin(AllowOrigin::list(origins)))
}
