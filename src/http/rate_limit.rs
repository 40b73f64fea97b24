//! Rate limits of requests, per address and per participant, and the headers that report the remaining allowance.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::identity::Participant;
use crate::limits::{Allowance, RateLimit, too_fast_problem};
use crate::network::ClientAddress;
use crate::node::Node;
use crate::protocol::{Code, ErrorBody};

/// Headers of draft-ietf-httpapi-ratelimit-headers: the limit, and the remaining allowance.
static RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
static RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Returns whether a request is expensive, for example because it reads a whole session, a log or the state of an
/// execution, searches, sums up usage, transfers a file, checks a team, or changes many sessions or people. The table
/// in `tests/it/access/routes.rs` lists all routes with their rate limit.
fn is_expensive(method: &Method, path: &str, query: &str) -> bool {
    const PATHS: [&str; 26] = [
        "/api/v1/audit",
        "/api/v1/people/import",
        "/api/v1/quotas",
        "/api/v1/sessions/{session}",
        "/api/v1/sessions/{session}/guests",
        "/api/v1/sessions/{session}/knock",
        "/api/v1/sessions/{session}/files",
        "/api/v1/sessions/{session}/log",
        "/api/v1/sessions/{session}/rule-suggestions",
        "/api/v1/sessions/{session}/rule-suggestions/{suggestion}/forecast",
        "/api/v1/sessions/{session}/quotas",
        "/api/v1/sessions/{session}/messages",
        "/api/v1/sessions/{session}/events",
        "/api/v1/sessions/{session}/files/{name}",
        "/api/v1/knowledge/{base}/search",
        "/api/v1/knowledge/{base}/documents/{name}",
        "/api/v1/uploads",
        "/api/debug/session/{conversation}",
        "/api/orchestrator/tasks/{id}/",
        "/api/orchestrator/tasks/{id}/plan/",
        "/api/orchestrator/tasks/{id}/progress/",
        "/AutoAgent/files/{session}/{name}",
        "/api/v1/executions/{execution}",
        "/api/v1/executions/{execution}/events",
        "/api/v1/executions/{execution}/log",
        "/api/v1/executions/{execution}/metrics",
    ];
    let renames = *method == Method::PATCH && path == "/api/v1/me";
    let has_search = || form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "search");
    let searches = *method == Method::GET && path == "/api/v1/sessions" && has_search();
    let checks_a_team = matches!(*method, Method::POST | Method::PUT)
        && matches!(path, "/api/v1/teams" | "/api/v1/teams/import" | "/api/v1/teams/{team}");
    renames || searches || checks_a_team || *method != Method::DELETE && PATHS.contains(&path)
}

/// Limits every request by the address of its client.
pub(super) async fn limit_by_address(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    let Some(address) = request.extensions().get::<ClientAddress>() else { return next.run(request).await };
    let allowance = node.dispatcher.limits.address(address.network()).await;
    if !allowance.wait.is_zero() {
        return rejection(&allowance);
    }
    let mut response = next.run(request).await;
    set_headers(&allowance, response.headers_mut());
    response
}

/// Limits requests to the API by participant or, without an identity, by the address of the client.
pub(super) async fn limit_by_sender(State(node): State<Arc<Node>>, request: Request, next: Next) -> Response {
    let limits = &node.dispatcher.limits;
    let allowance = match (request.extensions().get::<Participant>(), request.extensions().get::<ClientAddress>()) {
        (Some(who), _) => {
            let any = limits.request(who.id).await;
            let path = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
            let query = request.uri().query().unwrap_or_default();
            let is_expensive = any.wait.is_zero() && is_expensive(request.method(), path, query);
            if is_expensive { limits.expensive(who).await } else { any }
        }
        (None, Some(address)) => limits.stranger(address.network()).await,
        (None, None) => return next.run(request).await,
    };
    if !allowance.wait.is_zero() {
        return rejection(&allowance);
    }
    let mut response = next.run(request).await;
    set_headers(&allowance, response.headers_mut());
    response
}

fn rejection(allowance: &Allowance) -> Response {
    too_fast_problem(allowance.name, allowance.limit, allowance.wait).into_response()
}

/// Sets the headers of the rate limit that rejected a request. Does nothing for other errors.
pub(super) fn set_rejection_headers(error: &ErrorBody, headers: &mut HeaderMap) {
    let Some(details) = error.details.as_ref().filter(|_| error.code == Code::RateLimited) else { return };
    let name = details["limit"].as_str().and_then(|setting| setting.strip_prefix("rate_limits."));
    let number = |field: &str| details[field].as_u64().and_then(|number| u32::try_from(number).ok());
    let limit = number("burst").and_then(NonZeroU32::new).zip(number("per_second").and_then(NonZeroU32::new));
    let (Some(name), Some((burst, per_second))) = (name, limit) else { return };
    let wait = Duration::from_millis(error.retry_after_ms.unwrap_or_default());
    set_fields(name, RateLimit { burst, per_second }, 0, wait, headers);
}

/// Sets the headers of a limit, unless the response already reports a narrower one.
fn set_headers(allowance: &Allowance, headers: &mut HeaderMap) {
    let Allowance { name, limit, remaining, wait } = allowance;
    if !headers.contains_key(&RATELIMIT) {
        set_fields(name, *limit, *remaining, *wait, headers);
    }
}

fn set_fields(name: &str, limit: RateLimit, remaining: u32, wait: Duration, headers: &mut HeaderMap) {
    let (burst, per_second) = (limit.burst.get(), limit.per_second.get());
    // The window is the time in which the full burst refills; the reset is at least the time until the next request.
    let window = burst.div_ceil(per_second);
    let reset = if wait.is_zero() {
        u64::from(burst.saturating_sub(remaining).div_ceil(per_second))
    } else {
        wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
    };
    let fields = [
        (&RATELIMIT_POLICY, format!("\"{name}\";q={burst};w={window}")),
        (&RATELIMIT, format!("\"{name}\";r={remaining};t={reset}")),
    ];
    for (field, value) in fields {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(field.clone(), value);
        }
    }
}
