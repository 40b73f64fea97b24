//! Connections that begin messages and never finish them, with and without authentication.

use std::convert::Infallible;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{AbuseCounter, LatencyProbe, frame, run_concurrently};

/// Number of concurrent connections.
const CONNECTIONS: usize = 100;
/// Number of concurrent connections without authentication; the server accepts no more per address.
const STRANGERS: usize = 64;
/// Number of bytes that each connection sends of a one-megabyte message.
const PART: usize = 900 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unauthenticated_connections_cannot_fill_memory() {
    let mut probe = LatencyProbe::start(&[]).await;
    let url = probe.server.url.clone();
    let measurement = probe
        .measure_during(|counter| run_concurrently([(); STRANGERS].map(|()| hold(url.clone(), None, counter.clone()))))
        .await;
    measurement.assert_within_limits(32 << 20);
    measurement.assert_closed();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_messages_cannot_fill_memory() {
    let mut probe = LatencyProbe::start(&[]).await;
    let token = probe.token("hoarder", "bot").await;
    let url = probe.server.url.clone();
    let hold = |counter: AbuseCounter| {
        run_concurrently([(); CONNECTIONS].map(|()| hold(url.clone(), Some(token.clone()), counter.clone())))
    };
    // Larger than a connection is allowed to hold outside the budget, to check that the budget has room for other
    // participants' messages.
    probe.set_message_bytes(20 << 10);
    let measurement = probe.measure_during(hold).await;
    // An eighth of the node's budget is 8 MiB; each connection has buffers in addition.
    measurement.assert_within_limits(64 << 20);
    measurement.assert_closed();
}

/// Begins a message on a connection, and leaves it unfinished until the server closes the connection. If the connection
/// is rejected, retries after a short pause.
async fn hold(url: String, token: Option<String>, counter: AbuseCounter) -> Infallible {
    let mut moments = tokio::time::interval(Duration::from_millis(100));
    loop {
        moments.tick().await;
        match begin(url.trim_start_matches("http://"), token.as_deref(), &counter).await {
            Ok(Some(mut tcp)) => {
                let _ = tokio::io::copy(&mut tcp, &mut tokio::io::sink()).await;
                counter.count_closed();
                return std::future::pending().await;
            }
            Ok(None) => counter.count_rejected(),
            Err(_) => {
                counter.count_closed();
                return std::future::pending().await;
            }
        }
    }
}

/// Opens a connection and begins a message on it. Returns `None` if the address already has its maximum number of
/// connections.
async fn begin(address: &str, token: Option<&str>, counter: &AbuseCounter) -> std::io::Result<Option<TcpStream>> {
    let mut tcp = TcpStream::connect(address).await.expect("connects");
    let request = format!(
        "GET /api/v1/ws HTTP/1.1\r\nhost: {address}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    tcp.write_all(request.as_bytes()).await?;
    let mut head = vec![];
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await?);
    }
    if !head.starts_with(b"HTTP/1.1 101 ") {
        assert!(head.starts_with(b"HTTP/1.1 429 "), "is let in or refused: {}", String::from_utf8_lossy(&head));
        return Ok(None);
    }
    if let Some(token) = token {
        let hello = json!({ "type": "hello", "token": token }).to_string();
        tcp.write_all(&frame(0x81, hello.len(), hello.as_bytes())).await?;
        // Wait for the welcome. From here on, the server reads larger frames.
        tcp.read_u8().await?;
    }
    counter.count_accepted(1);
    tcp.write_all(&frame(0x81, 1 << 20, &vec![b'x'; PART])).await?;
    Ok(Some(tcp))
}
