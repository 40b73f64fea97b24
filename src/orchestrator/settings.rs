//! Limits of one node's orchestrators.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::backoff;

/// Limits of the sessions that are live on this node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrchestratorSettings {
    /// Maximum number of live sessions. Default 10000. Commands for further ones are rejected with `busy`.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub max_live_sessions: usize,
    /// Maximum number of commands that wait for one session. Default 256. Further ones are rejected with `busy`.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_waiting_commands: usize,
    /// Seconds without a command or outstanding work after which a session goes idle and leaves memory. Default 60.
    #[schemars(range(min = 1, max = 86_400))]
    pub idle_seconds: u64,
    /// Number of events between two snapshots of the state, and therefore the maximum that a restore reads from the
    /// log. Default 500.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub snapshot_interval_events: u64,
    /// Milliseconds before the first retry of writing a model's response after the store did not respond. Default 250.
    /// Doubles with each failure up to eight times this value, with jitter of up to half.
    #[schemars(range(min = 1, max = 60_000))]
    pub store_retry_ms: u64,
}

impl Default for OrchestratorSettings {
    fn default() -> Self {
        Self {
            max_live_sessions: 10_000,
            max_waiting_commands: 256,
            idle_seconds: 60,
            snapshot_interval_events: 500,
            store_retry_ms: 250,
        }
    }
}

impl OrchestratorSettings {
    /// Returns the backoff in milliseconds after this number of failures of the store.
    pub(super) fn store_pause_ms(&self, failures: u32) -> u64 {
        backoff::delay_ms(failures, self.store_retry_ms, self.store_retry_ms.saturating_mul(8))
    }

    /// Returns the backoff in milliseconds after this number of failures, the latest of which was a panic. Its maximum
    /// is higher than that of [`OrchestratorSettings::store_pause_ms`], because each attempt of the session can cost
    /// money.
    pub(super) fn panic_pause_ms(&self, failures: u32) -> u64 {
        backoff::delay_ms(failures, self.store_retry_ms, self.store_retry_ms.max(60_000))
    }

    /// Checks that every limit is at least 1. Returns the error message for the first one that is not.
    pub fn check(&self) -> Result<(), String> {
        let positive = [
            ("max_live_sessions", self.max_live_sessions as u64),
            ("max_waiting_commands", self.max_waiting_commands as u64),
            ("idle_seconds", self.idle_seconds),
            ("snapshot_interval_events", self.snapshot_interval_events),
            ("store_retry_ms", self.store_retry_ms),
        ];
        match positive.into_iter().find(|(_, value)| *value == 0) {
            Some((name, _)) => Err(format!("orchestrator.{name} must be at least 1")),
            None => Ok(()),
        }
    }
}
