//! A role that must ask the owners, over REST and a socket, and across a restart.

use reqwest::StatusCode;
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::server::{Person, Server, expect_first_revision};
use crate::socket_harness::WebSocketClient;

/// The response to a command over REST.
async fn command(server: &Server, who: &Person, session: SessionId, name: &str, data: Value) -> (StatusCode, Value) {
    let mut body = json!({ "id": uuid::Uuid::now_v7(), "do": name, "data": data });
    expect_first_revision(name, &mut body);
    server.post(who, &format!("/api/v1/sessions/{session}/commands"), &body).await
}

async fn state(server: &Server, who: &Person, session: SessionId) -> Value {
    server.get(who, &format!("/api/v1/sessions/{session}")).await
}

#[tokio::test]
async fn a_command_that_awaits_approval_survives_a_restart_and_runs_as_its_requester() {
    let server = Server::start().await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let rules = json!([{ "role": "member", "right": "steer", "access": "ask" }]);
    let session = server.session(&ann, &json!({ "settings": { "rights": rules } })).await;
    let invite = json!({ "participant": bob.participant.id, "role": "member" });
    assert_eq!(command(&server, &ann, session, "invite", invite).await.0, StatusCode::OK);

    let mut client = WebSocketClient::connect_to_server(&server, &bob).await;
    let joined = client.join(session, None).await;
    assert_eq!((joined.get("granted_role"), &joined["you_can_ask"]), (None, &json!(["steer"])));
    // An administrator is listed as a viewer.
    let root = server.person("Root", ServerRole::Admin).await;
    assert_eq!(
        WebSocketClient::connect_to_server(&server, &root).await.join(session, None).await["granted_role"],
        json!("owner")
    );
    let response = state(&server, &bob, session).await;
    assert_eq!(response["you_can_ask"], json!(["steer"]));
    assert!(!response["you_can"].as_array().expect("a list").contains(&json!("steer")));
    let (status, error) = command(&server, &bob, session, "say", json!({ "text": "write tests" })).await;
    assert_eq!(status, StatusCode::OK, "{error}");
    let gate = state(&server, &bob, session).await["state"]["gates"][0].take();
    assert_eq!((&gate["kind"], &gate["eligible"]), (&json!("command"), &json!(["owner"])));
    assert_eq!(gate["command"]["command"], json!({ "do": "say", "data": { "text": "write tests", "mode": "queue" } }));
    let (status, refused) = command(&server, &bob, session, "say", json!({ "text": "write tests" })).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("already_requested")));
    for n in 0..2 {
        command(&server, &bob, session, "say", json!({ "text": format!("another {n}") })).await;
    }
    let (status, refused) = command(&server, &bob, session, "say", json!({ "text": "too many" })).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("requests_full")));
    drop(client);

    let data = server.stop().await;
    let server = Server::start_in(data, |_| {}).await;
    let vote = json!({ "gate": gate["id"], "choice": "approve" });
    let (status, own) = command(&server, &bob, session, "vote", vote.clone()).await;
    assert_eq!((status, &own["code"]), (StatusCode::FORBIDDEN, &json!("forbidden")), "nobody approves their own");
    assert_eq!(command(&server, &ann, session, "vote", vote).await.0, StatusCode::OK);
    let after = state(&server, &ann, session).await["state"].take();
    let first = after["messages"][0].clone();
    assert_eq!((&first["text"], &first["by"]["name"]), (&json!("write tests"), &json!("Bob")));
    assert_eq!(after["run"]["input"], first["id"], "the run began");
    let left = after["gates"].as_array().expect("a list").iter().filter(|gate| gate["kind"] == "command").count();
    assert_eq!(left, 2, "the others wait on");
}

#[tokio::test]
async fn an_approved_command_of_a_disabled_participant_is_not_carried_out() {
    let server = Server::start().await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let rules = json!([{ "role": "member", "right": "steer", "access": "ask" }]);
    let session = server.session(&ann, &json!({ "settings": { "rights": rules } })).await;
    let invite = json!({ "participant": bob.participant.id, "role": "member" });
    assert_eq!(command(&server, &ann, session, "invite", invite).await.0, StatusCode::OK);
    for (disabled, failure) in [(true, Some("not_allowed")), (false, None)] {
        let (status, error) = command(&server, &bob, session, "say", json!({ "text": "write tests" })).await;
        assert_eq!(status, StatusCode::OK, "{error}");
        let gate = state(&server, &ann, session).await["state"]["gates"][0]["id"].take();
        server.node.identities.set_disabled(bob.participant.id, disabled).await.expect("writes");
        let vote = json!({ "gate": gate, "choice": "approve" });
        assert_eq!(command(&server, &ann, session, "vote", vote).await.0, StatusCode::OK);
        let after = state(&server, &ann, session).await["state"].take();
        let decided = after["decided"].as_array().and_then(|gates| gates.last()).expect("a decided gate").clone();
        assert_eq!(decided["decision"]["failure"], json!(failure), "{decided}");
        let messages = after["messages"].as_array().expect("a list");
        assert_eq!(messages.iter().any(|message| message["by"]["name"] == "Bob"), failure.is_none(), "{messages:?}");
        server.node.identities.set_disabled(bob.participant.id, false).await.expect("writes");
    }
}
