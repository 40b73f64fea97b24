//! Browser client, embedded in the binary.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::error::not_found;

#[derive(RustEmbed)]
#[folder = "static/dist"]
#[allow_missing = true]
struct ClientAssets;

/// Page that is shown if this binary does not contain the client.
const PLACEHOLDER_PAGE: &str = "<!doctype html><meta charset=utf-8><title>Roundtable</title>\
    <p>This Roundtable was built without its browser client. Run <code>make run</code>.</p>";

/// Responds with the client's HTML page, which is the same for every path that has a view.
pub(super) async fn page(headers: HeaderMap) -> Response {
    match ClientAssets::get("index.html") {
        Some(file) => asset_response(&file, "text/html; charset=utf-8", "no-cache", &headers),
        None => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], PLACEHOLDER_PAGE).into_response(),
    }
}

/// Responds to a path without a route, with a file of the client or with an error. Names under `assets/` contain a hash
/// of the content.
pub(super) async fn unrouted(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    match method {
        Method::GET | Method::HEAD => file(uri, headers).await,
        _ => not_found().await.into_response(),
    }
}

async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let Some(file) = ClientAssets::get(path) else { return not_found_page(path, headers).await };
    let caching = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mime = file.metadata.mimetype().to_owned();
    // Without a charset, browsers guess the encoding of scripts and styles.
    let mime = if mime.starts_with("text/") { format!("{mime}; charset=utf-8") } else { mime };
    asset_response(&file, &mime, caching, &headers)
}

/// Responds to an unknown path. A browser gets the page, which shows the error and a way back. Other clients, and
/// browsers under `api/`, get a JSON error.
async fn not_found_page(path: &str, headers: HeaderMap) -> Response {
    let accepts_html = |accepts: &HeaderValue| accepts.to_str().is_ok_and(|types| types.contains("text/html"));
    if path.starts_with("api/") || !headers.get(header::ACCEPT).is_some_and(accepts_html) {
        return not_found().await.into_response();
    }
    let mut shown = page(headers).await;
    if shown.status() == StatusCode::OK {
        *shown.status_mut() = StatusCode::NOT_FOUND;
    }
    shown
}

fn asset_response(file: &EmbeddedFile, mime: &str, caching: &str, headers: &HeaderMap) -> Response {
    let hash = file.metadata.sha256_hash();
    let tag = hash[..12].iter().fold("\"".to_owned(), |tag, byte| format!("{tag}{byte:02x}")) + "\"";
    let cached = [(header::ETAG, tag.as_str()), (header::CACHE_CONTROL, caching)];
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    // A proxy or the compression layer might have changed the tag to a weak one.
    if known.is_some_and(|tags| tags.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)) {
        return (StatusCode::NOT_MODIFIED, cached).into_response();
    }
    (cached, [(header::CONTENT_TYPE, mime)], file.data.clone().into_owned()).into_response()
}
