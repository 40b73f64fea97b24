//! Credentials, which their owners and administrators can list and end, and disabled participants.

use reqwest::{Method, StatusCode};
use roundtable::audit::{AuditAction, AuditQuery};
use roundtable::config::Config;
use roundtable::identity::{CredentialKind, SecretHash, ServerRole, issue};
use serde_json::{Value, json};

use crate::command_line::{roundtable, run_command};
use crate::fresh_database::FreshDatabase;
use crate::server::{self, Person, Server, with_timeout};
use crate::socket_harness::WebSocketClient;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Signs in with a browser of this name. Returns its cookie.
async fn sign_in(server: &Server, who: &Person, browser: &str) -> String {
    let code =
        issue(&*server.node.identities, who.participant.id, CredentialKind::SignIn, Some(60)).await.expect("issues");
    let request = server.request(Method::POST, "/api/v1/sign-in").header("user-agent", browser);
    let answer = request.json(&json!({ "code": code.reveal() })).send().await.expect("answers");
    assert_eq!(answer.status(), StatusCode::OK);
    answer.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a pair").to_owned()
}

async fn with_cookie(server: &Server, cookie: &str, method: Method, path: &str) -> reqwest::Response {
    server.request(method, path).header("cookie", cookie).send().await.expect("answers")
}

async fn me(server: &Server, cookie: &str) -> StatusCode {
    with_cookie(server, cookie, Method::GET, "/api/v1/me").await.status()
}

async fn devices(server: &Server, cookie: &str) -> Vec<Value> {
    let answer = with_cookie(server, cookie, Method::GET, "/api/v1/me/credentials").await;
    let listed = server::json(answer, StatusCode::OK).await;
    listed["credentials"].as_array().expect("a list").clone()
}

fn id_of(cookie: &str) -> String {
    SecretHash::of(cookie.split_once('=').expect("a pair").1).id()
}

async fn entries(server: &Server, action: AuditAction) -> usize {
    with_timeout(server.node.audit.flush()).await;
    let query = AuditQuery { action: Some(action), limit: 100, ..AuditQuery::default() };
    server.node.audit.store().audit_entries(&query).await.expect("reads").len()
}

#[tokio::test]
async fn participants_can_list_and_end_their_sign_ins() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let (here, there) = (sign_in(&server, &ann, "Here/1").await, sign_in(&server, &ann, "There/2").await);
    assert_eq!(me(&server, &there).await, StatusCode::OK);
    let listed = devices(&server, &here).await;
    let find = |cookie: &str| listed.iter().find(|one| one["id"] == id_of(cookie)).expect("is listed");
    assert_eq!((&find(&here)["label"], &find(&here)["current"]), (&json!("Here/1"), &json!(true)));
    let other = find(&there);
    assert_eq!((&other["label"], &other["current"]), (&json!("There/2"), &json!(false)));
    assert_eq!((&other["kind"], &other["address"]), (&json!("cookie"), &json!("127.0.0.1")));
    assert!(other["last_used_at"].is_string() && other["expires_at"].is_string(), "{other}");
    assert!(listed.iter().any(|one| one["kind"] == "token"));
    assert!(listed.iter().all(|one| one.get("hash").is_none() && one.get("secret").is_none()));

    let path = format!("/api/v1/me/credentials/{}", id_of(&there));
    assert_eq!(with_cookie(&server, &here, Method::DELETE, &path).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(me(&server, &there).await, StatusCode::UNAUTHORIZED);
    assert_eq!(me(&server, &here).await, StatusCode::OK);
    assert_eq!(with_cookie(&server, &here, Method::DELETE, &path).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(entries(&server, AuditAction::DeviceRevoked).await, 1);
}

#[tokio::test]
async fn the_last_sign_in_is_visible_to_its_participant_and_administrators() {
    let server = Server::start().await;
    let (ann, root) = (server.person("Ann", ServerRole::Member).await, server.person("Root", ServerRole::Admin).await);
    let last = async || server.get(&ann, "/api/v1/me").await["last_sign_in"].clone();
    assert_eq!(last().await, Value::Null, "a token alone is no sign-in");
    let cookie = sign_in(&server, &ann, "A").await;
    let by_link = last().await;
    assert_eq!((&by_link["method"], by_link["at"].is_string()), (&json!("link"), true), "{by_link}");
    let request = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": ann.token }));
    let answer = server::json(request.send().await.expect("answers"), StatusCode::OK).await;
    assert_eq!(answer["last_sign_in"]["method"], "token");
    assert_eq!(last().await["method"], "token");
    let sign_out = with_cookie(&server, &cookie, Method::POST, "/api/v1/sign-out").await;
    assert_eq!(sign_out.status(), StatusCode::NO_CONTENT);
    let listed = server.get(&root, "/api/v1/participants?search=Ann").await;
    assert_eq!(listed["participants"][0]["last_sign_in"], last().await, "a sign-out changes nothing");
    let listed = server.get(&root, "/api/v1/participants?search=Root").await;
    assert_eq!(listed["participants"][0].get("last_sign_in"), None);
}

#[tokio::test]
async fn participants_see_and_end_only_their_own_sign_ins() {
    let server = Server::start().await;
    let (ann, eve) = (server.person("Ann", ServerRole::Member).await, server.person("Eve", ServerRole::Member).await);
    let (anns, eves) = (sign_in(&server, &ann, "A").await, sign_in(&server, &eve, "E").await);
    let path = format!("/api/v1/me/credentials/{}", id_of(&anns));
    assert_eq!(with_cookie(&server, &eves, Method::DELETE, &path).await.status(), StatusCode::NOT_FOUND);
    assert!(devices(&server, &eves).await.iter().all(|one| one["id"] != id_of(&anns)));
    let of_ann = format!("/api/v1/participants/{}/credentials", ann.participant.id);
    assert_eq!(with_cookie(&server, &eves, Method::GET, &of_ann).await.status(), StatusCode::FORBIDDEN);
    assert_eq!(me(&server, &anns).await, StatusCode::OK);

    let root = server.person("Root", ServerRole::Admin).await;
    let listed = server.get(&root, &of_ann).await;
    assert!(listed["credentials"].as_array().expect("a list").iter().any(|one| one["id"] == id_of(&anns)));
    let one = format!("{of_ann}/{}", id_of(&anns));
    assert_eq!(server.as_person(&root, Method::DELETE, &one).send().await.expect("answers").status(), 204);
    assert_eq!(me(&server, &anns).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_list_says_that_there_are_more_credentials() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let list = async || server.get(&ann, "/api/v1/me/credentials").await;
    let first = list().await["credentials"].as_array().map_or(0, Vec::len);
    let mut issued = vec![];
    for _ in first..200 {
        issued.push(issue(&*server.node.identities, ann.participant.id, CredentialKind::Token, None).await);
    }
    let full = list().await;
    assert_eq!((full["credentials"].as_array().map(Vec::len), &full["more"]), (Some(200), &json!(false)));
    let last = issue(&*server.node.identities, ann.participant.id, CredentialKind::Token, None).await;
    let cut = list().await;
    assert_eq!((cut["credentials"].as_array().map(Vec::len), &cut["more"]), (Some(200), &json!(true)));
    let id = last.expect("issues").hash().id();
    let path = format!("/api/v1/me/credentials/{id}");
    let revoked = server.as_person(&ann, Method::DELETE, &path).send().await.expect("answers");
    assert_eq!(revoked.status(), StatusCode::NO_CONTENT);
    assert_eq!(list().await["more"], json!(false));
}

#[tokio::test]
async fn signing_out_everywhere_ends_cookies_and_links_and_no_token() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let (here, there) = (sign_in(&server, &ann, "Here").await, sign_in(&server, &ann, "There").await);
    let link =
        issue(&*server.node.identities, ann.participant.id, CredentialKind::SignIn, Some(60)).await.expect("issues");
    let out = with_cookie(&server, &here, Method::DELETE, "/api/v1/me/credentials").await;
    assert_eq!(out.status(), StatusCode::NO_CONTENT);
    assert!(out.headers()["set-cookie"].to_str().expect("text").contains("Max-Age=0"), "this browser forgets its own");
    for cookie in [&here, &there] {
        assert_eq!(me(&server, cookie).await, StatusCode::UNAUTHORIZED);
    }
    let late = server.request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": link.reveal() }));
    assert_eq!(late.send().await.expect("answers").status(), StatusCode::GONE);
    assert_eq!(server.get(&ann, "/api/v1/me").await["you"]["name"], "Ann", "programs go on");
}

/// Returns the first column of the line that contains this name.
fn id_in(table: &str, name: &str) -> String {
    let line = table.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} is in {table}"));
    line.split_whitespace().next().expect("a column").to_owned()
}

#[tokio::test]
async fn an_operator_lists_and_ends_sign_ins_and_disables_participants() {
    let data = tempfile::tempdir().expect("a folder");
    let run = async |arguments: &[&str]| with_timeout(roundtable(&data, arguments).output()).await.expect("runs");
    let fails = async |arguments: &[&str]| {
        let output = run(arguments).await;
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let token = run_command(&data, &["token", "create", "--name", "ann", "--expires", "never"]).await;
    assert!(run_command(&data, &["token", "list"]).await.contains("when revoked"));
    let url = format!("sqlite:{}", data.path().join("roundtable.db").display());
    let server = Server::start_with(|config| config.database_url = Some(url)).await;
    let request = server.request(Method::POST, "/api/v1/sign-in").header("user-agent", "Browser/1");
    let answer = request.json(&json!({ "code": token.trim() })).send().await.expect("answers");
    let set = answer.headers()["set-cookie"].to_str().expect("text").to_owned();
    let cookie = set.split(';').next().expect("a pair");
    assert_eq!(me(&server, cookie).await, StatusCode::OK);

    let listed = run_command(&data, &["sign-ins", "list"]).await;
    assert!(listed.contains("cookie") && listed.contains("Browser/1") && listed.contains("127.0.0.1"), "{listed}");
    assert!(!listed.contains(cookie.split_once('=').expect("a pair").1), "never the secret");
    run_command(&data, &["sign-ins", "revoke", &id_in(&listed, "Browser/1")]).await;
    assert_eq!(me(&server, cookie).await, StatusCode::UNAUTHORIZED);
    assert!(fails(&["sign-ins", "revoke", "0000000000"]).await.contains("no such sign-in"));

    let ann = id_in(&run_command(&data, &["participant", "list", "--search", "ANN"]).await, "ann");
    run_command(&data, &["participant", "disable", &ann]).await;
    let by_token = || server.request(Method::GET, "/api/v1/me").bearer_auth(token.trim());
    assert_eq!(by_token().send().await.expect("answers").status(), StatusCode::UNAUTHORIZED);
    let refused = fails(&["token", "create", "--participant", &ann]).await;
    assert!(refused.contains("is disabled"), "{refused}");
    run_command(&data, &["participant", "enable", &ann]).await;
    assert_eq!(by_token().send().await.expect("answers").status(), StatusCode::OK);
}

async fn nodes(fresh: &FreshDatabase) -> [Server; 2] {
    let prefix = format!("devices-{}", uuid::Uuid::now_v7().simple());
    let settings = |config: &mut Config| {
        config.database_url = Some(fresh.url.clone());
        if fresh.url.starts_with("postgres") {
            config.redis_url = Some(servers::redis::shared());
            config.bus.prefix = prefix.clone();
        }
        config.identity.revocation_ms = 20;
    };
    [Server::start_with(settings).await, Server::start_with(settings).await]
}

#[tokio::test]
async fn a_disabled_participant_is_refused_and_disconnected_on_every_node() {
    for fresh in [FreshDatabase::sqlite().await, FreshDatabase::postgres().await] {
        disable_and_enable(nodes(&fresh).await).await;
    }
}

async fn disable_and_enable(nodes: [Server; 2]) {
    let root = nodes[0].person("Root", ServerRole::Admin).await;
    let ann = nodes[0].person("Ann", ServerRole::Member).await;
    let link =
        issue(&*nodes[0].node.identities, ann.participant.id, CredentialKind::SignIn, Some(60)).await.expect("issues");
    let mut open = vec![
        WebSocketClient::connect_to_server(&nodes[0], &ann).await,
        WebSocketClient::connect_to_server(&nodes[1], &ann).await,
    ];
    let path = format!("/api/v1/participants/{}", ann.participant.id);
    let change = async |disabled: bool| {
        let request = nodes[0].as_person(&root, Method::PATCH, &path).json(&json!({ "disabled": disabled }));
        server::json(request.send().await.expect("answers"), StatusCode::OK).await
    };
    assert_eq!(change(true).await["disabled"], true);
    for node in &nodes {
        let refused = node.as_person(&ann, Method::GET, "/api/v1/me").send().await.expect("answers");
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    }
    for client in &mut open {
        assert_eq!(client.close_code().await, 4501);
    }
    let late = nodes[1].request(Method::POST, "/api/v1/sign-in").json(&json!({ "code": link.reveal() }));
    assert_eq!(late.send().await.expect("answers").status(), StatusCode::GONE);
    let listed = nodes[1].get(&root, "/api/v1/participants?search=ann").await;
    assert_eq!(listed["participants"].as_array().expect("a list").len(), 1);
    assert!(listed["participants"][0]["disabled_at"].is_string(), "{listed}");

    assert_eq!(change(false).await["disabled"], false);
    assert_eq!(nodes[1].get(&ann, "/api/v1/me").await["you"]["name"], "Ann");
    assert_eq!(entries(&nodes[0], AuditAction::ParticipantDisabled).await, 1);
    assert_eq!(entries(&nodes[0], AuditAction::ParticipantEnabled).await, 1);
    let own = format!("/api/v1/participants/{}", root.participant.id);
    let own = nodes[0].as_person(&root, Method::PATCH, &own).json(&json!({ "disabled": true }));
    assert_eq!(own.send().await.expect("answers").status(), StatusCode::BAD_REQUEST, "nobody locks themselves out");
}

#[tokio::test]
async fn an_unused_cookie_expires_and_a_used_one_does_not() {
    let fresh = FreshDatabase::sqlite().await;
    let server = Server::start_with(|config| config.database_url = Some(fresh.url.clone())).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let cookie = sign_in(&server, &ann, "B").await;
    let until = async || {
        let listed = server.node.identities.credentials(Some(ann.participant.id), 10).await.expect("lists");
        let one = listed.into_iter().find(|one| one.id == id_of(&cookie)).expect("is listed");
        one.expires_at.expect("ends").millis()
    };
    let day = |days: u64| roundtable::clock::now().millis() + days * DAY;
    assert!((day(13)..day(15)).contains(&until().await), "14 days without a use");
    // Simulate the passage of 10 days.
    fresh.execute_sql(&format!("update credentials set expires_at = expires_at - {}", 10 * DAY)).await;
    assert_eq!(me(&server, &cookie).await, StatusCode::OK);
    server.node.revocations.write_uses(&*server.node.identities, false).await.expect("writes");
    assert!((day(13)..day(15)).contains(&until().await), "a use moves its end");
    // The cookie never outlasts the maximum time that a browser stays signed in.
    fresh.execute_sql(&format!("update credentials set ends_at = {} where ends_at is not null", day(2))).await;
    assert_eq!(me(&server, &cookie).await, StatusCode::OK);
    server.node.revocations.write_uses(&*server.node.identities, false).await.expect("writes");
    assert!((day(1)..day(3)).contains(&until().await));
    fresh.execute_sql("update credentials set expires_at = 1 where idle_ms is not null").await;
    assert_eq!(me(&server, &cookie).await, StatusCode::UNAUTHORIZED);
}
