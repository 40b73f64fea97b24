//! How much a feed keeps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bounds of one session's feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FeedBounds {
    /// Bytes of encoded frames that a feed keeps, default 1 MiB, and always at least the newest frame. A viewer that is
    /// further behind reads the store.
    #[schemars(range(min = 4096, max = 1_073_741_824))]
    pub ring_bytes: usize,
    /// Events that a replay reads from the store at a time, default 256.
    #[schemars(range(min = 1, max = 10_000))]
    pub page_events: u32,
    /// Bytes of pages that viewers of this node have read from the store and that are kept for others who come to the same
    /// place, default 16 MiB for all sessions together: thousands who connect again at once share a few reads.
    #[schemars(range(min = 0, max = 1_073_741_824))]
    pub shared_pages_bytes: usize,
    /// Bytes that the feed may have grown by while a snapshot that is encoded already still serves the next viewer,
    /// default 64 KiB: that viewer gets what came since from the feed.
    #[schemars(range(min = 0, max = 16_777_216))]
    pub snapshot_reuse_bytes: u64,
    /// Participants that a presence signal names, default 100; the rest are counted.
    #[schemars(range(min = 0, max = 500))]
    pub presence_names: usize,
    /// Milliseconds in which changes of presence become one signal, default 100: a thousand viewers that come at once
    /// must not cost a thousand signals to each of them.
    #[schemars(range(min = 0, max = 60_000))]
    pub presence_millis: u64,
    /// Milliseconds between looks whether viewers of sessions that other nodes have missed anything, default 500: so late they learn
    /// of what the bus has lost, as that they were removed.
    #[schemars(range(min = 10, max = 60_000))]
    pub check_ms: u64,
    /// The same while the bus is down, default 300: those viewers then live by these looks alone.
    #[schemars(range(min = 10, max = 60_000))]
    pub poll_ms: u64,
}

impl Default for FeedBounds {
    fn default() -> Self {
        Self {
            ring_bytes: 1 << 20,
            page_events: 256,
            shared_pages_bytes: 16 << 20,
            snapshot_reuse_bytes: 64 << 10,
            presence_names: 100,
            presence_millis: 100,
            check_ms: 500,
            poll_ms: 300,
        }
    }
}
