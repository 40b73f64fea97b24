//! Checks requests against the scope of their token, by the kind of their route.

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request};

use crate::agent::teams::TeamId;
use crate::identity::{ScopedRoute, TokenScope};
use crate::protocol::Problem;

/// Paths whose handlers check the session, through [`crate::access`]. A path that ends with `/` includes all paths
/// below it.
const SESSION_PATHS: [&str; 10] = [
    "/api/v1/ws",
    "/api/v1/executions/",
    "/api/v1/analyze/",
    "/api/team-chat/",
    "/api/debug/session/",
    "/api/orchestrator/tasks/",
    "/AutoAgent",
    "/api/v1/sessions/{session}/",
    "/api/v1/sessions/{session}",
    // The list of sessions is filtered by scope.
    "/api/v1/sessions",
];

/// Paths of a team that a token for the team can access. The other paths of a team manage it.
const TEAM_PATHS: [(&str, &str); 4] = [
    ("GET", "/api/v1/teams/{team}"),
    ("POST", "/api/v1/teams/{team}/execute"),
    ("GET", "/api/v1/teams/{team}/executions"),
    ("POST", "/api/v1/teams/{team}/structured-output"),
];

/// Checks a request with a limited token, before its handler reads anything of it.
///
/// # Errors
/// Fails with `token_scope` if the scope does not allow the request.
pub(super) async fn check(scope: &TokenScope, request: Request) -> Result<Request, Problem> {
    let (mut parts, body) = request.into_parts();
    let path = parts.extensions.get::<MatchedPath>().map(|path| path.as_str().to_owned()).unwrap_or_default();
    let method = if parts.method.is_safe() { "GET" } else { parts.method.as_str() };
    let mut route = route_of(method, &path);
    if matches!(route, ScopedRoute::Team(_)) {
        let names = RawPathParams::from_request_parts(&mut parts, &()).await.ok();
        let team = names.as_ref().and_then(|names| names.iter().find(|(name, _)| *name == "team"));
        route = ScopedRoute::Team(team.and_then(|(_, id)| id.parse().ok()).map(|TeamId(id)| id));
    }
    scope.check_route(route, !parts.method.is_safe())?;
    Ok(Request::from_parts(parts, body))
}

/// Returns the kind of a route. The kind of a team's route does not contain the id of the team yet.
fn route_of(method: &str, path: &str) -> ScopedRoute {
    let is_session = |known: &&str| path == *known || known.ends_with('/') && path.starts_with(*known);
    match path {
        "/api/v1/server" | "/api/v1/me" | "/api/v1/sign-in" if method == "GET" => ScopedRoute::Common,
        "/api/v1/me/tokens" => ScopedRoute::Token,
        "/api/v1/me/quotas" => ScopedRoute::Other,
        path if path == "/api/v1/me" || path.starts_with("/api/v1/me/") => ScopedRoute::OwnIdentity,
        "/api/v1/sessions" if method != "GET" => ScopedRoute::Other,
        "/api/v1/sessions/{session}/knock" => ScopedRoute::Other,
        path if TEAM_PATHS.contains(&(method, path)) => ScopedRoute::Team(None),
        path if path.starts_with("/AutoAgent/") || SESSION_PATHS.iter().any(is_session) => ScopedRoute::Session,
        _ => ScopedRoute::Other,
    }
}
