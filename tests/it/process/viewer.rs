//! A client that can be written from docs/protocol.md alone: it stores its seq and everything that it has seen.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// Timeout that only a failing test reaches.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct SocketViewer {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// Close code that the server sent.
    pub code: Option<u16>,
}

/// State of a viewer between connections.
#[derive(Default)]
pub struct ViewerState {
    pub events: Vec<Value>,
}

impl ViewerState {
    pub fn seq(&self) -> u64 {
        self.events.last().map_or(0, |last| last["seq"].as_u64().expect("a seq"))
    }

    /// Returns the newest run.
    pub fn run(&self) -> &Value {
        self.events.iter().rev().find_map(|event| event.get("run")).expect("a run has begun")
    }
}

impl SocketViewer {
    pub async fn connect(url: &str, token: &str) -> Self {
        let (socket, _) = connect_async(format!("{}/api/v1/ws", url.replace("http", "ws"))).await.expect("connects");
        let mut viewer = Self { socket, code: None };
        viewer.send(json!({ "type": "hello", "token": token })).await;
        viewer
    }

    pub async fn send(&mut self, frame: Value) {
        self.socket.send(Message::text(frame.to_string())).await.expect("sends");
    }

    pub async fn join(&mut self, session: &str, after: u64) {
        self.send(json!({ "type": "join", "session": session, "after": after })).await;
    }

    /// Rejoins at its last position, in whatever history the session has now. Returns the server's reply.
    pub async fn rejoin(&mut self, session: &str, seen: &ViewerState) -> Value {
        let at = seen.events.last().map(|last| last["at"].clone());
        self.send(json!({ "type": "join", "session": session, "after": seen.seq(), "at": at })).await;
        self.wait_for(&mut ViewerState::default(), |frame| frame["type"] == "joined").await.expect("is let in")
    }

    pub async fn command(&mut self, session: &str, id: &str, name: &str, data: Value) {
        let frame = json!({ "type": "command", "id": id, "session": session, "do": name, "data": data });
        self.send(frame).await;
    }

    /// Returns the next frame, or `None` if the connection is closed.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let frame = tokio::time::timeout(TIMEOUT, self.socket.next()).await.expect("something comes");
            match frame {
                Some(Ok(Message::Text(text))) => return Some(serde_json::from_str(&text).expect("JSON")),
                Some(Ok(Message::Close(close))) => self.code = close.map(|close| close.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// Reads until the wanted frame arrives, and checks that events arrive in order, without gaps or repeats.
    pub async fn wait_for(&mut self, seen: &mut ViewerState, wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        let frame = async {
            loop {
                let frame = self.next().await?;
                if frame["type"] == "event" {
                    assert_eq!(frame["seq"].as_u64(), Some(seen.seq() + 1), "one order, no gap, no repeat");
                    seen.events.push(frame.clone());
                }
                if wanted(&frame) {
                    return Some(frame);
                }
            }
        };
        // One timeout for the whole wait, because heartbeats keep arriving.
        tokio::time::timeout(3 * TIMEOUT, frame).await.expect("the frame comes in time")
    }
}

pub fn event(name: &'static str) -> impl Fn(&Value) -> bool {
    move |frame| frame["event"] == name
}
