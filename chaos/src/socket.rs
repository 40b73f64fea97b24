//! A client's connection, as anybody could write it from docs/protocol.md.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

/// How long a client waits for the beginning of a connection.
const CONNECT: Duration = Duration::from_secs(2);

/// Somebody's way in.
#[derive(Clone)]
pub struct Key {
    pub token: String,
    /// The id that the server knows them by.
    pub id: String,
}

pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

impl Socket {
    /// Connect and join, after the seq that one has, if one has any; with little room for what comes, so that one who does not read is soon felt.
    pub async fn joined(address: SocketAddr, key: &Key, session: &str, after: Option<u64>) -> anyhow::Result<Self> {
        tokio::time::timeout(CONNECT, async {
            let tcp = TcpSocket::new_v4()?;
            tcp.set_recv_buffer_size(4 << 10)?;
            let tcp = tcp.connect(address).await?;
            tcp.set_nodelay(true)?;
            // Nodes are known by their own names, not by those of the links to them.
            let (stream, _) = client_async("ws://chaos/api/v1/ws", tcp).await?;
            let mut socket = Self { stream };
            socket.send(&json!({ "type": "hello", "token": key.token })).await?;
            let mut join = json!({ "type": "join", "session": session });
            if let Some(after) = after {
                join["after"] = after.into();
            }
            socket.send(&join).await?;
            Ok(socket)
        })
        .await
        .context("no connection in time")?
    }

    pub async fn send(&mut self, frame: &Value) -> anyhow::Result<()> {
        Ok(tokio::time::timeout(CONNECT, self.stream.send(Message::text(frame.to_string()))).await??)
    }

    /// The next text; `None` when the connection is gone.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            match self.stream.next().await? {
                Ok(Message::Text(text)) => return Some(text.as_str().to_owned()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }
}
