//! Every frame of a client gets a coded reply; only violations of the WebSocket protocol close the connection.

use std::time::Duration;

use futures_util::SinkExt;
use proptest::prelude::*;
use roundtable::audit::{AuditAction, AuditQuery};
use roundtable::feed::FeedSettings;
use roundtable::identity::{SecretHash, ServerRole};
use roundtable::kernel::ParticipantId;
use roundtable::socket::SocketSettings;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::Message;

use crate::server::with_timeout;
use crate::socket_harness::{SocketHarness, WebSocketClient};

/// Sends a text and returns the reply. Checks that the socket still works.
async fn send_and_expect_error(client: &mut WebSocketClient, text: &str) -> Value {
    client.text(text).await;
    let error = client.wait_for("error").await;
    client.send(json!({ "type": "ping" })).await;
    client.wait_for("pong").await;
    error
}

#[tokio::test]
async fn invalid_input_gets_a_code_and_the_socket_stays_open() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut client) = harness.connect_owner().await;
    client.join(session, None).await;
    let stranger = "s_0190f3c07a1b7c3d8e5f60718293a4b5";
    let command = |rest: Value| {
        let mut frame = json!({ "type": "command", "id": "c_1", "session": session });
        frame.as_object_mut().expect("is one").extend(rest.as_object().expect("is one").clone());
        frame.to_string()
    };
    let deep = format!(r#"{{"type":"join","session":{}}}"#, "[".repeat(100_000));
    let nested = command(json!({ "do": "say", "data": {} }))
        .replace("{}", &format!("{}{}", "[".repeat(9_000), "]".repeat(9_000)));
    let cases = [
        ("not JSON", "{", "bad_frame"),
        ("not an object", "[1]", "bad_frame"),
        ("no such type", r#"{"type":"shout"}"#, "bad_frame"),
        ("too deep", &deep, "bad_frame"),
        ("too deep inside a command", &nested, "invalid_argument"),
        ("a session that is none", r#"{"type":"join","session":"here"}"#, "bad_frame"),
        ("a session of others", &json!({ "type": "join", "session": stranger }).to_string(), "unknown_session"),
        ("never joined", &json!({ "type": "leave", "session": stranger }).to_string(), "not_joined"),
        ("no such command", &command(json!({ "do": "sayy", "data": { "text": "x" } })), "unknown_command"),
        ("a field too many", &command(json!({ "do": "say", "data": { "text": "x", "loud": 1 } })), "invalid_argument"),
        (
            "a misspelled field of a command",
            &command(json!({ "do": "say", "data": { "text": "x" }, "expekt": { "rev": 1 } })),
            "bad_frame",
        ),
        (
            "a revision for a command without one",
            &command(json!({ "do": "say", "data": { "text": "x" }, "expect": { "rev": 1 } })),
            "invalid_argument",
        ),
        (
            "a misspelled field of a join",
            &json!({ "type": "join", "session": session, "afterwards": 5 }).to_string(),
            "bad_frame",
        ),
        (
            "a vote without a revision",
            &command(json!({ "do": "vote", "data": { "gate": "g_1", "choice": "approve" } })),
            "invalid_argument",
        ),
        ("no session", r#"{"type":"command","id":"c_1","do":"pause","data":{"run":"r_1"}}"#, "bad_frame"),
        ("a control of nothing", &command(json!({ "do": "interrupt" })), "invalid_argument"),
        ("a text too long", &command(json!({ "do": "say", "data": { "text": "x".repeat(65 << 10) } })), "too_large"),
        ("NUL", &command(json!({ "do": "say", "data": { "text": "a\0b" } })), "invalid_argument"),
        ("a frame too large", &format!(r#"{{"type":"ping"}}{}"#, " ".repeat(300 << 10)), "too_large"),
        (
            "no such signal",
            &json!({ "type": "signal", "session": session, "name": "shout" }).to_string(),
            "invalid_argument",
        ),
        (
            "a signal too large",
            &json!({ "type": "signal", "session": session, "name": "typing", "data": { "a": "x".repeat(2000) } })
                .to_string(),
            "too_large",
        ),
        ("hello again", r#"{"type":"hello","token":"rt_token_x"}"#, "already_authenticated"),
        (
            "an unknown invitee",
            &command(
                json!({ "do": "invite", "data": { "participant": "u_0190f3c07a1b7c3d8e5f60718293a4b5", "role": "viewer" } }),
            ),
            "unknown_participant",
        ),
    ];
    for (what, text, code) in cases {
        assert_eq!(send_and_expect_error(&mut client, text).await["code"], code, "{what}");
    }
    let error = send_and_expect_error(&mut client, &command(json!({ "do": "sayy" }))).await;
    assert_eq!(error["id"], "c_1");
    assert!(error["message"].as_str().expect("text").contains("say"));
    let error = send_and_expect_error(&mut client, &json!({ "type": "leave", "session": stranger }).to_string()).await;
    assert_eq!(error["session"], json!(stranger), "which one");
    let large = command(json!({ "do": "say", "data": { "text": "x".repeat(300 << 10) } }));
    client.socket.send(Message::text(large)).await.expect("sends");
    let error = client.wait_for("error").await;
    let named = json!(["too_large", "c_1", session]);
    assert_eq!(json!([error["code"], error["id"], error["session"]]), named, "which one");
    client.socket.send(Message::Binary(vec![0, 159, 146, 150].into())).await.expect("sends");
    assert_eq!(client.wait_for("error").await["code"], "binary_frame");
}

#[tokio::test]
async fn commands_are_answered_by_id_and_too_many_are_slowed() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut client) = harness.connect_owner().await;
    client.join(session, None).await;
    for index in 0..30 {
        let text = format!("message {index}");
        let frame = json!({ "type": "command", "id": format!("c_{index}"), "session": session, "do": "say", "data": { "text": text } });
        client.send(frame).await;
    }
    let (mut acked, mut refused) = (Vec::new(), 0);
    while acked.len() + refused < 30 {
        let frame = client.next().await;
        match frame["type"].as_str() {
            Some("ack") => acked.push(frame["seq"].as_u64().expect("is a seq")),
            Some("error") => {
                assert_eq!(frame["code"], "rate_limited");
                assert!(frame["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0));
                refused += 1;
            }
            _ => {}
        }
    }
    assert!((20..=25).contains(&acked.len()), "{acked:?}");
    assert!(acked.is_sorted(), "in the order in which they were sent");
    let stop =
        json!({ "type": "command", "id": "c_stop", "session": session, "do": "interrupt", "data": { "run": "r_1" } });
    client.send(stop).await;
    assert_eq!(client.wait_for("error").await["code"], "no_run", "the flood did not lock out the stop button");
}

#[tokio::test]
async fn waiting_commands_of_a_connection_are_limited() {
    let harness = SocketHarness::start(
        SocketSettings { max_waiting_commands: 2, ..SocketSettings::default() },
        FeedSettings::default(),
    )
    .await;
    let (session, _, mut client) = harness.connect_owner().await;
    client.join(session, None).await;
    let busy = harness.orchestrator.block_writes().await;
    let say =
        |id: &str| json!({ "type": "command", "id": id, "session": session, "do": "say", "data": { "text": "x" } });
    for id in ["c_1", "c_2", "c_3"] {
        client.send(say(id)).await;
    }
    let refused = client.wait_for("error").await;
    assert_eq!((&refused["id"], &refused["code"]), (&json!("c_3"), &json!("busy")));
    drop(busy);
    assert_eq!([client.wait_for("ack").await["id"].take(), client.wait_for("ack").await["id"].take()], ["c_1", "c_2"]);
}

#[tokio::test]
async fn a_command_that_times_out_is_answered_and_its_socket_stays_open() {
    let harness =
        SocketHarness::start(SocketSettings { join_seconds: 1, ..SocketSettings::default() }, FeedSettings::default())
            .await;
    let (session, _, mut client) = harness.connect_owner().await;
    client.join(session, None).await;
    let busy = harness.orchestrator.block_writes().await;
    client
        .send(json!({ "type": "command", "id": "c_1", "session": session, "do": "say", "data": { "text": "x" } }))
        .await;
    let late = client.wait_for("error").await;
    assert_eq!((&late["id"], &late["code"], &late["session"]), (&json!("c_1"), &json!("timed_out"), &json!(session)));
    client.send(json!({ "type": "ping" })).await;
    client.wait_for("pong").await;
    drop(busy);
}

#[tokio::test]
async fn a_command_that_takes_effect_after_its_timeout_is_in_the_audit_log() {
    let harness =
        SocketHarness::start(SocketSettings { join_seconds: 1, ..SocketSettings::default() }, FeedSettings::default())
            .await;
    let (session, _, mut client) = harness.connect_owner().await;
    client.join(session, None).await;
    let busy = harness.orchestrator.block_writes().await;
    let data = json!({ "participant": ParticipantId(uuid::Uuid::now_v7()) });
    client.send(json!({ "type": "command", "id": "c_1", "session": session, "do": "remove", "data": data })).await;
    assert_eq!(client.wait_for("error").await["code"], "timed_out");
    drop(client);
    drop(busy);
    let audit = &harness.context.dispatcher.audit;
    let query = AuditQuery { action: Some(AuditAction::ParticipantRemoved), limit: 10, ..AuditQuery::default() };
    with_timeout(async {
        while audit.store().audit_entries(&query).await.expect("reads").is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_command_counts_even_if_its_sender_disconnects() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut client) = harness.connect_owner().await;
    let mut watch = harness.orchestrator.feed(session).await.watch(2);
    client.join(session, None).await;
    let busy = harness.orchestrator.block_writes().await;
    client
        .send(json!({ "type": "command", "id": "c_1", "session": session, "do": "say", "data": { "text": "x" } }))
        .await;
    // Frames are handled in order: once the ping is answered, the command is being processed.
    client.send(json!({ "type": "ping" })).await;
    client.wait_for("pong").await;
    drop(client);
    while harness.context.traffic.connections.load(std::sync::atomic::Ordering::Relaxed) > 0 {
        tokio::task::yield_now().await;
    }
    drop(busy);
    let posted = async { while watch.next().await.is_ok_and(|_| watch.seq() < 3) {} };
    tokio::time::timeout(crate::server::TIMEOUT, posted).await.expect("is written all the same");
    assert_eq!(watch.seq(), 3);
}

#[tokio::test]
async fn connections_of_a_node_are_limited() {
    let harness = SocketHarness::start(
        SocketSettings { max_connections: 1, ..SocketSettings::default() },
        FeedSettings::default(),
    )
    .await;
    let _first = WebSocketClient::connect(&harness).await;
    let second = tokio_tungstenite::connect_async(format!("ws://{}/api/v1/ws", harness.address)).await;
    let Err(tokio_tungstenite::tungstenite::Error::Http(refused)) = second else { panic!("{second:?}") };
    assert_eq!(refused.status(), 503);
}

#[tokio::test]
async fn an_unauthenticated_connection_gets_nothing_and_is_closed() {
    let harness =
        SocketHarness::start(SocketSettings { hello_seconds: 1, ..SocketSettings::default() }, FeedSettings::default())
            .await;
    let (who, _) = harness.person("Ann", ServerRole::Member).await;
    let session = harness.session(&who).await;
    let mut client = WebSocketClient::connect(&harness).await;
    client.send(json!({ "type": "join", "session": session })).await;
    assert_eq!(client.wait_for("error").await["code"], "unauthenticated");
    client.send(json!({ "type": "hello", "token": "rt_token_guess" })).await;
    assert_eq!(client.wait_for("error").await["code"], "unauthenticated");
    assert_eq!(client.close_code().await, 4500);
}

#[tokio::test]
async fn frames_after_hello_and_join_are_processed_in_order() {
    let harness = SocketHarness::start_with_defaults().await;
    let (who, token) = harness.person("Ann", ServerRole::Member).await;
    let session = harness.session(&who).await;
    let mut client = WebSocketClient::connect(&harness).await;
    for frame in [
        json!({ "type": "hello", "token": token }),
        json!({ "type": "join", "session": session, "after": 2 }),
        json!({ "type": "command", "id": "c_1", "session": session, "do": "say", "data": { "text": "at once" } }),
    ] {
        client.socket.feed(Message::Text(frame.to_string().into())).await.expect("sends");
    }
    client.socket.flush().await.expect("sends");
    assert_eq!(client.wait_for("ack").await["seq"], 3);
}

#[tokio::test]
async fn websocket_violations_close_with_their_code() {
    let harness = SocketHarness::start(
        SocketSettings { max_frame_bytes: 1000, ..SocketSettings::default() },
        FeedSettings::default(),
    )
    .await;
    for (first, payload, code) in
        [(0x81, vec![0xff, 0xfe], 1007u16), (0x81, vec![b'x'; 4001], 1009), (0xf1, vec![], 1002)]
    {
        let mut tcp = handshake(&harness).await;
        let mut frame = vec![first, 0x80 | 126];
        frame.extend_from_slice(&(payload.len() as u16).to_be_bytes());
        frame.extend_from_slice(&[0; 4]);
        frame.extend_from_slice(&payload);
        tcp.write_all(&frame).await.expect("writes");
        let mut answer = Vec::new();
        tcp.read_to_end(&mut answer).await.expect("is closed in order, not reset");
        assert_eq!(&answer[..1], [0x88]);
        assert_eq!(answer[2..4], code.to_be_bytes());
    }
}

async fn handshake(harness: &SocketHarness) -> tokio::net::TcpStream {
    let mut tcp = tokio::net::TcpStream::connect(harness.address).await.expect("connects");
    let request = "GET /api/v1/ws HTTP/1.1\r\nhost: x\r\nconnection: keep-alive, Upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    tcp.write_all(request.as_bytes()).await.expect("writes");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.expect("answers"));
    }
    let head = String::from_utf8(head).expect("is text");
    assert!(head.starts_with("HTTP/1.1 101") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    tcp
}

#[tokio::test]
async fn a_server_that_shuts_down_announces_it() {
    let harness =
        SocketHarness::start(SocketSettings { drain_ms: 50, ..SocketSettings::default() }, FeedSettings::default())
            .await;
    let (_, _, mut client) = harness.connect_owner().await;
    let context = harness.context.clone();
    let drained = tokio::spawn(async move { context.drain().await });
    assert_eq!(client.close_code().await, 4000);
    drop(client);
    tokio::time::timeout(Duration::from_secs(10), drained).await.expect("in time").expect("drains");
}

#[tokio::test]
async fn a_revoked_token_closes_the_socket_that_it_opened() {
    let harness = SocketHarness::start_with_defaults().await;
    let (_, token) = harness.person("Ann", ServerRole::Member).await;
    let (_, other) = harness.person("Bob", ServerRole::Member).await;
    let (mut client, mut stays) =
        (WebSocketClient::connect_as(&harness, &token).await, WebSocketClient::connect_as(&harness, &other).await);
    harness.context.dispatcher.identities.remove_credential(SecretHash::of(&token)).await.expect("removes");
    assert_eq!(client.close_code().await, 4501);
    stays.send(json!({ "type": "ping" })).await;
    stays.wait_for("pong").await;
}

#[tokio::test]
async fn a_server_that_drains_admits_nobody() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut client) = harness.connect_owner().await;
    let mut stays = {
        let (_, token) = harness.person("Bob", ServerRole::Member).await;
        WebSocketClient::connect_as(&harness, &token).await
    };
    harness.context.stopping.cancel();
    let url = format!("ws://{}/api/v1/ws", harness.address);
    let refused = tokio_tungstenite::connect_async(url).await.expect_err("is refused");
    let tokio_tungstenite::tungstenite::Error::Http(answer) = refused else { panic!("no answer: {refused}") };
    assert_eq!(answer.status(), 503);
    // Clients that join must reconnect elsewhere; the others stay until it is their turn.
    client.send(json!({ "type": "join", "session": session })).await;
    assert_eq!(client.close_code().await, 4000);
    stays.send(json!({ "type": "ping" })).await;
    stays.wait_for("pong").await;
}

#[tokio::test]
async fn unanswered_pings_close_the_socket() {
    let harness =
        SocketHarness::start(SocketSettings { ping_seconds: 1, ..SocketSettings::default() }, FeedSettings::default())
            .await;
    let mut tcp = handshake(&harness).await;
    let (_, token) = harness.person("Ann", ServerRole::Member).await;
    let text = json!({ "type": "hello", "token": token }).to_string();
    let mut frame = vec![0x81, 0x80 | text.len() as u8, 0, 0, 0, 0];
    frame.extend_from_slice(text.as_bytes());
    tcp.write_all(&frame).await.expect("writes");
    let mut bytes = Vec::new();
    tokio::time::timeout(Duration::from_secs(15), tcp.read_to_end(&mut bytes)).await.expect("in time").expect("reads");
    assert!(bytes.windows(4).any(|window| window[0] == 0x88 && window[2..] == 4002u16.to_be_bytes()));
}

#[tokio::test]
async fn joined_sessions_of_a_connection_are_limited() {
    let harness = SocketHarness::start(
        SocketSettings { max_joined_sessions: 2, ..SocketSettings::default() },
        FeedSettings::default(),
    )
    .await;
    let (who, token) = harness.person("Ann", ServerRole::Member).await;
    let mut client = WebSocketClient::connect_as(&harness, &token).await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(harness.session(&who).await);
    }
    client.join(sessions[0], None).await;
    client.join(sessions[1], None).await;
    client.send(json!({ "type": "join", "session": sessions[2] })).await;
    assert_eq!(client.wait_for("error").await["code"], "too_many_sessions");
    client.send(json!({ "type": "leave", "session": sessions[0] })).await;
    client.join(sessions[2], None).await;
    harness.orchestrator.post_messages(sessions[1], ["one".to_owned()]).await;
    harness.orchestrator.post_messages(sessions[2], ["two".to_owned()]).await;
    let mut received =
        [client.wait_for("event").await, client.wait_for("event").await].map(|event| event["session"].clone());
    received.sort_by_key(ToString::to_string);
    let mut expected = [json!(sessions[1]), json!(sessions[2])];
    expected.sort_by_key(ToString::to_string);
    assert_eq!(received, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Random frames on a live socket: each gets a reply, and the socket keeps working.
    #[test]
    fn random_frames_never_break_the_socket(frames in prop::collection::vec(any_frame(), 1..20)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("starts");
        runtime.block_on(async {
            let harness = SocketHarness::start_with_defaults().await;
            let (session, _, mut client) = harness.connect_owner().await;
            for frame in frames {
                let text = frame.replace("SESSION", &session.to_string());
                client.text(&text).await;
            }
            client.send(json!({ "type": "ping" })).await;
            client.wait_for("pong").await;
            let joined = client.join(session, Some(0)).await;
            assert!(joined["head"].as_u64().is_some_and(|head| head >= 2));
        });
    }
}

/// Returns a strategy for arbitrary texts, almost valid texts, and frames with arbitrary values in their fields.
fn any_frame() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just(json!(null)),
        Just(json!("SESSION")),
        any::<i64>().prop_map(|number| json!(number)),
        any::<String>().prop_map(|text| json!(text)),
        prop::collection::vec(any::<u8>(), 0..9).prop_map(|list| json!(list)),
        Just(json!({ "text": "hi", "gate": "g_1", "choice": "approve", "role": "owner" })),
    ];
    let types = prop::sample::select(vec!["hello", "join", "leave", "command", "signal", "ping", "welcome"]);
    let verbs = prop::sample::select(vec!["say", "vote", "set", "invite", "fork", "remove", "close", "start", "pause"]);
    let frame = (types, verbs, prop::collection::vec(value, 6)).prop_map(|(name, verb, values)| {
        let [session, id, data, after, token, expect] = <[Value; 6]>::try_from(values).expect("are six");
        json!({ "type": name, "do": verb, "name": "typing", "session": session, "id": id, "data": data,
            "after": after, "token": token, "expect": expect })
        .to_string()
    });
    prop_oneof![
        any::<String>(),
        frame.clone(),
        (frame, 0usize..60)
            .prop_map(|(text, at)| { text.chars().take(text.chars().count().saturating_sub(at)).collect() })
    ]
}
