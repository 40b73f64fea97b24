//! Effects of time: the end of a run's time limit, retries of attempts, and the deadlines and escalations of gates.

use super::{control, step};
use crate::draft::Draft;
use crate::{Fact, Run, RunId, RunningMessage, State, Timestamp, budget, gate};

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

/// Starts the attempts that a quota of the server holds. If the quota is still exhausted, they are held again.
pub(super) fn retry_held(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().filter(|run| !run.paused && !run.stopping()).cloned() else { return };
    for running in run.running.into_iter().filter(|running| running.held.is_some()) {
        if budget::remaining_requests(draft.view()) > 0 {
            retry_message(draft, run.id, running, false);
        }
    }
}

pub(super) fn retry_message(draft: &mut Draft, run: RunId, running: RunningMessage, recovered: bool) {
    let RunningMessage { message, step, agent, task, attempt, .. } = running;
    step::fold_steers(draft, run, step, &agent);
    draft.emit(Fact::MessageStarted { message, run, step, agent, task, attempt: attempt + 1, recovered });
}

impl State {
    /// Returns the time at which `DeadlineReached` must be sent, if nothing happens before then. Returns `None` if
    /// nothing will be due.
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
}
