//! Settings of the bus.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Queue limits and timeouts of the messages between nodes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BusSettings {
    /// Prefix of all channel names. Default `roundtable`. Two installations with different prefixes can share a Redis.
    pub prefix: String,
    /// Number of slots of a Redis cluster over which messages are spread, with two connections each. Default 1, at
    /// most 64. Must be equal on all nodes; otherwise they do not receive each other's messages.
    #[schemars(range(min = 1, max = 64))]
    pub lanes: NonZeroUsize,
    /// Milliseconds during which deltas and signals are collected into one write after the previous write. Default 2.
    #[schemars(range(min = 0, max = 1000))]
    pub batch_delay_ms: u64,
    /// Maximum number of bytes that wait to be sent, per lane. Default 16777216 (16 MiB). At the limit, all of them are
    /// dropped, and followers read the store.
    #[schemars(range(min = 1_048_576, max = 1_073_741_824))]
    pub max_queue_bytes: usize,
    /// Maximum size of one message, request or reply, in bytes. Default 655360 (640 KiB). A larger message is not sent,
    /// and followers read the store.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub max_message_bytes: usize,
    /// Maximum number of bytes in messages that wait for one follower. Default 1048576 (1 MiB). At the limit, all of
    /// them are dropped, and the follower reads the store.
    #[schemars(range(min = 1024, max = 268_435_456))]
    pub max_follower_bytes: usize,
    /// Maximum number of requests from other nodes that wait for this node, and of requests from this node that wait
    /// for a reply, per lane. Default 1024 each. Further requests are rejected.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_requests: usize,
    /// Timeout for connecting to Redis, in milliseconds. Default 2000.
    #[schemars(range(min = 10, max = 60_000))]
    pub connect_ms: u64,
    /// Timeout for a reply from Redis, in milliseconds. Default 1000. After that, the connection is considered broken.
    #[schemars(range(min = 10, max = 60_000))]
    pub reply_ms: u64,
    /// Milliseconds between two pings of Redis. Default 1000.
    #[schemars(range(min = 10, max = 60_000))]
    pub ping_ms: u64,
    /// Milliseconds before the first attempt to reconnect. Default 50. Doubles with each failure, with jitter.
    #[schemars(range(min = 1, max = 60_000))]
    pub retry_ms: u64,
    /// Maximum delay between two attempts to reconnect, in milliseconds. Default 2000.
    #[schemars(range(min = 1, max = 600_000))]
    pub max_retry_ms: u64,
}

impl Default for BusSettings {
    fn default() -> Self {
        Self {
            prefix: "roundtable".into(),
            lanes: NonZeroUsize::MIN,
            batch_delay_ms: 2,
            max_queue_bytes: 16 << 20,
            max_message_bytes: 640 << 10,
            max_follower_bytes: 1 << 20,
            max_requests: 1024,
            connect_ms: 2000,
            reply_ms: 1000,
            ping_ms: 1000,
            retry_ms: 50,
            max_retry_ms: 2000,
        }
    }
}
