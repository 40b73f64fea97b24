//! What a socket accepts, and for how long it waits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::Limits;

/// The bounds of sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SocketBounds {
    /// Bytes of one frame from a client, default 256 KiB. A larger one is answered `too_large`; four times as much
    /// closes the socket (1009), since reading on would cost too much.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub frame_bytes: usize,
    /// Bytes of a message's text, default 64 KiB.
    #[schemars(range(min = 256, max = 8_388_608))]
    pub text_bytes: usize,
    /// Bytes of a signal's data as JSON, default 1 KiB.
    #[schemars(range(min = 64, max = 65_536))]
    pub signal_bytes: usize,
    /// Sessions that one connection may join, default 64.
    #[schemars(range(min = 1, max = 100_000))]
    pub joined_sessions: usize,
    /// Commands of one connection that wait for their answer, default 64; more are answered `busy`.
    #[schemars(range(min = 1, max = 10_000))]
    pub commands: usize,
    /// Bytes of answers that wait for a client, default 256 KiB; while there are more, nothing is read from it.
    #[schemars(range(min = 4096, max = 67_108_864))]
    pub answer_bytes: usize,
    /// Connections of this node, default 20,000, WebSockets and event streams together; more are refused with `busy`.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub connections: usize,
    /// Refused frames between two pings after which a client is taken for abusive and closed (4503), default 2,000.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub refused_frames: u32,
    /// Bytes that are copied from feeds for one write, default 64 KiB.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub write_bytes: usize,
    /// Bytes that are read at a time and kept for each connection, default 512.
    #[schemars(range(min = 64, max = 1_048_576))]
    pub read_bytes: usize,
    /// Seconds in which a connection must say who it is, default 10 (then 4500).
    #[schemars(range(min = 1, max = 600))]
    pub hello_seconds: u64,
    /// Seconds between pings, default 20; two that stay unanswered close the socket (4002).
    #[schemars(range(min = 1, max = 3600))]
    pub ping_seconds: u64,
    /// Seconds that a socket may take nothing while something waits for it, default 30 (then 4001). Answers and event
    /// streams that nobody takes end as soon.
    #[schemars(range(min = 1, max = 3600))]
    pub stall_seconds: u64,
    /// Seconds that a join or sign-in may take, default 10 (then `timed_out`).
    #[schemars(range(min = 1, max = 600))]
    pub answer_seconds: u64,
    /// Seconds for the end of a connection to be said and heard, default 2.
    #[schemars(range(min = 1, max = 60))]
    pub close_seconds: u64,
    /// Milliseconds over which a server that shuts down spreads the closing of its sockets (4000), default 1,000, so
    /// that not everybody connects again at the same moment.
    #[schemars(range(min = 0, max = 60_000))]
    pub drain_millis: u64,
}

impl Default for SocketBounds {
    fn default() -> Self {
        Self {
            frame_bytes: 256 << 10,
            text_bytes: 64 << 10,
            signal_bytes: 1 << 10,
            joined_sessions: 64,
            commands: 64,
            answer_bytes: 256 << 10,
            connections: 20_000,
            refused_frames: 2_000,
            write_bytes: 64 << 10,
            read_bytes: 512,
            hello_seconds: 10,
            ping_seconds: 20,
            stall_seconds: 30,
            answer_seconds: 10,
            close_seconds: 2,
            drain_millis: 1_000,
        }
    }
}

impl SocketBounds {
    /// What clients are told to keep to.
    pub fn limits(&self) -> Limits {
        Limits {
            frame_bytes: self.frame_bytes,
            text_bytes: self.text_bytes,
            joined_sessions: self.joined_sessions,
            ping_seconds: self.ping_seconds,
        }
    }
}
