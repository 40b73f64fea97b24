//! Settings of a session, recorded in its log, so that replaying the log needs no configuration.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::learning::LearningSettings;
use crate::call::{CallSourceKind, CallSources, Risk};
use crate::flow::{self, Flow};
use crate::gate::{ApprovalRule, GateKind, Quorum};
use crate::schema::json_error::plain;
use crate::{Budget, Right, RightAccess, RightRule, Role, Timestamp};

/// Settings of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Votes that decide a gate. Default: `{"kind":"any"}`.
    pub approval: Quorum,
    /// Rules that replace `approval` for some kinds of gates, or for calls with some risk or sources, at most 16. The
    /// first rule that matches applies. Default: none. Example:
    /// `[{"gate":"tool","min_risk":"high","quorum":{"kind":"at_least","n":2},"separate_duties":true}]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub approval_rules: Vec<ApprovalRule>,
    /// Rules about rights that roles have, must ask for or lack in this session, regardless of the defaults, at most
    /// one rule for each role and right. Owners keep every right, and `watch` and `manage` cannot be changed. Default:
    /// none. Example: `[{"role":"reviewer","right":"interrupt","access":"allow"}]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rights: Vec<RightRule>,
    /// Maximum number of messages of people and agents in one run, 2 to 10000. At the limit, the run ends with
    /// `message_limit`. Turns that call tools do not count. In the `review` flow, the limit is for one round, which
    /// then ends with a gate. Default 20 in the `review` flow, 10000 in `topology`, 200 in others.
    pub max_messages_per_run: u32,
    /// Maximum number of steps of one run, 1 to 10000. At the limit, the run ends with `step_limit`. In the `review`
    /// flow, the limit is for one round, which then ends with a gate. Default 40; 10000 in the `topology` flow.
    pub max_steps_per_run: u32,
    /// Maximum number of turns of one agent for one task, 1 to 200. The request of the last turn forbids tool calls;
    /// calls in its response fail with `too_many_turns`. Default 20.
    pub max_turns_per_task: u32,
    /// Maximum number of agents that work in parallel, 1 to 4096; others wait. Default 64; 4096 in the `topology` flow.
    pub max_parallel: u32,
    /// Maximum number of tool calls of one turn, 1 to 64. Further ones fail with `too_many_calls`. Default 16.
    pub max_calls_per_turn: u32,
    /// Maximum number of retries of a plan item, or of a task in the `topology` flow, before it is blocked, 0 to 20.
    /// Default 2.
    pub max_retries: u32,
    /// Maximum number of repeated requests to an agent whose output could not be read, 0 to 20. Default 2.
    pub max_repairs: u32,
    /// Code bases that agents may read, by their names in the server's configuration, at most 32. A new session that
    /// names none gets up to 32 that its creator and its team can use; `[]` gives it none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<Arc<str>>,
    /// Knowledge bases that agents may search, by their ids, at most 32. Example: `["1", "7"]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub knowledge: Vec<Arc<str>>,
    /// Maximum number of attempts at one turn before the run fails (in the `topology` flow, the task, which is then
    /// retried up to `max_retries` times), 1 to 20. Default 4.
    pub max_attempts: u32,
    /// Maximum number of messages that can wait for a busy run, 1 to 1000. Default 50.
    pub max_waiting_messages: u32,
    /// Seconds until an open gate expires, 1 to 31536000. An edit restarts them. Absent: only gates whose rule sets
    /// `deadline_seconds` expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_seconds: Option<u64>,
    /// Limits on the combined usage of all model requests of the session. When they are reached and the run needs
    /// another request, a `budget` gate opens. Absent: no limit. Example: `{"max_tokens":200000}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// Model for all agents, in place of the ones that the team names, as a listed `provider/model`. A gate about the
    /// budget can set it to a cheaper one. Absent: each agent uses the model of the team. Example:
    /// `"openai/gpt-4o-mini"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = Settings::MAX_MODEL_BYTES))]
    pub model: Option<Arc<str>>,
    /// Settings for rules that are learned from votes: who proposes them, and how much evidence they need. Default:
    /// `{"mode":"automatic","min_decisions":5,"min_people":2,"max_refused_percent":10}`. Example: `{"mode":"off"}`.
    #[serde(skip_serializing_if = "LearningSettings::is_default")]
    pub learning: LearningSettings,
    /// Days after the last event until all content of the session is erased, 1 to 36500. Nothing is erased during a
    /// run. Absent: content is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            approval: Quorum::Any {},
            approval_rules: vec![],
            rights: vec![],
            max_messages_per_run: 20,
            max_steps_per_run: 40,
            max_turns_per_task: 20,
            max_parallel: 64,
            max_calls_per_turn: 16,
            max_retries: 2,
            max_repairs: 2,
            code: vec![],
            knowledge: vec![],
            max_attempts: 4,
            max_waiting_messages: 50,
            gate_seconds: None,
            budget: None,
            model: None,
            learning: LearningSettings::default(),
            retention_days: None,
        }
    }
}

impl Settings {
    /// Maximum of `max_messages_per_run`.
    pub const MAX_MESSAGES_PER_RUN: u32 = 10_000;
    /// Maximum of `max_steps_per_run`.
    pub const MAX_STEPS_PER_RUN: u32 = 10_000;
    /// Maximum of `max_parallel`.
    pub const MAX_PARALLEL: u32 = 4_096;
    /// Maximum length of `model`, in bytes.
    pub const MAX_MODEL_BYTES: usize = 200;
    /// Maximum number of code bases in a session. The same limit applies separately to knowledge bases.
    pub const NAMED: usize = 32;

    /// Returns the default settings of a session with this flow.
    pub fn of(flow: &str) -> Self {
        flow::flow_named(flow).map_or_else(Self::default, Flow::settings)
    }

    /// Returns these settings with the given fields replaced.
    ///
    /// # Errors
    /// Fails if a field is unknown or cannot be read.
    pub fn with(&self, changes: &Map<String, Value>) -> Result<Self, String> {
        let whole = self.named();
        let read = |more: Map<String, Value>| {
            let fields: Map<_, _> = whole.clone().into_iter().chain(more).collect();
            serde_json::from_value::<Self>(Value::Object(fields))
        };
        read(changes.clone()).map_err(|error| {
            // The error does not say which field it is about.
            let error_of = |name: &String, value: &Value| {
                read([(name.clone(), value.clone())].into_iter().collect()).err().map(|error| plain(&error))
            };
            let named = |(name, value): (&String, &Value)| {
                let error = error_of(name, value)?;
                let is_unknown = error_of(name, &Value::Null).is_some_and(|error| error.starts_with("unknown field"));
                let wrong = |item: &Value| error_of(name, &Value::Array(vec![item.clone()])).is_some();
                let place = value.as_array().and_then(|items| items.iter().position(wrong));
                let place = place.map_or_else(|| name.clone(), |at| format!("{name}/{at}"));
                Some(if is_unknown { error } else { format!("{place}: {error}") })
            };
            changes.iter().find_map(named).unwrap_or_else(|| plain(&error))
        })
    }

    /// Returns the settings as a JSON object.
    pub fn named(&self) -> Map<String, Value> {
        let fields = serde_json::to_value(self).and_then(serde_json::from_value);
        fields.expect("settings serialize to an object: their keys are strings")
    }

    /// Returns the names of the settings that differ from `other`.
    pub fn changed_fields(&self, other: &Self) -> Vec<Arc<str>> {
        let (mine, others) = (self.named(), other.named());
        // Empty settings are not serialized, so a name can occur on one side only.
        let names = mine.keys().chain(others.keys().filter(|name| !mine.contains_key(*name)));
        names.filter(|name| mine.get(*name) != others.get(*name)).map(|name| name.as_str().into()).collect()
    }

    /// Returns the deadline of a gate under `rule` that opens now. `None` if it does not expire.
    pub(crate) fn gate_deadline(&self, rule: &ApprovalRule, now: Timestamp) -> Option<Timestamp> {
        let seconds = rule.deadline_seconds.or(self.gate_seconds);
        seconds.map(|seconds| now.plus(seconds.saturating_mul(1000)))
    }

    /// Checks the settings. The error message is for their sender.
    pub fn check(&self) -> Result<(), String> {
        self.check_limits()?;
        self.approval
            .check()
            .and_then(|()| self.check_role(&self.approval, false))
            .map_err(|text| format!("approval: {text}"))?;
        for (at, rule) in self.approval_rules.iter().enumerate() {
            let mut quorums = rule.escalation.iter().map(|step| &step.quorum).chain([&rule.quorum]);
            rule.check(self.gate_seconds)
                .and_then(|()| quorums.try_for_each(|quorum| self.check_role(quorum, rule.bots)))
                .map_err(|text| format!("approval_rules/{at}: {text}"))?;
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), &'static str> {
        if !(2..=Self::MAX_MESSAGES_PER_RUN).contains(&self.max_messages_per_run) {
            return Err("max_messages_per_run must be between 2 and 10000");
        }
        if !(1..=Self::MAX_STEPS_PER_RUN).contains(&self.max_steps_per_run) {
            return Err("max_steps_per_run must be between 1 and 10000");
        }
        if !(1..=200).contains(&self.max_turns_per_task) {
            return Err("max_turns_per_task must be between 1 and 200");
        }
        if !(1..=Self::MAX_PARALLEL).contains(&self.max_parallel) {
            return Err("max_parallel must be between 1 and 4096");
        }
        if !(1..=64).contains(&self.max_calls_per_turn) {
            return Err("max_calls_per_turn must be between 1 and 64");
        }
        if self.max_retries > 20 || self.max_repairs > 20 {
            return Err("max_retries and max_repairs must be between 0 and 20");
        }
        if self.code.len() > Self::NAMED || self.knowledge.len() > Self::NAMED {
            return Err("code and knowledge must have at most 32 entries each");
        }
        if !(1..=20).contains(&self.max_attempts) {
            return Err("max_attempts must be between 1 and 20");
        }
        if !(1..=1000).contains(&self.max_waiting_messages) {
            return Err("max_waiting_messages must be between 1 and 1000");
        }
        if self.gate_seconds.is_some_and(|seconds| !(1..=31_536_000).contains(&seconds)) {
            return Err("gate_seconds must be between 1 second and a year");
        }
        if self.retention_days.is_some_and(|days| !(1..=36_500).contains(&days)) {
            return Err("retention_days must be between 1 and 36500");
        }
        if self.model.as_ref().is_some_and(|model| !(1..=Self::MAX_MODEL_BYTES).contains(&model.len())) {
            return Err("model must have 1 to 200 bytes; leave model out for the models of the team");
        }
        if let Some(budget) = &self.budget {
            budget.check()?;
        }
        self.learning.check()?;
        if self.approval_rules.len() > ApprovalRule::MAX {
            return Err("approval_rules must have at most 16 rules");
        }
        RightRule::check_all(&self.rights)
    }

    /// Checks that the role that a quorum names can vote. `bots` is true if the rule counts the votes of bots.
    fn check_role(&self, quorum: &Quorum, bots: bool) -> Result<(), &'static str> {
        if quorum.only_role().is_none_or(|role| self.may_vote(role, bots)) {
            return Ok(());
        }
        Err("the role of the quorum may not approve here; name another role, or allow approve to it in rights")
    }

    /// Returns whether the role has the right in this session, without asking.
    pub fn may(&self, role: Role, right: Right) -> bool {
        self.access(role, right) == RightAccess::Allow
    }

    /// Returns whether votes in this role count. Bots need no right to vote where their votes count, but a rule of the
    /// session can deny it to them.
    pub(crate) fn may_vote(&self, role: Role, bots: bool) -> bool {
        self.may(role, Right::Approve) || bots && role == Role::Bot && !self.denies(role, Right::Approve)
    }

    /// Returns the access of the role to the right in this session.
    pub fn access(&self, role: Role, right: Right) -> RightAccess {
        let default = if role.may_by_default(right) { RightAccess::Allow } else { RightAccess::Deny };
        self.right_rule(role, right).map_or(default, |rule| rule.access)
    }

    /// Returns the rights that the role must ask the owners for in this session.
    pub fn rights_to_ask_for(&self, role: Role) -> Vec<Right> {
        Right::ALL.into_iter().filter(|right| self.access(role, *right) == RightAccess::Ask).collect()
    }

    /// Returns whether a rule of the session denies the right to the role.
    fn denies(&self, role: Role, right: Right) -> bool {
        self.right_rule(role, right).is_some_and(|rule| rule.access == RightAccess::Deny)
    }

    fn right_rule(&self, role: Role, right: Right) -> Option<&RightRule> {
        self.rights.iter().find(|rule| rule.role == role && rule.right == right)
    }

    /// Returns the rights of the role in this session, without those that it must ask for.
    pub fn rights_of(&self, role: Role) -> Vec<Right> {
        Right::ALL.into_iter().filter(|right| self.may(role, *right)).collect()
    }

    /// Returns whether the role includes all rights of `other` in this session. Nobody can grant a role that their own
    /// role does not cover.
    pub fn covers(&self, own: Role, other: Role) -> bool {
        Right::ALL.into_iter().all(|right| self.access(own, right) <= self.access(other, right))
    }

    /// Returns the rule of a gate. Risk and sources are those of the call, if there is one.
    pub(crate) fn approval_of(
        &self,
        kind: GateKind,
        risk: Option<Risk>,
        sources: Option<&CallSources>,
    ) -> ApprovalRule {
        let rule = self.approval_rules.iter().find(|rule| rule.applies(kind, risk, sources));
        // Only owners decide on commands: the usual quorum can require people who are not owners.
        let usual = if kind == GateKind::Command { Quorum::Any {} } else { self.approval };
        rule.cloned().unwrap_or_else(|| ApprovalRule::default_with(usual))
    }

    /// Returns the kinds of a call's sources that rules ask about. If there are any, the call needs approval unless it
    /// only reads.
    pub(crate) fn causes(&self, risk: Risk, sources: &CallSources) -> BTreeSet<CallSourceKind> {
        let rules = self.approval_rules.iter();
        let rules = rules.filter(|rule| rule.applies(GateKind::Tool, Some(risk), Some(sources)));
        rules.flat_map(|rule| rule.caused_by.intersection(&sources.kinds)).copied().collect()
    }
}
