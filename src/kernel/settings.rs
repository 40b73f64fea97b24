//! What a session is bound by, recorded in its log so that replaying needs no configuration.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Timestamp;
use super::flow::{self, Flow};
use super::gate::Rule;

/// A session's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// When votes at a gate are enough.
    pub approval: Rule,
    /// Messages of people and agents that one run may hold before it ends with `message_limit`; turns that call tools do
    /// not count. In a team that works in rounds, such as `review`, it is what one round may hold before people are asked.
    pub messages_per_run: u32,
    /// Steps that one run may take before it ends with `step_limit`, or one round before people are asked.
    pub steps_per_run: u32,
    /// Turns of one agent for one task: the last one may call no tools, and what it calls fails with `too_many_turns`.
    pub turns_per_task: u32,
    /// Agents at work side by side; further ones wait for the next step.
    pub parallel: u32,
    /// Calls of tools in one turn; further ones are refused.
    pub calls_per_turn: u32,
    /// How often a step of a plan is begun again before it counts as blocked.
    pub retries: u32,
    /// How often an agent is asked again for an answer that could not be read.
    pub repairs: u32,
    /// Code bases that agents may read, by the names that the server's configuration has for them. A new session that names
    /// none is given all of them, at most 32; `[]` gives it none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<Arc<str>>,
    /// Knowledge bases that agents may search, by their ids, as in `["1", "7"]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub knowledge: Vec<Arc<str>>,
    /// Tries of one turn before the run fails.
    pub attempts: u32,
    /// Messages that may wait for a busy run.
    pub inbox: u32,
    /// Seconds that a gate stays open, counted anew from an edit; absent: until it is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_seconds: Option<u64>,
    /// Days after its last event until everything that was written in the session is erased; absent: never. Not while a run is
    /// under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            approval: Rule::Any,
            messages_per_run: 20,
            steps_per_run: 40,
            turns_per_task: 20,
            parallel: 64,
            calls_per_turn: 16,
            retries: 2,
            repairs: 2,
            code: vec![],
            knowledge: vec![],
            attempts: 4,
            inbox: 50,
            gate_seconds: None,
            retention_days: None,
        }
    }
}

impl Settings {
    /// Code bases, and knowledge bases, that a session is given at most.
    pub const NAMED: usize = 32;

    /// What a session of this flow is bound by where nothing else is said.
    pub fn of(flow: &str) -> Self {
        let usual = Self::default();
        Self { messages_per_run: flow::named(flow).map_or(usual.messages_per_run, Flow::messages_per_run), ..usual }
    }

    /// These, with the fields that somebody has named as they want them.
    ///
    /// # Errors
    /// Where a field is unknown or cannot be read.
    pub fn with(&self, wanted: &Map<String, Value>) -> Result<Self, serde_json::Error> {
        let mut whole = serde_json::to_value(self)?;
        if let Value::Object(fields) = &mut whole {
            fields.extend(wanted.clone());
        }
        serde_json::from_value(whole)
    }

    /// The settings by their names.
    ///
    /// # Errors
    /// None: settings are always an object.
    pub fn named(&self) -> Result<Map<String, Value>, serde_json::Error> {
        serde_json::to_value(self).and_then(serde_json::from_value)
    }

    /// The names of those that are not as in `other`.
    pub fn unlike(&self, other: &Self) -> Vec<Arc<str>> {
        let fields = |settings: &Self| match serde_json::to_value(settings) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        let (mine, others) = (fields(self), fields(other));
        // One that is empty is not written, so a name may be with one of them only.
        let names = mine.keys().chain(others.keys().filter(|name| !mine.contains_key(*name)));
        names.filter(|name| mine.get(*name) != others.get(*name)).map(|name| name.as_str().into()).collect()
    }

    /// Until when a gate stays open that people are asked at now.
    pub(super) fn gate_deadline(&self, now: Timestamp) -> Option<Timestamp> {
        self.gate_seconds.map(|seconds| now.plus(seconds.saturating_mul(1000)))
    }

    /// Why the settings cannot be used, in words for the one who sent them.
    pub fn check(&self) -> Result<(), &'static str> {
        if !(2..=1000).contains(&self.messages_per_run) {
            return Err("messages_per_run must be between 2 and 1000");
        }
        if !(1..=1000).contains(&self.steps_per_run) {
            return Err("steps_per_run must be between 1 and 1000");
        }
        if !(1..=200).contains(&self.turns_per_task) {
            return Err("turns_per_task must be between 1 and 200");
        }
        if !(1..=256).contains(&self.parallel) {
            return Err("parallel must be between 1 and 256");
        }
        if !(1..=64).contains(&self.calls_per_turn) {
            return Err("calls_per_turn must be between 1 and 64");
        }
        if self.retries > 20 || self.repairs > 20 {
            return Err("retries and repairs must be between 0 and 20");
        }
        if self.code.len() > Self::NAMED || self.knowledge.len() > Self::NAMED {
            return Err("code and knowledge name at most 32 each");
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
        if self.retention_days.is_some_and(|days| !(1..=36_500).contains(&days)) {
            return Err("retention_days must be between 1 and 36500");
        }
        self.approval.check()
    }
}
