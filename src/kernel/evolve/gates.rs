//! Applies facts about gates.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::{add_model_message, add_to_run, calls, change_message, push_bounded, run};
use crate::gate::{Choice, CommentThread, DeadlineOutcome, Decision, Gate, Outcome, ThreadResolution, Vote};
use crate::{Actor, Event, Fact, GateId, MessageId, View};

/// Applies an event about a gate. All other events are listed as well; they change no gate.
pub(super) fn apply(view: &mut View, event: &Event) {
    match &event.fact {
        Fact::GateOpened { gate } => {
            view.gates.push(Gate::clone(gate));
            run::apply(view, event);
        }
        Fact::GateVoted { gate, choice, role, comment, message, .. } => {
            if let Some(gate) = open_gate(view, *gate) {
                gate.votes.retain(|vote| vote.by.id != event.by.id);
                let (by, comment, message) = (event.by.clone(), comment.clone(), *message);
                let (role, choice, on_behalf_of) = (*role, *choice, vec![]);
                gate.votes.push(Vote { by, role, choice, comment, message, on_behalf_of, at: event.at });
            }
            add_to_run(view, *message);
        }
        Fact::GateVoteWithdrawn { gate } => {
            if let Some(gate) = open_gate(view, *gate) {
                gate.votes.retain(|vote| vote.by.id != event.by.id);
            }
        }
        Fact::GateCommented { message, place } => {
            let place = Arc::new(place.clone());
            change_message(view, *message, |posted| posted.comment_on = Some(place.clone()));
            let comment = view.message(*message).cloned();
            if let (Some(gate), Some(comment)) = (open_gate(view, place.gate), comment) {
                match gate.threads.iter_mut().find(|known| known.place.thread == place.thread) {
                    Some(thread) => thread.comments.push(comment),
                    None => gate.threads.push(CommentThread { place, comments: vec![comment], resolved: None }),
                }
            }
        }
        Fact::GateThreadChanged { gate, thread, resolved } => {
            let threads = open_gate(view, *gate).into_iter().flat_map(|gate| &mut gate.threads);
            for known in threads.filter(|known| known.place.thread == *thread) {
                known.resolved = resolved.then(|| ThreadResolution { by: event.by.clone(), at: event.at });
            }
        }
        Fact::GateEscalated { gate, quorum } => {
            if let Some(gate) = open_gate(view, *gate) {
                gate.quorum = *quorum;
                gate.escalations.retain(|step| step.at > event.at);
            }
        }
        Fact::GateDecided { gate, outcome, message, to, votes, failure, comments, .. } => {
            comments.iter().for_each(|comment| show_comment(view, *comment));
            if let Some(at) = view.gates.iter().position(|open| open.id == *gate) {
                let mut gate = view.gates.remove(at);
                gate.votes = votes.clone();
                let (outcome, message, failure) = (*outcome, *message, *failure);
                let by = decider(&event.by, outcome, &gate).clone();
                gate.decision = Some(Decision { outcome, by, at: event.at, message, failure });
                calls::record_decision(view, &gate, outcome, message);
                if let Some(run) = &mut view.run {
                    run::apply_decision(run, &gate, outcome, to, message);
                }
                record_decided_gate(view, gate, event.seq);
            }
            add_to_run(view, *message);
        }
        Fact::GateRevised { gate, rev, digest, arguments, plan, deadline, standing, budget, model, escalations } => {
            if let Some(gate) = view.gates.iter_mut().find(|open| open.id == *gate) {
                (gate.rev, gate.votes, gate.standing) = (*rev, vec![], *standing);
                let editor = event.by.participant_id().filter(|editor| !gate.edited_by.contains(editor));
                gate.edited_by.extend(editor);
                // An expired deadline must neither count as a review of another participant's edit nor grant a
                // permission.
                if gate.separate_duties || standing.is_some() {
                    gate.at_deadline = gate.at_deadline.map(|_| DeadlineOutcome::Expired);
                }
                gate.revised_at = Some(event.at);
                (gate.deadline, gate.budget) = (deadline.or(gate.deadline), budget.or(gate.budget));
                gate.model.clone_from(model);
                if !escalations.is_empty() {
                    gate.escalations.clone_from(escalations);
                }
                if let Some(subject) = &mut gate.subject {
                    (subject.rev, subject.digest) = (*rev, digest.clone());
                }
                if let Some(run) = &mut view.run {
                    run::apply_edit(run, gate, &event.by, arguments.as_ref(), plan.as_ref());
                }
            }
        }
        Fact::GateExpired { gate } | Fact::GateClosed { gate } => {
            if let Some(at) = view.gates.iter().position(|open| open.id == *gate) {
                let mut gate = view.gates.remove(at);
                gate.expired = matches!(event.fact, Fact::GateExpired { .. });
                record_decided_gate(view, gate, event.seq);
            }
        }
        Fact::SessionCreated { .. }
        | Fact::SessionUpdated { .. }
        | Fact::SessionClosed { .. }
        | Fact::SessionRedacted { .. }
        | Fact::ParticipantJoined { .. }
        | Fact::ParticipantRenamed { .. }
        | Fact::ParticipantKnocked { .. }
        | Fact::ParticipantRefused { .. }
        | Fact::ParticipantLeft { .. }
        | Fact::ParticipantRoleChanged { .. }
        | Fact::ParticipantRedacted { .. }
        | Fact::RunStarted { .. }
        | Fact::RunStateChanged { .. }
        | Fact::RunFinished { .. }
        | Fact::RunFailed { .. }
        | Fact::RunCancelled { .. }
        | Fact::MessagePosted { .. }
        | Fact::MessageRouted { .. }
        | Fact::MessageWithdrawn { .. }
        | Fact::MessageConsumed { .. }
        | Fact::MessageStarted { .. }
        | Fact::MessageCompleted { .. }
        | Fact::MessageAborted { .. }
        | Fact::MessageRedacted { .. }
        | Fact::StepStarted { .. }
        | Fact::StepCompleted { .. }
        | Fact::StepSkipped { .. }
        | Fact::AttemptFailed { .. }
        | Fact::FileAdded { .. }
        | Fact::FileRemoved { .. }
        | Fact::FileRedacted { .. }
        | Fact::ToolProposed { .. }
        | Fact::ToolChecked { .. }
        | Fact::ToolStarted { .. }
        | Fact::ToolCompleted { .. }
        | Fact::ToolFailed { .. }
        | Fact::ToolUncertain { .. }
        | Fact::PlanProposed { .. }
        | Fact::PlanEdited { .. }
        | Fact::PlanItemChanged { .. }
        | Fact::DecisionMade { .. }
        | Fact::OutputProduced { .. }
        | Fact::OutputRejected { .. }
        | Fact::VotesDelegated { .. }
        | Fact::PermissionGranted { .. }
        | Fact::PermissionRevoked { .. }
        | Fact::ControlRequested { .. }
        | Fact::ControlAcknowledged { .. }
        | Fact::ControlEffective { .. }
        | Fact::UsageRecorded { .. } => {}
    }
}

/// Returns the actor whose vote or message decided a gate. If the decision was triggered by a participant who has not
/// voted for this outcome, for example by leaving or by resolving a comment, the latest vote for it counts as the
/// decision.
fn decider<'a>(by: &'a Actor, outcome: Outcome, gate: &'a Gate) -> &'a Actor {
    let choice = match outcome {
        Outcome::Approved => Choice::Approve,
        Outcome::Rejected => Choice::Reject,
        Outcome::Responded | Outcome::Withdrawn => return by,
    };
    let votes = || gate.votes.iter().filter(|vote| vote.choice == choice);
    let counted = votes().filter(|vote| gate.quorum.counts(vote.role)).max_by_key(|vote| vote.at);
    // A delegate's vote can count in a role other than the delegate's own.
    let latest = counted.or_else(|| votes().max_by_key(|vote| vote.at));
    // At the deadline, the server decides.
    latest.filter(|_| by.participant_id().is_some()).map_or(by, |vote| &vote.by)
}

/// Lets agents read a comment. The comment does not count toward the message limit, so that people cannot end a run
/// with comments.
fn show_comment(view: &mut View, comment: MessageId) {
    let run = view.run.as_ref().map(|run| run.id);
    change_message(view, comment, |message| message.run = run);
    add_model_message(view, comment);
}

fn open_gate(view: &mut View, id: GateId) -> Option<&mut Gate> {
    view.gates.iter_mut().find(|open| open.id == id)
}

fn record_decided_gate(view: &mut View, mut gate: Gate, ended: u64) {
    gate.ended = NonZeroU64::new(ended);
    push_bounded(&mut view.decided, Arc::new(gate), View::DECIDED);
}
