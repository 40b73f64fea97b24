//! The audit log: its entries and its readers.

use reqwest::{Method, StatusCode};
use roundtable::audit::{AuditAction, AuditEntry, AuditOutcome, AuditQuery};
use roundtable::config::Config;
use roundtable::identity::{SecretHash, ServerRole};
use serde_json::{Value, json};

use crate::server::{self, Person, Server, with_timeout};
use crate::socket_harness::WebSocketClient;

/// Returns the entries for this action, oldest first.
async fn entries(server: &Server, action: AuditAction) -> Vec<AuditEntry> {
    with_timeout(server.node.audit.flush()).await;
    let query = AuditQuery { action: Some(action), limit: 1_000, ..AuditQuery::default() };
    let mut entries = server.node.audit.store().audit_entries(&query).await.expect("reads");
    entries.reverse();
    entries
}

async fn only(server: &Server, action: AuditAction) -> AuditEntry {
    let mut found = entries(server, action).await;
    assert_eq!(found.len(), 1, "{action:?}: {found:?}");
    found.remove(0)
}

fn is_by(entry: &AuditEntry, who: &Person) {
    let actor = entry.actor.as_ref().expect("an actor");
    assert_eq!((actor.id, &actor.name), (Some(who.participant.id), &who.participant.name), "{entry:?}");
    assert_eq!(entry.address.map(|address| address.to_string()).as_deref(), Some("127.0.0.1"), "{entry:?}");
}

async fn command(server: &Server, who: &Person, session: impl std::fmt::Display, name: &str, data: Value) {
    let frame = json!({ "id": uuid::Uuid::now_v7().to_string(), "do": name, "data": data });
    let path = format!("/api/v1/sessions/{session}/commands");
    let (status, answer) = server.post(who, &path, &frame).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

#[tokio::test]
async fn sign_ins_and_denials_are_entries_with_actor_and_address() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let sign_in = async |code: &str| {
        let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": code }));
        request.send().await.expect("answers").status()
    };
    assert_eq!(sign_in(&ann.token).await, StatusCode::OK);
    assert_eq!(sign_in("rt_token_00").await, StatusCode::GONE);
    let signed = entries(&server, AuditAction::SignIn).await;
    assert_eq!(signed.iter().map(|entry| entry.outcome).collect::<Vec<_>>(), [AuditOutcome::Ok, AuditOutcome::Denied]);
    is_by(&signed[0], &ann);
    assert_eq!(signed[1].actor, None);
    assert_eq!(signed[1].subject.as_deref(), Some(&*SecretHash::of("rt_token_00").id()), "never the secret");

    // Denials are recorded for a participant without the right and for an unknown credential, but not for a request
    // without a credential.
    let refused = server.as_person(&ann, Method::GET, "/api/v1/audit").send().await.expect("answers");
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
    let id = refused.headers()["x-request-id"].to_str().expect("text").to_owned();
    let unknown = server.request(Method::GET, "/api/v1/me").bearer_auth("rt_token_00").send().await.expect("answers");
    assert_eq!(unknown.status(), StatusCode::UNAUTHORIZED);
    let nobody = server.request(Method::GET, "/api/v1/me").send().await.expect("answers");
    assert_eq!(nobody.status(), StatusCode::UNAUTHORIZED);
    let refused = entries(&server, AuditAction::Denial).await;
    assert_eq!(refused.len(), 2, "{refused:?}");
    is_by(&refused[0], &ann);
    assert_eq!((refused[0].subject.as_deref(), refused[0].request.as_deref()), (Some("/api/v1/audit"), Some(&*id)));
    assert_eq!(refused[0].detail, Some(json!({ "code": "forbidden" })));
    assert_eq!((&refused[1].actor, refused[1].address.is_some()), (&None, true));

    // A rejection that hides a resource is recorded too, whether or not the resource exists.
    let bob = server.person("Bob", ServerRole::Member).await;
    let session = server.session(&bob, &json!({ "title": "Payment" })).await;
    let base = server.post(&bob, "/api/v1/knowledge", &json!({ "name": "private" })).await.1;
    let base = &base["id"];
    for (path, code) in [
        (format!("/api/v1/sessions/{session}"), "unknown_session"),
        (format!("/api/v1/sessions/{session}/log"), "unknown_session"),
        (format!("/api/v1/knowledge/{base}/documents"), "unknown_knowledge"),
    ] {
        let hidden = server.as_person(&ann, Method::GET, &path).send().await.expect("answers");
        assert_eq!(hidden.status(), StatusCode::NOT_FOUND, "{path}");
        let refused = entries(&server, AuditAction::Denial).await.pop().expect("an entry");
        is_by(&refused, &ann);
        assert_eq!(refused.detail, Some(json!({ "code": code })), "{path}");
        assert_eq!(refused.session, (code == "unknown_session").then_some(session));
    }
    let count = entries(&server, AuditAction::Denial).await.len();
    let missing = server.as_person(&ann, Method::GET, "/api/v1/nothing").send().await.expect("answers");
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    assert_eq!(entries(&server, AuditAction::Denial).await.len(), count, "a path that is none denies nobody");
}

#[tokio::test]
async fn links_roles_removals_and_settings_are_entries() {
    let server = Server::start().await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    let invites = format!("/api/v1/sessions/{session}/invites");
    let (_, link) = server.post(&ann, &invites, &json!({ "role": "viewer" })).await;
    let secret = link["link"].as_str().and_then(|link| link.split_once('#')).expect("a secret").1;
    let (status, _) = server.post(&bob, "/api/v1/invites/accept", &json!({ "secret": secret })).await;
    assert_eq!(status, StatusCode::OK);
    let made = only(&server, AuditAction::LinkCreated).await;
    is_by(&made, &ann);
    let used = only(&server, AuditAction::LinkUsed).await;
    is_by(&used, &bob);
    assert_eq!((made.subject, made.session), (used.subject, Some(session)));
    let (status, _) = server.post(&bob, "/api/v1/invites/accept", &json!({ "secret": "rt_invite_00" })).await;
    assert_eq!(status, StatusCode::GONE);
    assert_eq!(entries(&server, AuditAction::LinkUsed).await[1].outcome, AuditOutcome::Denied);

    let who = bob.participant.id.to_string();
    command(&server, &ann, session, "set_role", json!({ "participant": who, "role": "reviewer" })).await;
    command(&server, &ann, session, "set", json!({ "settings": { "max_parallel": 2 } })).await;
    command(&server, &ann, session, "remove", json!({ "participant": who })).await;
    for action in [AuditAction::RoleChanged, AuditAction::SettingsChanged, AuditAction::ParticipantRemoved] {
        let entry = only(&server, action).await;
        is_by(&entry, &ann);
        assert_eq!(entry.session, Some(session));
        let subject = (action != AuditAction::SettingsChanged).then_some(&*who);
        assert_eq!(entry.subject.as_deref(), subject, "{action:?}");
    }
}

#[tokio::test]
async fn every_session_read_by_an_administrator_is_audited() {
    let server = Server::start().await;
    let (ann, root) = (server.person("Ann", ServerRole::Member).await, server.person("Root", ServerRole::Admin).await);
    let paths = ["", "/log", "/messages", "/files", "/events"];
    for path in paths {
        let session = server.session(&ann, &json!({ "title": "Payment" })).await;
        for who in [&ann, &root, &root] {
            let path = format!("/api/v1/sessions/{session}{path}");
            let answer = server.as_person(who, Method::GET, &path).send().await.expect("answers");
            assert_eq!(answer.status(), StatusCode::OK, "{path}");
        }
        let read = entries(&server, AuditAction::SessionRead).await.pop().expect("an entry");
        is_by(&read, &root);
        assert_eq!(read.session, Some(session), "{path}");
    }
    assert_eq!(entries(&server, AuditAction::SessionRead).await.len(), paths.len(), "one each, not one a request");
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    let mut client = socket(&server, &root.token).await;
    client.wait_for("welcome").await;
    client.send(json!({ "type": "join", "session": session })).await;
    client.wait_for("joined").await;
    let read = entries(&server, AuditAction::SessionRead).await.pop().expect("an entry");
    is_by(&read, &root);
    assert_eq!(read.session, Some(session));
}

async fn socket(server: &Server, token: &str) -> WebSocketClient {
    let url = format!("{}/api/v1/ws", server.url.replace("http", "ws"));
    let (socket, _) = tokio_tungstenite::connect_async(url).await.expect("connects");
    let mut client = WebSocketClient { socket };
    client.send(json!({ "type": "hello", "token": token })).await;
    client
}

#[tokio::test]
async fn rejections_on_a_socket_are_audited() {
    let server = Server::start().await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    let invite = json!({ "participant": bob.participant.id.to_string(), "role": "viewer" });
    command(&server, &ann, session, "invite", invite).await;
    let mut stranger = socket(&server, "rt_token_00").await;
    stranger.wait_for("error").await;
    let refused = only(&server, AuditAction::Denial).await;
    assert_eq!((&refused.actor, refused.address.is_some()), (&None, true));
    let mut client = socket(&server, &bob.token).await;
    client.wait_for("welcome").await;
    client.send(json!({ "type": "join", "session": session })).await;
    client.wait_for("joined").await;
    let frame = json!({ "type": "command", "id": "c1", "session": session, "do": "close" });
    client.send(frame).await;
    client.wait_for("error").await;
    let refused = entries(&server, AuditAction::Denial).await.pop().expect("an entry");
    is_by(&refused, &bob);
    assert_eq!(refused.session, Some(session));
    let hidden = server.session(&ann, &json!({ "title": "Secret" })).await;
    client.send(json!({ "type": "join", "session": hidden })).await;
    client.wait_for("error").await;
    let refused = entries(&server, AuditAction::Denial).await.pop().expect("an entry");
    is_by(&refused, &bob);
    assert_eq!((refused.session, refused.detail), (Some(hidden), Some(json!({ "code": "unknown_session" }))));
}

#[tokio::test]
async fn a_flood_of_denials_does_not_displace_other_audit_entries() {
    let server = Server::start_with(|config: &mut Config| config.audit.max_denials_per_address_minute = 5).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    for _ in 0..50 {
        let answer = server.request(Method::GET, "/api/v1/me").bearer_auth("rt_token_00").send().await;
        assert_eq!(answer.expect("answers").status(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(entries(&server, AuditAction::Denial).await.len(), 5);
    // Other entries are still written.
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    command(&server, &ann, session, "set", json!({ "settings": { "max_parallel": 2 } })).await;
    only(&server, AuditAction::SettingsChanged).await;
}

#[tokio::test]
async fn only_administrators_can_page_through_the_audit_log() {
    let server = Server::start().await;
    let (root, ann) = (server.person("Root", ServerRole::Admin).await, server.person("Ann", ServerRole::Member).await);
    let session = server.session(&ann, &json!({ "title": "Payment" })).await;
    for parallel in 1..=5 {
        command(&server, &ann, session, "set", json!({ "settings": { "max_parallel": parallel } })).await;
    }
    with_timeout(server.node.audit.flush()).await;
    let path = format!("/api/v1/audit?action=settings_changed&session={session}&limit=2");
    let first = server.get(&root, &path).await;
    assert_eq!(first["entries"].as_array().map(Vec::len), Some(2), "{first}");
    assert_eq!(first["entries"][0]["detail"]["settings"], json!({ "max_parallel": 5 }));
    let second = server.get(&root, &format!("{path}&before={}", first["next"])).await;
    let third = server.get(&root, &format!("{path}&before={}", second["next"])).await;
    assert_eq!((third["entries"].as_array().map(Vec::len), &third["next"]), (Some(1), &Value::Null));
    for (who, status) in [(&ann, StatusCode::FORBIDDEN), (&server.bot("CI").await, StatusCode::FORBIDDEN)] {
        let answer = server.as_person(who, Method::GET, "/api/v1/audit").send().await.expect("answers");
        server::json(answer, status).await;
    }
    let wrong = server.as_person(&root, Method::GET, "/api/v1/audit?action=nothing").send().await.expect("answers");
    server::json(wrong, StatusCode::BAD_REQUEST).await;
}

#[tokio::test]
async fn audit_entries_are_written_before_a_stop_ends() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
    assert_eq!(request.send().await.expect("answers").status(), StatusCode::OK);
    let data = server.stop().await;
    let server = Server::start_in(data, |_| {}).await;
    is_by(&only(&server, AuditAction::SignIn).await, &ann);
}
