//! Rules that choose the quorum of a gate by its kind, and by the risk and the sources of the call.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EscalationStep, GateKind, Quorum};
use crate::Role;
use crate::call::{CallSourceKind, CallSources, Risk};

/// Rule for the approval of some gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// Kind of the gates, for example `plan`. Absent: all kinds except `command`, on which one owner decides unless a
    /// rule names the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateKind>,
    /// Minimum risk of the call that the gate is about: `low`, `medium` or `high`. Absent: any risk, including gates
    /// without a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_risk: Option<Risk>,
    /// Kinds of source, at least one of which the call that the gate is about must have, for example `["guest",
    /// "web"]`. Such a rule also asks about calls that would otherwise be made without a gate, except those that only
    /// read. Empty: any sources, including gates without a call.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub caused_by: BTreeSet<CallSourceKind>,
    /// Votes that decide these gates.
    pub quorum: Quorum,
    /// True if these gates need the approval of somebody other than guests and the participants who started or steered
    /// the run or edited the subject. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_duties: bool,
    /// True if votes cannot approve these gates while a comment on what they show is unresolved. Rejections, answers
    /// and the outcome at the deadline apply as usual. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub comments_hold: bool,
    /// True if the votes of bots count as well. Default false: bots do not vote.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bots: bool,
    /// Quorums, at most 4 and in chronological order, each of which replaces the one before it if nobody decides in
    /// time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4))]
    pub escalation: Vec<EscalationStep>,
    /// Seconds that people have to decide, 1 to 31536000. Absent: `gate_seconds` of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 31_536_000))]
    pub deadline_seconds: Option<u64>,
    /// Outcome of the gate at the deadline. Absent: `approved` under the `veto` quorum without escalation, otherwise
    /// `expired`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_deadline: Option<DeadlineOutcome>,
}

/// Outcome of a gate at its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeadlineOutcome {
    /// The gate is approved, unless there is a vote against it.
    Approved,
    /// The gate ends without a decision: its call fails or, if the whole run waits for it, the run fails.
    Expired,
}

impl ApprovalRule {
    /// Maximum number of rules of a session.
    pub const MAX: usize = 16;
    /// Maximum number of escalations of a rule.
    pub const MAX_ESCALATIONS: usize = 4;
    /// Maximum of `deadline_seconds` and of each `after_seconds`: a year.
    pub const MAX_SECONDS: u64 = 31_536_000;

    /// Returns the rule for gates that no rule of the session applies to.
    pub(crate) fn default_with(quorum: Quorum) -> Self {
        Self {
            gate: None,
            min_risk: None,
            caused_by: BTreeSet::new(),
            quorum,
            separate_duties: false,
            comments_hold: false,
            bots: false,
            escalation: vec![],
            deadline_seconds: None,
            at_deadline: None,
        }
    }

    /// Checks that the rule itself is valid in a session with these `gate_seconds`.
    pub(crate) fn check(&self, gate_seconds: Option<u64>) -> Result<(), &'static str> {
        if self.gate == Some(GateKind::Rule) {
            return Err("a proposed rule is decided under the rule of its calls; name another kind of gate");
        }
        let quorums = || self.escalation.iter().map(|step| &step.quorum).chain([&self.quorum]);
        if self.gate == Some(GateKind::Command) {
            if self.separate_duties || self.bots {
                return Err("owners decide on commands, and never on their own; leave separate_duties and bots out");
            }
            if !quorums().filter_map(Quorum::only_role).all(|role| role == Role::Owner) {
                return Err("owners decide on commands; use the role owner, or a quorum without a role");
            }
        }
        let needs_a_vote = matches!(self.gate, Some(GateKind::Budget | GateKind::Uncertain | GateKind::Command));
        if needs_a_vote && self.at_deadline == Some(DeadlineOutcome::Approved) {
            return Err("gates of this kind always expire at the deadline; leave at_deadline out");
        }
        if self.comments_hold && matches!(self.gate, Some(GateKind::Budget | GateKind::Command)) {
            return Err("gates of this kind show nothing to comment on; leave comments_hold out");
        }
        if self.gate == Some(GateKind::Question) && !self.is_plain() {
            return Err("the first answer decides a question; use the quorum any and, if you want, deadline_seconds");
        }
        if self.escalation.len() > Self::MAX_ESCALATIONS {
            return Err("escalation must have at most 4 steps");
        }
        let times = || self.escalation.iter().map(|step| step.after_seconds);
        let within = |seconds: u64| (1..=Self::MAX_SECONDS).contains(&seconds);
        if !times().chain(self.deadline_seconds).all(within) {
            return Err("after_seconds and deadline_seconds must be between 1 second and a year");
        }
        let has_call = |kind: GateKind| matches!(kind, GateKind::Tool | GateKind::Uncertain);
        if (self.min_risk.is_some() || !self.caused_by.is_empty()) && !self.gate.is_none_or(has_call) {
            return Err(
                "only calls have a risk and sources; name the gate tool or uncertain, or leave min_risk and caused_by out",
            );
        }
        let deadline = self.deadline_seconds.or(gate_seconds);
        if deadline.is_some_and(|deadline| times().any(|step| step >= deadline)) {
            return Err(
                "a step of escalation must be earlier than the deadline (deadline_seconds of the rule, otherwise \
                 gate_seconds); otherwise it never happens",
            );
        }
        if self.at_deadline.is_some() && deadline.is_none() {
            return Err("at_deadline requires a deadline; add deadline_seconds to the rule, or set gate_seconds");
        }
        if !times().is_sorted_by(|one, next| one < next) {
            return Err("each step of escalation must be later than the one before it; sort them by after_seconds");
        }
        quorums().try_for_each(Quorum::check)
    }

    /// Returns whether gates under the rule differ from the default at most in their deadline.
    fn is_plain(&self) -> bool {
        let Self { quorum, separate_duties, comments_hold, bots, escalation, at_deadline, .. } = self;
        *quorum == Quorum::default()
            && !(*separate_duties || *comments_hold || *bots)
            && escalation.is_empty()
            && *at_deadline != Some(DeadlineOutcome::Approved)
    }

    /// Returns whether the rule applies to a gate of this kind, with a call of this risk and these sources.
    pub(crate) fn applies(&self, kind: GateKind, risk: Option<Risk>, sources: Option<&CallSources>) -> bool {
        let caused = || sources.is_some_and(|sources| !self.caused_by.is_disjoint(&sources.kinds));
        self.gate.map_or(kind != GateKind::Command, |wanted| wanted == kind)
            && self.min_risk.is_none_or(|min| risk >= Some(min))
            && (self.caused_by.is_empty() || caused())
    }
}
