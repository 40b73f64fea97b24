//! What a socket accepts, and for how long it waits.

use serde::{Deserialize, Serialize};

/// The bounds of sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SocketBounds {
    /// Bytes of one frame from a client, default 256 KiB. A larger one is answered `too_large`; four times as much
    /// closes the socket (1009), since reading on would cost too much.
    pub frame_bytes: usize,
    /// Bytes of a message's text, default 64 KiB.
    pub text_bytes: usize,
    /// Bytes of a signal's data as JSON, default 1 KiB.
    pub signal_bytes: usize,
    /// Sessions that one connection may join, default 64.
    pub joined_sessions: usize,
    /// Commands of one connection that wait for their answer, default 64; more are answered `busy`.
    pub commands: usize,
    /// Bytes of answers that wait for a client, default 256 KiB; while there are more, nothing is read from it.
    pub answer_bytes: usize,
    /// Connections of this node, default 20,000; more are refused with `busy`.
    pub connections: usize,
    /// Refused frames between two pings after which a client is taken for abusive and closed (4503), default 2,000.
    pub refused_frames: u32,
    /// Bytes that are copied from feeds for one write, default 64 KiB.
    pub write_bytes: usize,
    /// Bytes that are read at a time and kept for each connection, default 512.
    pub read_bytes: usize,
    /// Seconds in which a connection must say who it is, default 10 (then 4500).
    pub hello_seconds: u64,
    /// Seconds between pings, default 20; two that stay unanswered close the socket (4002).
    pub ping_seconds: u64,
    /// Seconds that a socket may take nothing while something waits for it, default 30 (then 4001).
    pub stall_seconds: u64,
    /// Seconds that a join or sign-in may take, default 10 (then `timed_out`).
    pub answer_seconds: u64,
    /// Seconds for the end of a connection to be said and heard, default 2.
    pub close_seconds: u64,
    /// Milliseconds over which a server that shuts down spreads the closing of its sockets (4000), default 1,000, so
    /// that not everybody connects again at the same moment.
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
