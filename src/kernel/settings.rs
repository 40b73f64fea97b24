//! What a session is bound by, recorded in its log so that replaying needs no configuration.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gate::Rule;

/// A session's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// When a feedback gate counts as approved.
    pub approval: Rule,
    /// Messages of people and agents that one run may hold before it ends with `message_limit`.
    pub messages_per_run: u32,
    /// Tries of one turn before the run fails.
    pub attempts: u32,
    /// Messages that may wait for a busy run.
    pub inbox: u32,
    /// Seconds that a gate stays open; absent: until it is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_seconds: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { approval: Rule::Any, messages_per_run: 20, attempts: 4, inbox: 50, gate_seconds: None }
    }
}

impl Settings {
    /// Why the settings cannot be used, in words for the one who sent them.
    pub fn check(&self) -> Result<(), &'static str> {
        if !(2..=1000).contains(&self.messages_per_run) {
            return Err("messages_per_run must be between 2 and 1000");
        }
        if !(1..=20).contains(&self.attempts) {
            return Err("attempts must be between 1 and 20");
        }
        if !(1..=1000).contains(&self.inbox) {
            return Err("inbox must be between 1 and 1000");
        }
        if self.gate_seconds.is_some_and(|seconds| !(1..=31_536_000).contains(&seconds)) {
            return Err("gate_seconds must be between 1 second and a year");
        }
        self.approval.check()
    }
}
