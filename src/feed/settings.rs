//! Memory and timing limits of a feed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limits of one session's feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeedSettings {
    /// Maximum size of the encoded frames that a feed keeps, in bytes. Default 1048576 (1 MiB), at least 4096. The
    /// newest frame is always kept. A viewer that is further behind reads the store.
    #[schemars(range(min = 4096, max = 1_073_741_824))]
    pub max_ring_bytes: usize,
    /// Events per page that a replay reads from the store. Default 256.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_page_events: u32,
    /// Maximum size of the shared pages that this node caches after viewers have read them from the store, in bytes,
    /// for all sessions together. Default 16777216 (16 MiB). Thousands of viewers that reconnect at once then share a
    /// few reads. 0 disables the cache.
    #[schemars(range(min = 0, max = 1_073_741_824))]
    pub max_shared_page_bytes: usize,
    /// Maximum growth of the feed, in bytes, up to which an encoded snapshot is reused for the next viewer. Default
    /// 65536 (64 KiB). That viewer reads everything newer from the feed. A new event ends the reuse, whatever its size.
    #[schemars(range(min = 0, max = 16_777_216))]
    pub max_snapshot_reuse_bytes: u64,
    /// Maximum number of participants that a presence signal names. Default 100. The others are only counted.
    #[schemars(range(min = 0, max = 500))]
    pub max_presence_names: usize,
    /// Milliseconds during which changes in presence are collected into one signal. Default 100. Without this delay, a
    /// thousand viewers that join at once would cause a thousand signals to each of them.
    #[schemars(range(min = 0, max = 60_000))]
    pub presence_ms: u64,
    /// Milliseconds between two checks of followed sessions against the store. Default 500. Upper bound on how late a
    /// viewer learns of an event that the bus dropped, or of their own removal.
    #[schemars(range(min = 10, max = 60_000))]
    pub check_ms: u64,
    /// Milliseconds between two checks of followed sessions against the store while the bus is down. Default 300.
    /// Viewers of other nodes' sessions then depend on these checks alone.
    #[schemars(range(min = 10, max = 60_000))]
    pub poll_ms: u64,
}

impl Default for FeedSettings {
    fn default() -> Self {
        Self {
            max_ring_bytes: 1 << 20,
            max_page_events: 256,
            max_shared_page_bytes: 16 << 20,
            max_snapshot_reuse_bytes: 64 << 10,
            max_presence_names: 100,
            presence_ms: 100,
            check_ms: 500,
            poll_ms: 300,
        }
    }
}
