//! Votes that must not count, sent over the wire: forged, repeated, late, for an old revision, or from people without
//! the right. Each gets an error code.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use roundtable::config::Config;
use roundtable::identity::ServerRole;
use roundtable::kernel::SessionId;
use roundtable::limits::RateLimit;
use serde_json::{Value, json};

use super::harness::{EchoTool, FlowHarness};
use crate::fresh_database::FreshDatabase;
use crate::server::{Person, Server};
use crate::socket_harness::WebSocketClient;

/// Raises the limits so that two hundred people can share one address.
fn raise_limits(config: &mut Config) {
    let burst = NonZeroU32::new(1000).expect("not zero");
    config.rate_limits.chat = RateLimit { burst, ..config.rate_limits.chat };
    // A client authenticates only after its socket is connected.
    config.rate_limits.stranger = RateLimit { burst, ..config.rate_limits.stranger };
    config.socket.frame_rate_limit = RateLimit { burst, ..config.socket.frame_rate_limit };
    // All clients share one address, which gets only a share of the request slots.
    config.http.max_concurrent_requests = 4096;
    config.orchestrator.max_waiting_commands = 1000;
}

/// Starts a run that waits for people to allow a call.
async fn start_at_gate(settings: Value) -> (FlowHarness, Value) {
    let call = "/tool push {\"branch\":\"main\"}";
    let mut harness = FlowHarness::start_with_settings("assistant-en", call, settings, raise_limits).await;
    let gate = harness.wait_for_gate("tool").await;
    (harness, gate)
}

async fn invite(harness: &mut FlowHarness, name: &str, role: &str) -> Person {
    let person = harness.server.person(name, ServerRole::Member).await;
    let participant = person.participant.id;
    assert_eq!(harness.send_command("invite", json!({ "participant": participant, "role": role }), None).await, None);
    person
}

fn vote(gate: &Value, rev: u64, choice: &str) -> Value {
    json!({ "do": "vote", "data": { "gate": gate["id"], "choice": choice }, "expect": { "rev": rev } })
}

/// Sends a command over REST, and returns the status and the body of the response.
async fn send(server: &Server, who: &Person, session: &str, id: &str, command: &Value) -> (StatusCode, Value) {
    let mut body = command.clone();
    body["id"] = id.into();
    let path = format!("/api/v1/sessions/{session}/commands");
    let response = server.as_person(who, Method::POST, &path).json(&body).send().await.expect("answers");
    (response.status(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn a_vote_that_must_not_count_gets_a_code_and_changes_nothing() {
    let (mut harness, gate) = start_at_gate(json!({ "approval": { "kind": "any" } })).await;
    let bob = invite(&mut harness, "Bob", "reviewer").await;
    let (eve, mallory) =
        (invite(&mut harness, "Eve", "viewer").await, harness.server.person("Mallory", ServerRole::Member).await);
    // A session of Mallory's own, to which the gate does not belong.
    let elsewhere = harness.server.session(&mallory, &json!({})).await.to_string();
    let session = harness.session.to_string();
    let reject = vote(&gate, 1, "reject");
    let with = |path: &[&str], value: Value| {
        let mut changed = reject.clone();
        let last = path.iter().fold(&mut changed, |at, field| &mut at[*field]);
        *last = value;
        changed
    };
    let edited = |edit: Value| {
        let mut changed = vote(&gate, 1, "approve");
        changed["data"]["edit"] = edit;
        changed
    };
    let ann = json!({ "kind": "user", "id": bob.participant.id, "name": "Ann" });
    let cases: [(&str, &Person, &str, Value, &str); 11] = [
        ("a forged actor", &bob, &session, with(&["data", "by"], ann), "invalid_argument"),
        ("of a viewer", &eve, &session, reject.clone(), "forbidden"),
        ("of a stranger to the session", &mallory, &session, reject.clone(), "unknown_session"),
        ("at a gate of another session", &mallory, &elsewhere, reject.clone(), "unknown_gate"),
        ("without a revision", &bob, &session, with(&["expect"], Value::Null), "invalid_argument"),
        ("for a revision to come", &bob, &session, vote(&gate, 2, "reject"), "stale_revision"),
        ("at no gate", &bob, &session, with(&["data", "gate"], json!("g_999999")), "unknown_gate"),
        ("of another choice", &bob, &session, with(&["data", "choice"], json!("perhaps")), "invalid_argument"),
        ("an edit against the schema", &bob, &session, edited(json!({ "branch": "" })), "invalid_argument"),
        ("an edit that is no object", &bob, &session, edited(json!("main")), "invalid_argument"),
        ("an edit with a vote against", &bob, &session, with(&["data", "edit"], json!({})), "invalid_argument"),
    ];
    for (what, who, session, command, code) in &cases {
        let (status, body) = send(&harness.server, who, session, "c_bad", command).await;
        assert!(status.is_client_error() && body["code"] == *code, "{what}: {status} {body}");
    }
    let view = harness.server.get(&bob, &format!("/api/v1/sessions/{session}")).await;
    assert_eq!((&view["state"]["gates"][0]["rev"], &view["state"]["gates"][0]["votes"]), (&json!(1), &json!([])));

    // An edit creates a new revision, and a vote for the old one does not count.
    let (status, _) = send(&harness.server, &bob, &session, "c_edit", &edited(json!({ "branch": "dev" }))).await;
    assert_eq!(status, StatusCode::OK, "the vote for the edit decides");
    let decided = harness.wait_for("gate.decided").await;
    // A retry gets the first response and does not count as a second vote; any other vote comes too late.
    let (_, again) = send(&harness.server, &bob, &session, "c_edit", &edited(json!({ "branch": "dev" }))).await;
    assert!(again["seq"].as_u64() >= decided["seq"].as_u64(), "{again}");
    for (id, rev) in [("c_late", 2), ("c_old", 1)] {
        let (status, late) = send(&harness.server, &bob, &session, id, &vote(&gate, rev, "reject")).await;
        assert_eq!((status, &late["code"]), (StatusCode::CONFLICT, &json!("already_decided")), "{late}");
    }
    let answer = harness.finish().await;
    assert!(answer.contains(r#"push heard {"branch":"dev"}"#), "{answer}");
    assert_eq!((harness.events("gate.decided").len(), harness.events("gate.voted").len()), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_clients_that_vote_at_once_make_one_decision() {
    let (mut harness, gate) = start_at_gate(json!({})).await;
    let mut people = vec![];
    for at in 0..200 {
        people.push(invite(&mut harness, &format!("Reviewer {at}"), "reviewer").await);
    }
    // Both outcomes are possible, and each client sends its vote twice.
    let (session, server) = (harness.session.to_string(), Arc::new(&harness.server));
    let sent = people.iter().enumerate().flat_map(|(at, who)| {
        let choice = if at % 2 == 0 { "approve" } else { "reject" };
        let (server, session, command) = (server.clone(), session.clone(), vote(&gate, 1, choice));
        (0..2).map(move |_| {
            let (server, session, command) = (server.clone(), session.clone(), command.clone());
            async move { send(&server, who, &session, "c_vote", &command).await }
        })
    });
    let answers = join_all(sent).await;
    let (mut counted, mut late) = (0, 0);
    for (status, body) in answers {
        match (status, body["code"].as_str()) {
            (StatusCode::OK, _) => counted += 1,
            (StatusCode::CONFLICT, Some("already_decided")) => late += 1,
            _ => panic!("{status} {body}"),
        }
    }
    harness.finish().await;
    assert_eq!((counted, late), (2, 398), "the first vote decides, and its repetition gets the same response");
    assert_eq!((harness.events("gate.decided").len(), harness.events("gate.voted").len()), (1, 1));
    assert!(harness.events("tool.started").len() <= 1);
}

/// Votes over a socket. Returns `ack` or the code of the error, and the seq of the decision that the socket receives.
async fn vote_over_socket(client: &mut WebSocketClient, session: SessionId, vote: &Value) -> (String, Value) {
    let mut frame = vote.clone();
    (frame["type"], frame["id"], frame["session"]) = ("command".into(), "c_vote".into(), json!(session));
    client.send(frame).await;
    let (mut answer, mut decided) = (None, None);
    loop {
        let frame = client.next().await;
        match frame["type"].as_str() {
            Some("ack") => answer = Some("ack".to_owned()),
            Some("error") => answer = frame["code"].as_str().map(str::to_owned),
            Some("event") if frame["event"] == "gate.decided" => decided = Some(frame["seq"].clone()),
            _ => {}
        }
        if let (Some(answer), Some(decided)) = (&answer, &decided) {
            return (answer.clone(), decided.clone());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_sockets_on_two_nodes_that_vote_at_once_make_one_decision() {
    let fresh = FreshDatabase::postgres().await;
    let prefix = format!("votes-{}", uuid::Uuid::now_v7().simple());
    let on = |config: &mut Config| {
        raise_limits(config);
        config.database_url = Some(fresh.url.clone());
        config.redis_url = Some(servers::redis::shared());
        config.bus.prefix = prefix.clone();
        // The first clients wait without reading until the last one has joined.
        config.socket.ping_seconds = 600;
    };
    let call = "/tool push {\"branch\":\"main\"}";
    let mut harness = FlowHarness::start_with_settings("assistant-en", call, json!({}), on).await;
    let gate = harness.wait_for_gate("tool").await;
    let other = Server::start_with_tools(vec![EchoTool::changing("push")], on).await;
    let mut clients = vec![];
    for at in 0..200 {
        let person = invite(&mut harness, &format!("Reviewer {at}"), "reviewer").await;
        let mut client =
            WebSocketClient::connect_to_server(if at % 2 == 0 { &harness.server } else { &other }, &person).await;
        client.join(harness.session, None).await;
        clients.push(client);
    }
    // On each node, half of the clients approve the call and half reject it.
    let session = harness.session;
    let votes = clients.iter_mut().enumerate().map(|(at, client)| {
        let vote = vote(&gate, 1, if at % 4 < 2 { "approve" } else { "reject" });
        async move { vote_over_socket(client, session, &vote).await }
    });
    let answers = join_all(votes).await;
    let count = |wanted: &str| answers.iter().filter(|(answer, _)| answer == wanted).count();
    assert_eq!((count("ack"), count("already_decided")), (1, 199), "{answers:?}");
    let decided = harness.wait_for("gate.decided").await["seq"].clone();
    harness.finish().await;
    assert_eq!((harness.events("gate.decided").len(), harness.events("gate.voted").len()), (1, 1));
    assert!(harness.events("tool.started").len() <= 1);
    assert!(answers.iter().all(|(_, seen)| *seen == decided), "the same decision at the same place on both nodes");
}
