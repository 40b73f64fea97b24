//! Settings of the store.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Concurrency limits and timeouts of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// Number of reading connections. Default 4. Each is a thread on SQLite and a process on PostgreSQL.
    #[schemars(range(min = 1, max = 256))]
    pub max_read_connections: u32,
    /// Number of writing connections on PostgreSQL. Default 4. Appends of events have two more connections, and the
    /// node's lease and health checks three more. SQLite has one writer.
    #[schemars(range(min = 2, max = 256))]
    pub max_postgres_write_connections: u32,
    /// Maximum number of appends that share one commit. Default 256.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_batch_appends: usize,
    /// Maximum number of appends that wait for the next commit. Default 1024. Further ones wait for a place in the
    /// queue.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_waiting_appends: usize,
    /// Timeout for getting a database connection, in milliseconds, at startup and later. Default 5000.
    #[schemars(range(min = 100, max = 300_000))]
    pub connect_ms: u64,
    /// Timeout for a reply from the database, in milliseconds. Default 15000.
    #[schemars(range(min = 100, max = 300_000))]
    pub reply_ms: u64,
    /// Seconds without a reply from the database after which the node reports that it is not ready. Default 5.
    #[schemars(range(min = 1, max = 3600))]
    pub unready_seconds: u64,
    /// Milliseconds to wait for a SQLite file to which another process is writing. Default 5000.
    #[schemars(range(min = 0, max = 300_000))]
    pub sqlite_busy_ms: u64,
    /// Approximate maximum size of the frames that one read returns, in bytes. Default 1048576 (1 MiB).
    #[schemars(range(min = 4096, max = 67_108_864))]
    pub max_read_bytes: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            max_read_connections: 4,
            max_postgres_write_connections: 4,
            max_batch_appends: 256,
            max_waiting_appends: 1024,
            connect_ms: 5_000,
            reply_ms: 15_000,
            unready_seconds: 5,
            sqlite_busy_ms: 5_000,
            max_read_bytes: 1024 * 1024,
        }
    }
}

impl StoreSettings {
    pub(super) fn connect_timeout(&self) -> Duration {
        Duration::from_millis(self.connect_ms.max(1))
    }

    pub(super) fn reply_timeout(&self) -> Duration {
        Duration::from_millis(self.reply_ms.max(1))
    }
}
