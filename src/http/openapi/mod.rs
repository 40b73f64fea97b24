//! OpenAPI document of all operations, as JSON at `/api/openapi.json` and as an HTML page at `/api/docs`.

mod administration;
mod html_page;
mod identity;
mod invitations;
mod knowledge;
mod server;
mod sessions;

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::http::header;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use serde_json::Value;

use crate::node::Node;
use crate::openapi::{self, EndpointGroup};

/// Returns the OpenAPI 3.1 document of the operations of REST and of the doors.
pub(crate) fn openapi_document(doors: Vec<EndpointGroup>) -> Value {
    openapi::document(&groups(doors))
}

/// Returns all operations of REST and of the doors.
pub(super) fn groups(doors: Vec<EndpointGroup>) -> Vec<EndpointGroup> {
    let group = |name, about, endpoints| EndpointGroup { name, about, endpoints };
    let mut groups = vec![
        group("Server", "Description and health of the server.", server::endpoints()),
        group("Identity", "Sign-in, and the caller's own name and credentials.", identity::endpoints()),
        group("Sessions", "Sessions, their logs, commands and files.", sessions::endpoints()),
        group("Invitations", "Links by which people join a session.", invitations::endpoints()),
        group("Knowledge bases", "Texts that agents can search.", knowledge::endpoints()),
        group("Administration", "Operations for administrators.", administration::endpoints()),
    ];
    groups.extend(doors);
    groups
}

/// Returns the routes of the document and its HTML page. Each is generated on its first request.
pub(super) fn routes(doors: fn() -> Vec<EndpointGroup>) -> Router<Arc<Node>> {
    Router::new().route("/api/openapi.json", get(move || json(doors))).route("/api/docs", get(move || page(doors)))
}

async fn json(doors: fn() -> Vec<EndpointGroup>) -> impl IntoResponse {
    static DOCUMENT: OnceLock<String> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| openapi_document(doors()).to_string());
    ([(header::CONTENT_TYPE, "application/json")], document.as_str())
}

async fn page(doors: fn() -> Vec<EndpointGroup>) -> impl IntoResponse {
    static PAGE: OnceLock<String> = OnceLock::new();
    Html(PAGE.get_or_init(|| html_page::render(&openapi_document(doors()))).as_str())
}
