//! Connections that begin messages and never finish them, without saying who they are and as somebody.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Bystander, frame};

/// Connections at once.
const CONNECTIONS: usize = 100;
/// Bytes that each sends of a message of a megabyte.
const PART: usize = 900 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_fill_no_memory() {
    let mut ann = Bystander::start(&[]).await;
    let url = ann.server.url.clone();
    let felt = ann.endure(async move { hold(&url, None).await }).await;
    felt.is_bearable(32 << 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_messages_fill_no_memory() {
    let mut ann = Bystander::start(&[]).await;
    let token = ann.token("hoarder", "bot").await;
    let url = ann.server.url.clone();
    // More than a connection holds without the budget: others have room for their words.
    ann.says_at_length(20 << 10);
    let felt = ann.endure(async move { hold(&url, Some(&token)).await }).await;
    // An eighth of the budget of the node is 8 MiB; each connection has buffers besides.
    felt.is_bearable(64 << 20);
}

async fn hold(url: &str, token: Option<&str>) {
    let address = url.trim_start_matches("http://");
    let mut held = vec![];
    // No address has more strangers at a time.
    let connections = if token.is_some() { CONNECTIONS } else { 64 };
    for _ in 0..connections {
        held.extend(begin(address, token).await);
    }
    // Hold them as long as the bystander works.
    std::future::pending::<()>().await;
}

/// A connection that has begun a message; none where the server has refused it.
async fn begin(address: &str, token: Option<&str>) -> Option<TcpStream> {
    let mut tcp = TcpStream::connect(address).await.expect("connects");
    let request = format!(
        "GET /api/v1/ws HTTP/1.1\r\nhost: {address}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    tcp.write_all(request.as_bytes()).await.ok()?;
    let mut head = vec![];
    while !head.ends_with(b"\r\n\r\n") {
        head.push(tcp.read_u8().await.ok()?);
    }
    if let Some(token) = token {
        let hello = json!({ "type": "hello", "token": token }).to_string();
        tcp.write_all(&frame(0x81, hello.len(), hello.as_bytes())).await.ok()?;
        // The welcome: from here on larger frames are read.
        tcp.read_u8().await.ok()?;
    }
    tcp.write_all(&frame(0x81, 1 << 20, &vec![b'x'; PART])).await.ok()?;
    Some(tcp)
}
