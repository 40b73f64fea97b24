//! History of the calls that people were asked about: people's decisions, and the learned rules that they declined.

use crate::call::{CallFeatures, Permission};
use crate::gate::Outcome;
use crate::{CallId, Event, Fact, REDACTED, View, call::Risk};

/// Updates the call history with a fact. Called before the fact is applied to the rest of the view.
pub(super) fn record(view: &mut View, event: &Event) {
    use Fact::*;
    match &event.fact {
        ToolChecked { call, permission: Permission::Ask, risk, .. } => add(view, *call, *risk),
        GateOpened { gate } => gate.call.into_iter().for_each(|call| view.call_history.open(call, gate.id)),
        GateRevised { gate, arguments: Some(_), .. } => view.call_history.edit(*gate),
        GateDecided { gate, outcome, votes, .. } => {
            view.call_history.decide(*gate, *outcome, votes);
            let rule = view.gates.iter().find(|open| open.id == *gate).and_then(|gate| gate.rule.as_ref());
            if let Some(rule) = rule.filter(|_| *outcome != Outcome::Approved) {
                view.call_history.decline(&rule.pattern);
            }
        }
        PermissionRevoked { permission, .. } => {
            let revoked = view.permissions.iter().find(|known| known.id == *permission);
            if let Some(pattern) = revoked.and_then(|revoked| revoked.pattern()) {
                view.call_history.decline(&pattern);
            }
        }
        ToolChecked { .. }
        | GateRevised { .. }
        | SessionCreated { .. }
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
        | RunStarted { .. }
        | RunStateChanged { .. }
        | RunFinished { .. }
        | RunFailed { .. }
        | RunCancelled { .. }
        | MessagePosted { .. }
        | MessageRouted { .. }
        | MessageWithdrawn { .. }
        | MessageConsumed { .. }
        | MessageStarted { .. }
        | MessageCompleted { .. }
        | MessageAborted { .. }
        | MessageRedacted { .. }
        | StepStarted { .. }
        | StepCompleted { .. }
        | StepSkipped { .. }
        | AttemptFailed { .. }
        | FileAdded { .. }
        | FileRemoved { .. }
        | FileRedacted { .. }
        | ToolProposed { .. }
        | ToolStarted { .. }
        | ToolCompleted { .. }
        | ToolFailed { .. }
        | ToolUncertain { .. }
        | PlanProposed { .. }
        | PlanEdited { .. }
        | PlanItemChanged { .. }
        | DecisionMade { .. }
        | OutputProduced { .. }
        | OutputRejected { .. }
        | GateVoted { .. }
        | GateVoteWithdrawn { .. }
        | GateCommented { .. }
        | GateThreadChanged { .. }
        | GateEscalated { .. }
        | VotesDelegated { .. }
        | PermissionGranted { .. }
        | GateExpired { .. }
        | GateClosed { .. }
        | ControlRequested { .. }
        | ControlAcknowledged { .. }
        | ControlEffective { .. }
        | UsageRecorded { .. } => {}
    }
}

/// Adds a call with the features that decide whether a rule covers it. A redacted call is left out, because it is not
/// evidence for any rule.
fn add(view: &mut View, id: CallId, risk: Risk) {
    let Some(run) = &view.run else { return };
    let (Some(call), Some(round)) = (run.call(id), run.tool_round_of(id)) else { return };
    if *call.name != *REDACTED {
        let features = CallFeatures::of(&view.settings, &round.assignment.agent, call, risk);
        view.call_history.add(id, features);
    }
}
