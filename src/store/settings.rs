//! The store's bounds.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much the store does at once, and how long it may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// Connections that read. Each is a thread on SQLite and a process on PostgreSQL.
    #[schemars(range(min = 1, max = 256))]
    pub readers: u32,
    /// Connections that write, on PostgreSQL; appends of events have two of their own, the node's lease and the looks at the
    /// database three. SQLite has one writer.
    #[schemars(range(min = 2, max = 256))]
    pub postgres_writers: u32,
    /// Appends that share one commit, at most.
    #[schemars(range(min = 1, max = 10_000))]
    pub batch_appends: usize,
    /// Appends that wait for the next commit, at most; further ones wait to be let in.
    #[schemars(range(min = 1, max = 100_000))]
    pub waiting_appends: usize,
    /// Milliseconds until a connection that cannot be had is an error, at the start and later.
    #[schemars(range(min = 100, max = 300_000))]
    pub connect_ms: u64,
    /// Milliseconds until a request that the database does not answer is an error.
    #[schemars(range(min = 100, max = 300_000))]
    pub answer_ms: u64,
    /// Seconds without an answer from the database after which the node says that it is not ready for new work.
    #[schemars(range(min = 1, max = 3600))]
    pub unready_seconds: u64,
    /// Milliseconds for which a SQLite file that another process is writing to is waited for.
    #[schemars(range(min = 0, max = 300_000))]
    pub sqlite_busy_ms: u64,
    /// Bytes of frames that one read returns, about.
    #[schemars(range(min = 4096, max = 67_108_864))]
    pub read_bytes: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            readers: 4,
            postgres_writers: 4,
            batch_appends: 256,
            waiting_appends: 1024,
            connect_ms: 5_000,
            answer_ms: 15_000,
            unready_seconds: 5,
            sqlite_busy_ms: 5_000,
            read_bytes: 1024 * 1024,
        }
    }
}

impl StoreSettings {
    pub(super) fn connect(&self) -> Duration {
        Duration::from_millis(self.connect_ms.max(1))
    }

    pub(super) fn answer(&self) -> Duration {
        Duration::from_millis(self.answer_ms.max(1))
    }
}
