//! Links into a session: how many people each one admits.

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};
use sqlx::{Connection, SqliteConnection};

use crate::server::{Person, Server};

/// Creates a link and returns the response that its creator gets.
pub async fn link(server: &Server, by: &Person, session: SessionId, body: Value) -> Value {
    let (status, made) = server.post(by, &format!("/api/v1/sessions/{session}/invites"), &body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    made
}

pub fn secret(link: &Value) -> &str {
    link["link"].as_str().and_then(|link| link.split_once('#')).expect("a secret").1
}

pub async fn accept(server: &Server, secret: &str, name: &str) -> reqwest::Response {
    let request = server.request(Method::POST, "/api/v1/invites/accept");
    request.json(&json!({ "secret": secret, "name": name })).send().await.expect("answers")
}

async fn open(server: &Server, by: &Person, session: SessionId) -> Vec<Value> {
    let listed = server.get(by, &format!("/api/v1/sessions/{session}/invites")).await;
    listed["invites"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_link_to_a_voting_role_admits_one_by_default() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    for (role, max_uses) in
        [("owner", Some(1)), ("member", Some(1)), ("reviewer", Some(1)), ("viewer", None), ("bot", None)]
    {
        let made = link(&server, &ann, session, json!({ "role": role })).await;
        assert_eq!(made["max_uses"].as_u64(), max_uses, "{role}");
        assert_eq!(accept(&server, secret(&made), "Eve").await.status(), StatusCode::OK, "{role}");
        let second = accept(&server, secret(&made), "Mal").await.status();
        assert_eq!(second, if max_uses.is_some() { StatusCode::GONE } else { StatusCode::OK }, "{role}");
    }
    let path = format!("/api/v1/sessions/{session}/invites");
    for max_uses in [0, 1001] {
        let (_, refused) = server.post(&ann, &path, &json!({ "role": "viewer", "max_uses": max_uses })).await;
        assert_eq!(refused["code"], "invalid_argument");
    }
    let made = link(&server, &ann, session, json!({ "role": "viewer", "max_uses": 2 })).await;
    accept(&server, secret(&made), "Eve").await;
    assert!(open(&server, &ann, session).await.iter().any(|one| one["id"] == made["id"] && one["uses_left"] == 1));
}

#[tokio::test]
async fn a_link_for_one_admits_one_under_concurrency() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "member" })).await;
    let answers = join_all((0..8).map(|n| accept(&server, secret(&made), ["A", "B", "C", "D", "E", "F", "G", "H"][n])));
    let came_in = answers.await.into_iter().filter(|answer| answer.status() == StatusCode::OK).count();
    assert_eq!(came_in, 1);
    let response = server.get(&ann, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!(response["state"]["participants"].as_array().expect("a list").len(), 2);
}

#[tokio::test]
async fn a_link_admits_its_user_again_without_another_use() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "member" })).await;
    for _ in 0..2 {
        let (status, answer) = server.post(&bob, "/api/v1/invites/accept", &json!({ "secret": secret(&made) })).await;
        assert_eq!((status, &answer["waiting"]), (StatusCode::OK, &json!(false)), "{answer}");
    }
    assert_eq!(accept(&server, secret(&made), "Eve").await.status(), StatusCode::GONE);
}

#[tokio::test]
async fn a_use_that_admits_nobody_is_given_back() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "member" })).await;
    for (name, data) in [
        ("invite", json!({ "participant": bob.participant.id, "role": "viewer" })),
        ("remove", json!({ "participant": bob.participant.id })),
    ] {
        let frame = json!({ "id": uuid::Uuid::now_v7(), "do": name, "data": data });
        server.post(&ann, &format!("/api/v1/sessions/{session}/commands"), &frame).await;
    }
    let (status, _) = server.post(&bob, "/api/v1/invites/accept", &json!({ "secret": secret(&made) })).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "they were removed");
    assert_eq!(accept(&server, secret(&made), "Eve").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_use_whose_outcome_is_unknown_stays_counted() {
    let server = Server::start().await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "member" })).await;
    let file = format!("sqlite://{}", server.node.config.data_dir.join("roundtable.db").display());
    let mut database = SqliteConnection::connect(&file).await.expect("opens");
    let fails = "create trigger fails before insert on events begin select raise(abort, 'no'); end";
    sqlx::query(fails).execute(&mut database).await.expect("writes");
    let (status, answer) = server.post(&bob, "/api/v1/invites/accept", &json!({ "secret": secret(&made) })).await;
    assert!(status.is_server_error(), "{answer}");
    sqlx::query("drop trigger fails").execute(&mut database).await.expect("writes");
    // It is unknown whether Bob has joined, so the only use of the link stays counted.
    assert_eq!(accept(&server, secret(&made), "Eve").await.status(), StatusCode::GONE);
}

#[tokio::test]
async fn all_links_of_a_session_are_closed_at_once() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let links = [
        link(&server, &ann, session, json!({ "role": "member" })).await,
        link(&server, &ann, session, json!({ "role": "viewer", "knock": true })).await,
    ];
    let path = format!("/api/v1/sessions/{session}/invites");
    let closed = server.as_person(&ann, Method::DELETE, &path).send().await.expect("answers");
    assert_eq!(closed.status(), StatusCode::NO_CONTENT);
    assert!(open(&server, &ann, session).await.is_empty());
    for made in &links {
        assert_eq!(accept(&server, secret(made), "Eve").await.status(), StatusCode::GONE);
    }
}

#[tokio::test]
async fn a_disabled_participants_links_open_nothing() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "viewer" })).await;
    server.node.identities.set_disabled(ann.participant.id, true).await.expect("answers");
    assert_eq!(accept(&server, secret(&made), "Eve").await.status(), StatusCode::GONE);
}
