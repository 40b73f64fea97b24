//! Effects of time and of restarts.

use super::lost_requests::LostRequests;
use super::{control, step};
use crate::call::{Call, CallState};
use crate::draft::Draft;
use crate::gate::GateKind;
use crate::{Fact, Run, RunId, RunningMessage, State, Timestamp, budget, call, gate};

/// Does everything that is due by now: the end of the run's time limit, retries of attempts, escalations and expiry of
/// gates.
pub(crate) fn apply_due(draft: &mut Draft) {
    let now = draft.at();
    let is_late = |run: &Run| run.deadline.is_some_and(|at| at <= now) && !run.stopping();
    if draft.view().active_run().is_some_and(is_late) {
        let _ = control::expire(draft);
    }
    if let Some(run) = draft.view().active_run().filter(|run| !run.paused && !run.stopping()).cloned() {
        for running in run.running.into_iter().filter(|running| running.retry_at.is_some_and(|at| at <= now)) {
            if budget::remaining_requests(draft.view()) > 0 {
                retry_message(draft, run.id, running, false);
            }
        }
    }
    gate::escalation::escalate_due(draft);
    // If the server was stopped, the deadline might have passed as well: votes that are now sufficient come first.
    gate::settle::settle(draft);
    let late: Vec<_> =
        draft.view().gates.iter().filter(|gate| gate.deadline.is_some_and(|at| at <= now)).cloned().collect();
    for gate in late {
        gate::settle::expire(draft, &gate);
    }
}

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
    // All of them have ended, so none reserves anything.
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

/// Starts the attempts that a quota of the server holds. If the quota is still exhausted, they are held again.
pub(super) fn retry_held(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().filter(|run| !run.paused && !run.stopping()).cloned() else { return };
    for running in run.running.into_iter().filter(|running| running.held.is_some()) {
        if budget::remaining_requests(draft.view()) > 0 {
            retry_message(draft, run.id, running, false);
        }
    }
}

fn retry_message(draft: &mut Draft, run: RunId, running: RunningMessage, recovered: bool) {
    let RunningMessage { message, step, agent, task, attempt, .. } = running;
    step::fold_steers(draft, run, step, &agent);
    draft.emit(Fact::MessageStarted { message, run, step, agent, task, attempt: attempt + 1, recovered });
}

impl State {
    /// Returns the time at which `DeadlineReached` must be sent, if nothing happens before then.
    pub fn next_due(&self) -> Option<Timestamp> {
        // A paused run and one whose budget is spent start no attempts. Without this filter, the orchestrator would
        // wake up for them again and again.
        let going = self.view.active_run().filter(|run| !run.stopping());
        let starts = |run: &&Run| !run.paused && budget::remaining_requests(&self.view) > 0;
        let retries =
            going.filter(starts).into_iter().flat_map(|run| &run.running).filter_map(|message| message.retry_at);
        let deadline = going.and_then(|run| run.deadline);
        let escalations = self.view.gates.iter().flat_map(|gate| &gate.escalations).map(|step| step.at);
        let gates = self.view.gates.iter().filter_map(|gate| gate.deadline).chain(escalations);
        retries.chain(gates).chain(deadline).min()
    }

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
