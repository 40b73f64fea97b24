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

use crate::live::{Client, Live};

fn pace(burst: u32, per_second: u32) -> RateLimit {
    let number = |number| NonZeroU32::new(number).expect("is not zero");
    RateLimit { burst: number(burst), per_second: number(per_second) }
}

async fn bound(bounds: SocketSettings) -> Live {
    Live::start(bounds, FeedSettings::default()).await
}

async fn member(live: &Live) -> Client {
    let (_, token) = live.person("Ann", ServerRole::Member).await;
    Client::hello(live, &token).await
}

#[tokio::test]
async fn a_brief_flood_is_reported_without_loss() {
    let live = bound(SocketSettings { frame_rate_limit: pace(10, 50), ..SocketSettings::default() }).await;
    let mut client = member(&live).await;
    for _ in 0..60 {
        client.socket.feed(Message::text(r#"{"type":"ping"}"#)).await.expect("sends");
    }
    client.socket.flush().await.expect("sends");
    let (mut pongs, mut told) = (0, 0);
    while pongs < 60 {
        let frame = client.next().await;
        match frame["type"].as_str() {
            Some("pong") => pongs += 1,
            Some("error") => {
                assert_eq!(frame["code"], "rate_limited");
                assert!(frame["message"].as_str().is_some_and(|words| words.contains("50 frames")), "{frame}");
                assert!(frame["retry_after_ms"].as_u64().is_some_and(|wait| wait > 0), "{frame}");
                assert!(pongs < 60, "before the last answer");
                told += 1;
            }
            _ => panic!("{frame}"),
        }
    }
    assert_eq!(told, 1, "once for all of them");
}

#[tokio::test]
async fn a_continued_flood_closes_the_connection() {
    let floods: [(&str, Vec<u8>); 5] = [
        ("pings", masked(0x81, br#"{"type":"ping"}"#)),
        (
            "signals",
            masked(0x81, br#"{"type":"signal","session":"s_0190f3c07a1b7c3d8e5f60718293a4b5","name":"typing"}"#),
        ),
        ("nonsense", masked(0x81, b"{")),
        ("WebSocket's pings", masked(0x89, b"")),
        ("fragments of nothing", masked(0x00, b"")),
    ];
    let bounds = SocketSettings {
        frame_rate_limit: pace(20, 20),
        byte_rate_limit: pace(4096, 512),
        max_flood_seconds: 1,
        ..SocketSettings::default()
    };
    let live = bound(bounds).await;
    for (what, frame) in floods {
        let mut client = member(&live).await;
        if frame[0] == 0 {
            raw(&mut client, &masked(0x01, b"")).await;
        }
        let (mut stream, mut sink) = tokio::io::split(client.socket.into_inner());
        let flood = async move {
            let frames = frame.repeat(100);
            while sink.write_all(&frames).await.is_ok() {}
        };
        let closed = async {
            let mut bytes = vec![];
            // The connection may also end in a reset, since more is sent after its end.
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
    let live = bound(SocketSettings::default()).await;
    let mut stranger = Client::connect(&live).await;
    stranger.text(&"x".repeat(4 << 10)).await;
    assert_eq!(stranger.until("error").await["code"], "bad_frame");
    stranger.text(&"x".repeat((4 << 10) + 1)).await;
    assert_eq!(stranger.closed().await, 1009);
    let mut stranger = Client::connect(&live).await;
    let half = "x".repeat(3 << 10);
    raw(&mut stranger, &masked(0x01, half.as_bytes())).await;
    raw(&mut stranger, &masked(0x80, half.as_bytes())).await;
    assert_eq!(stranger.closed().await, 1009, "in fragments neither");
    let mut known = member(&live).await;
    known.text(&"x".repeat(64 << 10)).await;
    assert_eq!(known.until("error").await["code"], "bad_frame", "whoever is known may say more");
}

#[tokio::test]
async fn a_stranger_tries_few_tokens() {
    let live = bound(SocketSettings::default()).await;
    let mut stranger = Client::connect(&live).await;
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
async fn an_address_has_few_connections_that_nobody_knows() {
    let live = bound(SocketSettings { max_unidentified: 2, ..SocketSettings::default() }).await;
    let mut first = Client::connect(&live).await;
    let _second = Client::connect(&live).await;
    let third = tokio_tungstenite::connect_async(format!("ws://{}/api/v1/ws", live.address)).await;
    let Err(tungstenite::Error::Http(refused)) = third else { panic!("{third:?}") };
    assert_eq!(refused.status(), 429);
    let (_, token) = live.person("Ann", ServerRole::Member).await;
    first.send(json!({ "type": "hello", "token": token })).await;
    first.until("welcome").await;
    Client::connect(&live).await;
}

#[tokio::test]
async fn unfinished_messages_have_a_budget_on_the_node() {
    let live = bound(SocketSettings { max_unfinished_bytes: 64 << 10, ..SocketSettings::default() }).await;
    let (part, rest) = (30_000, 2_000);
    let mut clients = vec![];
    for _ in 0..3 {
        let mut client = member(&live).await;
        let mut begun = header(0x81, part + rest);
        begun.resize(begun.len() + part, b'x');
        raw(&mut client, &begun).await;
        clients.push(client);
    }
    let closings = clients.iter_mut().map(|client| client.closed().boxed());
    let (code, index, others) = select_all(closings).await;
    assert_eq!(code, 4004, "three have begun what two may");
    drop(others);
    drop(clients.swap_remove(index));
    for mut client in clients {
        raw(&mut client, &vec![b'x'; rest]).await;
        assert_eq!(client.until("error").await["code"], "bad_frame", "the others finish theirs");
    }
    let mut later = member(&live).await;
    later.text(&"x".repeat(60_000)).await;
    assert_eq!(later.until("error").await["code"], "bad_frame", "and the budget is free again");
}

#[tokio::test]
async fn unfinished_messages_of_one_participant_close_nobody_elses_connection() {
    let bounds =
        SocketSettings { max_unfinished_bytes: 256 << 10, max_frame_bytes: 32 << 10, ..SocketSettings::default() };
    let live = bound(bounds).await;
    let (_, token) = live.person("Eve", ServerRole::Member).await;
    let begun = |part: usize| {
        let mut begun = header(0x81, part + 1);
        begun.resize(begun.len() + part, b'x');
        begun
    };
    let mut of_eve = vec![];
    for _ in 0..11 {
        let mut client = Client::hello(&live, &token).await;
        raw(&mut client, &begun(30 << 10)).await;
        of_eve.push(client);
    }
    // Her eighth of the budget has room for one of them, the whole budget for nine.
    let mut closings: FuturesUnordered<_> = of_eve.iter_mut().map(|client| client.closed().boxed()).collect();
    for _ in 0..10 {
        assert_eq!(closings.next().await, Some(4004));
    }
    let mut ann = member(&live).await;
    raw(&mut ann, &begun(20 << 10)).await;
    raw(&mut ann, b"x").await;
    assert_eq!(ann.until("error").await["code"], "bad_frame", "hers is taken in whole");
}

#[tokio::test]
async fn a_message_that_is_not_finished_in_time_closes_its_connection() {
    let bounds = SocketSettings { message_seconds: 1, ping_seconds: 1, ..SocketSettings::default() };
    let live = bound(bounds).await;
    let mut client = member(&live).await;
    raw(&mut client, &header(0x81, 10)).await;
    // A WebSocket ping completes only itself, so sending one between fragments does not avoid the timeout.
    let mut other = member(&live).await;
    raw(&mut other, &masked(0x01, b"x")).await;
    raw(&mut other, &masked(0x89, b"")).await;
    for mut client in [client, other] {
        assert_eq!(client.closed().await, 4005);
    }
}

/// A complete masked frame, as bytes.
fn masked(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = header(first, payload.len());
    bytes.extend_from_slice(payload);
    bytes
}

/// The header of such a frame alone.
fn header(first: u8, len: usize) -> Vec<u8> {
    let mut bytes = vec![];
    roundtable::feed::frame::push_header(&mut bytes, first, len);
    bytes[1] |= 0x80;
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

/// Sends bytes without the WebSocket library.
async fn raw(client: &mut Client, bytes: &[u8]) {
    let tcp = client.socket.get_mut();
    tcp.write_all(bytes).await.expect("writes");
    tcp.flush().await.expect("writes");
}
