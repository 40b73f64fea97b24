//! Input that is too fast, too large or endless affects only its sender.

use std::num::NonZeroU32;
use std::time::Duration;

use futures_util::future::select_all;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, SinkExt, StreamExt};
use roundtable::feed::FeedSettings;
use roundtable::identity::ServerRole;
use roundtable::limits::RateLimit;
use roundtable::socket::SocketSettings;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::socket_harness::{SocketHarness, WebSocketClient};

fn rate_limit(burst: u32, per_second: u32) -> RateLimit {
    let number = |number| NonZeroU32::new(number).expect("is not zero");
    RateLimit { burst: number(burst), per_second: number(per_second) }
}

async fn start_with_settings(bounds: SocketSettings) -> SocketHarness {
    SocketHarness::start(bounds, FeedSettings::default()).await
}

async fn connect_member(harness: &SocketHarness) -> WebSocketClient {
    let (_, token) = harness.person("Ann", ServerRole::Member).await;
    WebSocketClient::connect_as(harness, &token).await
}

#[tokio::test]
async fn a_brief_flood_is_reported_without_loss() {
    let harness =
        start_with_settings(SocketSettings { frame_rate_limit: rate_limit(10, 50), ..SocketSettings::default() }).await;
    let mut client = connect_member(&harness).await;
    for _ in 0..60 {
        client.socket.feed(Message::text(r#"{"type":"ping"}"#)).await.expect("sends");
    }
    client.socket.flush().await.expect("sends");
    let (mut pongs, mut warnings) = (0, 0);
    while pongs < 60 {
        let frame = client.next().await;
        match frame["type"].as_str() {
            Some("pong") => pongs += 1,
            Some("error") => {
                assert_eq!(frame["code"], "rate_limited");
                assert!(frame["message"].as_str().is_some_and(|text| text.contains("50 frames")), "{frame}");
                assert!(frame["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0), "{frame}");
                assert!(pongs < 60, "before the last answer");
                warnings += 1;
            }
            _ => panic!("{frame}"),
        }
    }
    assert_eq!(warnings, 1, "once for all of them");
}

#[tokio::test]
async fn a_continued_flood_closes_the_connection() {
    let floods: [(&str, Vec<u8>); 5] = [
        ("pings", masked_frame(0x81, br#"{"type":"ping"}"#)),
        (
            "signals",
            masked_frame(0x81, br#"{"type":"signal","session":"s_0190f3c07a1b7c3d8e5f60718293a4b5","name":"typing"}"#),
        ),
        ("nonsense", masked_frame(0x81, b"{")),
        ("WebSocket's pings", masked_frame(0x89, b"")),
        ("fragments of nothing", masked_frame(0x00, b"")),
    ];
    let bounds = SocketSettings {
        frame_rate_limit: rate_limit(20, 20),
        byte_rate_limit: rate_limit(4096, 512),
        max_flood_seconds: 1,
        ..SocketSettings::default()
    };
    let harness = start_with_settings(bounds).await;
    for (what, frame) in floods {
        let mut client = connect_member(&harness).await;
        if frame[0] == 0 {
            send_raw(&mut client, &masked_frame(0x01, b"")).await;
        }
        let (mut stream, mut sink) = tokio::io::split(client.socket.into_inner());
        let flood = async move {
            let frames = frame.repeat(100);
            while sink.write_all(&frames).await.is_ok() {}
        };
        let closed = async {
            let mut bytes = vec![];
            // The connection can also end with a reset, because the client still sends after the server has closed it.
            let _ = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut bytes).await;
            bytes.windows(4).any(|window| window[0] == 0x88 && window[2..] == 4503_u16.to_be_bytes())
        };
        let both = async { tokio::join!(closed, flood).0 };
        let closed = tokio::time::timeout(Duration::from_secs(30), both).await;
        assert_eq!(closed.ok(), Some(true), "{what}");
    }
}

#[tokio::test]
async fn before_hello_a_frame_has_at_most_4_kib() {
    let harness = start_with_settings(SocketSettings::default()).await;
    let mut stranger = WebSocketClient::connect(&harness).await;
    stranger.text(&"x".repeat(4 << 10)).await;
    assert_eq!(stranger.wait_for("error").await["code"], "bad_frame");
    stranger.text(&"x".repeat((4 << 10) + 1)).await;
    assert_eq!(stranger.close_code().await, 1009);
    let mut stranger = WebSocketClient::connect(&harness).await;
    let half = "x".repeat(3 << 10);
    send_raw(&mut stranger, &masked_frame(0x01, half.as_bytes())).await;
    send_raw(&mut stranger, &masked_frame(0x80, half.as_bytes())).await;
    assert_eq!(stranger.close_code().await, 1009, "in fragments neither");
    let mut known = connect_member(&harness).await;
    known.text(&"x".repeat(64 << 10)).await;
    assert_eq!(known.wait_for("error").await["code"], "bad_frame", "whoever is known may say more");
}

#[tokio::test]
async fn token_attempts_of_a_stranger_are_limited() {
    let harness = start_with_settings(SocketSettings::default()).await;
    let mut stranger = WebSocketClient::connect(&harness).await;
    for _ in 0..10 {
        let hello = json!({ "type": "hello", "token": "rt_token_guess" }).to_string();
        stranger.socket.feed(Message::text(hello)).await.expect("sends");
    }
    stranger.socket.flush().await.expect("sends");
    let mut refused = 0;
    loop {
        match stranger.message().await.expect("is closed with a code") {
            Message::Text(_) => refused += 1,
            Message::Close(close) => break assert_eq!(close.map(|close| close.code.into()), Some(4500)),
            _ => {}
        }
    }
    assert_eq!(refused, 5);
}

#[tokio::test]
async fn unauthenticated_connections_of_an_address_are_limited() {
    let harness = start_with_settings(SocketSettings { max_unidentified: 2, ..SocketSettings::default() }).await;
    let mut first = WebSocketClient::connect(&harness).await;
    let _second = WebSocketClient::connect(&harness).await;
    let third = tokio_tungstenite::connect_async(format!("ws://{}/api/v1/ws", harness.address)).await;
    let Err(tungstenite::Error::Http(refused)) = third else { panic!("{third:?}") };
    assert_eq!(refused.status(), 429);
    let (_, token) = harness.person("Ann", ServerRole::Member).await;
    first.send(json!({ "type": "hello", "token": token })).await;
    first.wait_for("welcome").await;
    WebSocketClient::connect(&harness).await;
}

#[tokio::test]
async fn unfinished_messages_have_a_budget_on_the_node() {
    let harness =
        start_with_settings(SocketSettings { max_unfinished_bytes: 64 << 10, ..SocketSettings::default() }).await;
    let (part, rest) = (30_000, 2_000);
    let mut clients = vec![];
    for _ in 0..3 {
        let mut client = connect_member(&harness).await;
        let mut partial = header(0x81, part + rest);
        partial.resize(partial.len() + part, b'x');
        send_raw(&mut client, &partial).await;
        clients.push(client);
    }
    let closings = clients.iter_mut().map(|client| client.close_code().boxed());
    let (code, index, others) = select_all(closings).await;
    assert_eq!(code, 4004, "three have begun what two may");
    drop(others);
    drop(clients.swap_remove(index));
    for mut client in clients {
        send_raw(&mut client, &vec![b'x'; rest]).await;
        assert_eq!(client.wait_for("error").await["code"], "bad_frame", "the others finish theirs");
    }
    let mut later = connect_member(&harness).await;
    later.text(&"x".repeat(60_000)).await;
    assert_eq!(later.wait_for("error").await["code"], "bad_frame", "and the budget is free again");
}

#[tokio::test]
async fn unfinished_messages_of_one_participant_close_only_their_connections() {
    let bounds =
        SocketSettings { max_unfinished_bytes: 256 << 10, max_frame_bytes: 32 << 10, ..SocketSettings::default() };
    let harness = start_with_settings(bounds).await;
    let (_, token) = harness.person("Eve", ServerRole::Member).await;
    let partial = |part: usize| {
        let mut partial = header(0x81, part + 1);
        partial.resize(partial.len() + part, b'x');
        partial
    };
    let mut of_eve = vec![];
    for _ in 0..11 {
        let mut client = WebSocketClient::connect_as(&harness, &token).await;
        send_raw(&mut client, &partial(30 << 10)).await;
        of_eve.push(client);
    }
    // Eve's eighth of the budget has room for one of these messages, the whole budget for nine.
    let mut closings: FuturesUnordered<_> = of_eve.iter_mut().map(|client| client.close_code().boxed()).collect();
    for _ in 0..10 {
        assert_eq!(closings.next().await, Some(4004));
    }
    let mut ann = connect_member(&harness).await;
    send_raw(&mut ann, &partial(20 << 10)).await;
    send_raw(&mut ann, b"x").await;
    assert_eq!(ann.wait_for("error").await["code"], "bad_frame", "hers is taken in whole");
}

#[tokio::test]
async fn an_unfinished_message_times_out_and_closes_its_connection() {
    let bounds = SocketSettings { message_seconds: 1, ping_seconds: 1, ..SocketSettings::default() };
    let harness = start_with_settings(bounds).await;
    let mut client = connect_member(&harness).await;
    send_raw(&mut client, &header(0x81, 10)).await;
    // A WebSocket ping completes only itself, so sending one between fragments does not avoid the timeout.
    let mut other = connect_member(&harness).await;
    send_raw(&mut other, &masked_frame(0x01, b"x")).await;
    send_raw(&mut other, &masked_frame(0x89, b"")).await;
    for mut client in [client, other] {
        assert_eq!(client.close_code().await, 4005);
    }
}

/// Returns a complete masked frame, as bytes.
fn masked_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header(first, payload.len());
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns the header of such a frame alone.
fn header(first: u8, len: usize) -> Vec<u8> {
    let mut bytes = vec![];
    roundtable::feed::frame::push_header(&mut bytes, first, len);
    bytes[1] |= 0x80;
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

/// Sends bytes without the WebSocket library.
async fn send_raw(client: &mut WebSocketClient, bytes: &[u8]) {
    let tcp = client.socket.get_mut();
    tcp.write_all(bytes).await.expect("writes");
    tcp.flush().await.expect("writes");
}
