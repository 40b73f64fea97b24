//! Settings of quotas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SettingCeilings;

/// Quotas of one participant and of one session; what exceeds one is answered `quota_exceeded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuotaSettings {
    /// Sessions that one participant has created and that still exist. Default 1000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_sessions: u64,
    /// Runs under way that one participant has begun, those that wait for people included. Default 100.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_runs: u64,
    /// Bytes of the files that one participant has added to sessions, each content of a session counted once. Default 2 GiB.
    #[schemars(range(min = 1024, max = 17_592_186_044_416_i64))]
    pub max_file_bytes: u64,
    /// Bytes of all documents in the knowledge bases of one owner. Default 1 GiB.
    #[schemars(range(min = 1024, max = 17_592_186_044_416_i64))]
    pub max_knowledge_bytes: u64,
    /// Seconds that Python programs of runs that one participant began may run within an hour. Default 1800.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub participant_python_hour_seconds: u64,
    /// The same within a day. Default 14,400.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub participant_python_day_seconds: u64,
    /// Seconds that Python programs of one session may run within an hour. Default 1800.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub session_python_hour_seconds: u64,
    /// The same within a day. Default 14,400.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub session_python_day_seconds: u64,
    /// Highest values that participants who are no administrators may give to settings of a session.
    pub session_settings: SettingCeilings,
}

impl Default for QuotaSettings {
    fn default() -> Self {
        Self {
            max_sessions: 1000,
            max_runs: 100,
            max_file_bytes: 2 * 1024 * 1024 * 1024,
            max_knowledge_bytes: 1024 * 1024 * 1024,
            participant_python_hour_seconds: 1800,
            participant_python_day_seconds: 4 * 3600,
            session_python_hour_seconds: 1800,
            session_python_day_seconds: 4 * 3600,
            session_settings: SettingCeilings::default(),
        }
    }
}
