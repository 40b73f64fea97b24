//! History of the calls that people were asked about. Rules are learned from it, and proposed rules are tried on it.
//!
//! It is a fold of the log. An entry has everything that decides whether a rule covers the call, as it was when the
//! call was checked, so that a forecast equals a replay of the log with the rule.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::standing_permission::sorted_digest;
use super::{Call, CallSourceKind, Risk, RulePattern, digest};
use crate::gate::{ApprovalRule, Choice, GateKind, Outcome, Vote};
use crate::{ActorKind, AgentId, CallId, GateId, ParticipantId, Settings};

/// Decision that people made about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PastOutcome {
    /// They allowed it as the agent proposed it.
    Allowed,
    /// They edited its arguments.
    Changed,
    /// They rejected it, or answered in its place.
    Refused,
    /// Nobody decided: the gate is open, expired or was closed.
    Undecided,
}

/// Everything about a call that decides whether a learned rule covers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFeatures {
    /// Agent that made the call.
    pub agent: AgentId,
    /// Tool of the call.
    pub tool: Arc<str>,
    /// BLAKE3 hash of the arguments as compact JSON with sorted fields. `None` if they are not JSON.
    pub arguments_digest: Option<Arc<str>>,
    /// Risk of the call.
    pub risk: Risk,
    /// Kinds of its sources that a rule must name to cover the call.
    pub sources: BTreeSet<CallSourceKind>,
    /// Digest of the approval rule that the call needs. `None` if the rule separates duties: a vote for one run then
    /// never counts for another run.
    pub rule: Option<Arc<str>>,
}

impl CallFeatures {
    /// Kinds of source that a learned rule must name, whether or not an approval rule asks about them.
    const OUTSIDE: [CallSourceKind; 2] = [CallSourceKind::Guest, CallSourceKind::Web];

    /// Returns the features of a call by this agent with this risk, in a session with these settings.
    pub(crate) fn of(settings: &Settings, agent: &AgentId, call: &Call, risk: Risk) -> Self {
        let rule = settings.approval_of(GateKind::Tool, Some(risk), Some(&call.sources));
        let outside = Self::OUTSIDE.into_iter().filter(|kind| call.sources.kinds.contains(kind));
        Self {
            agent: agent.clone(),
            tool: call.name.clone(),
            arguments_digest: sorted_digest(&call.arguments),
            risk,
            sources: settings.causes(risk, &call.sources).into_iter().chain(outside).collect(),
            rule: (!rule.separate_duties).then(|| rule_digest(&rule)),
        }
    }
}

/// A call that people were asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedCall {
    /// Id of the call.
    pub call: CallId,
    /// Gate that asked about it. `None` only until the gate opens.
    pub gate: Option<GateId>,
    /// Features of the call when it was checked.
    pub features: CallFeatures,
    /// Decision that people made.
    pub outcome: PastOutcome,
    /// People who voted for it.
    pub approved_by: Vec<ParticipantId>,
}

/// A pattern that people declined or revoked, with the number of calls that they had allowed by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DeclinedRule {
    agent: AgentId,
    tool: Arc<str>,
    arguments_digest: Option<Arc<str>>,
    allowed: usize,
}

impl DeclinedRule {
    fn is_of(&self, pattern: &RulePattern) -> bool {
        (&self.agent, &self.tool, &self.arguments_digest) == (&pattern.agent, &pattern.tool, &pattern.arguments_digest)
    }
}

/// The newest calls that people were asked about, and the patterns that they declined. The kernel keeps it with the
/// state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallHistory {
    calls: Arc<VecDeque<AskedCall>>,
    declined: Arc<VecDeque<DeclinedRule>>,
}

impl CallHistory {
    /// Maximum number of calls in the history; older ones are removed.
    pub const CALLS: usize = 256;
    /// Maximum number of declined patterns in the history.
    const DECLINED: usize = 64;

    /// Returns the calls, oldest first.
    pub fn calls(&self) -> impl Iterator<Item = &AskedCall> {
        self.calls.iter()
    }

    /// Returns whether the server may propose the pattern: it was never declined, or the evidence has doubled since.
    pub(crate) fn may_propose(&self, pattern: &RulePattern, allowed: usize) -> bool {
        self.declined_at(pattern).is_none_or(|before| allowed >= before.max(1).saturating_mul(2))
    }

    /// Returns how many allowed calls there were when people last declined or revoked the pattern; `None` if there is
    /// no record of that.
    pub(crate) fn declined_at(&self, pattern: &RulePattern) -> Option<usize> {
        self.declined.iter().find(|known| known.is_of(pattern)).map(|known| known.allowed)
    }

    /// Adds a call that people are asked about. A call that is checked again still has only one entry.
    pub(crate) fn add(&mut self, call: CallId, features: CallFeatures) {
        let calls = Arc::make_mut(&mut self.calls);
        calls.retain(|known| known.call != call);
        if calls.len() == Self::CALLS {
            calls.pop_front();
        }
        let (gate, outcome, approved_by) = (None, PastOutcome::Undecided, vec![]);
        calls.push_back(AskedCall { call, gate, features, outcome, approved_by });
    }

    /// Records the gate that asks about a call.
    pub(crate) fn open(&mut self, call: CallId, gate: GateId) {
        if self.calls.iter().any(|known| known.call == call && known.gate.is_none()) {
            let mut calls = Arc::make_mut(&mut self.calls).iter_mut();
            calls.find(|known| known.call == call).into_iter().for_each(|known| known.gate = Some(gate));
        }
    }

    /// Records that people edited the call of a gate.
    pub(crate) fn edit(&mut self, gate: GateId) {
        self.change(gate, |known| known.outcome = PastOutcome::Changed);
    }

    /// Records the decision of a gate about a call.
    pub(crate) fn decide(&mut self, gate: GateId, outcome: Outcome, votes: &[Vote]) {
        // A guest can be anybody, including one of the other voters.
        let is_person = |vote: &&Vote| vote.by.kind == ActorKind::User && !vote.by.guest;
        let people = votes.iter().filter(|vote| vote.choice == Choice::Approve).filter(is_person);
        let people: Vec<ParticipantId> = people.filter_map(|vote| vote.by.participant_id()).collect();
        self.change(gate, |known| match (outcome, known.outcome) {
            (Outcome::Rejected | Outcome::Responded | Outcome::Withdrawn, _) => known.outcome = PastOutcome::Refused,
            // Silence is not evidence, and neither is the approval of other arguments.
            (Outcome::Approved, PastOutcome::Undecided) if !people.is_empty() => {
                (known.outcome, known.approved_by) = (PastOutcome::Allowed, people);
            }
            (Outcome::Approved, _) => {}
        });
    }

    /// Records that people declined or revoked a pattern.
    pub(crate) fn decline(&mut self, pattern: &RulePattern) {
        let allowed = |known: &&AskedCall| known.outcome == PastOutcome::Allowed && pattern.covers(&known.features);
        let allowed = self.calls.iter().filter(allowed).count();
        let declined = Arc::make_mut(&mut self.declined);
        declined.retain(|known| !known.is_of(pattern));
        if declined.len() == Self::DECLINED {
            declined.pop_front();
        }
        let RulePattern { agent, tool, arguments_digest, .. } = pattern.clone();
        declined.push_back(DeclinedRule { agent, tool, arguments_digest, allowed });
    }

    fn change(&mut self, gate: GateId, change: impl FnOnce(&mut AskedCall)) {
        if let Some(at) = self.calls.iter().position(|known| known.gate == Some(gate)) {
            change(&mut Arc::make_mut(&mut self.calls)[at]);
        }
    }
}

/// Returns the BLAKE3 hash of an approval rule as JSON.
pub(crate) fn rule_digest(rule: &ApprovalRule) -> Arc<str> {
    digest(&serde_json::to_string(rule).expect("a rule serializes: its keys are strings"))
}
