//! Limited tokens: what they give access to, from which networks and for how long, and that no holder can widen them.

use reqwest::{Method, StatusCode};
use roundtable::audit::{AuditAction, AuditQuery};
use roundtable::identity::{
    CredentialKind, NewCredential, Participant, Secret, SecretHash, ServerRole, TokenOrigin, TokenScope, issue_with,
};
use roundtable::kernel::{ActorKind, Role, SessionId};
use serde_json::{Value, json};

use crate::command_line::{roundtable, run_command};
use crate::fresh_database::{FreshDatabase, laws};
use crate::server::{Person, Server, with_timeout};
use crate::socket_harness::WebSocketClient;

laws! {
    a_scope_is_stored_and_a_credential_leads_to_its_token,
    a_limited_token_has_access_to_its_sessions_over_every_transport,
    a_revoked_or_expired_token_ends_its_sockets_and_derived_credentials,
}

const TOKENS: &str = "/api/v1/me/tokens";

/// Creates a token with this body as `by`, and returns a person who uses it.
async fn token(server: &Server, by: &Person, body: Value) -> Person {
    let (status, made) = server.post(by, TOKENS, &body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    Person { participant: by.participant.clone(), token: made["token"].as_str().expect("a token").to_owned() }
}

/// Returns the error code of the response to a request, or `ok`.
async fn code(server: &Server, who: &Person, method: Method, path: &str, body: Value) -> String {
    let answer = server.as_person(who, method, path).json(&body).send().await.expect("answers");
    let status = answer.status();
    let body: Value = answer.json().await.unwrap_or_default();
    if status.is_success() { "ok".into() } else { body["code"].as_str().unwrap_or_default().to_owned() }
}

/// Sends a command over REST and returns its error code, or `ok`.
async fn command(server: &Server, who: &Person, session: SessionId, name: &str, data: Value) -> String {
    let body = json!({ "id": uuid::Uuid::now_v7(), "do": name, "data": data });
    code(server, who, Method::POST, &format!("/api/v1/sessions/{session}/commands"), body).await
}

async fn say(server: &Server, who: &Person, session: SessionId) -> String {
    command(server, who, session, "say", json!({ "text": "@people hello" })).await
}

/// Sends a command over a socket and returns the reply.
async fn say_over_socket(client: &mut WebSocketClient, session: SessionId) -> Value {
    let data = json!({ "text": "@people hello" });
    client
        .send(json!({ "type": "command", "id": uuid::Uuid::now_v7(), "session": session, "do": "say", "data": data }))
        .await;
    loop {
        let frame = client.next().await;
        if matches!(frame["type"].as_str(), Some("ack" | "error")) {
            return frame;
        }
    }
}

async fn on(fresh: &FreshDatabase, settings: impl FnOnce(&mut roundtable::config::Config)) -> Server {
    Server::start_with(|config| {
        config.database_url = Some(fresh.url.clone());
        config.identity.revocation_ms = 20;
        settings(config);
    })
    .await
}

async fn a_scope_is_stored_and_a_credential_leads_to_its_token(fresh: FreshDatabase) {
    let store = fresh.open().await.identities;
    let ada = Participant::new(ActorKind::User, "Ada", ServerRole::Member);
    store.add_participant(&ada, roundtable::clock::now()).await.expect("adds");
    let scope = TokenScope {
        sessions: [crate::append_builders::new_session_id()].into(),
        teams: [uuid::Uuid::now_v7()].into(),
        max_role: Some(Role::Reviewer),
        ..TokenScope::default()
    };
    let hash = Secret::random("token").hash();
    let lasts = Some(std::time::Duration::from_secs(60 * 60));
    let token =
        NewCredential { scope: Some(scope.clone()), lasts, ..NewCredential::new(hash, CredentialKind::Token, ada.id) };
    store.add_credential(&token).await.expect("adds");
    let found = store.authenticate(hash, CredentialKind::Token).await.expect("reads").expect("is known");
    assert_eq!((found.id, found.scope.as_deref()), (ada.id, Some(&scope)));
    let listed = store.tokens().await.expect("lists");
    assert_eq!(listed[0].scope, Some(scope));
    let expires_at = listed[0].expires_at;
    let give = async |origin, kind| {
        let hash = Secret::random("test").hash();
        let new = NewCredential { origin, ..NewCredential::new(hash, kind, ada.id) };
        store.add_credential(&new).await.expect("adds");
        hash
    };
    let cookie = give(Some(hash), CredentialKind::Cookie).await;
    let own = give(None, CredentialKind::Cookie).await;
    let child = give(Some(hash), CredentialKind::Token).await;
    let origin = async |of| store.token_origin(of).await.expect("reads");
    assert_eq!(origin(hash).await, Some(TokenOrigin { hash, expires_at }));
    assert_eq!(origin(cookie).await, Some(TokenOrigin { hash, expires_at }));
    assert_eq!(origin(child).await, Some(TokenOrigin { hash: child, expires_at: None }));
    assert_eq!(origin(own).await, None);
    for (of, kind, token) in [
        (hash, CredentialKind::Token, Some(hash)),
        (cookie, CredentialKind::Cookie, Some(hash)),
        (child, CredentialKind::Token, Some(child)),
        (own, CredentialKind::Cookie, None),
    ] {
        let known = store.authenticate(of, kind).await.expect("reads").expect("is known");
        assert_eq!(known.token, token, "the token whose rate limit counts");
    }
    fresh.execute_sql("update credentials set scope = '{\"later\":1}'").await;
    store.authenticate(hash, CredentialKind::Token).await.expect_err("a scope that it does not know is not none");
}

async fn a_limited_token_has_access_to_its_sessions_over_every_transport(fresh: FreshDatabase) {
    let server = on(&fresh, |_| {}).await;
    let ann = server.person("Ann", ServerRole::Admin).await;
    let (ours, other) = (server.session(&ann, &json!({})).await, server.session(&ann, &json!({})).await);
    let bot =
        token(&server, &ann, json!({ "label": "Bot", "scope": { "sessions": [ours], "max_role": "reviewer" } })).await;

    assert_eq!(
        (say(&server, &bot, ours).await.as_str(), say(&server, &bot, other).await.as_str()),
        ("ok", "token_scope")
    );
    assert_eq!(command(&server, &bot, ours, "set", json!({ "title": "Mine" })).await, "token_scope", "beyond its role");
    assert_eq!(command(&server, &ann, ours, "set", json!({ "title": "Mine" })).await, "ok");
    let response = server.get(&bot, &format!("/api/v1/sessions/{ours}")).await;
    let rights = json!(["watch", "say", "steer", "answer", "approve", "edit"]);
    assert_eq!((&response["role"], &response["you_can"]), (&json!("reviewer"), &rights));
    let listed = server.get(&bot, "/api/v1/sessions").await;
    let listed = listed["sessions"].as_array().expect("a list");
    assert_eq!((listed.len(), &listed[0]["session"], &listed[0]["role"]), (1, &json!(ours), &json!("reviewer")));
    for (path, expected) in [("events", "token_scope"), ("log", "token_scope"), ("messages", "token_scope")] {
        assert_eq!(
            code(&server, &bot, Method::GET, &format!("/api/v1/sessions/{other}/{path}"), json!({})).await,
            expected
        );
    }
    let door = json!({ "message": "write", "conversation_id": format!("team_session_{}", other.0.simple()) });
    let door = server.as_person(&bot, Method::POST, "/api/team-chat/stream").json(&door).send().await.expect("answers");
    assert_eq!(door.status(), StatusCode::FORBIDDEN);
    let door = server.as_person(&bot, Method::POST, "/api/team-chat/stream").json(&json!({ "message": "write" }));
    assert_eq!(door.send().await.expect("answers").status(), StatusCode::FORBIDDEN, "it creates no session");
    assert_eq!(code(&server, &bot, Method::GET, "/api/v1/participants", json!({})).await, "token_scope");
    assert_eq!(code(&server, &bot, Method::PATCH, "/api/v1/me", json!({ "name": "Eve" })).await, "token_scope");

    let mut client = WebSocketClient::connect_to_server(&server, &bot).await;
    client.send(json!({ "type": "join", "session": other })).await;
    assert_eq!(client.wait_for("error").await["code"], "token_scope");
    let joined = client.join(ours, None).await;
    assert_eq!(joined["you_can"], rights);
    assert_eq!(say_over_socket(&mut client, ours).await["type"], "ack");
}

async fn a_revoked_or_expired_token_ends_its_sockets_and_derived_credentials(fresh: FreshDatabase) {
    let server = on(&fresh, |_| {}).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    for ends_by_revocation in [true, false] {
        let parent =
            token(&server, &ann, json!({ "label": "Parent", "scope": { "sessions": [session] }, "expires_days": 2 }))
                .await;
        let (status, child) = server.post(&parent, TOKENS, &json!({ "label": "Child", "expires_days": 100 })).await;
        assert_eq!((status, &child["scope"]), (StatusCode::CREATED, &json!({ "sessions": [session] })));
        let secret = child["token"].as_str().expect("a token").to_owned();
        let child = Person { participant: ann.participant.clone(), token: secret };
        let id = |who: &Person| SecretHash::of(&who.token).id();
        let listed = server.node.identities.credentials(Some(ann.participant.id), 100).await.expect("lists");
        let ends = |who: &Person| listed.iter().find(|one| one.id == id(who)).expect("is listed").expires_at;
        let [parents, childs] = [&parent, &child].map(|who| ends(who).expect("has an end").millis());
        assert!(childs < parents + 60_000, "only the clocks of two machines are between them: {childs} {parents}");
        let mut sockets = [
            WebSocketClient::connect_to_server(&server, &parent).await,
            WebSocketClient::connect_to_server(&server, &child).await,
        ];
        let mut own = WebSocketClient::connect_to_server(&server, &ann).await;
        match ends_by_revocation {
            true => {
                let path = format!("/api/v1/me/credentials/{}", id(&parent));
                assert_eq!(code(&server, &parent, Method::DELETE, &path, json!({})).await, "token_scope");
                assert_eq!(code(&server, &ann, Method::DELETE, &path, json!({})).await, "ok");
            }
            false => {
                let now = roundtable::clock::now().millis();
                // Credentials derived from the token end with it, whatever their own expiry.
                fresh
                    .execute_sql(&format!("update credentials set expires_at = {now} where id = '{}'", id(&parent)))
                    .await;
            }
        }
        let began = std::time::Instant::now();
        for socket in &mut sockets {
            assert_eq!(with_timeout(socket.close_code()).await, 4501);
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(1), "{:?}", began.elapsed());
        for credential in [&parent, &child] {
            assert_eq!(code(&server, credential, Method::GET, "/api/v1/me", json!({})).await, "unauthenticated");
        }
        own.send(json!({ "type": "ping" })).await;
        own.wait_for("pong").await;
    }
}

#[tokio::test]
async fn a_read_only_token_sends_no_command() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let reader = token(&server, &ann, json!({ "label": "Reader", "scope": { "max_role": "viewer" } })).await;
    assert_eq!(say(&server, &reader, session).await, "token_scope");
    assert_eq!(code(&server, &reader, Method::POST, "/api/v1/sessions", json!({})).await, "token_scope");
    assert_eq!(code(&server, &reader, Method::POST, TOKENS, json!({ "label": "x" })).await, "token_scope");
    let mut client = WebSocketClient::connect_to_server(&server, &reader).await;
    assert_eq!(client.join(session, None).await["you_can"], json!(["watch"]));
    let answer = say_over_socket(&mut client, session).await;
    assert_eq!((&answer["code"], &answer["retryable"]), (&json!("token_scope"), &json!(false)), "{answer}");
    let me = server.get(&reader, "/api/v1/me").await;
    assert_eq!(me["scope"], json!({ "max_role": "viewer" }));
    with_timeout(server.node.audit.flush()).await;
    let query = AuditQuery { action: Some(AuditAction::Denial), limit: 10, ..AuditQuery::default() };
    assert!(!server.node.audit.store().audit_entries(&query).await.expect("reads").is_empty());
}

#[tokio::test]
async fn a_token_is_accepted_from_its_networks_only() {
    let server = Server::start_with(|config| config.http.trusted_proxies = vec!["127.0.0.0/8".into()]).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let office = token(&server, &ann, json!({ "label": "Office", "scope": { "networks": ["192.0.2.0/24"] } })).await;
    let from = async |address: &str| {
        let request = server.as_person(&office, Method::GET, "/api/v1/me").header("x-forwarded-for", address);
        request.send().await.expect("answers").status()
    };
    assert_eq!(from("192.0.2.9").await, StatusCode::OK);
    assert_eq!(from("198.51.100.9").await, StatusCode::FORBIDDEN);
    assert_eq!(from("192.0.2.9, 198.51.100.9").await, StatusCode::FORBIDDEN, "what the client claims does not count");
    // The socket itself connects from this machine.
    let url = format!("{}/api/v1/ws", server.url.replace("http", "ws"));
    let (socket, _) = tokio_tungstenite::connect_async(url).await.expect("connects");
    let mut client = WebSocketClient { socket };
    client.send(json!({ "type": "hello", "token": office.token })).await;
    assert_eq!(client.wait_for("error").await["code"], "token_scope");
    // A browser that signs in with the token is bound to the same networks.
    let sign_in = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": office.token }));
    let sign_in = sign_in.header("x-forwarded-for", "192.0.2.9").send().await.expect("answers");
    let cookie = sign_in.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a pair").to_owned();
    let with_cookie = async |address: &str| {
        let request = server.request(Method::GET, "/api/v1/me").header("cookie", &cookie);
        request.header("x-forwarded-for", address).send().await.expect("answers").status()
    };
    assert_eq!(
        (with_cookie("192.0.2.9").await, with_cookie("198.51.100.9").await),
        (StatusCode::OK, StatusCode::FORBIDDEN)
    );
}

#[tokio::test]
async fn a_token_creates_no_token_with_more_than_its_own_scope() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Admin).await;
    let (ours, other) = (server.session(&ann, &json!({})).await, server.session(&ann, &json!({})).await);
    let scope = json!({ "sessions": [ours], "max_role": "member", "networks": ["127.0.0.1"] });
    let limited = token(&server, &ann, json!({ "label": "Limited", "scope": scope })).await;
    for wider in [
        json!({ "sessions": [ours, other] }),
        json!({ "teams": [uuid::Uuid::nil()] }),
        json!({ "max_role": "owner" }),
        json!({ "networks": ["127.0.0.0/8"] }),
    ] {
        let (status, answer) = server.post(&limited, TOKENS, &json!({ "label": "Wider", "scope": wider })).await;
        assert_eq!((status, &answer["code"]), (StatusCode::FORBIDDEN, &json!("token_scope")), "{wider}");
    }
    let (_, same) = server.post(&limited, TOKENS, &json!({ "label": "Same", "scope": {} })).await;
    assert_eq!(same["scope"], json!({ "sessions": [ours], "max_role": "member", "networks": ["127.0.0.1/32"] }));
    // The same applies to a browser that signs in with the token.
    let sign_in = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": limited.token }));
    let sign_in = sign_in.send().await.expect("answers");
    let cookie = sign_in.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a pair").to_owned();
    let request = server.request(Method::POST, TOKENS).header("cookie", &cookie).header("origin", &server.url);
    let made: Value =
        request.json(&json!({ "label": "Browser" })).send().await.expect("answers").json().await.expect("JSON");
    assert_eq!(made["scope"], same["scope"]);
    assert_eq!(server.node.identities.revoke_tokens(&SecretHash::of(&limited.token).id()).await.expect("revokes"), 1);
    let left = server.node.identities.credentials(Some(ann.participant.id), 100).await.expect("lists");
    assert_eq!(left.len(), 1, "all that came of it is gone: {left:?}");
}

#[tokio::test]
async fn unusable_scopes_and_guests_are_refused() {
    let server = Server::start().await;
    let (ann, eve) = (server.person("Ann", ServerRole::Member).await, server.person("Eve", ServerRole::Guest).await);
    for bad in [
        json!({ "label": "" }),
        json!({ "label": "x", "expires_days": 0 }),
        json!({ "label": "x", "expires_days": 401 }),
        json!({ "label": "x", "scope": { "networks": ["office"] } }),
        json!({ "label": "x", "scope": { "max_role": "king" } }),
        json!({ "label": "x", "scope": { "session": [] } }),
        json!({ "label": "x", "scope": { "sessions": [] } }),
        json!({ "label": "x", "scope": { "teams": [] } }),
        json!({ "label": "x", "scope": { "networks": [] } }),
        json!({ "label": "x", "scope": { "networks": vec!["10.0.0.0/8"; 101] } }),
    ] {
        let (status, answer) = server.post(&ann, TOKENS, &bad).await;
        assert!(status == StatusCode::BAD_REQUEST, "{bad}: {answer}");
    }
    assert_eq!(code(&server, &eve, Method::POST, TOKENS, json!({ "label": "x" })).await, "forbidden");
    for _ in 0..99 {
        issue_with(&*server.node.identities, ann.participant.id, CredentialKind::Token, |_| {}).await.expect("issues");
    }
    assert_eq!(code(&server, &ann, Method::POST, TOKENS, json!({ "label": "x" })).await, "quota_exceeded");
}

#[tokio::test]
async fn an_administrator_with_a_limited_token_does_not_administer() {
    let server = Server::start().await;
    let (root, ann) = (server.person("Root", ServerRole::Admin).await, server.person("Ann", ServerRole::Member).await);
    let anns = server.session(&ann, &json!({})).await;
    let member = token(&server, &root, json!({ "label": "Member", "scope": { "max_role": "member" } })).await;
    assert_eq!(code(&server, &member, Method::GET, "/api/v1/participants", json!({})).await, "forbidden");
    assert_eq!(
        code(&server, &member, Method::GET, &format!("/api/v1/sessions/{anns}"), json!({})).await,
        "unknown_session"
    );
    assert_eq!(code(&server, &member, Method::POST, "/api/v1/sessions", json!({})).await, "ok");
    // The session shows that somebody reads it, even if the reader's token sends no command.
    let reader = TokenScope { max_role: Some(Role::Owner), sessions: [anns].into(), ..TokenScope::default() };
    let reader = issue_with(&*server.node.identities, root.participant.id, CredentialKind::Token, |new| {
        new.scope = Some(reader)
    });
    let reader =
        Person { participant: root.participant.clone(), token: reader.await.expect("issues").reveal().to_owned() };
    assert_eq!(code(&server, &reader, Method::GET, &format!("/api/v1/sessions/{anns}"), json!({})).await, "ok");
    let state = server.get(&ann, &format!("/api/v1/sessions/{anns}")).await;
    let names = state["state"]["participants"].as_array().expect("a list").iter().map(|one| &one["name"]);
    assert!(names.into_iter().any(|name| name == "Root"), "{state}");
}

#[tokio::test]
async fn the_command_line_creates_and_lists_limited_tokens() {
    let data = std::sync::Arc::new(tempfile::tempdir().expect("makes a folder"));
    let folder = data.path().to_owned();
    let server = Server::start_in(data.clone(), |config| config.data_dir = folder).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let who = ann.participant.id.to_string();
    let limits = ["--session", &session.to_string(), "--read-only", "--from", "127.0.0.1", "--label", "Nightly report"];
    let made = run_command(&data, &[&["token", "create", "--participant", &who][..], &limits[..]].concat()).await;
    let bot = Person { participant: ann.participant.clone(), token: made.trim().to_owned() };
    assert_eq!(say(&server, &bot, session).await, "token_scope");
    assert_eq!(code(&server, &bot, Method::GET, &format!("/api/v1/sessions/{session}"), json!({})).await, "ok");
    let listed = run_command(&data, &["token", "list"]).await;
    assert!(listed.contains(&format!("{session},role:viewer,from:127.0.0.1/32")), "{listed}");
    let credentials = server.get(&ann, "/api/v1/me/credentials").await;
    let listed = credentials["credentials"].as_array().expect("a list");
    let own = listed.iter().find(|one| one["label"] == "Nightly report").expect("is listed");
    assert_eq!(own["scope"]["max_role"], "viewer");
    for wrong in [["--from", "office"], ["--max-role", "king"], ["--session", "1"]] {
        let mut made = roundtable(&data, &[&["token", "create", "--participant", &who][..], &wrong[..]].concat());
        assert!(!made.output().await.expect("runs").status.success(), "{wrong:?}");
    }
}

#[tokio::test]
async fn a_limited_token_is_limited_on_the_node_that_has_the_session() {
    let fresh = FreshDatabase::postgres().await;
    let prefix = format!("scopes-{}", uuid::Uuid::now_v7().simple());
    let node = async || {
        let node = on(&fresh, |config| {
            config.redis_url = Some(servers::redis::shared());
            config.bus.prefix = prefix.clone();
        });
        node.await
    };
    let (one, two) = (node().await, node().await);
    let ann = one.person("Ann", ServerRole::Member).await;
    let session = one.session(&ann, &json!({})).await;
    let reviewer = token(&one, &ann, json!({ "label": "Reviewer", "scope": { "max_role": "reviewer" } })).await;
    assert_eq!(say(&two, &reviewer, session).await, "ok");
    assert_eq!(command(&two, &reviewer, session, "set", json!({ "title": "Mine" })).await, "token_scope");
    assert_eq!(command(&two, &ann, session, "set", json!({ "title": "Mine" })).await, "ok");
}
