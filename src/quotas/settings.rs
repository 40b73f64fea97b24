//! Settings of quotas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SessionCeilingSettings;

/// Quotas of one participant, of one session and of one team. A request over a quota fails with `quota_exceeded`.
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
    /// Maximum number of active runs of one team, in all of its sessions, including those that wait for people. At most
    /// 1000000. If absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_team_runs: Option<u64>,
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
    /// Maximum number of model tokens, input and output, that all runs started by one participant use in a calendar
    /// month (UTC). Once they are used up, the participant cannot start a run until the next month, and requests of
    /// runs in progress are held until then. Each request is cut to `max_turn_tokens`, so the quota is exceeded by no
    /// more than that. If absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_month_tokens: Option<u64>,
    /// Maximum cost of all runs started by one participant in a calendar month (UTC), in millionths of
    /// `providers.currency`. It applies in the same way as `max_month_tokens`. Models without prices cost nothing. If
    /// absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_month_cost_micros: Option<u64>,
    /// Maximum number of model tokens that all runs of one session use in a calendar month (UTC). It applies in the
    /// same way as `max_month_tokens`. If absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_session_month_tokens: Option<u64>,
    /// Maximum cost of all runs of one session in a calendar month (UTC), in millionths of `providers.currency`. It
    /// applies in the same way as `max_month_tokens`. If absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_session_month_cost_micros: Option<u64>,
    /// Maximum number of model tokens that all runs of one team, in all of its sessions, use in a calendar month (UTC).
    /// It applies in the same way as `max_month_tokens`. If absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_team_month_tokens: Option<u64>,
    /// Maximum cost of all runs of one team, in all of its sessions, in a calendar month (UTC), in millionths of
    /// `providers.currency`. It applies in the same way as `max_month_tokens`. If absent, there is no limit.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_team_month_cost_micros: Option<u64>,
    /// Bound on the tokens of one request with its response while a monthly quota is set, 10000 to 100000000. Longer
    /// conversations are cut to it. If the session's budget has a smaller bound, that one applies. Default 100000.
    #[schemars(range(min = 10_000, max = 100_000_000))]
    pub max_turn_tokens: u64,
    /// Bound on the cost of one request while a monthly quota limits the cost, in millionths of `providers.currency`.
    /// Default 1000000.
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_i64))]
    pub max_turn_cost_micros: u64,
    /// Maximum values that participants other than administrators can give to session settings.
    pub session_settings: SessionCeilingSettings,
}

impl Default for QuotaSettings {
    fn default() -> Self {
        Self {
            max_sessions: 1000,
            max_runs: 100,
            max_team_runs: None,
            max_file_bytes: 2 * 1024 * 1024 * 1024,
            max_knowledge_bytes: 1024 * 1024 * 1024,
            max_participant_python_hour_seconds: 1800,
            max_participant_python_day_seconds: 4 * 3600,
            max_session_python_hour_seconds: 1800,
            max_session_python_day_seconds: 4 * 3600,
            max_month_tokens: None,
            max_month_cost_micros: None,
            max_session_month_tokens: None,
            max_session_month_cost_micros: None,
            max_team_month_tokens: None,
            max_team_month_cost_micros: None,
            max_turn_tokens: 100_000,
            max_turn_cost_micros: 1_000_000,
            session_settings: SessionCeilingSettings::default(),
        }
    }
}
