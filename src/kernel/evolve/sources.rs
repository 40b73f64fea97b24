//! Sources of later calls: the content that each fact makes readable to agents.

use crate::call::{CallSourceId, CallSourceKind};
use crate::{Assignment, CallId, Event, Fact, MessageId, RelayRole, View};

/// Records the sources that a fact adds. Called before the fact is applied to the rest of the view.
pub(super) fn record(view: &mut View, event: &Event) {
    use Fact::*;
    match &event.fact {
        // Lists and searches show any file to any agent, so a file counts as soon as it is added. A file with
        // structured output adds nothing, because the message with the same output already counts.
        FileAdded { message: Some(_), .. } => {}
        FileAdded { file, call: None, .. } => view.sources.shared().add_file(*file, &event.by),
        FileAdded { call: Some(call), .. } => publish(view, *call),
        RunStarted { input, .. } => {
            let relayed = view.model_messages.iter().filter(|known| known.relays.is_some() && known.run.is_none());
            let relayed: Vec<MessageId> = relayed.map(|known| known.id).collect();
            relayed.into_iter().chain([*input]).for_each(|message| add_message(view, message));
        }
        MessageConsumed { message, .. } | GateVoted { message: Some(message), .. } => add_message(view, *message),
        GateDecided { message, comments, .. } => {
            message.iter().chain(comments).for_each(|message| add_message(view, *message));
        }
        GateRevised { gate, arguments, plan, .. } if arguments.is_some() || plan.is_some() => {
            view.sources.shared().add_text(CallSourceId::Gate(*gate), &event.by);
        }
        MessageCompleted { message, calls, out_of_turns, .. } if *calls == 0 || *out_of_turns => {
            end_turn(view, event, *message);
        }
        MessageAborted { message, .. } => end_turn(view, event, *message),
        ToolCompleted { call, attempt: 1.., .. } | ToolFailed { call, attempt: 1.., .. } => add_result(view, *call),
        // The call was never sent, because the kernel executed it or people answered it. Other agents can read the plan
        // that the call changed or the question that it asked.
        ToolCompleted { call, .. } => publish(view, *call),
        RunFinished { .. } | RunFailed { .. } | RunCancelled { .. } => view.sources.publish_all(),
        SessionCreated { .. }
        | SessionUpdated { .. }
        | SessionClosed { .. }
        | SessionRedacted { .. }
        | ParticipantJoined { .. }
        | ParticipantRenamed { .. }
        | ParticipantKnocked { .. }
        | ParticipantRefused { .. }
        | ParticipantLeft { .. }
        | ParticipantRoleChanged { .. }
        | ParticipantRedacted { .. }
        | RunStateChanged { .. }
        | MessagePosted { .. }
        | MessageRouted { .. }
        | MessageWithdrawn { .. }
        | MessageStarted { .. }
        | MessageCompleted { .. }
        | MessageRedacted { .. }
        | StepStarted { .. }
        | StepCompleted { .. }
        | StepSkipped { .. }
        | AttemptFailed { .. }
        | FileRemoved { .. }
        | FileRedacted { .. }
        | ToolProposed { .. }
        | ToolChecked { .. }
        | ToolStarted { .. }
        | ToolFailed { .. }
        | ToolUncertain { .. }
        | PlanProposed { .. }
        | PlanEdited { .. }
        | PlanItemChanged { .. }
        | DecisionMade { .. }
        | OutputProduced { .. }
        | OutputRejected { .. }
        | GateOpened { .. }
        | GateVoted { .. }
        | GateRevised { .. }
        | GateVoteWithdrawn { .. }
        | GateCommented { .. }
        | GateThreadChanged { .. }
        | GateEscalated { .. }
        | VotesDelegated { .. }
        | GateExpired { .. }
        | GateClosed { .. }
        | PermissionGranted { .. }
        | PermissionRevoked { .. }
        | ControlRequested { .. }
        | ControlAcknowledged { .. }
        | ControlEffective { .. }
        | UsageRecorded { .. } => {}
    }
}

/// Adds a message that enters a run.
fn add_message(view: &mut View, id: MessageId) {
    let Some(message) = view.message(id).cloned() else { return };
    let shared = view.sources.shared();
    shared.add_text(CallSourceId::Message(id), &message.by);
    if message.relays == Some(RelayRole::Tool) {
        shared.kinds.extend(CallSourceKind::unknown());
    }
}

/// Adds an agent's text, and the sources that only that agent had read before.
fn end_turn(view: &mut View, event: &Event, id: MessageId) {
    let running = view.active_run().and_then(|run| run.running_message(id));
    if let Some(assignment) = running.map(|running| running.assignment()) {
        view.sources.publish(&assignment);
    }
    view.sources.shared().add_text(CallSourceId::Message(id), &event.by);
}

/// Adds the result of a call that was sent.
fn add_result(view: &mut View, id: CallId) {
    let Some((assignment, is_flows)) = caller(view, id) else { return };
    let kinds = view.run.as_ref().and_then(|run| run.call(id)).map(|call| call.result_sources.clone());
    view.sources.own(&assignment).add_result(id, &assignment.agent.as_str().into(), &kinds.unwrap_or_default());
    // The result of a call that the flow itself made is the result of its task.
    if is_flows {
        view.sources.publish(&assignment);
    }
}

fn publish(view: &mut View, call: CallId) {
    if let Some((assignment, _)) = caller(view, call) {
        view.sources.publish(&assignment);
    }
}

/// Returns the assignment that a call was made for, and whether the flow itself made it.
fn caller(view: &View, call: CallId) -> Option<(Assignment, bool)> {
    let round = view.run.as_ref()?.tool_round_of(call)?;
    Some((round.assignment.clone(), round.message.is_none()))
}
