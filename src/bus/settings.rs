//! The bounds of the bus.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much may be under way between nodes, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BusSettings {
    /// Bytes of one piece of news, question or answer, default 256 KiB. Larger news is not sent: who follows reads the
    /// store.
    #[schemars(range(min = 1024, max = 16_777_216))]
    pub news_bytes: usize,
    /// Bytes of news that wait for one follower, default 1 MiB. At the bound all of it is dropped, and the follower
    /// reads the store.
    #[schemars(range(min = 1024, max = 268_435_456))]
    pub following_bytes: usize,
    /// Questions of other nodes that wait for this one, and questions of this node that wait for an answer, default
    /// 1024 each; one more is refused.
    #[schemars(range(min = 1, max = 100_000))]
    pub questions: usize,
}

impl Default for BusSettings {
    fn default() -> Self {
        Self { news_bytes: 256 << 10, following_bytes: 1 << 20, questions: 1024 }
    }
}
