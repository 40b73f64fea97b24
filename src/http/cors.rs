//! Cross-origin requests of front ends on other origins (Fetch standard, CORS protocol).

use axum::http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::HttpSettings;

/// Seconds for which browsers cache the response to a preflight request: the maximum that Chromium accepts.
const PREFLIGHT_SECONDS: u64 = 7200;

/// Headers that pages can read, in addition to those that the standard allows.
const EXPOSED_HEADERS: [&str; 7] = [
    "x-conversation-id",
    "x-session-id",
    "x-team-mode",
    "x-request-id",
    "retry-after",
    "ratelimit",
    "ratelimit-policy",
];

/// Returns the layer for the origins in `http.cors_origins`. `None` if there are none. It never allows credentials: a
/// front end sends a token, so that no page acts with its visitor's cookie.
pub(super) fn layer(settings: &HttpSettings) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = settings.cors_origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, HeaderName::from_static("last-event-id")])
        .expose_headers(EXPOSED_HEADERS.map(HeaderName::from_static))
        .max_age(std::time::Duration::from_secs(PREFLIGHT_SECONDS));
    (!origins.is_empty()).then(|| layer.allow_origin(AllowOrigin::list(origins)))
}

/// Checks that a text is an origin in the form of browsers: scheme, host and, unless it is the default, port.
///
/// # Errors
/// States the correct form.
pub(crate) fn check_origin(origin: &str) -> Result<(), String> {
    let written = match reqwest::Url::parse(origin) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url.origin().ascii_serialization(),
        _ => String::new(),
    };
    match written == origin {
        true => Ok(()),
        false if written.is_empty() => {
            Err(format!("{origin:?} is not an origin; use for example https://app.example.com"))
        }
        false => Err(format!("{origin:?} is not in the form of browsers; use {written}")),
    }
}

#[cfg(test)]
mod tests {
    use super::check_origin;

    #[test]
    fn origins_are_accepted_as_browsers_write_them() {
        for origin in ["https://app.example.com", "http://localhost:5173", "http://[::1]:3000"] {
            assert_eq!(check_origin(origin), Ok(()));
        }
        for (origin, words) in [
            ("*", "not an origin"),
            ("null", "not an origin"),
            ("app.example.com", "not an origin"),
            ("https://app.example.com/", "use https://app.example.com"),
            ("https://APP.example.com:443", "use https://app.example.com"),
            ("https://app.example.com/chat", "use https://app.example.com"),
        ] {
            let said = check_origin(origin).expect_err(origin);
            assert!(said.contains(words), "{said}");
        }
    }
}
