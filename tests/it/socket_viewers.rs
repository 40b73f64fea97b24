//! A viewer is a cursor: whenever it joins, however slow it is, and however often it is cut off, it sees one log.

use std::time::Duration;

use proptest::prelude::*;
use roundtable::feed::FeedSettings;
use roundtable::identity::ServerRole;
use roundtable::kernel::{Actor, Fact, MessageId, Role, SessionId};
use roundtable::socket::SocketSettings;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::socket_harness::{SocketHarness, WebSocketClient, joined, message, seqs};

fn texts(count: usize, bytes: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |index| format!("{index}{}", "x".repeat(bytes)))
}

async fn log(harness: &SocketHarness, session: SessionId) -> Vec<String> {
    crate::append_builders::read_whole_log(&harness.orchestrator.store, session).await
}

#[tokio::test]
async fn a_viewer_gets_the_whole_log_and_then_live_events_without_gap_or_repeat() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut client) = harness.connect_owner().await;
    harness.orchestrator.post_messages(session, texts(600, 10)).await;
    let joined = client.join(session, Some(0)).await;
    assert_eq!(joined["head"], 602);
    assert_eq!(joined["you_can"][0], "watch");
    let replay = client.frames_until(602).await;
    assert_eq!(seqs(&replay), (1..=602).collect::<Vec<_>>());
    let caught_up = client.wait_for("caught_up").await;
    assert_eq!(caught_up["through"], 602);
    harness.orchestrator.post_messages(session, texts(3, 10)).await;
    assert_eq!(seqs(&client.frames_until(605).await), [603, 604, 605]);
}

#[tokio::test]
async fn a_viewer_without_a_seq_starts_with_a_snapshot() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, mut client) = harness.connect_owner().await;
    harness.orchestrator.post_messages(session, texts(150, 10)).await;
    let joined = client.join(session, None).await;
    assert_eq!((&joined["head"], &joined["snapshot"]["seq"]), (&json!(152), &json!(152)));
    let state = &joined["snapshot"]["state"];
    assert_eq!(state["participants"][0]["id"], json!(who.id));
    assert_eq!(client.next().await, json!({ "type": "caught_up", "session": session, "through": 152 }));
    harness.orchestrator.post_messages(session, texts(1, 10)).await;
    assert_eq!(seqs(&client.frames_until(153).await), [153]);
    // A second viewer gets the events since then either in its snapshot or from the feed.
    let joined = client.join(session, None).await;
    let from = joined["snapshot"]["seq"].as_u64().expect("is a seq");
    harness.orchestrator.post_messages(session, texts(1, 10)).await;
    assert_eq!(seqs(&client.frames_until(154).await), (from + 1..=154).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_snapshot_contains_nothing_after_its_seq() {
    let bounds = FeedSettings { max_snapshot_reuse_bytes: 0, ..FeedSettings::default() };
    let harness = SocketHarness::start(SocketSettings::default(), bounds).await;
    let (session, who, mut first) = harness.connect_owner().await;
    let posted =
        Fact::MessagePosted { message: MessageId(3), text: "once".into(), files: vec![], relays: None, request: None };
    let (feed, events) = harness.orchestrator.append(session, who.actor(), vec![posted]).await;
    let snapshot = first.join(session, None).await["snapshot"].take();
    assert_eq!((&snapshot["seq"], &snapshot["state"]["messages"]), (&json!(2), &json!([])));
    feed.publish(&events);
    assert_eq!(seqs(&first.frames_until(3).await), [3]);
    let (_, token) = harness.person("Root", ServerRole::Admin).await;
    let mut second = WebSocketClient::connect_as(&harness, &token).await;
    let snapshot = second.join(session, None).await["snapshot"].take();
    assert_eq!(snapshot["state"]["messages"].as_array().expect("is a list").len(), 1);
}

#[tokio::test]
async fn a_viewer_starts_with_the_same_snapshot_as_an_owner() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, ann, mut owner) = harness.connect_owner().await;
    let (bob, token) = harness.person("Bob", ServerRole::Guest).await;
    harness.orchestrator.write(session, ann.actor(), vec![joined(&bob, Role::Viewer)]).await;
    harness.orchestrator.post_messages(session, texts(3, 10)).await;
    let mut viewer = WebSocketClient::connect_as(&harness, &token).await;
    assert_eq!(owner.join(session, None).await["snapshot"], viewer.join(session, None).await["snapshot"]);
}

#[tokio::test]
async fn events_written_elsewhere_are_read_from_the_store() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, mut client) = harness.connect_owner().await;
    client.join(session, Some(0)).await;
    client.wait_for("caught_up").await;
    let posted = Fact::MessagePosted {
        message: MessageId(3),
        text: "never published here".into(),
        files: vec![],
        relays: None,
        request: None,
    };
    harness.orchestrator.append(session, who.actor(), vec![posted]).await;
    harness.orchestrator.post_messages(session, texts(1, 10)).await;
    assert_eq!(seqs(&client.frames_until(4).await), [3, 4]);
}

#[tokio::test]
async fn a_repeated_publication_is_shown_once() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, mut client) = harness.connect_owner().await;
    client.join(session, Some(0)).await;
    let posted =
        Fact::MessagePosted { message: MessageId(3), text: "once".into(), files: vec![], relays: None, request: None };
    let (feed, events) = harness.orchestrator.append(session, who.actor(), vec![posted]).await;
    feed.publish(&events);
    feed.publish(&events);
    harness.orchestrator.post_messages(session, texts(1, 10)).await;
    assert_eq!(seqs(&client.frames_until(4).await), [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_seq_beyond_the_log_gets_a_snapshot() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut client) = harness.connect_owner().await;
    let joined = client.join(session, Some(77)).await;
    assert_eq!(joined["snapshot"]["seq"], 2);
}

#[tokio::test]
async fn a_viewer_that_joins_mid_message_gets_its_text_so_far() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, mut client) = harness.connect_owner().await;
    let (begin, end) = message(3, 1);
    harness.orchestrator.write(session, who.actor(), vec![begin]).await;
    let feed = harness.orchestrator.feed(session).await;
    feed.delta(MessageId(3), 1, "支付");
    feed.delta(MessageId(3), 2, "from another attempt");
    feed.delta(MessageId(9), 1, "of no message");
    assert_eq!(feed.partial(MessageId(3)).map(|(_, text)| text.to_string()).as_deref(), Some("支付"));
    client.join(session, None).await;
    let partial = client.wait_for("delta").await;
    assert_eq!((&partial["at"], &partial["text"]), (&json!(0), &json!("支付")));
    feed.delta(MessageId(3), 1, "接口");
    let delta = client.wait_for("delta").await;
    assert_eq!((&delta["at"], &delta["text"]), (&json!(6), &json!("接口")));
    harness.orchestrator.write(session, who.actor(), vec![end("支付接口")]).await;
    assert_eq!(client.frames_until(4).await.len(), 1);
    assert!(feed.partial(MessageId(3)).is_none());
}

#[tokio::test]
async fn fragments_for_many_viewers_are_batched_and_precede_later_events() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, mut client) = harness.connect_owner().await;
    let (begin, end) = message(3, 1);
    harness.orchestrator.write(session, who.actor(), vec![begin]).await;
    let feed = harness.orchestrator.feed(session).await;
    let mut watches: Vec<_> = (0..5_000).map(|_| feed.watch(3)).collect();
    ["one ", "two ", "three "].into_iter().for_each(|text| feed.delta(MessageId(3), 1, text));
    // A viewer that joins gets all of the text, and gets none of it twice.
    client.join(session, None).await;
    let partial = client.wait_for("delta").await;
    assert_eq!((&partial["at"], &partial["text"]), (&json!(0), &json!("one two three ")));
    feed.delta(MessageId(3), 1, "four");
    harness.orchestrator.write(session, who.actor(), vec![end("one two three four")]).await;
    let delta = client.wait_for("delta").await;
    assert_eq!((&delta["at"], &delta["text"]), (&json!(14), &json!("four")));
    assert_eq!(client.wait_for("event").await["seq"], 4);
    let mut frames = vec![];
    while watches[0].seq() < 4 {
        let frame = watches[0].next().await.expect("goes on");
        frames.push(serde_json::from_slice::<serde_json::Value>(&frame).expect("is JSON"));
    }
    let deltas = frames.iter().filter(|frame| frame["type"] == "delta");
    let (at, text): (Vec<_>, Vec<_>) = deltas.map(|frame| (frame["at"].clone(), frame["text"].clone())).unzip();
    assert_eq!(
        (at, text),
        (vec![json!(0), json!(4), json!(14)], vec![json!("one "), json!("two three "), json!("four")])
    );
    assert_eq!(frames.last().expect("ends")["seq"], 4);
}

#[tokio::test]
async fn batched_fragments_are_shown_without_a_further_event() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, _client) = harness.connect_owner().await;
    harness.orchestrator.write(session, who.actor(), vec![message(3, 1).0]).await;
    let feed = harness.orchestrator.feed(session).await;
    let mut watches: Vec<_> = (0..5_000).map(|_| feed.watch(3)).collect();
    ["one ", "two ", "three "].into_iter().for_each(|text| feed.delta(MessageId(3), 1, text));
    let mut text = String::new();
    while text != "one two three " {
        let frame = crate::server::with_timeout(watches[0].next()).await.expect("goes on");
        let frame: serde_json::Value = serde_json::from_slice(&frame).expect("is JSON");
        text += frame["text"].as_str().unwrap_or_default();
    }
}

#[tokio::test]
async fn a_new_attempt_starts_again_at_zero() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, mut client) = harness.connect_owner().await;
    client.join(session, None).await;
    for attempt in 1..=2 {
        harness.orchestrator.write(session, who.actor(), vec![message(3, attempt).0]).await;
        harness.orchestrator.feed(session).await.delta(MessageId(3), attempt, "a");
        let delta = client.wait_for("delta").await;
        assert_eq!((&delta["attempt"], &delta["at"]), (&json!(attempt), &json!(0)));
    }
}

#[tokio::test]
async fn fifty_drops_and_resumes_end_with_exactly_the_log() {
    let harness = SocketHarness::start(
        SocketSettings::default(),
        FeedSettings { max_ring_bytes: 8 << 10, ..FeedSettings::default() },
    )
    .await;
    let (who, token) = harness.person("Ann", ServerRole::Member).await;
    let session = harness.session(&who).await;
    let orchestrator = harness.orchestrator.clone();
    let writer = tokio::spawn(async move {
        for round in 0..300 {
            orchestrator.post_messages(session, [format!("round {round} {}", "x".repeat(round))]).await;
        }
    });
    let (mut seen, mut last) = (Vec::new(), 0);
    for drop in 1..=50 {
        let mut client = WebSocketClient::connect_as(&harness, &token).await;
        client.join(session, Some(last)).await;
        // Each time, the client sees a few more events and then disappears without notice.
        let until = if drop == 50 { 302 } else { (last + 6).min(drop * 6) };
        while last < until {
            let frame = client.next().await;
            if frame["type"] == "event" {
                last = frame["seq"].as_u64().expect("is a seq");
                seen.push(frame);
            }
        }
    }
    writer.await.expect("writes");
    let log: Vec<serde_json::Value> =
        log(&harness, session).await.iter().map(|frame| serde_json::from_str(frame).expect("is JSON")).collect();
    assert_eq!(seen, log);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_viewer_slows_nobody_and_loses_nothing() {
    // The viewer falls out of a small feed between two writes, and out of a large one in the middle of a write.
    for ring_bytes in [64 << 10, 1 << 20] {
        a_viewer_takes_nothing_for_a_while(FeedSettings { max_ring_bytes: ring_bytes, ..FeedSettings::default() })
            .await;
    }
}

async fn a_viewer_takes_nothing_for_a_while(bounds: FeedSettings) {
    let harness = SocketHarness::start(SocketSettings::default(), bounds).await;
    let (session, who, mut quick) = harness.connect_owner().await;
    let (_, token) = {
        let (slow, token) = harness.person("Slow", ServerRole::Member).await;
        harness.orchestrator.write(session, who.actor(), vec![joined(&slow, Role::Viewer)]).await;
        (slow, token)
    };
    let mut slow = WebSocketClient::connect_as(&harness, &token).await;
    slow.join(session, Some(0)).await;
    quick.join(session, Some(0)).await;
    // Write more than the sockets and the feed can hold together, so that the slow viewer falls out of the feed.
    let written = async {
        for _ in 0..40 {
            harness.orchestrator.post_messages(session, texts(10, 20_000)).await;
        }
    };
    tokio::time::timeout(crate::server::TIMEOUT, written).await.expect("waits for nobody");
    assert_eq!(seqs(&quick.frames_until(403).await), (1..=403).collect::<Vec<_>>());
    let (begin, end) = message(404, 1);
    harness.orchestrator.write(session, who.actor(), vec![begin]).await;
    harness.orchestrator.feed(session).await.delta(MessageId(404), 1, "so far");
    assert_eq!(seqs(&crate::server::with_timeout(slow.frames_until(404)).await), (1..=404).collect::<Vec<_>>());
    assert_eq!(slow.wait_for("delta").await["text"], "so far");
    harness.orchestrator.write(session, who.actor(), vec![end("so far, so good")]).await;
    assert_eq!(slow.wait_for("event").await["seq"], 405);
}

#[tokio::test]
async fn a_removed_viewer_sees_its_removal_and_nothing_after() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, ann, mut owner) = harness.connect_owner().await;
    let (bob, token) = harness.person("Bob", ServerRole::Guest).await;
    harness.orchestrator.write(session, ann.actor(), vec![joined(&bob, Role::Viewer)]).await;
    let mut viewer = WebSocketClient::connect_as(&harness, &token).await;
    viewer.join(session, Some(0)).await;
    viewer.wait_for("caught_up").await;
    owner.join(session, None).await;
    let remove = json!({ "type": "command", "id": "c_1", "session": session, "do": "remove",
        "data": { "participant": bob.id } });
    owner.send(remove).await;
    assert_eq!(owner.wait_for("ack").await["seq"], 4);
    harness.orchestrator.post_messages(session, ["behind closed doors".to_owned()]).await;
    assert_eq!(seqs(&viewer.frames_until(4).await), [4]);
    assert_eq!(viewer.next().await["code"], "removed");
    viewer.send(json!({ "type": "join", "session": session })).await;
    let refused = viewer.next().await;
    assert_eq!((&refused["type"], &refused["code"]), (&json!("error"), &json!("unknown_session")));
}

#[tokio::test]
async fn a_watching_administrator_is_shown_and_changes_no_vote() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, _, mut owner) = harness.connect_owner().await;
    owner.join(session, None).await;
    owner.wait_for("caught_up").await;
    let (_, token) = harness.person("Root", ServerRole::Admin).await;
    let mut admin = WebSocketClient::connect_as(&harness, &token).await;
    for _ in 0..2 {
        // This also holds once they are listed as the viewer that they joined as.
        let frame = admin.join(session, None).await;
        assert!(frame["you_can"].as_array().expect("is a list").contains(&json!("manage")));
    }
    let came = owner.wait_for("event").await;
    assert_eq!((&came["event"], &came["data"]["role"]), (&json!("participant.joined"), &json!("viewer")));
}

#[tokio::test]
async fn presence_and_typing_are_shown_to_others() {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, ann, mut first) = harness.connect_owner().await;
    let (bob, token) = harness.person("Bob", ServerRole::Member).await;
    harness.orchestrator.write(session, ann.actor(), vec![joined(&bob, Role::Member)]).await;
    first.join(session, None).await;
    let mut second = WebSocketClient::connect_as(&harness, &token).await;
    second.join(session, None).await;
    let both = json!([ann.actor(), bob.actor()]);
    while first.wait_for("signal").await["data"]["here"] != both {}
    second.send(json!({ "type": "signal", "session": session, "name": "typing", "data": { "by": "forged" } })).await;
    let typing = loop {
        let signal = first.wait_for("signal").await;
        if signal["name"] == "typing" {
            break signal;
        }
    };
    assert_eq!(typing["data"]["by"], json!(bob.actor()));
    second.socket.close(None).await.expect("closes");
    while first.wait_for("signal").await["data"]["here"] != json!([ann.actor()]) {}
}

#[tokio::test]
async fn a_stalled_socket_is_closed_after_its_timeout() {
    let bounds = SocketSettings { stall_seconds: 1, ping_seconds: 1, close_seconds: 0, ..SocketSettings::default() };
    let harness = SocketHarness::start(bounds, FeedSettings::default()).await;
    let (who, token) = harness.person("Ann", ServerRole::Member).await;
    let session = harness.session(&who).await;
    let mut tcp = tokio::net::TcpStream::connect(harness.address).await.expect("connects");
    let request = "GET /api/v1/ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    tcp.write_all(request.as_bytes()).await.expect("writes");
    for frame in [json!({ "type": "hello", "token": token }), json!({ "type": "join", "session": session, "after": 0 })]
    {
        let text = frame.to_string();
        let mut bytes = vec![0x81, 0x80 | 126, 0, text.len() as u8, 0, 0, 0, 0];
        bytes.extend_from_slice(text.as_bytes());
        tcp.write_all(&bytes).await.expect("writes");
    }
    harness.orchestrator.post_messages(session, texts(600, 50_000)).await;
    let closed = async {
        while harness.context.traffic.connections.load(std::sync::atomic::Ordering::Relaxed) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(15), closed).await.expect("is closed");
    // The data sent before can still be read.
    let mut rest = Vec::new();
    let _ = tcp.read_to_end(&mut rest).await;
    assert!(rest.len() > 1000);
}

#[tokio::test]
async fn doors_watch_a_feed_like_sockets() {
    let harness = SocketHarness::start(
        SocketSettings::default(),
        FeedSettings { max_ring_bytes: 4 << 10, ..FeedSettings::default() },
    )
    .await;
    let (session, who, _client) = harness.connect_owner().await;
    let feed = harness.context.access.feeds.open(session).await.expect("opens");
    let (begin, _) = message(3, 1);
    harness.orchestrator.write(session, who.actor(), vec![begin]).await;
    feed.delta(MessageId(3), 1, "half");
    let mut watch = feed.watch(1);
    let mut types = Vec::new();
    for _ in 0..4 {
        let frame: serde_json::Value = serde_json::from_slice(&watch.next().await.expect("goes on")).expect("is JSON");
        types.push(frame["type"].as_str().expect("has a type").to_owned());
    }
    assert_eq!(types, ["event", "event", "caught_up", "delta"]);
    // Write so much that the watch falls out of the feed and continues from the store.
    harness.orchestrator.post_messages(session, texts(200, 100)).await;
    while watch.seq() < 203 {
        let before = watch.seq();
        watch.next().await.expect("goes on");
        assert!(watch.seq() <= before + 1);
    }
    drop(watch);
    drop(feed);
    assert_eq!(harness.context.access.feeds.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A viewer sees every event after its start position, regardless of the sizes of the events, the feed and the
    /// pages.
    #[test]
    fn every_viewer_sees_the_same_log(
        sizes in prop::collection::vec(0usize..3000, 1..60),
        ring in 1usize..8000,
        after in 0u64..20,
        page in 1u32..9,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("starts");
        runtime.block_on(async {
            let feed = FeedSettings { max_ring_bytes: ring, max_page_events: page, ..FeedSettings::default() };
            let harness = SocketHarness::start(SocketSettings { write_bytes: ring, ..SocketSettings::default() }, feed).await;
            let (session, _, mut client) = harness.connect_owner().await;
            let after = after.min(2);
            client.join(session, Some(after)).await;
            let last = 2 + sizes.len() as u64;
            for size in sizes {
                harness.orchestrator.write(session, Actor::system(), vec![Fact::MessagePosted {
                    message: MessageId(1), text: "y".repeat(size).into(), files: vec![], relays: None, request: None,
                }]).await;
            }
            let seen = seqs(&client.frames_until(last).await);
            assert_eq!(seen, (after + 1..=last).collect::<Vec<_>>());
        });
    }
}
