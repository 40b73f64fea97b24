//! The socket layer without sessions: fragments, control frames and closing, as conformance suites test them.

use std::sync::Arc;

use roundtable::socket::{self, SocketSettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn connect() -> TcpStream {
    let bounds = SocketSettings { max_frame_bytes: 1 << 20, ..SocketSettings::default() };
    let app = axum::Router::new().fallback(axum::routing::any(socket::echo)).with_state(Arc::new(bounds));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("is bound");
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut tcp = TcpStream::connect(address).await.expect("connects");
    let request = "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    tcp.write_all(request.as_bytes()).await.expect("writes");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.expect("answers"));
    }
    tcp
}

/// Returns a client frame with a mask that changes every byte.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    match payload.len() {
        len @ 0..=125 => bytes.push(0x80 | len as u8),
        len @ 126..=0xffff => {
            bytes.push(0x80 | 126);
            bytes.extend_from_slice(&(len as u16).to_be_bytes());
        }
        len => {
            bytes.push(0x80 | 127);
            bytes.extend_from_slice(&(len as u64).to_be_bytes());
        }
    }
    let mask = [7, 77, 177, 250];
    bytes.extend_from_slice(&mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

fn plain(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = frame(first, payload);
    let head = bytes.len() - payload.len() - 4;
    bytes.truncate(head);
    bytes[1] &= 0x7f;
    bytes.extend_from_slice(payload);
    bytes
}

fn close(code: u16) -> Vec<u8> {
    frame(0x88, &code.to_be_bytes())
}

/// Sends the bytes in pieces of this size, and reads until the server closes the connection. The result must not depend
/// on the size.
async fn answer(sent: &[u8], piece: usize) -> Vec<u8> {
    let mut tcp = connect().await;
    for piece in sent.chunks(piece) {
        if tcp.write_all(piece).await.is_err() {
            break;
        }
    }
    let mut received = Vec::new();
    tcp.read_to_end(&mut received).await.expect("is closed in order, not reset");
    received
}

#[tokio::test]
async fn messages_are_echoed_unchanged() {
    for len in [0, 1, 125, 126, 127, 65_535, 65_536, 300_000] {
        for first in [0x81, 0x82] {
            let payload = vec![b'*'; len];
            let sent = [frame(first, &payload), close(1000)].concat();
            let expected = [plain(first, &payload), plain(0x88, &1000u16.to_be_bytes())].concat();
            assert!(answer(&sent, 100_000).await == expected, "{first:#x} {len}");
        }
    }
}

#[tokio::test]
async fn fragments_become_one_message_and_control_frames_may_come_between() {
    let sent = [
        frame(0x01, "支".as_bytes()),
        frame(0x89, b"are you there"),
        frame(0x00, &"付".as_bytes()[..1]),
        frame(0x80, &"付".as_bytes()[1..]),
        frame(0x8a, b"nobody asked"),
        close(1000),
    ]
    .concat();
    let expected =
        [plain(0x8a, b"are you there"), plain(0x81, "支付".as_bytes()), plain(0x88, &1000u16.to_be_bytes())].concat();
    for piece in [1, 3, 1000] {
        assert_eq!(answer(&sent, piece).await, expected);
    }
}

#[tokio::test]
async fn protocol_errors_close_with_their_code() {
    let unmasked = plain(0x81, b"hello");
    let cases: [(&str, Vec<u8>, u16); 10] = [
        ("not masked", unmasked, 1002),
        ("a reserved bit", frame(0xc1, b"x"), 1002),
        ("a reserved opcode", frame(0x83, b"x"), 1002),
        ("a reserved control opcode", frame(0x8b, b"x"), 1002),
        ("a long ping", frame(0x89, &[0; 126]), 1002),
        ("a fragmented ping", frame(0x09, b"x"), 1002),
        ("a continuation of nothing", frame(0x80, b"x"), 1002),
        ("a message within a message", [frame(0x01, b"x"), frame(0x81, b"y")].concat(), 1002),
        ("no UTF-8", frame(0x81, &[0xce, 0xba, 0xe1, 0xbd, 0xb9, 0xcf, 0x83, 0xed, 0xa0, 0x80]), 1007),
        ("no UTF-8, seen before its end", frame(0x01, &[0xf4, 0x90, 0x80, 0x80]), 1007),
    ];
    for (what, sent, code) in cases {
        let received = answer(&sent, 1000).await;
        assert_eq!(received.first(), Some(&0x88), "{what}");
        assert_eq!(received.get(2..4), Some(&code.to_be_bytes()[..]), "{what}");
    }
}

#[tokio::test]
async fn a_close_is_answered_in_kind() {
    assert_eq!(answer(&frame(0x88, b""), 10).await, plain(0x88, b""));
    for code in [1000u16, 1001, 3000, 4999] {
        assert_eq!(answer(&close(code), 10).await, plain(0x88, &code.to_be_bytes()));
    }
    for code in [0u16, 999, 1004, 1005, 1006, 2999] {
        let received = answer(&close(code), 10).await;
        assert_eq!(received.get(2..4), Some(&1002u16.to_be_bytes()[..]), "{code}");
    }
}
