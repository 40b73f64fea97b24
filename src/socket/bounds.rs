//! What a socket accepts, and for how long it waits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::Pace;
use crate::protocol::Limits;

/// The bounds of sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SocketBounds {
    /// Bytes of one frame from a client, default 256 KiB. A larger one is answered `too_large`; four times as much
    /// closes the socket (1009), since reading on would cost too much.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub frame_bytes: usize,
    /// Bytes of one frame before its connection has said who it is, default 4 KiB; a larger one closes the socket (1009).
    /// Also what each connection may hold of a message that is not whole yet without `max_unfinished_bytes` counting it.
    #[schemars(range(min = 256, max = 65_536))]
    pub hello_bytes: usize,
    /// Bytes of messages that are not whole yet, of all connections of this node, default 64 MiB. The connections of one
    /// participant have an eighth of it, at least `frame_bytes`. The connection whose message would exceed either is closed
    /// (4004).
    #[schemars(range(min = 65_536, max = 17_179_869_184_u64))]
    pub max_unfinished_bytes: usize,
    /// Seconds in which a message must be whole once it has begun, default 30 (then 4005).
    #[schemars(range(min = 1, max = 3600))]
    pub message_seconds: u64,
    /// Connections of one address that have not said who they are, default 64; more are refused with `rate_limited`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_unidentified: usize,
    /// Frames that are read from one connection, pings and those that are refused included, default 150 at once, 50 a
    /// second; the rest waits at the sender, which is told `rate_limited`.
    pub frame_pace: Pace,
    /// Bytes that are read from one connection, default 2 MiB at once, 256 KiB a second; the rest waits at the sender.
    pub byte_pace: Pace,
    /// Seconds for which a connection may send faster than these paces without a break, default 10 (then 4503).
    #[schemars(range(min = 1, max = 3600))]
    pub flood_seconds: u64,
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
    /// Seconds between pings, default 10; two that stay unanswered close the socket (4002).
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
            hello_bytes: 4 << 10,
            max_unfinished_bytes: 64 << 20,
            message_seconds: 30,
            max_unidentified: 64,
            frame_pace: Pace::new(150, 50),
            byte_pace: Pace::new(2 << 20, 256 << 10),
            flood_seconds: 10,
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
            ping_seconds: 10,
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
