//! Settings of quotas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SettingCeilings;

/// Quotas of one participant and of one session. A request over a quota fails with `quota_exceeded`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuotaSettings {
    /// Maximum number of existing sessions that one participant created. At most 1000000, default 1000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_sessions: u64,
    /// Maximum number of active runs that one participant started, including those that wait for people. At most
    /// 100000, default 100.
    #[schemars(range(min = 1, max = 100_000))]
    pub max_runs: u64,
    /// Maximum total size of the files that one participant added to sessions, in bytes. Each content counts once per
    /// session. Default 2147483648 (2 GiB).
    #[schemars(range(min = 1024, max = 17_592_186_044_416_i64))]
    pub max_file_bytes: u64,
    /// Maximum total size of all documents in the knowledge bases of one owner, in bytes. Default 1073741824 (1 GiB).
    #[schemars(range(min = 1024, max = 17_592_186_044_416_i64))]
    pub max_knowledge_bytes: u64,
    /// Maximum run time of Python programs within an hour, in seconds, in all runs that one participant started.
    /// Default 1800.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_participant_python_hour_seconds: u64,
    /// Maximum run time of Python programs within a day, in seconds, in all runs that one participant started. Default
    /// 14400.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_participant_python_day_seconds: u64,
    /// Maximum run time of Python programs of one session within an hour, in seconds. Default 1800.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_session_python_hour_seconds: u64,
    /// Maximum run time of Python programs of one session within a day, in seconds. Default 14400.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub max_session_python_day_seconds: u64,
    /// Maximum tokens of models, input and output, in all runs that one participant started in a calendar month (UTC).
    /// Once they are used, the participant can start no run until the next month. A run in progress
    /// goes on, also with messages that wait for it. Absent: no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_month_tokens: Option<u64>,
    /// The same for the cost, in millionths of `providers.currency`. Models without prices cost nothing. Absent: no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_month_cost_micros: Option<u64>,
    /// Maximum values that participants other than administrators can give to session settings.
    pub session_settings: SettingCeilings,
}

impl Default for QuotaSettings {
    fn default() -> Self {
        Self {
            max_sessions: 1000,
            max_runs: 100,
            max_file_bytes: 2 * 1024 * 1024 * 1024,
            max_knowledge_bytes: 1024 * 1024 * 1024,
            max_participant_python_hour_seconds: 1800,
            max_participant_python_day_seconds: 4 * 3600,
            max_session_python_hour_seconds: 1800,
            max_session_python_day_seconds: 4 * 3600,
            max_month_tokens: None,
            max_month_cost_micros: None,
            session_settings: SettingCeilings::default(),
        }
    }
}
