//! Names over REST: the names that a guest can have, and a rename that is shown in sessions.

use reqwest::{Method, StatusCode};
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::links::{accept, link, secret};
use crate::server::{self, Person, Server};

async fn rename(server: &Server, who: &Person, name: &str) -> (StatusCode, Value) {
    let request = server.as_person(who, Method::PATCH, "/api/v1/me").json(&json!({ "name": name }));
    let answer = request.send().await.expect("answers");
    (answer.status(), answer.json().await.expect("JSON"))
}

async fn come_in(server: &Server, ann: &Person, session: SessionId, who: &Person) {
    let made = link(server, ann, session, json!({ "role": "member" })).await;
    let body = json!({ "secret": secret(&made) });
    let (status, answer) = server.post(who, "/api/v1/invites/accept", &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
}

async fn show(server: &Server, who: &Person, session: SessionId) -> Value {
    server.get(who, &format!("/api/v1/sessions/{session}")).await
}

#[tokio::test]
async fn a_guest_chooses_no_name_that_looks_like_anothers() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    let state = show(&server, &ann, session).await;
    let agent = state["state"]["team"]["agents"][0]["name"].as_str().expect("a name").to_owned();
    let made = link(&server, &ann, session, json!({ "role": "viewer" })).await;
    for name in ["Аnn", "ann", "operator", "ореrаtоr", "Roundtab1e", &agent, &agent.to_uppercase()] {
        let refused = server::json(accept(&server, secret(&made), name).await, StatusCode::BAD_REQUEST).await;
        assert_eq!(refused["code"], "invalid_argument", "{name}");
    }
    assert_eq!(accept(&server, secret(&made), "Ann").await.status(), StatusCode::OK, "people may share a name");
    let state = show(&server, &ann, session).await;
    assert_eq!(state["state"]["participants"].as_array().expect("a list").len(), 2);
}

#[tokio::test]
async fn sessions_show_a_rename() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let bob = server.person("Bob", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    come_in(&server, &ann, session, &bob).await;
    let (status, answer) = rename(&server, &bob, "Bert").await;
    assert_eq!((status, &answer["you"]["name"]), (StatusCode::OK, &json!("Bert")));
    let log = server.get(&ann, &format!("/api/v1/sessions/{session}/log?after=0")).await;
    let events = log["events"].as_array().expect("events");
    let renamed = events.iter().find(|event| event["event"] == "participant.renamed").expect("it is in the log");
    assert_eq!((&renamed["data"]["from"], &renamed["data"]["name"]), (&json!("Bob"), &json!("Bert")));
    assert_eq!(renamed["by"]["name"], "Bob");
    let state = show(&server, &ann, session).await;
    assert_eq!(state["state"]["participants"][1]["name"], "Bert");

    let (status, answer) = rename(&server, &bob, "Аnn").await;
    assert_eq!((status, &answer["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")));
    assert_eq!(server.get(&bob, "/api/v1/me").await["you"]["name"], "Bert", "nothing is changed");
    assert_eq!(rename(&server, &bob, "Ann").await.0, StatusCode::OK, "people may share a name");
}

#[tokio::test]
async fn a_lookalike_name_is_admitted_and_marked() {
    let server = Server::start().await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let other = server.person("Аnn", ServerRole::Member).await;
    let session = server.session(&ann, &json!({})).await;
    come_in(&server, &ann, session, &other).await;
    let state = show(&server, &ann, session).await;
    let people = &state["state"]["participants"];
    assert_eq!((&people[0]["lookalike"], &people[1]["lookalike"]), (&Value::Null, &json!(true)));
}
