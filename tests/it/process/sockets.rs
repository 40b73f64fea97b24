//! A socket determines neither the identity of its sender nor the life of a run.

use roundtable::demo_model::DemoSettings;
use roundtable::identity::ServerRole;
use serde_json::{Value, json};

use super::viewer::{SocketViewer, ViewerState, event};
use crate::server::{Server, with_timeout};

#[tokio::test]
async fn the_server_sets_the_actor() {
    let server = Server::start().await;
    let (ada, bob) = (server.person("Ada", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let session = server.session(&ada, &json!({})).await.to_string();
    let mut viewer = SocketViewer::connect(&server.url, &ada.token).await;
    viewer.join(&session, 0).await;
    let bobs = json!({ "kind": "user", "id": bob.participant.id, "name": "Bob" });
    let frame = json!({ "type": "command", "id": "c1", "session": session, "do": "say", "by": bobs,
                        "data": { "text": "@people it was me" } });
    viewer.send(frame).await;
    let mut seen = ViewerState::default();
    let ends = |frame: &Value| frame["event"] == "message.posted" || frame["type"] == "error";
    let refused = viewer.wait_for(&mut seen, ends).await.expect("an answer");
    assert_eq!(refused["code"], "bad_frame", "a frame has no such field");
    viewer.command(&session, "c1", "say", json!({ "text": "@people it was me" })).await;
    let posted = viewer.wait_for(&mut seen, ends).await.expect("posted");
    assert_eq!(posted["by"]["name"], "Ada", "stamped by the server");
    // The arguments of a command have no `by` field at all.
    viewer.command(&session, "c2", "say", json!({ "text": "hello", "by": bobs })).await;
    let error = viewer.wait_for(&mut seen, |frame| frame["id"] == "c2").await.expect("an answer");
    assert_eq!((error["type"].as_str(), error["code"].as_str()), (Some("error"), Some("invalid_argument")));
    // Naming a session in a frame does not admit the sender to it.
    let mut stranger = SocketViewer::connect(&server.url, &bob.token).await;
    stranger.join(&session, 0).await;
    let refused =
        stranger.wait_for(&mut ViewerState::default(), |frame| frame["type"] == "error").await.expect("refused");
    assert_eq!(refused["code"], "unknown_session");
}

#[tokio::test]
async fn a_run_outlives_every_socket() {
    let demo = DemoSettings { hold_after_tokens: Some(5), ..DemoSettings::fast() };
    let server = Server::start_with(|config| config.demo = demo).await;
    let ada = server.person("Ada", ServerRole::Member).await;
    let session = server.session(&ada, &json!({})).await.to_string();
    let mut seen = ViewerState::default();
    let mut viewer = SocketViewer::connect(&server.url, &ada.token).await;
    viewer.join(&session, 0).await;
    viewer.command(&session, "c1", "say", json!({ "text": "write" })).await;
    viewer.wait_for(&mut seen, |frame| frame["type"] == "delta").await.expect("writes");
    drop(viewer);

    // No viewer watches while the generator and the reviewer finish.
    let mut model = server.demo().counters();
    for done in 0..2 {
        with_timeout(model.wait_for(|model| model.held == 1 && model.completed == done)).await.expect("writes on");
        server.demo().release();
    }
    with_timeout(model.wait_for(|model| model.completed == 2)).await.expect("both are done");
    let mut viewer = SocketViewer::connect(&server.url, &ada.token).await;
    viewer.join(&session, seen.seq()).await;
    viewer.wait_for(&mut seen, event("gate.opened")).await.expect("went on without anybody");
}
