//! Standing permissions: people who approve a call can allow later calls like it, so that they are not asked again.
//!
//! A permission is proposed with a vote and is part of what the gate decides: participants who can decide about one
//! call decide about the permission, under the same quorum. It never allows a call that a rule denies, that is riskier
//! than the approved call, or that another agent makes. Nor does it allow a call with a kind of source that rules ask
//! about, unless they already asked about that kind for the approved call.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, CallFeatures, CallSourceKind, CallState, Permission, Risk, digest, lifecycle};
use crate::draft::Draft;
use crate::gate::{Choice, Gate, GateKind};
use crate::{AgentId, Fact, GateId, ParticipantId, PermissionId, Rejection, RunId, Timestamp, View};

/// Arguments that a call can have for a standing permission to allow it: those of the approved call, or any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StandingArguments {
    /// Calls of the same tool with the same arguments, regardless of the order of the fields and of spacing.
    Same,
    /// Calls of the same tool with any arguments.
    Any,
}

/// Terms of a standing permission. At least one of `this_run`, `until` and `max_uses` limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StandingTerms {
    /// Arguments of the calls that it allows: `same` or `any`.
    pub arguments: StandingArguments,
    /// True if it ends with the run. Default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub this_run: bool,
    /// Time at which it ends, at most 30 days from now. Absent: no time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Number of calls that it allows, in addition to the one that the gate is about, 1 to 1000. Absent: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u32>,
}

/// A standing permission: matching calls are made without asking people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingPermission {
    /// Id of the permission. Example: `a_31`.
    pub id: PermissionId,
    /// Gate at which people granted it.
    pub gate: GateId,
    /// Agent whose calls it allows.
    pub agent: AgentId,
    /// Tool whose calls it allows. Example: `web_search`.
    pub tool: Arc<str>,
    /// BLAKE3 hash of the arguments as compact JSON with sorted fields, in hexadecimal. Absent: any arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_digest: Option<Arc<str>>,
    /// Maximum risk of the calls that it allows: that of the approved call.
    pub risk: Risk,
    /// Kinds of source of the approved call that approval rules asked about. A call with another such kind needs
    /// approval.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub caused_by: BTreeSet<CallSourceKind>,
    /// Run that it ends with. Absent: it outlives the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// Time at which it ends. Absent: no time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Number of calls that it allows. Absent: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_uses: Option<u32>,
    /// Number of calls that it has allowed so far.
    #[serde(default)]
    pub uses: u32,
    /// BLAKE3 hash of the approval rule that it was learned under: it covers only calls that need this rule. Absent if
    /// a voter proposed the permission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Arc<str>>,
    /// Participants who voted for it.
    pub granted_by: Vec<ParticipantId>,
    /// True if a guest is among them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub granted_by_guest: bool,
    /// Time at which it was granted.
    pub granted_at: Timestamp,
}

impl StandingTerms {
    /// Maximum of `max_uses`.
    pub const MAX_USES: u32 = 1_000;
    /// Maximum number of milliseconds from the proposal to `until`.
    pub const MAX_MS: u64 = 30 * 24 * 3_600_000;

    fn check(&self, now: Timestamp) -> Result<(), &'static str> {
        if !self.this_run && self.until.is_none() && self.max_uses.is_none() {
            return Err("standing: it has no limit; set this_run, until or max_uses");
        }
        if self.max_uses.is_some_and(|max| !(1..=Self::MAX_USES).contains(&max)) {
            return Err("standing.max_uses must be between 1 and 1000");
        }
        if self.until.is_some_and(|until| until <= now || until > now.plus(Self::MAX_MS)) {
            return Err("standing.until must be in the future, at most 30 days from now");
        }
        Ok(())
    }
}

impl StandingPermission {
    /// Returns whether the permission allows no further call. `now` is the time of the next event.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.has_expired(now) || self.max_uses.is_some_and(|max| self.uses >= max)
    }

    /// Returns whether the time of the permission has passed.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    fn allows(&self, agent: &AgentId, call: &Call, risk: Risk) -> bool {
        let same = |wanted: &Arc<str>| sorted_digest(&call.arguments).is_some_and(|digest| digest == *wanted);
        self.agent == *agent
            && self.tool == call.name
            && risk <= self.risk
            && self.arguments_digest.as_ref().is_none_or(same)
    }
}

/// Checks terms that a voter proposes at a gate.
pub(crate) fn check_terms(draft: &Draft, gate: &Gate, terms: &StandingTerms) -> Result<(), Rejection> {
    let invalid = |message: &str| Err(Rejection::Invalid(message.into()));
    if gate.kind != GateKind::Tool {
        return invalid("standing is valid only at a gate that asks whether a call may be made; leave it out");
    }
    check_room(draft)?;
    terms.check(draft.at()).or_else(invalid)
}

/// Checks that the session has room for another permission.
pub(crate) fn check_room(draft: &Draft) -> Result<(), Rejection> {
    if live(draft.view(), draft.at()).count() < View::PERMISSIONS {
        return Ok(());
    }
    Err(Rejection::Invalid("the session has too many standing permissions; revoke one first".into()))
}

/// Grants the permission that people approved at a gate about a call.
pub(crate) fn grant(draft: &mut Draft, gate: &Gate) {
    let (Some(terms), Some(id)) = (gate.standing, gate.call) else { return };
    let Some((run, call)) = lifecycle::current(draft, id) else { return };
    let Some(agent) = lifecycle::agent_of(draft, id) else { return };
    // There was room when it was proposed. Several can be granted at once, but a session keeps a bounded number. Beyond
    // it, people are asked again.
    if check_room(draft).is_err() {
        return;
    }
    let approvals = || gate.votes.iter().filter(|vote| vote.choice == Choice::Approve);
    let permission = StandingPermission {
        id: PermissionId(draft.next_seq()),
        gate: gate.id,
        agent,
        tool: call.name.clone(),
        arguments_digest: match terms.arguments {
            StandingArguments::Same => sorted_digest(&call.arguments),
            StandingArguments::Any => None,
        },
        risk: call.risk,
        // Only the sources that people were asked about count.
        caused_by: gate.caused_by.clone(),
        run: terms.this_run.then_some(run),
        until: terms.until,
        max_uses: terms.max_uses,
        uses: 0,
        rule: None,
        granted_by: approvals().filter_map(|vote| vote.by.participant_id()).collect(),
        granted_by_guest: approvals().any(|vote| vote.by.guest),
        granted_at: draft.at(),
    };
    add(draft, permission);
}

/// Adds a permission, and approves the waiting calls that it allows.
pub(crate) fn add(draft: &mut Draft, permission: StandingPermission) {
    draft.emit(Fact::PermissionGranted { permission });
    for gate in draft.view().gates.clone() {
        let waiting = gate.call.filter(|_| gate.kind == GateKind::Tool).and_then(|id| lifecycle::current(draft, id));
        let Some((run, call)) = waiting.filter(|(_, call)| call.state == CallState::Asked) else { continue };
        // Only calls as agents proposed them are allowed. A call that somebody edited or voted against is decided at
        // its own gate.
        if !gate.edited_by.is_empty() || gate.votes.iter().any(|vote| vote.choice == Choice::Reject) {
            continue;
        }
        if let Some(standing) = find(draft, &call, call.risk) {
            draft.emit(Fact::GateClosed { gate: gate.id });
            let Call { id, idempotent, risk, result_sources, .. } = call;
            let permission = Permission::Allow;
            let standing = Some(standing);
            draft.emit(Fact::ToolChecked { call: id, run, permission, idempotent, risk, result_sources, standing });
        }
    }
}

/// Returns a standing permission that allows a call; `None` if there is none.
pub(crate) fn find(draft: &Draft, call: &Call, risk: Risk) -> Option<PermissionId> {
    let agent = lifecycle::agent_of(draft, call.id)?;
    let causes = draft.view().settings.causes(risk, &call.sources);
    let features = CallFeatures::of(&draft.view().settings, &agent, call, risk);
    let learned = |permission: &StandingPermission| permission.pattern().is_none_or(|known| known.covers(&features));
    let settings = &draft.view().settings;
    let separate = settings.approval_of(GateKind::Tool, Some(risk), Some(&call.sources)).separate_duties;
    let directed = draft.view().active_run().map(|run| &run.directed_by);
    let directs = |who: &ParticipantId| directed.is_some_and(|directed| directed.contains(who));
    // With separate duties, a permission does not apply to a run that one of its grantors started or steered, because
    // they would approve their own work. A permission that a guest granted then applies to no run, because the guest
    // might be such a participant.
    let own_work = |permission: &StandingPermission| {
        separate && (permission.granted_by_guest || permission.granted_by.iter().any(directs))
    };
    let live = live(draft.view(), draft.at()).filter(|permission| causes.is_subset(&permission.caused_by));
    let mut live = live.filter(|permission| !own_work(permission));
    live.find(|permission| permission.allows(&agent, call, risk) && learned(permission)).map(|permission| permission.id)
}

fn live(view: &View, now: Timestamp) -> impl Iterator<Item = &StandingPermission> {
    view.permissions.iter().filter(move |permission| !permission.is_over(now))
}

/// Applies the `revoke_permission` command. Calls that it allowed and that have not been sent yet, as in a paused run,
/// are checked again.
pub(crate) fn revoke(draft: &mut Draft, id: PermissionId) -> Result<(), Rejection> {
    if !draft.view().permissions.iter().any(|permission| permission.id == id) {
        return Err(Rejection::UnknownPermission(id));
    }
    draft.emit(Fact::PermissionRevoked { permission: id, expired: false });
    Ok(())
}

/// Revokes the permissions whose time has passed since they allowed one of these calls. The calls are checked again:
/// otherwise, a run that was paused until the next morning would send them then without asking.
pub(super) fn revoke_expired(draft: &mut Draft, unsent: &[Call]) {
    let now = draft.at();
    let used = |permission: &StandingPermission| unsent.iter().any(|call| call.standing == Some(permission.id));
    let expired = draft.view().permissions.iter().filter(|known| known.has_expired(now) && used(known));
    let expired: Vec<PermissionId> = expired.map(|known| known.id).collect();
    for permission in expired {
        draft.emit(Fact::PermissionRevoked { permission, expired: true });
    }
}

/// Returns the BLAKE3 hash of arguments as compact JSON with sorted fields. `None` if they are not JSON.
pub(super) fn sorted_digest(arguments: &str) -> Option<Arc<str>> {
    let mut value: serde_json::Value = serde_json::from_str(arguments).ok()?;
    value.sort_all_objects();
    Some(digest(&value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallId;

    fn call(name: &str, arguments: &str) -> Call {
        Call::proposed(CallId(9), &name.into(), &arguments.into())
    }

    #[test]
    fn a_permission_is_for_one_agent_one_tool_and_one_risk() {
        let agent = |name: &str| -> AgentId { name.parse().expect("an id") };
        let permission = StandingPermission {
            id: PermissionId(1),
            gate: GateId(1),
            agent: agent("A"),
            tool: "put".into(),
            arguments_digest: sorted_digest(r#"{"a":1,"b":[2]}"#),
            risk: Risk::Medium,
            caused_by: BTreeSet::new(),
            run: None,
            until: None,
            max_uses: None,
            uses: 0,
            rule: None,
            granted_by: vec![],
            granted_by_guest: false,
            granted_at: Timestamp::default(),
        };
        let same = call("put", r#"{ "b": [2], "a": 1 }"#);
        assert!(
            permission.allows(&agent("A"), &same, Risk::Low) && permission.allows(&agent("A"), &same, Risk::Medium)
        );
        assert!(!permission.allows(&agent("B"), &same, Risk::Low), "another agent");
        assert!(!permission.allows(&agent("A"), &same, Risk::High), "a riskier call");
        assert!(!permission.allows(&agent("A"), &call("putx", r#"{"a":1,"b":[2]}"#), Risk::Low), "another tool");
        assert!(!permission.allows(&agent("A"), &call("put", r#"{"a":1,"b":[3]}"#), Risk::Low), "other arguments");
        let any = StandingPermission { arguments_digest: None, ..permission.clone() };
        assert!(any.allows(&agent("A"), &call("put", "{}"), Risk::Low));
        let erased = StandingPermission { arguments_digest: Some("".into()), ..permission };
        assert!(!erased.allows(&agent("A"), &same, Risk::Low), "what it was about was erased");
    }
}
