//! Sign-in with a header from a reverse proxy.

use reqwest::{Method, Response, StatusCode};
use roundtable::audit::{AuditAction, AuditOutcome, AuditQuery};
use roundtable::config::Config;
use roundtable::identity::{ExternalAccount, ServerRole};
use serde_json::{Value, json};

use crate::server::{Server, with_timeout};

const PATH: &str = "/api/v1/sign-in/proxy";

/// Makes the server trust the header on connections from this machine.
fn behind(config: &mut Config) {
    let proxy = &mut config.identity.proxy;
    proxy.header = Some("X-Forwarded-User".into());
    proxy.groups_header = Some("X-Forwarded-Groups".into());
    proxy.from = vec!["127.0.0.0/8".into()];
}

async fn open(server: &Server, path: &str, headers: &[(&str, &str)]) -> Response {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    let request = client.build().expect("a client").get(format!("{}{path}", server.url));
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send().await.expect("answers")
}

/// Signs in. Returns the path that the server redirects to, and the cookie that it sets.
async fn sign_in(server: &Server, headers: &[(&str, &str)]) -> (String, Option<String>) {
    let answer = open(server, PATH, headers).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    let text = |name| answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned());
    (
        text("location").expect("leads somewhere"),
        text("set-cookie").map(|set| set.split(';').next().expect("a pair").into()),
    )
}

async fn me(server: &Server, cookie: &str) -> Value {
    let request = server.request(Method::GET, "/api/v1/me").header("cookie", cookie);
    request.send().await.expect("answers").json().await.expect("JSON")
}

async fn denials(server: &Server) -> Vec<Value> {
    with_timeout(server.node.audit.flush()).await;
    let query = AuditQuery { action: Some(AuditAction::SignIn), limit: 100, ..AuditQuery::default() };
    let entries = server.node.audit.store().audit_entries(&query).await.expect("reads");
    let refused = entries.into_iter().filter(|entry| entry.outcome == AuditOutcome::Denied);
    refused.map(|entry| json!(entry)["detail"]["reason"].clone()).collect()
}

#[tokio::test]
async fn a_listed_proxy_names_people_and_their_groups_give_the_role() {
    let server = Server::start_with(|config| {
        behind(config);
        config.identity.proxy.roles.admin = vec!["ops".into()];
    })
    .await;
    let options: Value =
        open(&server, "/api/v1/sign-in", &[("x-forwarded-user", "ann@example.org")]).await.json().await.expect("JSON");
    assert_eq!(options, json!({ "proxy": { "user": "ann@example.org" } }));
    let (place, cookie) =
        sign_in(&server, &[("x-forwarded-user", "ann@example.org"), ("x-forwarded-groups", "ops, staff")]).await;
    let first = me(&server, &cookie.expect("signs in")).await;
    assert_eq!((&*place, &first["you"]["name"], &first["server_role"]), ("/", &json!("ann"), &json!("admin")));
    assert_eq!(first["last_sign_in"]["method"], "proxy");
    let (_, cookie) = sign_in(&server, &[("x-forwarded-user", "ann@example.org")]).await;
    let again = me(&server, &cookie.expect("signs in")).await;
    assert_eq!(
        (&again["you"]["id"], &again["server_role"]),
        (&first["you"]["id"], &json!("admin")),
        "no groups change nothing"
    );
    let (_, cookie) =
        sign_in(&server, &[("x-forwarded-user", "ann@example.org"), ("x-forwarded-groups", "staff")]).await;
    assert_eq!(me(&server, &cookie.expect("signs in")).await["server_role"], "member");
    let id = serde_json::from_value(first["you"]["id"].clone()).expect("an id");
    assert!(server.node.identities.set_disabled(id, true).await.expect("answers"));
    let (place, cookie) = sign_in(&server, &[("x-forwarded-user", "ann@example.org")]).await;
    assert_eq!((&*place, cookie), ("/sign-in?error=disabled", None));
}

#[tokio::test]
async fn a_header_from_elsewhere_is_ignored_and_recorded_once() {
    let server = Server::start_with(|config| {
        behind(config);
        config.identity.proxy.from = vec!["192.0.2.1".into()];
        // A forwarding header does not make a connection come from the proxy.
        config.http.trusted_proxies = vec!["127.0.0.0/8".into()];
    })
    .await;
    let nothing = sign_in(&server, &[]).await;
    assert_eq!(nothing, ("/sign-in?error=no_user".into(), None));
    for spoofed in [
        &[("x-forwarded-user", "root")][..],
        &[("x-forwarded-user", "root"), ("x-forwarded-for", "192.0.2.1")],
        &[("x-forwarded-user", "root"), ("x-forwarded-user", "root")],
    ] {
        assert_eq!(sign_in(&server, spoofed).await, nothing, "as without the header");
        let options: Value = open(&server, "/api/v1/sign-in", spoofed).await.json().await.expect("JSON");
        assert_eq!(options, json!({}));
    }
    let linked = server.node.external.linked_participant(ExternalAccount::new("proxy", "root")).await;
    assert_eq!(linked.expect("reads"), None);
    let mut reasons = denials(&server).await;
    reasons.retain(|reason| reason != "no_user");
    assert_eq!(reasons, [json!("unlisted_address")]);
    assert_eq!(denials(&server).await.len(), 5, "each failure is an entry");
    // Other requests ignore the header, too.
    let me =
        server.request(Method::GET, "/api/v1/me").header("x-forwarded-user", "root").send().await.expect("answers");
    assert_eq!(me.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_repeated_header_is_refused() {
    let server = Server::start_with(behind).await;
    let twice = [("x-forwarded-user", "ann"), ("x-forwarded-user", "root")];
    assert_eq!(sign_in(&server, &twice).await, ("/sign-in?error=invalid".into(), None));
    let groups = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "a"), ("x-forwarded-groups", "b")];
    assert_eq!(sign_in(&server, &groups).await, ("/sign-in?error=invalid".into(), None));
    assert_eq!(denials(&server).await, [json!("invalid"), json!("invalid")]);
}

#[tokio::test]
async fn proxy_sign_in_is_off_by_default_and_admits_only_allowed_people() {
    let server = Server::start().await;
    let answer = open(&server, PATH, &[("x-forwarded-user", "ann")]).await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    let server = Server::start_with(|config| {
        behind(config);
        config.identity.proxy.allowed_groups = vec!["staff".into()];
        config.identity.proxy.create_people = false;
    })
    .await;
    let staff = [("x-forwarded-user", "ann"), ("x-forwarded-groups", "staff")];
    assert_eq!(sign_in(&server, &staff).await.0, "/sign-in?error=unknown_person");
    assert_eq!(sign_in(&server, &[("x-forwarded-user", "ann")]).await.0, "/sign-in?error=not_allowed");
    // An imported person is admitted.
    let root = server.person("Root", ServerRole::Admin).await;
    let list = json!({ "people": [{ "subject": "ann", "name": "Ann Lee" }] });
    assert_eq!(server.post(&root, "/api/v1/people/import", &list).await.0, StatusCode::OK);
    let (place, cookie) = sign_in(&server, &staff).await;
    assert_eq!((&*place, &me(&server, &cookie.expect("signs in")).await["you"]["name"]), ("/", &json!("Ann Lee")));
    for (path, expected) in [("/knowledge", StatusCode::SEE_OTHER), ("//evil.example", StatusCode::BAD_REQUEST)] {
        let answer = open(&server, &format!("{PATH}?return_to={path}"), &staff).await;
        assert_eq!(answer.status(), expected, "{path}");
    }
}

#[tokio::test]
async fn groups_give_a_role_in_every_session_until_they_end() {
    let server = Server::start_with(|config| {
        behind(config);
        config.identity.proxy.session_roles.viewer = vec!["audit".into()];
        config.identity.proxy.session_roles.reviewer = vec!["qa".into()];
        config.identity.revocation_ms = 20;
    })
    .await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let sign_in = async |groups: &str| {
        let named = [("x-forwarded-user", "eve"), ("x-forwarded-groups", groups)];
        sign_in(&server, &named).await.1.expect("signs in")
    };
    let show = async |cookie: &str| -> Value {
        let request = server.request(Method::GET, &format!("/api/v1/sessions/{session}")).header("cookie", cookie);
        request.send().await.expect("answers").json().await.expect("JSON")
    };
    let say = async |cookie: &str| -> Value {
        let path = format!("/api/v1/sessions/{session}/commands");
        let command = json!({ "id": uuid::Uuid::now_v7(), "do": "say", "data": { "text": "@people hello" } });
        let request = server.request(Method::POST, &path).header("cookie", cookie).header("origin", &server.url);
        request.json(&command).send().await.expect("answers").json().await.expect("JSON")
    };
    let stranger = sign_in("staff").await;
    assert_eq!(show(&stranger).await["code"], "unknown_session");
    let viewer = sign_in("audit").await;
    assert_eq!(me(&server, &stranger).await["code"], "unauthenticated", "open pages would have the old rights");
    assert_eq!(show(&viewer).await["role"], "viewer");
    let listed =
        server.request(Method::GET, "/api/v1/sessions").header("cookie", &viewer).send().await.expect("answers");
    let listed: Value = listed.json().await.expect("JSON");
    assert_eq!(listed["sessions"].as_array().expect("a list").len(), 1);
    assert_eq!(say(&viewer).await["code"], "forbidden");
    let names = server.get(&ann, &format!("/api/v1/sessions/{session}")).await["state"]["participants"].to_string();
    assert!(names.contains("eve"), "everyone there sees them: {names}");
    let reviewer = sign_in("qa,audit").await;
    assert_eq!(show(&reviewer).await["role"], "reviewer");
    assert!(say(&reviewer).await["seq"].is_u64());
    let before = sign_in("staff").await;
    assert_eq!(say(&before).await["code"], "forbidden", "they are in the session as a viewer");
    assert_eq!(show(&before).await["role"], "viewer");
    let request = server.request(Method::GET, "/api/v1/participants").header("cookie", &before);
    assert_eq!(request.send().await.expect("answers").status(), StatusCode::FORBIDDEN);
}
