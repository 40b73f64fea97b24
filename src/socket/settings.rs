//! Limits and timeouts of sockets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::RateLimit;
use crate::protocol::Limits;

/// Limits and timeouts of sockets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SocketSettings {
    /// Maximum size of a frame from a client, in bytes. Default 262144 (256 KiB). A larger frame is rejected with
    /// `too_large`. A frame of more than four times this size closes the socket (1009), because reading the rest of it
    /// would cost too much.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub max_frame_bytes: usize,
    /// Maximum size of a frame before the client is identified, in bytes. Default 4096 (4 KiB). A larger one closes the
    /// socket (1009). Each connection can also hold this much of an unfinished message without counting toward
    /// `max_unfinished_bytes`.
    #[schemars(range(min = 256, max = 65_536))]
    pub max_hello_bytes: usize,
    /// Maximum size of all unfinished messages of all connections of this node, in bytes. Default 67108864 (64 MiB).
    /// The connections of one participant can together use an eighth of it, at least `max_frame_bytes`. A connection
    /// whose message would exceed either limit is closed (4004).
    #[schemars(range(min = 65_536, max = 17_179_869_184_u64))]
    pub max_unfinished_bytes: usize,
    /// Maximum time for a message to arrive completely, in seconds. Default 30. After that, the socket is closed
    /// (4005).
    #[schemars(range(min = 1, max = 3600))]
    pub message_seconds: u64,
    /// Maximum number of unidentified connections per address. Default 64. Further ones are rejected with
    /// `rate_limited`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_unidentified: usize,
    /// Rate limit for frames from one connection, including pings and rejected frames. Default: burst of 150, then 50
    /// per second. Further frames wait at the sender, which gets `rate_limited`.
    pub frame_rate_limit: RateLimit,
    /// Rate limit for bytes from one connection. Default: burst of 2 MiB, then 256 KiB per second. Further bytes wait
    /// at the sender.
    pub byte_rate_limit: RateLimit,
    /// Maximum time that a connection can exceed these rates without a pause, in seconds. Default 10. After that, it is
    /// closed (4503).
    #[schemars(range(min = 1, max = 3600))]
    pub max_flood_seconds: u64,
    /// Maximum size of a message's text, in bytes. Default 65536 (64 KiB).
    #[schemars(range(min = 256, max = 8_388_608))]
    pub max_text_bytes: usize,
    /// Maximum size of a signal's data as JSON, in bytes. Default 1024 (1 KiB).
    #[schemars(range(min = 64, max = 65_536))]
    pub max_signal_bytes: usize,
    /// Maximum number of sessions that one connection can join. Default 64.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_joined_sessions: usize,
    /// Maximum number of commands of one connection that wait for their result. Default 64. Further ones are rejected
    /// with `busy`.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_waiting_commands: usize,
    /// Maximum size of the responses that wait for a client, in bytes. Default 262144 (256 KiB). While there are more,
    /// nothing is read from the client.
    #[schemars(range(min = 4096, max = 67_108_864))]
    pub max_waiting_response_bytes: usize,
    /// Maximum number of connections of this node: WebSockets and event streams together. Default 20000. Further ones
    /// are rejected with `busy`.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub max_connections: usize,
    /// Maximum number of rejected frames between two pings. Default 2000. A client that exceeds it is closed (4503).
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_refused_frames: u32,
    /// Number of bytes that are copied from feeds for one write. Default 65536 (64 KiB).
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub write_bytes: usize,
    /// Size of the read buffer that each connection keeps, in bytes. Default 512.
    #[schemars(range(min = 64, max = 1_048_576))]
    pub read_buffer_bytes: usize,
    /// Seconds within which a client must identify itself. Default 10. After that, the socket is closed (4500).
    #[schemars(range(min = 1, max = 600))]
    pub hello_seconds: u64,
    /// Seconds between two pings. Default 10. Two unanswered pings close the socket (4002).
    #[schemars(range(min = 1, max = 3600))]
    pub ping_seconds: u64,
    /// Seconds after which a socket is closed if the client reads nothing while data waits (4001). Default 30. HTTP
    /// responses and event streams have the same limit.
    #[schemars(range(min = 1, max = 3600))]
    pub stall_seconds: u64,
    /// Timeout for a join or sign-in, in seconds. Default 10. After that, it fails with `timed_out`.
    #[schemars(range(min = 1, max = 600))]
    pub join_seconds: u64,
    /// Timeout for the closing handshake of a connection, in seconds. Default 2.
    #[schemars(range(min = 1, max = 60))]
    pub close_seconds: u64,
    /// Milliseconds over which a stopping server spreads the closing of its sockets (4000). Default 1000. Clients then
    /// do not all reconnect at the same moment.
    #[schemars(range(min = 0, max = 60_000))]
    pub drain_ms: u64,
}

impl Default for SocketSettings {
    fn default() -> Self {
        Self {
            max_frame_bytes: 256 << 10,
            max_hello_bytes: 4 << 10,
            max_unfinished_bytes: 64 << 20,
            message_seconds: 30,
            max_unidentified: 64,
            frame_rate_limit: RateLimit::new(150, 50),
            byte_rate_limit: RateLimit::new(2 << 20, 256 << 10),
            max_flood_seconds: 10,
            max_text_bytes: 64 << 10,
            max_signal_bytes: 1 << 10,
            max_joined_sessions: 64,
            max_waiting_commands: 64,
            max_waiting_response_bytes: 256 << 10,
            max_connections: 20_000,
            max_refused_frames: 2_000,
            write_bytes: 64 << 10,
            read_buffer_bytes: 512,
            hello_seconds: 10,
            ping_seconds: 10,
            stall_seconds: 30,
            join_seconds: 10,
            close_seconds: 2,
            drain_ms: 1_000,
        }
    }
}

impl SocketSettings {
    /// Returns the limits that clients have to respect.
    pub fn limits(&self) -> Limits {
        Limits {
            max_frame_bytes: self.max_frame_bytes,
            max_text_bytes: self.max_text_bytes,
            max_joined_sessions: self.max_joined_sessions,
            ping_seconds: self.ping_seconds,
        }
    }
}
