//! What one node's orchestrators are bound by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::retry;

/// Bounds of the sessions that are live on this node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrchestratorBounds {
    /// Sessions that may be live at once; a command for a further one is answered `busy`.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub live_sessions: usize,
    /// Commands that may wait for one session; a further one is answered `busy`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub mailbox: usize,
    /// Seconds without a command or outstanding work after which a session is put to sleep.
    #[schemars(range(min = 1, max = 86_400))]
    pub idle_seconds: u64,
    /// Events after which the state is kept, so that restoring reads no more than these.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub snapshot_every: u64,
    /// Milliseconds until what models answered is tried to be written again where the store did not answer; doubled with
    /// each failure up to eight times as much, half of it by chance.
    #[schemars(range(min = 1, max = 60_000))]
    pub store_retry_ms: u64,
}

impl Default for OrchestratorBounds {
    fn default() -> Self {
        Self { live_sessions: 10_000, mailbox: 256, idle_seconds: 60, snapshot_every: 500, store_retry_ms: 250 }
    }
}

impl OrchestratorBounds {
    /// Milliseconds to wait after so many tries without an answer of the store.
    pub(super) fn store_pause_ms(&self, failures: u32) -> u64 {
        retry::pause(failures, self.store_retry_ms, self.store_retry_ms.saturating_mul(8))
    }

    /// Milliseconds to wait after so many failures of which the latest was a panic: what it does each time may cost money.
    pub(super) fn panic_pause_ms(&self, failures: u32) -> u64 {
        retry::pause(failures, self.store_retry_ms, self.store_retry_ms.max(60_000))
    }

    /// Why the bounds cannot be used.
    pub fn check(&self) -> Result<(), String> {
        let positive = [
            ("live_sessions", self.live_sessions as u64),
            ("mailbox", self.mailbox as u64),
            ("idle_seconds", self.idle_seconds),
            ("snapshot_every", self.snapshot_every),
            ("store_retry_ms", self.store_retry_ms),
        ];
        match positive.into_iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(format!("orchestrator.{name} must be at least 1")),
            None => Ok(()),
        }
    }
}
