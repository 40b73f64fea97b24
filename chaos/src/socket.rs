//! A client's connection, implemented from docs/protocol.md alone.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

/// Timeout of the handshake and of a write.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Credentials of a participant.
#[derive(Clone)]
pub struct Key {
    pub token: String,
    /// Id of the participant on the server.
    pub id: String,
}

pub struct Socket {
    stream: WebSocketStream<TcpStream>,
}

impl Socket {
    /// Connects, and joins after the seq `after` if it is given. The receive buffer is small so that the server soon
    /// notices a client that does not read.
    pub async fn connect_and_join(
        address: SocketAddr,
        key: &Key,
        session: &str,
        after: Option<u64>,
    ) -> anyhow::Result<Self> {
        tokio::time::timeout(TIMEOUT, async {
            let tcp = TcpSocket::new_v4()?;
            tcp.set_recv_buffer_size(4 << 10)?;
            let tcp = tcp.connect(address).await?;
            tcp.set_nodelay(true)?;
            // Nodes accept requests for their own host name, not for the address of a link.
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
        Ok(tokio::time::timeout(TIMEOUT, self.stream.send(Message::text(frame.to_string()))).await??)
    }

    /// Returns the next text, or `None` when the connection has ended.
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
