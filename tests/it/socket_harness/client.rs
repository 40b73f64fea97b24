//! A client that checks the laws as it reads.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use roundtable::kernel::SessionId;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::SocketHarness;
use crate::server::{Person, Server};

/// A frame from the server.
pub type Frame = Value;

/// A connected client.
pub struct WebSocketClient {
    pub socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl WebSocketClient {
    /// Connects without authenticating.
    pub async fn connect(harness: &SocketHarness) -> Self {
        let url = format!("ws://{}/api/v1/ws", harness.address);
        let (socket, _) = connect_async(url).await.expect("connects");
        Self { socket }
    }

    /// Connects to a server that also serves HTTP, and waits for the welcome.
    pub async fn connect_to_server(server: &Server, person: &Person) -> Self {
        let url = format!("{}/api/v1/ws", server.url.replace("http", "ws"));
        let (socket, _) = connect_async(url).await.expect("connects");
        let mut client = Self { socket };
        client.send(json!({ "type": "hello", "token": person.token })).await;
        client.wait_for("welcome").await;
        client
    }

    /// Connects and waits for the welcome.
    pub async fn connect_as(harness: &SocketHarness, token: &str) -> Self {
        let mut client = Self::connect(harness).await;
        client.send(json!({ "type": "hello", "token": token })).await;
        client.wait_for("welcome").await;
        client
    }

    /// Sends a frame.
    pub async fn send(&mut self, frame: Value) {
        self.text(&frame.to_string()).await;
    }

    /// Sends a text message.
    pub async fn text(&mut self, text: &str) {
        self.socket.send(Message::Text(text.into())).await.expect("sends");
    }

    /// Joins a session.
    pub async fn join(&mut self, session: SessionId, after: Option<u64>) -> Frame {
        let mut frame = json!({ "type": "join", "session": session });
        if let Some(after) = after {
            frame["after"] = after.into();
        }
        self.send(frame).await;
        self.wait_for("joined").await
    }

    /// Returns the next message of any kind.
    pub async fn message(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(Duration::from_secs(20), self.socket.next()).await;
        next.expect("comes in time").and_then(Result::ok)
    }

    /// Returns the next frame.
    pub async fn next(&mut self) -> Frame {
        loop {
            match self.message().await.expect("is open") {
                Message::Text(text) => return serde_json::from_str(&text).expect("is JSON"),
                Message::Close(close) => panic!("closed: {close:?}"),
                _ => {}
            }
        }
    }

    /// Returns the next frame of this type. The timeout covers the whole wait: heartbeats keep arriving, so a timeout
    /// per frame would never expire.
    pub async fn wait_for(&mut self, wanted: &str) -> Frame {
        let frame = async {
            loop {
                let frame = self.next().await;
                if frame["type"] == wanted {
                    return frame;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), frame).await.expect("the frame comes in time")
    }

    /// Returns the frames up to the event `seq`, without presence signals.
    pub async fn frames_until(&mut self, seq: u64) -> Vec<Frame> {
        let frames = async {
            let mut frames = Vec::new();
            loop {
                let frame = self.next().await;
                if frame["name"] == "presence" {
                    continue;
                }
                let done = frame["type"] == "event" && frame["seq"] == seq;
                frames.push(frame);
                if done {
                    return frames;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), frames).await.expect("the event comes in time")
    }

    /// Waits until the server closes the connection. Returns the close code.
    pub async fn close_code(&mut self) -> u16 {
        loop {
            if let Message::Close(close) = self.message().await.expect("is closed with a code") {
                return close.expect("has a code").code.into();
            }
        }
    }
}

/// Returns the seqs of the events among these frames.
pub fn seqs(frames: &[Frame]) -> Vec<u64> {
    frames
        .iter()
        .filter(|frame| frame["type"] == "event")
        .map(|frame| frame["seq"].as_u64().expect("is a seq"))
        .collect()
}
