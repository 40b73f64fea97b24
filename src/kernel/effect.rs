//! Work that the orchestrator must do because of an event. Outstanding work can also be derived from the state, so that
//! it continues after a restart or on another node: running messages without `retry_at` need a turn, and controls need
//! to be executed.

use std::sync::Arc;

use super::call::{CallState, inquiry};
use super::session::title;
use super::{CallId, Event, Fact, InquiryReply, MessageId, Run, RunId, State};

/// Work for the orchestrator. Its results return as commands.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Request a turn from the agent's model. Its result is `TurnCompleted` or `TurnFailed`.
    Turn {
        /// Message that the turn writes.
        message: MessageId,
        /// Attempt that the result must name.
        attempt: u32,
    },
    /// Check a call against the rules. The result is `CallChecked`.
    CheckCall {
        /// Call to check.
        call: CallId,
    },
    /// Make a call with exactly the arguments that have this digest. The result is `CallEnded`.
    Call {
        /// Call to make.
        call: CallId,
        /// Attempt that the result must name.
        attempt: u32,
        /// Revision of the arguments, from 1.
        rev: u32,
        /// BLAKE3 hash of the arguments (law 11).
        digest: Arc<str>,
    },
    /// Deliver people's reply to a running call that asked a question.
    DeliverReply {
        /// Call that asked.
        call: CallId,
        /// Reply from people.
        reply: InquiryReply,
    },
    /// Generate a title from the first message of a run, in the background. The result is `TitleMade`. A restart does
    /// not repeat the request, so the session then keeps its current title.
    Title {
        /// Run that began with the message.
        run: RunId,
        /// First message of the run.
        message: MessageId,
    },
    /// Cancel all running turns and calls. The results are `Acknowledge` and then `Stopped`.
    Stop {
        /// Control that requested the stop.
        control: u64,
    },
}

/// Returns the work that `event` requires. `state` is the state after the event.
pub fn effects(state: &State, event: &Event) -> Vec<Effect> {
    let Some(run) = state.view.active_run() else { return vec![] };
    use Fact::*;
    match &event.fact {
        RunStarted { run: started, input, .. } => {
            title::title_effect(&state.view, *started, *input).into_iter().collect()
        }
        MessageStarted { message, attempt, .. } if run.running_message(*message).is_some() => {
            vec![Effect::Turn { message: *message, attempt: *attempt }]
        }
        ToolProposed { call, .. } if needs_check(run, *call) => vec![Effect::CheckCall { call: *call }],
        ToolStarted { call, attempt, rev, digest, .. } => {
            vec![Effect::Call { call: *call, attempt: *attempt, rev: *rev, digest: digest.clone() }]
        }
        GateDecided { gate, .. } | GateExpired { gate } | GateClosed { gate } => {
            inquiry::reply_effect(state, *gate).into_iter().collect()
        }
        PermissionRevoked { permission, .. } => {
            let calls = run.tool_rounds.iter().flat_map(|round| &round.calls);
            let checked_again = calls.filter(|call| call.standing == Some(*permission) && needs_check(run, call.id));
            checked_again.map(|call| Effect::CheckCall { call: call.id }).collect()
        }
        ControlRequested { control, verb, .. }
            if verb.stops_work() && run.controls.iter().any(|open| open.id == *control) =>
        {
            vec![Effect::Stop { control: *control }]
        }
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
        | ToolChecked { .. }
        | ToolCompleted { .. }
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
        | GateVoteWithdrawn { .. }
        | GateCommented { .. }
        | GateThreadChanged { .. }
        | GateEscalated { .. }
        | VotesDelegated { .. }
        | GateRevised { .. }
        | PermissionGranted { .. }
        | ControlRequested { .. }
        | ControlAcknowledged { .. }
        | ControlEffective { .. }
        | UsageRecorded { .. } => vec![],
    }
}

/// Returns work that a restart left behind and that no event requests again: calls that were proposed but not yet
/// checked.
pub fn outstanding(state: &State) -> Vec<Effect> {
    let Some(run) = state.view.active_run() else { return vec![] };
    let calls = run.tool_rounds.iter().flat_map(|round| &round.calls).map(|call| call.id);
    calls.filter(|call| needs_check(run, *call)).map(|call| Effect::CheckCall { call }).collect()
}

fn needs_check(run: &Run, call: CallId) -> bool {
    run.call(call).is_some_and(|call| call.state == CallState::Proposed)
}
