//! Every route × every kind of limited token: which routes each token opens.

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use roundtable::identity::{CredentialKind, TokenScope, issue_with};
use roundtable::kernel::Role;
use serde_json::Value;

use super::callers::{AccessHarness, CallerKind};
use super::routes::{OwnedResources, RouteAudience, table, target_path};

/// Issues a token for the session's owner, limited to this scope.
async fn issue_limited_token(harness: &AccessHarness, scope: TokenScope) -> String {
    let owner = harness.person(CallerKind::Inside(Role::Owner)).expect("is there");
    let identities = &*harness.server.node.identities;
    let token = issue_with(identities, owner.participant.id, CredentialKind::Token, |new| new.scope = Some(scope));
    token.await.expect("issues").reveal().to_owned()
}

/// Returns the routes that check the credential and do not refuse a token with this scope.
async fn accessible_routes(harness: &AccessHarness, resources: &OwnedResources, scope: TokenScope) -> BTreeSet<String> {
    let token = issue_limited_token(harness, scope).await;
    let mut opened = BTreeSet::new();
    for (method, path, body, open, _) in table() {
        if matches!(open, RouteAudience::Unchecked) {
            continue;
        }
        let verb = if method == "ANY" { Method::GET } else { method.parse().expect("a method") };
        let mut request = harness.server.request(verb, &target_path(harness, resources, path)).bearer_auth(&token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.expect("answers");
        let (status, is_stream) =
            (answer.status(), answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream"));
        let answer = if is_stream { Value::Null } else { answer.json().await.unwrap_or_default() };
        let refused = status == StatusCode::FORBIDDEN && answer.to_string().contains("token");
        if !refused {
            opened.insert(format!("{method} {path}"));
        }
    }
    opened
}

/// Returns the routes that check the credential and for which `wanted` returns true.
fn routes(wanted: impl Fn(&str, &str) -> bool) -> BTreeSet<String> {
    let looked_at = table().into_iter().filter(|(.., open, _)| !matches!(open, RouteAudience::Unchecked));
    let wanted = looked_at.filter(|(method, path, ..)| wanted(method, path));
    wanted.map(|(method, path, ..)| format!("{method} {path}")).collect()
}

#[tokio::test]
async fn a_read_only_token_only_reads() {
    let harness = AccessHarness::start(false).await;
    let resources = OwnedResources::new(&harness).await;
    let scope = TokenScope { max_role: Some(Role::Viewer), ..TokenScope::default() };
    let own_identity = |path: &str| path.starts_with("/api/v1/me/") && path != "/api/v1/me/quotas";
    let expected = routes(|method, path| matches!(method, "GET" | "ANY") && !own_identity(path));
    assert_eq!(accessible_routes(&harness, &resources, scope).await, expected);
}

#[tokio::test]
async fn a_token_of_another_session_has_no_access() {
    let harness = AccessHarness::start(false).await;
    let resources = OwnedResources::new(&harness).await;
    let scope = TokenScope { sessions: [harness.add_session().await].into(), ..TokenScope::default() };
    let expected = [
        "ANY /api/v1/ws",
        "GET /api/v1/me",
        "GET /api/v1/server",
        "GET /api/v1/sessions",
        "GET /api/v1/sign-in",
        "POST /api/v1/me/tokens",
    ];
    let opened = accessible_routes(&harness, &resources, scope).await;
    let unexpected: Vec<_> = opened.iter().filter(|route| !expected.contains(&route.as_str())).collect();
    // The bodies in the table name no session, so the doors reject them before they look up a session.
    assert!(
        unexpected.iter().all(|route| route.contains("/analyze/") || route.contains("{conversation}")),
        "{unexpected:?}"
    );
    assert!(expected.iter().all(|route| opened.contains(*route)), "{opened:?}");
}

#[tokio::test]
async fn a_token_of_the_session_has_the_access_of_its_role() {
    let harness = AccessHarness::start(false).await;
    let resources = OwnedResources::new(&harness).await;
    let scope = TokenScope { sessions: [harness.session].into(), ..TokenScope::default() };
    let opened = accessible_routes(&harness, &resources, scope).await;
    let in_session = routes(|_, path| path.starts_with("/api/v1/sessions/{session}") && !path.ends_with("/knock"));
    let missing: Vec<_> = in_session.difference(&opened).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for closed in ["GET /api/v1/participants", "GET /api/v1/knowledge", "POST /api/v1/sessions", "POST /AutoAgent"] {
        assert!(!opened.contains(closed), "{closed}");
    }
    assert!(!opened.contains("GET /api/v1/teams/{team}") && !opened.contains("GET /api/v1/executions/{execution}"));
}

#[tokio::test]
async fn a_token_of_a_team_has_access_to_the_team_and_its_executions() {
    let harness = AccessHarness::start(false).await;
    let resources = OwnedResources::new(&harness).await;
    let team = resources.team.parse().expect("a UUID");
    let opened =
        accessible_routes(&harness, &resources, TokenScope { teams: [team].into(), ..TokenScope::default() }).await;
    let expected = routes(|method, path| match path {
        "/api/v1/teams/{team}" | "/api/v1/teams/{team}/executions" => method == "GET",
        "/api/v1/teams/{team}/execute" | "/api/v1/teams/{team}/structured-output" => true,
        path => path.starts_with("/api/v1/executions/"),
    });
    let missing: Vec<_> = expected.difference(&opened).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let manages = |route: &String| route.contains("/teams") && !expected.contains(route);
    assert!(!opened.iter().any(manages) && !opened.contains("GET /api/v1/sessions/{session}"), "{opened:?}");
}
