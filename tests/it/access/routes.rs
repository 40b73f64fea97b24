//! Every route × every kind of caller.

use std::collections::BTreeSet;

use reqwest::Method;
use roundtable::http::DetachedMarker;
use roundtable::kernel::{Right, Role};
use roundtable::network::ClientAddress;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::callers::{AccessHarness, AccessOutcome, CallerKind};
use super::sources;

/// Callers that a route is open to.
#[derive(Debug, Clone, Copy)]
pub(super) enum RouteAudience {
    /// Everybody; a wrong token is refused.
    Everybody,
    /// Everybody; no credential is checked.
    Unchecked,
    /// Everybody whom the server knows.
    Known,
    /// People whom the server knows, but no bots: a bot's name is set by the creator of its token.
    People,
    /// Everybody whom the server knows except guests, who have no account to return to.
    TokenHolders,
    /// Members of the server and administrators.
    Members,
    /// Administrators of the server.
    Admins,
    /// Participants of the session who have this right in it.
    Session(Right),
    /// Participants of the session, and callers who are waiting to be let in.
    Waiting,
    /// The owner of a resource, the readers whom the owner names, and administrators.
    Readers,
    /// The owner of a resource and administrators. Readers get an explicit refusal.
    Owners,
    /// Participants of an execution's session, which has only its owner, and administrators.
    Executors,
    /// Like `Members` at a door that does not admit guests; otherwise everybody.
    Door,
}

impl RouteAudience {
    fn expected(self, kind: CallerKind, method: &Method) -> AccessOutcome {
        match self {
            Self::Unchecked => AccessOutcome::Passes,
            _ if kind.is_wrong_page(method) => AccessOutcome::Forbidden,
            Self::Everybody if kind == CallerKind::Stranger => AccessOutcome::Passes,
            _ if !kind.is_known() => AccessOutcome::Unauthenticated,
            Self::People if matches!(kind, CallerKind::OutsideBot | CallerKind::Inside(Role::Bot)) => {
                AccessOutcome::Forbidden
            }
            Self::Everybody | Self::Known | Self::People => AccessOutcome::Passes,
            Self::TokenHolders
                if matches!(kind, CallerKind::OutsideGuest | CallerKind::InsideGuest | CallerKind::Knocking) =>
            {
                AccessOutcome::Forbidden
            }
            Self::TokenHolders => AccessOutcome::Passes,
            Self::Members | Self::Door if kind.is_guest() => AccessOutcome::Forbidden,
            Self::Members | Self::Door => AccessOutcome::Passes,
            Self::Admins if kind == CallerKind::Admin => AccessOutcome::Passes,
            Self::Admins => AccessOutcome::Forbidden,
            Self::Session(right) => AccessOutcome::in_session(kind, Some(right)),
            Self::Waiting if kind == CallerKind::Knocking => AccessOutcome::Passes,
            Self::Waiting => AccessOutcome::in_session(kind, None),
            Self::Readers | Self::Owners if matches!(kind, CallerKind::Inside(Role::Owner) | CallerKind::Admin) => {
                AccessOutcome::Passes
            }
            Self::Executors if matches!(kind, CallerKind::Inside(Role::Owner) | CallerKind::Admin) => {
                AccessOutcome::Passes
            }
            Self::Readers if kind == CallerKind::Reader => AccessOutcome::Passes,
            Self::Owners if kind == CallerKind::Reader => AccessOutcome::Forbidden,
            Self::Readers | Self::Owners | Self::Executors => AccessOutcome::Hidden,
        }
    }

    /// Returns the expected outcome at a door that admits guests. A caller without a credential is a guest who is in no
    /// session; a caller with a wrong token is not.
    fn expected_at_guest_door(self, kind: CallerKind, method: &Method) -> AccessOutcome {
        let is_let_in = kind == CallerKind::Stranger || kind.is_known() && !kind.is_wrong_page(method);
        match self {
            Self::Door | Self::Known if is_let_in => AccessOutcome::Passes,
            Self::Session(_) if kind == CallerKind::Stranger => AccessOutcome::Hidden,
            _ => self.expected(kind, method),
        }
    }
}

/// Returns whether this is a route of a door.
fn is_door(path: &str) -> bool {
    let paths =
        ["/api/v1/uploads", "/api/v1/analyze/", "/api/team-chat/", "/api/debug/", "/api/orchestrator/", "/AutoAgent"];
    paths.iter().any(|door| path.starts_with(door))
}

/// The rate limit that a participant's request counts against.
#[derive(Debug, Clone, Copy)]
pub(super) enum RateLimitKind {
    /// No limit: health checks are always answered.
    Uncounted,
    /// The limit per address, for routes without authentication.
    Address,
    /// The limit of cheap requests.
    Cheap,
    /// The limit of requests that read a whole session or its log, search, transfer a file, or concern many sessions.
    Expensive,
}

impl RateLimitKind {
    fn name(self) -> &'static str {
        match self {
            Self::Uncounted => "",
            Self::Address => "address",
            Self::Cheap => "request",
            Self::Expensive => "expensive",
        }
    }
}

/// Method, path, a body that the route accepts, the callers that it is open to, and the rate limit that it counts
/// against.
pub(super) type Route = (&'static str, &'static str, Option<Value>, RouteAudience, RateLimitKind);

/// Returns every route.
pub(super) fn table() -> Vec<Route> {
    use RateLimitKind::{Address, Cheap, Expensive, Uncounted};
    use Right::{Invite, Manage, Say, Watch};
    use RouteAudience::{
        Admins, Door, Everybody, Executors, Known, Members, Owners, People, Readers, Session, TokenHolders, Unchecked,
        Waiting,
    };
    let body = Some;
    vec![
        ("GET", "/", None, Unchecked, Address),
        ("GET", "/s/{*session}", None, Unchecked, Address),
        ("GET", "/admin", None, Unchecked, Address),
        ("GET", "/knowledge", None, Unchecked, Address),
        ("GET", "/knowledge/{base}", None, Unchecked, Address),
        ("GET", "/teams", None, Unchecked, Address),
        ("GET", "/teams/{*team}", None, Unchecked, Address),
        ("GET", "/sign-in", None, Unchecked, Address),
        ("GET", "/invite", None, Unchecked, Address),
        ("GET", "/api/openapi.json", None, Unchecked, Address),
        ("GET", "/api/docs", None, Unchecked, Address),
        ("GET", "/healthz", None, Unchecked, Uncounted),
        ("GET", "/readyz", None, Unchecked, Uncounted),
        // Served not on this address but on `metrics_listen`, in a separate network.
        ("GET", "/metrics", None, Unchecked, Address),
        ("GET", "/api/v1/server", None, Known, Cheap),
        ("GET", "/api/v1/sign-in", None, Everybody, Cheap),
        ("GET", "/api/v1/sign-in/oidc", None, Everybody, Cheap),
        ("GET", "/api/v1/sign-in/oidc/callback", None, Everybody, Cheap),
        ("GET", "/api/v1/sign-in/proxy", None, Everybody, Cheap),
        ("POST", "/api/v1/sign-in", body(json!({ "code": "rt_signin_00" })), Everybody, Cheap),
        ("POST", "/api/v1/sign-out", None, Everybody, Cheap),
        ("GET", "/api/v1/me", None, Known, Cheap),
        ("PATCH", "/api/v1/me", body(json!({ "name": " " })), People, Expensive),
        ("GET", "/api/v1/me/credentials", None, Known, Cheap),
        ("DELETE", "/api/v1/me/credentials", None, Known, Cheap),
        ("DELETE", "/api/v1/me/credentials/{credential}", None, Known, Cheap),
        ("POST", "/api/v1/me/tokens", body(json!({ "label": " " })), TokenHolders, Cheap),
        ("GET", "/api/v1/me/quotas", None, Known, Cheap),
        ("GET", "/api/v1/quotas", None, Admins, Expensive),
        ("POST", "/api/v1/people/import", body(json!({ "people": [] })), Admins, Expensive),
        ("GET", "/api/v1/participants", None, Admins, Cheap),
        ("PATCH", "/api/v1/participants/{participant}", body(json!({ "disabled": false })), Admins, Cheap),
        ("GET", "/api/v1/participants/{participant}/credentials", None, Admins, Cheap),
        ("DELETE", "/api/v1/participants/{participant}/credentials", None, Admins, Cheap),
        ("DELETE", "/api/v1/participants/{participant}/credentials/{credential}", None, Admins, Cheap),
        ("GET", "/api/v1/audit", None, Admins, Expensive),
        ("GET", "/api/v1/sessions", None, Known, Cheap),
        ("POST", "/api/v1/sessions", body(json!({})), Members, Cheap),
        ("GET", "/api/v1/sessions/{session}", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/guests", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/log", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/messages", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/events", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/rule-suggestions", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/rule-suggestions/{suggestion}/forecast", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/quotas", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/files", None, Session(Watch), Expensive),
        ("GET", "/api/v1/sessions/{session}/files/{name}", None, Session(Watch), Expensive),
        ("PUT", "/api/v1/sessions/{session}/files/{name}", body(json!({})), Session(Say), Expensive),
        ("DELETE", "/api/v1/sessions/{session}/files/{name}", None, Session(Say), Cheap),
        (
            "POST",
            "/api/v1/sessions/{session}/commands",
            body(json!({ "id": "c_x", "do": "say", "data": { "text": "@people hello" } })),
            Session(Say),
            Cheap,
        ),
        ("GET", "/api/v1/sessions/{session}/invites", None, Session(Invite), Cheap),
        ("POST", "/api/v1/sessions/{session}/invites", body(json!({ "role": "viewer" })), Session(Invite), Cheap),
        ("DELETE", "/api/v1/sessions/{session}/invites", None, Session(Invite), Cheap),
        ("GET", "/api/v1/sessions/{session}/knock", None, Waiting, Expensive),
        ("DELETE", "/api/v1/sessions/{session}/invites/{invite}", None, Session(Invite), Cheap),
        ("POST", "/api/v1/invites/preview", body(json!({ "secret": "rt_invite_00" })), Everybody, Cheap),
        ("POST", "/api/v1/invites/accept", body(json!({ "secret": "rt_invite_00" })), Everybody, Cheap),
        ("GET", "/api/v1/knowledge", None, Known, Cheap),
        ("POST", "/api/v1/knowledge", body(json!({ "name": "Rules" })), Members, Cheap),
        ("GET", "/api/v1/knowledge/{base}", None, Readers, Cheap),
        ("PATCH", "/api/v1/knowledge/{base}", body(json!({})), Owners, Cheap),
        ("GET", "/api/v1/knowledge/{base}/documents", None, Readers, Cheap),
        ("GET", "/api/v1/knowledge/{base}/search", None, Readers, Expensive),
        ("PUT", "/api/v1/knowledge/{base}/documents/{name}", body(json!({})), Owners, Expensive),
        ("GET", "/api/v1/knowledge/{base}/documents/{name}", None, Readers, Expensive),
        ("DELETE", "/api/v1/knowledge/{base}/documents/{name}", None, Owners, Cheap),
        ("DELETE", "/api/v1/knowledge/{base}", None, Owners, Cheap),
        ("ANY", "/api/v1/ws", None, Everybody, Cheap),
        ("POST", "/api/v1/uploads", body(json!({})), Known, Expensive),
        ("POST", "/api/team-chat/stream", body(json!({ "message": "hello" })), Door, Cheap),
        ("GET", "/api/debug/session/{conversation}", None, Session(Watch), Expensive),
        ("POST", "/api/orchestrator/tasks/", body(json!({ "requirement": "hello" })), Door, Cheap),
        ("GET", "/api/orchestrator/tasks/{id}/", None, Session(Watch), Expensive),
        ("GET", "/api/orchestrator/tasks/{id}/plan/", None, Session(Watch), Expensive),
        ("GET", "/api/orchestrator/tasks/{id}/progress/", None, Session(Watch), Expensive),
        (
            "POST",
            "/api/orchestrator/tasks/{id}/confirm/",
            body(json!({ "approved": false, "user_notes": "more" })),
            // Viewers are told that nothing is waiting; deciding requires the right of the command `vote`.
            Session(Watch),
            Cheap,
        ),
        ("POST", "/api/v1/analyze/stream", body(json!({ "query": "hello" })), Door, Cheap),
        (
            "POST",
            "/api/v1/analyze/reply",
            body(json!({ "request_id": "req_{hex}_1", "reply": "x" })),
            Session(Say),
            Cheap,
        ),
        ("POST", "/AutoAgent", body(json!({ "query": "hello" })), Door, Cheap),
        ("GET", "/AutoAgent/files/{session}/{name}", None, Session(Watch), Expensive),
        ("POST", "/api/v1/teams", body(json!({})), Members, Expensive),
        ("GET", "/api/v1/teams", None, Known, Cheap),
        ("POST", "/api/v1/teams/import", body(json!({})), Members, Expensive),
        ("GET", "/api/v1/teams/schema", None, Known, Cheap),
        ("GET", "/api/v1/teams/{team}", None, Readers, Cheap),
        ("PUT", "/api/v1/teams/{team}", body(json!({})), Owners, Expensive),
        ("PATCH", "/api/v1/teams/{team}", body(json!({ "status": "active" })), Owners, Cheap),
        ("POST", "/api/v1/teams/{team}/clone", body(json!({})), Readers, Cheap),
        ("GET", "/api/v1/teams/{team}/export", None, Readers, Cheap),
        ("GET", "/api/v1/teams/{team}/access", None, Owners, Cheap),
        ("PUT", "/api/v1/teams/{team}/access/{participant}", body(json!({ "right": "read" })), Owners, Cheap),
        ("DELETE", "/api/v1/teams/{team}/access/{participant}", None, Owners, Cheap),
        // These bodies start nothing.
        ("POST", "/api/v1/teams/{team}/execute", body(json!({ "input": { "task": " " } })), Owners, Cheap),
        ("POST", "/api/v1/teams/{team}/structured-output", body(json!({ "output_schema": 1 })), Owners, Cheap),
        ("GET", "/api/v1/teams/{team}/executions", None, Readers, Cheap),
        ("GET", "/api/v1/executions/{execution}", None, Executors, Expensive),
        ("GET", "/api/v1/executions/{execution}/events", None, Executors, Expensive),
        ("GET", "/api/v1/executions/{execution}/log", None, Executors, Expensive),
        ("GET", "/api/v1/executions/{execution}/metrics", None, Executors, Expensive),
        ("POST", "/api/v1/executions/{execution}/pause", None, Executors, Cheap),
        ("POST", "/api/v1/executions/{execution}/resume", None, Executors, Cheap),
        ("POST", "/api/v1/executions/{execution}/cancel", None, Executors, Cheap),
        ("DELETE", "/api/v1/teams/{team}", None, Owners, Cheap),
        // These come last because they leave nothing for other routes to show.
        ("POST", "/api/v1/sessions/{session}/redact", body(json!({})), Session(Manage), Cheap),
        ("POST", "/api/v1/participants/{participant}/redact", body(json!({})), Admins, Cheap),
    ]
}

/// Resources of the owner: a knowledge base and a team, which they share with the reader, and an execution.
pub(super) struct OwnedResources {
    base: String,
    pub(super) team: String,
    execution: String,
}

impl OwnedResources {
    pub(super) async fn new(harness: &AccessHarness) -> Self {
        let owner = harness.person(CallerKind::Inside(Role::Owner)).expect("is there");
        let reader = harness.person(CallerKind::Reader).expect("is there").participant.id;
        let base = json!({ "name": "Private", "readers": { "participants": [reader] } });
        let base = harness.server.post(owner, "/api/v1/knowledge", &base).await.1;
        let team = crate::door_teams::create(&harness.server, owner, &crate::door_teams::document()).await;
        crate::door_teams::share(&harness.server, owner, &team, reader, "read").await;
        let execute = json!({ "input": { "task": "Why?", "context": { "key": 1 } }, "stream": false });
        let done = harness.server.post(owner, &format!("/api/v1/teams/{team}/execute"), &execute).await.1;
        let execution = done["id"].as_str().expect("an id").to_owned();
        Self { base: base["id"].to_string().trim_matches('"').to_owned(), team, execution }
    }
}

/// Returns the text with its placeholders replaced by the names of existing resources.
pub(super) fn fill_placeholders(harness: &AccessHarness, resources: &OwnedResources, text: &str) -> String {
    let hex = harness.session.0.simple().to_string();
    let names = [
        ("{*session}", &*harness.session.to_string()),
        ("{session}", &harness.session.to_string()),
        ("{id}", &harness.session.to_string()),
        ("{conversation}", &format!("team_session_{hex}")),
        ("{hex}", &hex),
        ("{base}", &resources.base),
        ("{team}", &resources.team),
        ("{execution}", &resources.execution),
        ("{name}", "a.txt"),
        ("{invite}", "000000000000"),
        ("{suggestion}", "ab12"),
        ("{credential}", "000000000000"),
        ("{participant}", &harness.spare.participant.id.to_string()),
    ];
    names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// Returns the path of a route with its placeholders replaced.
pub(super) fn target_path(harness: &AccessHarness, resources: &OwnedResources, path: &str) -> String {
    let query = match path {
        "/api/v1/uploads" => "?name=a.txt",
        "/api/v1/knowledge/{base}/search" => "?q=a",
        "/api/v1/quotas" => "?subject=participant",
        _ => "",
    };
    format!("{}{query}", fill_placeholders(harness, resources, path))
}

#[test]
fn every_route_is_in_the_table() {
    let table: BTreeSet<String> = table().into_iter().map(|(method, path, ..)| format!("{method} {path}")).collect();
    let missing: Vec<_> = sources::routes().difference(&table).cloned().collect();
    assert!(
        missing.is_empty(),
        "say in the table of this file whom these routes are open to and at which pace they count: {missing:#?}"
    );
    let removed: Vec<_> = table.difference(&sources::routes()).cloned().collect();
    assert!(removed.is_empty(), "these routes are no longer there: {removed:#?}");
}

#[tokio::test]
async fn every_route_is_accessible_only_to_its_intended_callers() {
    let harness = AccessHarness::start(false).await;
    let wrong = compare(&harness, table(), RouteAudience::expected).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn guest_doors_give_no_access_to_other_resources() {
    let harness = AccessHarness::start(true).await;
    let doors: Vec<_> = table().into_iter().filter(|(_, path, ..)| is_door(path)).collect();
    assert!(doors.len() > 10, "{doors:?}");
    let wrong = compare(&harness, doors, RouteAudience::expected_at_guest_door).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Requests these routes as every kind of caller. Returns a message for each unexpected outcome.
async fn compare(
    harness: &AccessHarness,
    table: Vec<Route>,
    expected: impl Fn(RouteAudience, CallerKind, &Method) -> AccessOutcome,
) -> Vec<String> {
    let mut resources = OwnedResources::new(harness).await;
    let mut wrong = vec![];
    for (method, path, body, open, _) in table {
        let verb = if method == "ANY" { Method::GET } else { method.parse().expect("a method") };
        for kind in CallerKind::ALL {
            // The previous request might have deleted the resources.
            if method == "DELETE" && ["/api/v1/knowledge/{base}", "/api/v1/teams/{team}"].contains(&path) {
                resources = OwnedResources::new(harness).await;
            }
            let fill = |text: &str| fill_placeholders(harness, &resources, text);
            let target = target_path(harness, &resources, path);
            let body = body.as_ref().map(|body| serde_json::from_str(&fill(&body.to_string())).expect("JSON"));
            let (outcome, answer) = harness.request(kind, &verb, &target, body.as_ref()).await;
            let expected = expected(open, kind, &verb);
            if outcome != expected {
                wrong.push(format!("{method} {path} as {kind:?}: {outcome:?}, not {expected:?}: {answer}"));
            }
        }
    }
    wrong
}

#[tokio::test]
async fn every_route_counts_against_its_rate_limit() {
    let harness = AccessHarness::start(false).await;
    let owner = harness.person(CallerKind::Inside(Role::Owner)).expect("is there");
    let resources = OwnedResources {
        base: "1".into(),
        team: uuid::Uuid::nil().to_string(),
        execution: uuid::Uuid::nil().to_string(),
    };
    let searches = ["/api/v1/sessions?search=a", "/api/v1/sessions?limit=1&s%65arch=a"];
    let searches = searches.map(|path| ("GET", path, None, RouteAudience::Known, RateLimitKind::Expensive));
    let mut wrong = vec![];
    for (method, path, body, _, pace) in table().into_iter().chain(searches) {
        let verb = if method == "ANY" { Method::GET } else { method.parse().expect("a method") };
        let mut request = harness.server.as_person(owner, verb, &target_path(&harness, &resources, path));
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("answers");
        let limit_header =
            answer.headers().get("ratelimit").map_or("", |limit_header| limit_header.to_str().expect("text"));
        let limit_header = limit_header.split(';').next().unwrap_or_default().trim_matches('"');
        if limit_header != pace.name() {
            wrong.push(format!("{method} {path} counts at {limit_header:?}, not {:?}", pace.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn every_write_completes_when_its_caller_disconnects() {
    let harness = AccessHarness::start(false).await;
    let admin = harness.person(CallerKind::Admin).expect("is there");
    let router = roundtable::http::router(harness.server.node.clone(), roundtable::doors::routes());
    let mut left = vec![];
    for (method, path, body, _, _) in table() {
        let verb: Method = if method == "ANY" { Method::GET } else { method.parse().expect("a method") };
        if verb.is_safe() {
            continue;
        }
        // If a resource in the path does not exist, the handler reports it, which shows that the request reached the
        // handler.
        let target = path.replace("{session}", &harness.session.to_string()).replace(['{', '}'], "0");
        let request = axum::http::Request::builder().method(&verb).uri(&target);
        let request = request.header("host", harness.server.url.trim_start_matches("http://"));
        let request = request.header("authorization", format!("Bearer {}", admin.token));
        let request = request.header("content-type", "application/json");
        let body = body.map_or_else(String::new, |body| body.to_string());
        let mut request = request.body(axum::body::Body::from(body)).expect("a request");
        request.extensions_mut().insert(ClientAddress(std::net::Ipv4Addr::LOCALHOST.into()));
        let answer = router.clone().oneshot(request).await.expect("never fails");
        if answer.extensions().get::<DetachedMarker>().is_none() {
            left.push(format!("{method} {path}: {}", answer.status()));
        }
    }
    assert!(left.is_empty(), "these are not below `detached` in src/http/router.rs: {left:#?}");
}
