//! The bounds of the bus.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much may be under way between nodes, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BusSettings {
    /// What the names of all channels begin with, default `roundtable`: two installations may share a Redis under
    /// different ones.
    pub prefix: String,
    /// Slots of a Redis cluster that news is spread over, with two connections for each, default 1. The same on all nodes,
    /// or they do not hear each other.
    #[schemars(range(min = 1, max = 64))]
    pub lanes: NonZeroUsize,
    /// Milliseconds after which deltas follow what went out before, all together, default 2.
    #[schemars(range(min = 0, max = 1000))]
    pub window_ms: u64,
    /// Bytes that wait to go out on a lane, default 16 MiB. At the bound all of it is dropped, and who follows reads the store.
    #[schemars(range(min = 1_048_576, max = 1_073_741_824))]
    pub queue_bytes: usize,
    /// Bytes of one piece of news, question or answer, default 512 KiB. Larger news is not sent: who follows reads the
    /// store.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub news_bytes: usize,
    /// Bytes of news that wait for one follower, default 1 MiB. At the bound all of it is dropped, and the follower
    /// reads the store.
    #[schemars(range(min = 1024, max = 268_435_456))]
    pub following_bytes: usize,
    /// Questions of other nodes that wait for this one, and questions of this node that wait for an answer on a lane,
    /// default 1024 each; one more is refused.
    #[schemars(range(min = 1, max = 100_000))]
    pub questions: usize,
    /// Milliseconds until a connection to Redis that cannot be had is given up, default 2000.
    #[schemars(range(min = 10, max = 60_000))]
    pub connect_ms: u64,
    /// Milliseconds until a Redis that does not answer counts as gone, default 1000.
    #[schemars(range(min = 10, max = 60_000))]
    pub answer_ms: u64,
    /// Milliseconds between two looks whether Redis still answers, default 1000.
    #[schemars(range(min = 10, max = 60_000))]
    pub ping_ms: u64,
    /// Milliseconds before a broken connection is made again, default 50; doubled with each failure, with chance in it.
    #[schemars(range(min = 1, max = 60_000))]
    pub retry_ms: u64,
    /// Milliseconds that doubling stops at, default 2000.
    #[schemars(range(min = 1, max = 600_000))]
    pub retry_most_ms: u64,
}

impl Default for BusSettings {
    fn default() -> Self {
        Self {
            prefix: "roundtable".into(),
            lanes: NonZeroUsize::MIN,
            window_ms: 2,
            queue_bytes: 16 << 20,
            news_bytes: 512 << 10,
            following_bytes: 1 << 20,
            questions: 1024,
            connect_ms: 2000,
            answer_ms: 1000,
            ping_ms: 1000,
            retry_ms: 50,
            retry_most_ms: 2000,
        }
    }
}
