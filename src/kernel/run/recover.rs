//! Continuation of work after a restart or the loss of a node.

use super::control;
use super::due::{apply_due, retry_held, retry_message};
use super::lost_requests::LostRequests;
use crate::call::{Call, CallState};
use crate::draft::Draft;
use crate::gate::GateKind;
use crate::{Run, RunningMessage, State, budget, call};

/// Continues the work that a restart or a lost node left behind. Turns start again, and calls are repeated if that is
/// safe. Everything that was to be stopped counts as stopped, because nothing is running for this session any longer.
pub(crate) fn recover(draft: &mut Draft, requests: LostRequests<'_>) {
    requests.charge_title(draft);
    let Some(run) = draft.view().active_run().cloned() else { return };
    let lost: Vec<RunningMessage> = run.running.iter().filter(|running| running.retry_at.is_none()).cloned().collect();
    lost.iter().for_each(|running| requests.charge_turn(draft, &run, running));
    for open in run.controls.iter().filter(|open| open.verb.stops_work()) {
        // Only the lost node knew the text so far and its cost.
        let done = if open.acknowledged { Ok(()) } else { control::acknowledge(draft, open.id) };
        let _ = done.and_then(|()| control::record_stop(draft, open.id, &[]));
    }
    let Some(run) = draft.view().active_run().cloned() else { return };
    let sent: Vec<Call> = run.started().cloned().collect();
    for call in sent {
        call::lifecycle::recover_call(draft, run.id, &call);
    }
    let lost: Vec<RunningMessage> = run.running.iter().filter(|running| running.retry_at.is_none()).cloned().collect();
    // All of the lost attempts have ended, so they reserve nothing.
    let room = budget::remaining_requests_after_loss(draft.view());
    for (at, running) in lost.into_iter().enumerate() {
        if at < room {
            retry_message(draft, run.id, running, true);
        } else {
            budget::postpone_attempt(draft, &run, running);
        }
    }
    retry_held(draft);
    apply_due(draft);
}

impl State {
    /// Returns whether a run has outstanding work that only an orchestrator can do, so that it must be resumed after a
    /// restart.
    pub fn is_unfinished(&self) -> bool {
        let waits = |call: &Call| matches!(call.state, CallState::Asked | CallState::Uncertain) || call.state.is_over();
        let calling = |run: &Run| run.tool_rounds.iter().flat_map(|round| &round.calls).any(|call| !waits(call));
        // While people are asked about a spent budget, no attempt starts: their decision resumes the session.
        let is_budget_gate_open = self.view.gates.iter().any(|gate| gate.kind == GateKind::Budget);
        let writing = |run: &Run| run.running.iter().any(|message| !is_budget_gate_open || message.retry_at.is_none());
        let busy = |run: &Run| writing(run) || !run.controls.is_empty() || calling(run);
        self.view.active_run().is_some_and(busy) || self.next_due().is_some()
    }
}
