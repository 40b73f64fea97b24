//! Bounds of the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The audit log: for how long entries are kept, and how many refusals it takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuditSettings {
    /// Days that an entry is kept. Default 400.
    #[schemars(range(min = 1, max = 3650))]
    pub retention_days: u64,
    /// Refusals that are kept; beyond that the oldest of them go, and nothing else does. Default 100000.
    #[schemars(range(min = 100, max = 10_000_000))]
    pub max_refusals: u64,
    /// Refusals a minute that are written from one address (an IPv6 /64 counts as one). Default 10.
    #[schemars(range(min = 1, max = 1000))]
    pub refusals_per_address_minute: u32,
    /// Refusals a minute that are written in all. Default 120.
    #[schemars(range(min = 1, max = 10_000))]
    pub refusals_per_minute: u32,
    /// Entries that wait to be written while the database does not answer; one more is lost, counted and logged. Default 4096.
    #[schemars(range(min = 64, max = 100_000))]
    pub max_waiting: usize,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            retention_days: 400,
            max_refusals: 100_000,
            refusals_per_address_minute: 10,
            refusals_per_minute: 120,
            max_waiting: 4096,
        }
    }
}
