//! Votes and text at gates.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::voting_right::{may_approve, may_vote, require_vote};
use super::{Escalation, Gate, GateAction, GateKind, Outcome, settle};
use crate::call::{CallSourceId, CallSources, StandingTerms};
use crate::draft::Draft;
use crate::message::mention::{self, Route, RouteReason};
use crate::message::say;
use crate::plan::Plan;
use crate::schema::strict_json;
use crate::{
    Actor, Budget, Fact, GateId, Language, MessageId, ParticipantId, Rejection, Right, Role, Target, Timestamp, budget,
    call, is_blank, schema,
};

/// Choice of a voter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Vote for.
    Approve,
    /// Vote against.
    Reject,
    /// Vote neither for nor against; counts as having voted.
    Abstain,
}

/// One vote of a batch: the gate, the revision of its subject that the voter saw, and the choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchedVote {
    /// Id of the gate. Example: `g_30`.
    pub gate: GateId,
    /// Revision of its subject, from 1.
    #[schemars(range(min = 1))]
    pub rev: u32,
    /// The vote at this gate: `approve`, `reject` or `abstain`.
    pub choice: Choice,
}

impl BatchedVote {
    /// Maximum number of votes in one batch.
    pub const MAX: usize = 64;
}

/// A vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vote {
    /// Participant who voted.
    pub by: Actor,
    /// Role with which the vote counts.
    pub role: Role,
    /// Choice of the voter.
    pub choice: Choice,
    /// Comment of the voter. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<Arc<str>>,
    /// Message that contains the comment, for agents to read. Absent without a comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Participants on whose behalf the voter votes. Present only in the votes of a decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_behalf_of: Vec<ParticipantId>,
    /// Time of the vote.
    pub at: Timestamp,
}

/// A vote as its sender wrote it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ballot<'a> {
    /// Revision of the subject that the voter saw.
    pub(crate) rev: u32,
    pub(crate) choice: Choice,
    pub(crate) comment: Option<&'a Arc<str>>,
    pub(crate) edit: Option<&'a RawValue>,
    pub(crate) standing: Option<StandingTerms>,
}

/// Applies the `vote` command.
pub(crate) fn vote(draft: &mut Draft, id: GateId, ballot: Ballot<'_>) -> Result<(), Rejection> {
    let Ballot { rev, choice, comment, edit, standing } = ballot;
    let role = require_vote(draft, id)?;
    let gate = open_gate(draft, id)?.clone();
    if rev != gate.rev {
        return Err(Rejection::StaleRevision { given: rev, current: gate.rev });
    }
    may_vote(draft, &gate)?;
    let act = match (choice, edit) {
        (Choice::Approve, Some(_)) => GateAction::Edit,
        (Choice::Approve | Choice::Abstain, None) => GateAction::Approve,
        (Choice::Reject, None) => GateAction::Reject,
        _ => return Err(Rejection::Invalid("an edit requires the choice approve; vote for the edited version".into())),
    };
    if !gate.allow.contains(&act) {
        let text = match act {
            GateAction::Edit => "nothing at this gate can be edited; vote without an edit",
            GateAction::Approve | GateAction::Reject | GateAction::Respond => {
                "there is nothing to vote on; answer with text"
            }
        };
        return Err(Rejection::Invalid(text.into()));
    }
    let comment = comment.filter(|comment| !is_blank(comment));
    // An edit or a new standing permission needs no such check, because others then vote on it.
    if choice == Choice::Approve && edit.is_none() && (standing.is_none() || standing == gate.standing) {
        may_approve(draft, &gate)?;
    }
    if choice != Choice::Approve && standing.is_some() {
        let text = "a standing permission requires the choice approve; leave standing out";
        return Err(Rejection::Invalid(text.into()));
    }
    let rev = match (edit, standing) {
        (None, None) => rev,
        // This is a vote for the standing permission that is already proposed.
        (None, standing) if standing == gate.standing => rev,
        (edit, standing) => {
            // An edit and a new standing permission both void the votes of others.
            draft.require(Right::Edit)?;
            revise(draft, &gate, edit, standing)?
        }
    };
    call::learned_rules::check_vote(draft, &gate, choice)?;
    // An agent that has to write again must know what to change. A rejected call needs no reason, because it is not
    // made. Ending a run or rejecting a rule needs none either, because no agent acts on it.
    let is_read = matches!(gate.kind, GateKind::Feedback | GateKind::Plan) && gate.call.is_none();
    if choice == Choice::Reject && comment.is_none() && is_read {
        return Err(Rejection::CommentRequired);
    }
    // The comment is posted as the voter's own message, so that agents read who said what.
    let message = comment.map(|comment| {
        let route = mention::route(draft.view(), comment, None).for_agents();
        // Only people decide whether a participant may do something, so no agent reads the comment.
        let to = if gate.kind == GateKind::Command { vec![Target::People] } else { route.to };
        say::post(draft, comment, Route { reason: RouteReason::Vote, to, ..route }, None)
    });
    draft.emit(Fact::GateVoted { gate: id, rev, choice, role, comment: comment.cloned(), message });
    Ok(())
}

/// Applies the `vote_batch` command: either all of its votes count, or none.
pub(crate) fn vote_batch(draft: &mut Draft, votes: &[BatchedVote]) -> Result<(), Rejection> {
    if !(1..=BatchedVote::MAX).contains(&votes.len()) {
        return Err(Rejection::Invalid("votes must have 1 to 64 entries".into()));
    }
    for (at, BatchedVote { gate, rev, choice }) in votes.iter().enumerate() {
        if votes[..at].iter().any(|earlier| earlier.gate == *gate) {
            return Err(Rejection::Invalid(format!("{gate} is listed twice; vote once at each gate").into()));
        }
        let ballot = Ballot { rev: *rev, choice: *choice, comment: None, edit: None, standing: None };
        let of_batch = |reason| Rejection::InBatch { gate: *gate, reason: Box::new(reason) };
        vote(draft, *gate, ballot).map_err(of_batch)?;
    }
    Ok(())
}

/// Applies the `withdraw_vote` command. The voter's comment stays in the conversation.
pub(crate) fn withdraw(draft: &mut Draft, id: GateId) -> Result<(), Rejection> {
    require_vote(draft, id)?;
    // An edit by somebody else might have voided the vote in the meantime.
    if open_gate(draft, id)?.votes.iter().any(|vote| vote.by.id == draft.by().id) {
        draft.emit(Fact::GateVoteWithdrawn { gate: id });
    }
    Ok(())
}

/// Changes the subject of the gate, the standing permission, or both. Returns the new revision.
fn revise(
    draft: &mut Draft,
    gate: &Gate,
    edit: Option<&RawValue>,
    standing: Option<StandingTerms>,
) -> Result<u32, Rejection> {
    if let Some(terms) = &standing {
        call::standing_permission::check_terms(draft, gate, terms)?;
    }
    let rev = gate.rev + 1;
    let EditedSubject { digest, arguments, plan, budget, model } = match edit {
        Some(edit) => read_edit(draft, gate, edit, rev)?,
        None => {
            let digest = gate.subject.as_ref().map_or_else(|| "".into(), |subject| subject.digest.clone());
            EditedSubject { digest, ..EditedSubject::default() }
        }
    };
    if arguments.is_some() {
        may_edit(draft, gate)?;
    }
    // People who have voted need time to read the new revision: as much as they originally had, regardless of the
    // current settings.
    let passed = draft.at().millis().saturating_sub(gate.revised_at.unwrap_or(gate.opened_at).millis());
    let deadline = gate.deadline.map(|deadline| deadline.plus(passed));
    let escalations = gate.escalations.iter().map(|step| Escalation { at: step.at.plus(passed), ..*step }).collect();
    let gate = gate.id;
    draft.emit(Fact::GateRevised {
        gate,
        rev,
        digest,
        arguments,
        plan,
        deadline,
        escalations,
        standing,
        budget,
        model,
    });
    Ok(rev)
}

/// Checks that the sender may edit the arguments of the call. A gate keeps the rule that it was opened under, so a
/// participant whose text would make another rule apply cannot edit them.
fn may_edit(draft: &Draft, gate: &Gate) -> Result<(), Rejection> {
    let Some((_, call)) = gate.call.and_then(|id| call::lifecycle::current(draft, id)) else { return Ok(()) };
    let mut sources = CallSources::clone(&call.sources);
    sources.add_text(CallSourceId::Gate(gate.id), draft.by());
    let settings = &draft.view().settings;
    if settings.causes(call.risk, &sources).is_subset(&settings.causes(call.risk, &call.sources)) {
        return Ok(());
    }
    let text = "a rule of this session asks about calls that a guest or a bot has a part in, so you cannot edit this one; \
                 reject it, or answer with what should change";
    Err(Rejection::Forbidden { right: Right::Approve, message: text.into() })
}

/// Edited subject of a gate.
#[derive(Default)]
struct EditedSubject {
    digest: Arc<str>,
    arguments: Option<Arc<str>>,
    plan: Option<Plan>,
    budget: Option<Budget>,
    model: Option<Arc<str>>,
}

/// Reads the edit of the subject of a gate, and checks it.
fn read_edit(draft: &Draft, gate: &Gate, edit: &RawValue, rev: u32) -> Result<EditedSubject, Rejection> {
    let invalid = |message: String| Rejection::Invalid(format!("edit: {message}").into());
    if let Some(proposed) = &gate.budget {
        let (budget, model) = budget::read_edit(draft.view(), proposed, gate.model.as_ref(), edit.get())?;
        let digest = budget.digest(model.as_deref());
        return Ok(EditedSubject { digest, budget: Some(budget), model, ..EditedSubject::default() });
    }
    match (gate.call, draft.view().active_run().and_then(|run| run.plan.as_ref())) {
        (Some(call), _) => {
            let value = strict_json::parse(edit.get()).map_err(invalid)?;
            schema::check(gate.schema.as_ref().unwrap_or(&Value::Bool(true)), &value).map_err(invalid)?;
            call::lifecycle::check_edit(draft, call, &value)?;
            // Keep the text as written: parsing and serializing could change the digits of a long number.
            let arguments: Arc<str> = edit.get().into();
            let digest = call::digest(&arguments);
            Ok(EditedSubject { digest, arguments: Some(arguments), ..EditedSubject::default() })
        }
        (None, Some(known)) => {
            if !edit.get().starts_with('{') {
                return Err(invalid("a plan is an object; send the whole edited plan with its items".into()));
            }
            let wanted = serde_json::from_str(edit.get()).map_err(|error| invalid(error.to_string()))?;
            let plan = known.edited(wanted, rev, &draft.view().team).map_err(invalid)?;
            Ok(EditedSubject { digest: plan.digest(), plan: Some(plan), ..EditedSubject::default() })
        }
        (None, None) => Err(invalid("nothing at this gate can be edited".into())),
    }
}

/// Applies the `answer` command: text at a given gate, or a value that the gate's schema accepts.
pub(crate) fn answer(draft: &mut Draft, id: GateId, rev: Option<u32>, text: &Arc<str>) -> Result<(), Rejection> {
    let gate = open_gate(draft, id)?.clone();
    if let Some(given) = rev.filter(|rev| *rev != gate.rev) {
        return Err(Rejection::StaleRevision { given, current: gate.rev });
    }
    if !gate.allow.contains(&GateAction::Respond) {
        return Err(Rejection::Invalid("this gate accepts votes only; use the command vote".into()));
    }
    say::require_text(text)?;
    may_decide(draft, &gate)?;
    let text = if gate.call.is_some() {
        &call::lifecycle::read_answer(&gate, text).map_err(|message| Rejection::Invalid(message.into()))?
    } else {
        text
    };
    let route = match gate.kind {
        // The agent that made the call reads the text as its result. All other agents would read it as feedback, so it
        // is addressed to people only.
        GateKind::Tool | GateKind::Uncertain if !draft.has_attached() => {
            Route { to: vec![Target::People], reason: RouteReason::Vote, unresolved: vec![] }
        }
        GateKind::Tool
        | GateKind::Uncertain
        | GateKind::Feedback
        | GateKind::Plan
        | GateKind::Question
        | GateKind::Budget
        | GateKind::Rule
        | GateKind::Command => mention::route(draft.view(), text, None).for_agents(),
    };
    respond(draft, id, text, route);
    Ok(())
}

/// Applies text that approves: it counts as a vote, and the log contains the text as written.
pub(crate) fn approve_with_text(draft: &mut Draft, gate: &Gate, text: &Arc<str>) -> Result<(), Rejection> {
    let role = require_vote(draft, gate.id)?;
    may_vote(draft, gate)?;
    may_approve(draft, gate)?;
    if !gate.edited_by.is_empty() {
        return Err(Rejection::UnnamedRevision { current: gate.rev });
    }
    let approval: Arc<str> = match (text.trim().is_empty(), draft.view().team.language) {
        (false, _) => text.clone(),
        (true, Language::Zh) => "同意".into(),
        (true, Language::En) => "Approve".into(),
    };
    let message = Some(say::post(draft, &approval, say::approval_route(), None));
    let (gate, rev) = (gate.id, gate.rev);
    draft.emit(Fact::GateVoted { gate, rev, choice: Choice::Approve, role, comment: None, message });
    Ok(())
}

/// Applies feedback: the text of a participant decides the gate.
pub(crate) fn respond(draft: &mut Draft, gate: GateId, text: &Arc<str>, route: Route) {
    let to = agents_only(&route.to);
    let message = say::post(draft, text, route, None);
    settle::record_decision(draft, gate, Outcome::Responded, Some(message), to);
}

fn agents_only(to: &[Target]) -> Vec<Target> {
    to.iter().filter(|target| target.is_for_agents()).cloned().collect()
}

/// Checks that text from the sender can decide the gate.
pub(crate) fn may_decide(draft: &Draft, gate: &Gate) -> Result<(), Rejection> {
    may_vote(draft, gate)?;
    let (own, role) = draft.voting_roles()?;
    if gate.quorum.counts(own) && gate.quorum.counts(role) {
        return Ok(());
    }
    let message = format!("your role here is {}; another role decides at this gate", role.as_str());
    Err(Rejection::Forbidden { right: Right::Approve, message: message.into() })
}

/// Returns the gate if it is open; otherwise the error says how it ended.
pub(super) fn open_gate(draft: &Draft, id: GateId) -> Result<&Gate, Rejection> {
    let view = draft.view();
    if let Some(gate) = view.gates.iter().find(|gate| gate.id == id) {
        return Ok(gate);
    }
    let ended = view.decided.iter().find(|gate| gate.id == id).ok_or(Rejection::UnknownGate(id))?;
    Err(match &ended.decision {
        Some(decision) => Rejection::AlreadyDecided { gate: id, decision: Box::new(decision.clone()) },
        None if ended.expired => Rejection::GateExpired(id),
        None => Rejection::GateClosed(id),
    })
}
