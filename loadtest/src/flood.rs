//! Participants that send frames (pings, signals, invalid frames and commands) as fast as their sockets accept them, or
//! a bot that sends messages at a fixed rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use roundtable::feed::frame;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::watching_client::WatchingClient;

/// Number of times that the five kinds of frames are repeated in one write.
const ROUNDS: usize = 200;
/// Pause before a flooder reconnects after its connection was closed.
const PAUSE: Duration = Duration::from_millis(100);

/// Interval between a bot's writes.
const TICK: Duration = Duration::from_millis(10);

/// Active flooders. They end when this value is dropped.
pub struct Flood {
    sent: Arc<SentCounts>,
    _flooders: JoinSet<()>,
}

/// Totals of all flooders.
#[derive(Default)]
struct SentCounts {
    frames: AtomicU64,
    connections: AtomicU64,
}

impl Flood {
    /// Starts one flooder for each token, in the session paired with the token.
    pub fn start(address: &str, targets: Vec<(String, String)>) -> Self {
        let (sent, mut flooders) = (Arc::new(SentCounts::default()), JoinSet::new());
        for (token, session) in targets {
            let (address, sent) = (address.to_owned(), sent.clone());
            flooders.spawn(async move {
                let frames = frames(&session);
                loop {
                    // This returns an error when the server closes the connection.
                    let _ = flood(&address, &token, &session, &frames, &sent).await;
                    tokio::time::sleep(PAUSE).await;
                }
            });
        }
        Self { sent, _flooders: flooders }
    }

    /// Starts one bot that sends this many messages per second to a session, each with its own id.
    pub fn start_bot(address: &str, token: String, session: String, per_second: u64) -> Self {
        let (sent, mut flooders) = (Arc::new(SentCounts::default()), JoinSet::new());
        let (address, counts) = (address.to_owned(), sent.clone());
        flooders.spawn(async move {
            loop {
                let _ = send_messages(&address, &token, &session, per_second, &counts).await;
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { sent, _flooders: flooders }
    }

    /// Returns the number of frames sent, and of connections made.
    pub fn counts(&self) -> (u64, u64) {
        (self.sent.frames.load(Ordering::Relaxed), self.sent.connections.load(Ordering::Relaxed))
    }
}

async fn flood(address: &str, token: &str, session: &str, frames: &[u8], sent: &SentCounts) -> anyhow::Result<()> {
    let (mut writer, _responses) = connect(address, token, session, sent).await?;
    loop {
        writer.write_all(frames).await?;
        sent.frames.fetch_add(5 * ROUNDS as u64, Ordering::Relaxed);
    }
}

async fn send_messages(
    address: &str,
    token: &str,
    session: &str,
    per_second: u64,
    sent: &SentCounts,
) -> anyhow::Result<()> {
    let (mut writer, _responses) = connect(address, token, session, sent).await?;
    let mut ticks = tokio::time::interval(TICK);
    // The bot does not catch up after a write that the server delays: the rate is an upper bound.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let per_tick = per_second * TICK.as_millis() as u64 / 1000;
    let mut bytes = vec![];
    loop {
        ticks.tick().await;
        bytes.clear();
        let first = sent.frames.fetch_add(per_tick, Ordering::Relaxed);
        for number in first..first + per_tick {
            let data = json!({ "text": "@people hi" });
            let id = format!("c_bot_{number}");
            let say = json!({ "type": "command", "id": id, "session": session, "do": "say", "data": data });
            push(&mut bytes, 0x81, say.to_string().as_bytes());
        }
        writer.write_all(&bytes).await?;
    }
}

/// Joins a session. The responses are read in the background, because the server would disconnect a client merely for
/// not reading.
async fn connect(
    address: &str,
    token: &str,
    session: &str,
    sent: &SentCounts,
) -> anyhow::Result<(OwnedWriteHalf, JoinSet<()>)> {
    let tcp = WatchingClient::connect_and_join(address, token, session, None).await?.into_tcp();
    sent.connections.fetch_add(1, Ordering::Relaxed);
    let (mut reader, writer) = tcp.into_split();
    let mut responses = JoinSet::new();
    responses.spawn(async move {
        let mut buffer = vec![0; 64 << 10];
        while reader.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
    });
    Ok((writer, responses))
}

fn frames(session: &str) -> Vec<u8> {
    let typing = json!({ "type": "signal", "session": session, "name": "typing" }).to_string();
    let say = json!({ "type": "command", "id": "c_flood", "session": session, "do": "say", "data": { "text": "@people hi" } });
    let say = say.to_string();
    let mut bytes = vec![];
    for _ in 0..ROUNDS {
        for text in ["{\"type\":\"ping\"}", &typing, "{\"type\":\"shout\"}", &say] {
            push(&mut bytes, 0x81, text.as_bytes());
        }
        push(&mut bytes, 0x89, b"ping");
    }
    bytes
}

fn push(bytes: &mut Vec<u8>, first: u8, payload: &[u8]) {
    let header = bytes.len();
    frame::push_header(bytes, first, payload.len());
    bytes[header + 1] |= 0x80;
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(payload);
}
