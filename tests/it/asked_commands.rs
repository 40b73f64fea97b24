//! A role that must ask the owners for approval, over REST and a socket, and across a restart.

use reqwest::StatusCode;
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use serde_json::{Value, json};

use crate::server::{Person, Server, expect_first_revision, with_timeout};
use crate::socket_harness::WebSocketClient;

/// Sends a command over REST and returns the response.
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
    // An administrator joins as a viewer, but is granted the role of an owner.
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

#[tokio::test]
async fn a_role_that_must_ask_adds_people_only_through_an_owner() {
    let server = Server::start().await;
    let (ann, bob) = (server.person("Ann", ServerRole::Member).await, server.person("Bob", ServerRole::Member).await);
    let cem = server.person("Cem", ServerRole::Member).await;
    let rules = json!([{ "role": "member", "right": "invite", "access": "ask" }]);
    let session = server.session(&ann, &json!({ "settings": { "rights": rules } })).await;
    let invite = |who: &Person, role: &str| json!({ "participant": who.participant.id, "role": role });
    assert_eq!(command(&server, &ann, session, "invite", invite(&bob, "member")).await.0, StatusCode::OK);

    // The command waits for an owner.
    assert_eq!(command(&server, &bob, session, "invite", invite(&cem, "reviewer")).await.0, StatusCode::OK);
    let gate = state(&server, &ann, session).await["state"]["gates"][0].take();
    let expected = json!({ "participant": cem.participant.id, "kind": "user", "name": "Cem", "role": "reviewer" });
    assert_eq!(gate["command"]["command"], json!({ "do": "invite", "data": expected }));
    let seen = server.as_person(&cem, reqwest::Method::GET, &format!("/api/v1/sessions/{session}")).send().await;
    assert_eq!(seen.expect("answers").status(), StatusCode::NOT_FOUND, "is not in it yet");
    let vote = json!({ "gate": gate["id"], "choice": "approve" });
    assert_eq!(command(&server, &ann, session, "vote", vote).await.0, StatusCode::OK);
    assert_eq!(state(&server, &cem, session).await["role"], "reviewer");

    let root = server.person("Root", ServerRole::Admin).await;
    let entry = async |number: usize| {
        with_timeout(server.node.audit.flush()).await;
        server.get(&root, "/api/v1/audit?action=participant_invited").await["entries"][number].take()
    };
    let (approved, asked) = (entry(0).await, entry(1).await);
    assert_eq!((&asked["detail"]["role"], &asked["detail"]["asked"]), (&json!("reviewer"), &json!(true)), "{asked}");
    let by_ann = json!([ann.participant.id]);
    assert_eq!((&approved["detail"]["role"], &approved["detail"]["approved_by"]), (&json!("reviewer"), &by_ann));
    assert_eq!(approved["subject"], json!(cem.participant.id));
    assert_eq!((&approved["actor"]["name"], &asked["actor"]["name"]), (&json!("Ann"), &json!("Bob")));

    // When an owner leaves, the gate is decided if the approvals of the other owners are then enough.
    let (eve, fay) = (server.person("Eve", ServerRole::Member).await, server.person("Fay", ServerRole::Member).await);
    let rules = json!([{ "gate": "command", "quorum": { "kind": "all" } }]);
    let set = json!({ "settings": { "approval_rules": rules } });
    let answer = command(&server, &ann, session, "set", set).await;
    assert_eq!(answer.0, StatusCode::OK, "{}", answer.1);
    assert_eq!(command(&server, &ann, session, "invite", invite(&eve, "owner")).await.0, StatusCode::OK);
    assert_eq!(command(&server, &bob, session, "invite", invite(&fay, "viewer")).await.0, StatusCode::OK);
    let gate = state(&server, &ann, session).await["state"]["gates"][0]["id"].take();
    let vote = json!({ "gate": gate, "choice": "approve" });
    assert_eq!(command(&server, &ann, session, "vote", vote).await.0, StatusCode::OK);
    assert_eq!(state(&server, &eve, session).await["state"]["gates"][0]["id"], gate, "Eve's vote is missing");
    assert_eq!(command(&server, &eve, session, "leave", json!({})).await.0, StatusCode::OK);
    let approved = entry(0).await;
    assert_eq!((&approved["detail"]["role"], &approved["detail"]["approved_by"]), (&json!("viewer"), &by_ann));
    assert_eq!((&approved["actor"]["name"], &approved["subject"]), (&json!("Eve"), &json!(fay.participant.id)));

    // The approval is for an enabled account with this name, so it does not cover a renamed or disabled account.
    let dan = server.person("Dan", ServerRole::Member).await;
    assert_eq!(command(&server, &bob, session, "invite", invite(&dan, "viewer")).await.0, StatusCode::OK);
    server.node.identities.set_disabled(dan.participant.id, true).await.expect("writes");
    let gate = state(&server, &ann, session).await["state"]["gates"][0]["id"].take();
    let vote = json!({ "gate": gate, "choice": "approve" });
    assert_eq!(command(&server, &ann, session, "vote", vote).await.0, StatusCode::OK);
    let after = state(&server, &ann, session).await["state"].take();
    let decided = after["decided"].as_array().and_then(|gates| gates.last()).expect("a decided gate");
    assert_eq!(decided["decision"]["failure"], "not_allowed", "{decided}");
    server.node.identities.set_disabled(dan.participant.id, false).await.expect("writes");

    // Such a member's link admits nobody without an owner's approval.
    let path = format!("/api/v1/sessions/{session}/invites");
    let (status, refused) = server.post(&bob, &path, &json!({ "role": "viewer" })).await;
    assert_eq!((status, &refused["code"]), (StatusCode::FORBIDDEN, &json!("forbidden")), "{refused}");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("set knock")), "{refused}");
    let (status, made) = server.post(&bob, &path, &json!({ "role": "viewer", "knock": true })).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(server.get(&bob, &path).await["invites"][0]["id"], made["id"]);
    let secret = made["link"].as_str().and_then(|link| link.split('#').nth(1)).expect("a secret");
    let (status, waits) = server.post(&dan, "/api/v1/invites/accept", &json!({ "secret": secret })).await;
    assert_eq!((status, &waits["waiting"]), (StatusCode::ACCEPTED, &json!(true)), "{waits}");
}
