//! Routes of all paths.

use std::sync::Arc;
use std::time::Duration;

use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, delete, get, patch, post};
use axum::{Extension, Router};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use super::operations::Operations;
use super::{
    about, accept_invite, audit, auth, client_assets, commands, cors, credentials, detached, documents, error, files,
    invites, knowledge, me, middleware, monitoring, openapi, operations, participants, people, quotas, rate_limit,
    redactions, request_timeout, rule_forecast, rule_suggestions, security_headers, session_access, session_log,
    sessions, sign_in, sse, tokens,
};
use crate::node::Node;
use crate::openapi::EndpointGroup;
use crate::socket;

/// Routes of the doors, which are modules above this one.
#[derive(Debug)]
pub struct DoorRoutes {
    pub(crate) router: Router<Arc<Node>>,
    /// Function that returns the operations, for the OpenAPI document.
    pub(crate) endpoints: fn() -> Vec<EndpointGroup>,
}

/// Returns the whole server as one service: pages, REST, sockets and these doors.
pub fn router(node: Arc<Node>, doors: DoorRoutes) -> Router {
    let operations = Operations::new((doors.endpoints)());
    let check_query = || from_fn_with_state(operations.clone(), operations::check_query);
    // No authentication: the page is the same for everyone, and must load while the database is unavailable.
    let pages = Router::new()
        .route("/", get(client_assets::page))
        .route("/s/{*session}", get(client_assets::page))
        .route("/admin", get(client_assets::page))
        .route("/knowledge", get(client_assets::page))
        .route("/knowledge/{base}", get(client_assets::page))
        .route("/teams", get(client_assets::page))
        .route("/teams/{*team}", get(client_assets::page))
        .route("/sign-in", get(client_assets::page))
        .route("/invite", get(client_assets::page))
        .merge(openapi::routes(doors.endpoints).route_layer(check_query()))
        .fallback(client_assets::unrouted);
    let api = Router::new()
        .route("/server", get(about::about))
        .route("/audit", get(audit::list))
        .route("/sign-in", get(sign_in::options::options).post(sign_in::link::sign_in))
        .route("/sign-in/oidc", get(sign_in::oidc::start))
        .route("/sign-in/oidc/callback", get(sign_in::oidc::callback))
        .route("/sign-in/proxy", get(sign_in::proxy::sign_in))
        .route("/sign-out", post(sign_in::sign_out::sign_out))
        .route("/me", get(me::me).patch(me::rename))
        .route("/me/credentials", get(credentials::list).delete(credentials::sign_out_everywhere))
        .route("/me/credentials/{credential}", delete(credentials::revoke))
        .route("/me/tokens", post(tokens::create))
        .route("/me/quotas", get(quotas::own))
        .route("/quotas", get(quotas::list))
        .route("/people/import", post(people::import))
        .route("/participants", get(participants::list))
        .route("/participants/{participant}", patch(participants::change))
        .route("/participants/{participant}/redact", post(redactions::participant))
        .route(
            "/participants/{participant}/credentials",
            get(credentials::list).delete(credentials::sign_out_everywhere),
        )
        .route("/participants/{participant}/credentials/{credential}", delete(credentials::revoke))
        .route("/sessions", get(sessions::list).post(sessions::create))
        .route("/knowledge", get(knowledge::list).post(knowledge::create))
        .route("/knowledge/{base}", get(knowledge::show).patch(knowledge::change).delete(knowledge::remove))
        .route("/knowledge/{base}/documents", get(documents::list))
        .route("/knowledge/{base}/search", get(documents::search))
        .route("/invites/preview", post(accept_invite::preview))
        .route("/invites/accept", post(accept_invite::accept))
        // Outside the access check: a participant who knocked learns only the state of their own request.
        .route("/sessions/{session}/knock", get(accept_invite::knock));
    // Every path of a session has the same access check, so that no path reveals to strangers whether the session
    // exists.
    let check = || from_fn_with_state(node.clone(), session_access::check);
    let session = Router::new()
        .route("/sessions/{session}", get(sessions::show))
        .route("/sessions/{session}/guests", get(sessions::guests))
        .route("/sessions/{session}/log", get(session_log::log))
        .route("/sessions/{session}/messages", get(session_log::older))
        .route("/sessions/{session}/files", get(files::list))
        .route("/sessions/{session}/rule-suggestions", get(rule_suggestions::list))
        .route("/sessions/{session}/rule-suggestions/{suggestion}/forecast", get(rule_forecast::of_other_sessions))
        .route("/sessions/{session}/quotas", get(quotas::of_session))
        .route("/sessions/{session}/commands", post(commands::command))
        .route("/sessions/{session}/redact", post(redactions::session))
        .route("/sessions/{session}/invites", get(invites::list).post(invites::create).delete(invites::remove_all))
        .route("/sessions/{session}/invites/{invite}", delete(invites::remove))
        .route_layer(check());
    let whole = || from_fn(detached::detached);
    let api = api.merge(session).route_layer(whole());
    // These paths have no timeout, or a timeout of their own.
    let open = Router::new()
        .route("/api/v1/sessions/{session}/events", get(sse::events))
        .route("/api/v1/sessions/{session}/files/{name}", get(files::get).put(files::put).delete(files::remove))
        .route_layer(check())
        .route_layer(whole());
    let streams = Router::new().route("/api/v1/ws", any(socket::upgrade).with_state(node.sockets.clone()));
    let transfers = Router::new()
        .route(
            "/api/v1/knowledge/{base}/documents/{name}",
            get(documents::get).put(documents::put).delete(documents::remove),
        )
        .route_layer(whole());
    let within = Duration::from_secs(node.config.http.timeout_seconds);
    let answers = Router::new().nest("/api/v1", api).layer(request_timeout::layer(within));
    let error_formats = from_fn_with_state(operations.clone(), error::apply_format);
    let doors = doors.router.route_layer(whole());
    let named = Router::new()
        .merge(answers)
        .merge(open)
        .merge(streams)
        .merge(transfers)
        .merge(doors)
        .route_layer(from_fn_with_state(node.clone(), middleware::admit_request))
        .route_layer(check_query())
        .route_layer(from_fn_with_state(node.clone(), rate_limit::limit_by_sender))
        .route_layer(from_fn_with_state(node.clone(), auth::identify))
        .merge(pages)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(Extension(operations))
        .layer(from_fn_with_state(node.clone(), middleware::check_host))
        .layer(from_fn_with_state(node.clone(), rate_limit::limit_by_address));
    // Outside the other layers, so that pages of these origins can also read the errors of those layers.
    let named = match cors::layer(&node.config.http) {
        Some(cors) => named.layer(cors),
        None => named,
    };
    // Health checks are outside these layers, because they use the IP address as the host name, and must work under
    // load.
    Router::new()
        .merge(monitoring::health())
        .merge(named)
        .layer(CatchPanicLayer::custom(middleware::panic_response))
        // Outside the panic handler, because panics are errors too, and inside the compression, because the body of a
        // compressed error could not be replaced.
        .layer(error_formats)
        .layer(CompressionLayer::new())
        .layer(from_fn(middleware::close_unread))
        .layer(security_headers::layer())
        .layer(from_fn_with_state(node.clone(), security_headers::require_tls))
        .layer(from_fn_with_state(node.clone(), middleware::trace))
        .with_state(node)
}
