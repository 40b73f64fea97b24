//! Settings of the audit log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Audit log: retention of entries, and limits on recorded denials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AuditSettings {
    /// Days that an entry is kept. Default 400, at most 3650.
    #[schemars(range(min = 1, max = 3650))]
    pub retention_days: u64,
    /// Maximum number of denials in the log. Beyond that, the oldest denials are deleted, but no other entries. 100
    /// to 10000000, default 100000.
    #[schemars(range(min = 100, max = 10_000_000))]
    pub max_denials: u64,
    /// Maximum number of denials per minute that are recorded from one address. An IPv6 /64 network counts as one
    /// address. Default 10, at most 1000.
    #[schemars(range(min = 1, max = 1000))]
    pub max_denials_per_address_minute: u32,
    /// Maximum number of denials per minute that are recorded in total. Default 120, at most 10000.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_denials_per_minute: u32,
    /// Maximum number of entries that wait to be written while the database does not respond. Further entries are lost,
    /// counted and logged. 64 to 100000, default 4096.
    #[schemars(range(min = 64, max = 100_000))]
    pub max_waiting: usize,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            retention_days: 400,
            max_denials: 100_000,
            max_denials_per_address_minute: 10,
            max_denials_per_minute: 120,
            max_waiting: 4096,
        }
    }
}
