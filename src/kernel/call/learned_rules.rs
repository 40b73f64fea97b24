//! Rules learned from votes: if people keep allowing the same kind of call, the server proposes making such calls
//! without asking. The proposal is a gate, and its rule is a standing permission.
//!
//! A learned rule never weakens the approval rule of its calls: it is decided under that rule, and covers only calls
//! that need exactly that one. It never covers calls of high risk, or calls under a rule that separates duties.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::history::{AskedCall, CallFeatures, CallHistory, PastOutcome, rule_digest};
use super::standing_permission::{self, StandingPermission};
use super::{CallSourceKind, Risk, digest};
use crate::draft::Draft;
use crate::gate::{ApprovalRule, Choice, Gate, GateKind, opening};
use crate::{
    AgentId, CallId, Fact, GateId, LearningMode, LearningSettings, ParticipantId, PermissionId, Rejection, Right,
    Settings, Timestamp, View,
};

/// Calls that a rule learned from votes allows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct RulePattern {
    /// Agent whose calls it allows.
    pub agent: AgentId,
    /// Tool whose calls it allows. Example: `web_search`.
    pub tool: Arc<str>,
    /// BLAKE3 hash of the arguments as compact JSON with sorted fields, in hexadecimal. Absent: any arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_digest: Option<Arc<str>>,
    /// Maximum risk of the calls: `low` or `medium`.
    pub risk: Risk,
    /// Kinds of source that the calls can have. Lists only kinds that a rule must name: `guest`, `web`, and the kinds
    /// that approval rules ask about.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sources: BTreeSet<CallSourceKind>,
    /// BLAKE3 hash of the approval rule that the calls need. Calls that need another rule are not covered.
    pub rule: Arc<str>,
}

/// A past call that a proposed rule would have allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastCall {
    /// Id of the call. Example: `t_21`.
    pub call: CallId,
    /// Gate at which people were asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateId>,
    /// Decision that people made.
    pub outcome: PastOutcome,
}

/// A rule that the votes so far suggest, with its forecast: what it would have done to the past calls of the session
/// that people were asked about, at most the newest 256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleSuggestion {
    /// Id of the suggestion: the BLAKE3 hash of its pattern, in hexadecimal.
    pub id: Arc<str>,
    /// Calls that the rule allows.
    pub pattern: RulePattern,
    /// Number of calls in `calls` that people allowed as they were proposed.
    pub allowed: usize,
    /// Number of calls in `calls` that people edited.
    pub changed: usize,
    /// Number of calls in `calls` that people rejected or answered themselves.
    pub refused: usize,
    /// Number of calls in `calls` that nobody decided about.
    pub undecided: usize,
    /// People who allowed calls in `calls`.
    pub allowed_by: Vec<ParticipantId>,
    /// All past calls that the rule would have allowed, oldest first.
    pub calls: Vec<PastCall>,
    /// True if people declined or revoked the rule before, and the evidence has not doubled since. The server then does
    /// not propose it, but people can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declined: bool,
    /// Participant who proposed the rule. Absent if the server proposed it, and before it is proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_by: Option<ParticipantId>,
}

impl RulePattern {
    /// Returns whether the rule covers a call with these features.
    pub fn covers(&self, call: &CallFeatures) -> bool {
        self.agent == call.agent
            && self.tool == call.tool
            && self.arguments_digest.as_ref().is_none_or(|wanted| call.arguments_digest.as_ref() == Some(wanted))
            && call.risk <= self.risk
            && call.sources.is_subset(&self.sources)
            && call.rule.as_ref() == Some(&self.rule)
    }

    /// Returns the permission that makes this a rule of the session.
    pub fn permission(self, id: PermissionId, gate: GateId, granted_at: Timestamp) -> StandingPermission {
        let Self { agent, tool, arguments_digest, risk, sources, rule } = self;
        StandingPermission {
            id,
            gate,
            agent,
            tool,
            arguments_digest,
            risk,
            caused_by: sources,
            run: None,
            until: None,
            max_uses: None,
            uses: 0,
            rule: Some(rule),
            granted_by: vec![],
            granted_by_guest: false,
            granted_at,
        }
    }

    /// Returns the BLAKE3 hash of the pattern, in hexadecimal.
    pub fn digest(&self) -> Arc<str> {
        digest(&serde_json::to_string(self).expect("a pattern serializes: its keys are strings"))
    }

    /// Returns whether the rule covers every call that `other` covers.
    fn contains(&self, other: &Self) -> bool {
        let arguments = self.arguments_digest.is_none() || self.arguments_digest == other.arguments_digest;
        let wider = other.risk <= self.risk && other.sources.is_subset(&self.sources);
        (&self.agent, &self.tool, &self.rule) == (&other.agent, &other.tool, &other.rule) && arguments && wider
    }
}

impl StandingPermission {
    /// Returns the pattern of a learned permission; `None` if a voter proposed the permission.
    pub fn pattern(&self) -> Option<RulePattern> {
        let rule = self.rule.clone()?;
        let Self { agent, tool, arguments_digest, risk, caused_by, .. } = self.clone();
        Some(RulePattern { agent, tool, arguments_digest, risk, sources: caused_by, rule })
    }
}

impl RuleSuggestion {
    /// Maximum number of proposals that are open at the same time.
    pub const MAX_OPEN: usize = 5;

    /// Applies a pattern to the history: finds the past calls that it would have allowed, and what people decided.
    pub fn forecast(history: &CallHistory, pattern: RulePattern) -> Self {
        let covered: Vec<&AskedCall> = history.calls().filter(|past| pattern.covers(&past.features)).collect();
        let count = |outcome| covered.iter().filter(|past| past.outcome == outcome).count();
        let allowed_by: BTreeSet<_> = covered.iter().flat_map(|past| &past.approved_by).copied().collect();
        let past = |past: &&AskedCall| PastCall { call: past.call, gate: past.gate, outcome: past.outcome };
        let allowed = count(PastOutcome::Allowed);
        Self {
            id: pattern.digest(),
            allowed,
            changed: count(PastOutcome::Changed),
            refused: count(PastOutcome::Refused),
            undecided: count(PastOutcome::Undecided),
            allowed_by: allowed_by.into_iter().collect(),
            calls: covered.iter().map(past).collect(),
            declined: !history.may_propose(&pattern, allowed),
            proposed_by: None,
            pattern,
        }
    }

    /// Returns whether there is enough evidence for the rule. Calls with lower risk or fewer sources are not evidence
    /// that people would allow the calls of the pattern.
    fn is_due(&self, history: &CallHistory, settings: &LearningSettings) -> bool {
        let Self { pattern, refused, changed, .. } = self;
        let own = |past: &&AskedCall| {
            let CallFeatures { risk, sources, .. } = &past.features;
            past.outcome == PastOutcome::Allowed
                && pattern.covers(&past.features)
                && (risk, sources) == (&pattern.risk, &pattern.sources)
        };
        let allowed = history.calls().filter(own).count() as u64;
        let people: BTreeSet<_> = history.calls().filter(own).flat_map(|past| &past.approved_by).collect();
        let (for_it, against) = (self.allowed as u64, (refused + changed) as u64);
        allowed >= u64::from(settings.min_decisions)
            && people.len() as u64 >= u64::from(settings.min_people)
            && against * 100 <= u64::from(settings.max_refused_percent) * (for_it + against)
    }

    /// Returns the rules that the votes of a session suggest and that nobody has granted yet, narrower ones first.
    pub fn all(view: &View) -> Vec<Self> {
        let settings = &view.settings.learning;
        if settings.mode == LearningMode::Off { vec![] } else { candidates(view, settings) }
    }

    /// Returns the pattern of a rule that is proposed or suggested now.
    ///
    /// # Errors
    /// [`Rejection::UnknownSuggestion`] if there is no such rule.
    pub fn find_pattern(view: &View, id: &str) -> Result<RulePattern, Rejection> {
        let proposed = open_proposals(view).find(|open| *open.id == *id).map(|open| open.pattern.clone());
        let suggested = || Self::all(view).into_iter().find(|known| *known.id == *id).map(|known| known.pattern);
        proposed.or_else(suggested).ok_or(Rejection::UnknownSuggestion)
    }
}

/// Returns one suggestion for each group of calls that share the agent, the tool, the approval rule and, unless the
/// group is for any arguments, the arguments: the narrowest pattern that has enough evidence and is not granted yet.
fn candidates(view: &View, settings: &LearningSettings) -> Vec<RuleSuggestion> {
    let history = &view.call_history;
    let granted = |pattern: &RulePattern| {
        view.permissions.iter().filter_map(StandingPermission::pattern).any(|known| known.contains(pattern))
    };
    // A rule learned under an approval rule that is no longer part of the session would cover no calls.
    let rules: BTreeSet<Arc<str>> = view.settings.tool_rules().map(|rule| rule_digest(&rule)).collect();
    let learnable = |past: &&AskedCall| {
        let current = past.features.rule.as_ref().is_some_and(|rule| rules.contains(rule));
        past.outcome == PastOutcome::Allowed && past.features.risk < Risk::High && current
    };
    let evidence: Vec<&CallFeatures> = history.calls().filter(learnable).map(|past| &past.features).collect();
    // The arguments of a group: `None` for any.
    type Group = (AgentId, Arc<str>, Arc<str>, Option<Arc<str>>);
    let group = |call: &CallFeatures, arguments: Option<Arc<str>>| -> Option<Group> {
        Some((call.agent.clone(), call.tool.clone(), call.rule.clone()?, arguments))
    };
    let same = evidence.iter().filter_map(|call| group(call, Some(call.arguments_digest.clone()?)));
    let any = evidence.iter().filter_map(|call| group(call, None));
    let groups: BTreeSet<Group> = same.chain(any).collect();
    let mut found = vec![];
    for (agent, tool, rule, arguments_digest) in groups {
        let widest = RulePattern {
            agent,
            tool,
            arguments_digest,
            risk: Risk::Medium,
            sources: evidence.iter().flat_map(|call| &call.sources).copied().collect(),
            rule,
        };
        let calls: Vec<_> = evidence.iter().filter(|call| widest.covers(call)).collect();
        // Calls with the same arguments are not evidence for calls with others.
        let mut arguments: Vec<_> = calls.iter().map(|call| &call.arguments_digest).collect();
        arguments.sort();
        arguments.dedup();
        if calls.len() < settings.min_decisions as usize || widest.arguments_digest.is_none() && arguments.len() < 2 {
            continue;
        }
        let mut scopes: Vec<(Risk, &BTreeSet<CallSourceKind>)> = calls.iter().map(|c| (c.risk, &c.sources)).collect();
        scopes.sort_by_key(|(risk, sources)| (sources.len(), *risk, *sources));
        scopes.dedup();
        let patterns =
            scopes.into_iter().map(|(risk, sources)| RulePattern { risk, sources: sources.clone(), ..widest.clone() });
        let mut forecasts = patterns.map(|pattern| RuleSuggestion::forecast(history, pattern));
        found.extend(forecasts.find(|known| known.is_due(history, settings) && !granted(&known.pattern)));
    }
    found.sort_by_key(|suggestion| suggestion.pattern.arguments_digest.is_none());
    found
}

/// Opens a gate about a rule that has become due through a decision about a call, if the server proposes rules in this
/// session.
pub(crate) fn propose_due(draft: &mut Draft) {
    let view = draft.view();
    let is_decided = |id: &GateId| view.decided.iter().any(|gate| gate.id == *id && gate.kind == GateKind::Tool);
    let decided = draft.facts().any(|fact| matches!(fact, Fact::GateDecided { gate, .. } if is_decided(gate)));
    if view.settings.learning.mode != LearningMode::Automatic || !decided {
        return;
    }
    let due = RuleSuggestion::all(view).into_iter().find(|suggestion| {
        let known =
            |open: &RulePattern| (&open.agent, &open.tool) == (&suggestion.pattern.agent, &suggestion.pattern.tool);
        !suggestion.declined && !open_proposals(view).any(|open| known(&open.pattern))
    });
    if let Some(suggestion) = due.filter(|_| has_room(draft).is_ok()) {
        open(draft, suggestion);
    }
}

/// Applies the `propose_rule` command.
pub(crate) fn propose(draft: &mut Draft, id: &str) -> Result<(), Rejection> {
    draft.require(Right::Approve)?;
    let view = draft.view();
    if open_proposals(view).any(|open| *open.id == *id) {
        return Err(Rejection::Invalid("this rule is proposed already; vote at its gate".into()));
    }
    if view.settings.learning.mode == LearningMode::Off {
        let text = "this session learns no rules; an owner can change that with the setting learning";
        return Err(Rejection::Invalid(text.into()));
    }
    let suggested = RuleSuggestion::all(view).into_iter().find(|known| *known.id == *id);
    let suggestion = suggested.ok_or(Rejection::UnknownSuggestion)?;
    has_room(draft)?;
    let proposed_by = draft.by().participant_id();
    open(draft, RuleSuggestion { proposed_by, ..suggestion });
    Ok(())
}

fn open(draft: &mut Draft, suggestion: RuleSuggestion) {
    let mut rules = draft.view().settings.tool_rules();
    let rule = rules.find(|rule| rule_digest(rule) == suggestion.pattern.rule);
    drop(rules);
    if let Some(rule) = rule {
        opening::open_rule(draft, suggestion, rule);
    }
}

fn open_proposals(view: &View) -> impl Iterator<Item = &RuleSuggestion> {
    view.gates.iter().filter_map(|gate| gate.rule.as_deref())
}

fn has_room(draft: &Draft) -> Result<(), Rejection> {
    if open_proposals(draft.view()).count() >= RuleSuggestion::MAX_OPEN {
        return Err(Rejection::Invalid("five rules are proposed already; vote at their gates first".into()));
    }
    standing_permission::check_room(draft)
}

/// Checks that a vote can grant the proposed rule.
pub(crate) fn check_vote(draft: &Draft, gate: &Gate, choice: Choice) -> Result<(), Rejection> {
    if gate.kind == GateKind::Rule && choice == Choice::Approve {
        standing_permission::check_room(draft)
    } else {
        Ok(())
    }
}

/// Grants the rule of a gate that people approved.
pub(crate) fn grant(draft: &mut Draft, gate: &Gate) {
    let Some(pattern) = gate.rule.as_deref().map(|rule| rule.pattern.clone()) else { return };
    let approvals = gate.votes.iter().filter(|vote| vote.choice == Choice::Approve);
    let granted_by = approvals.filter_map(|vote| vote.by.participant_id()).collect();
    let granted = pattern.permission(PermissionId(draft.next_seq()), gate.id, draft.at());
    standing_permission::add(draft, StandingPermission { granted_by, ..granted });
}

impl Settings {
    /// Returns the rules that gates about calls can have.
    pub(crate) fn tool_rules(&self) -> impl Iterator<Item = ApprovalRule> {
        let rules = self.approval_rules.iter().filter(|rule| rule.gate.is_none_or(|kind| kind == GateKind::Tool));
        rules.cloned().chain([ApprovalRule::default_with(self.approval)])
    }
}
