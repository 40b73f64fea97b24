//! What the clock and a restart bring.

use super::call::{Call, CallState};
use super::decide::Draft;
use super::{ControlVerb, Fact, Item, Run, RunId, State, Timestamp, calls, control, driver, work};

/// Whatever is due by now: attempts to be made again, gates whose time ran out.
pub(super) fn due(draft: &mut Draft) {
    let now = draft.at();
    if let Some(run) = draft.view().active_run().filter(|run| !run.paused && !run.stopping()).cloned() {
        for item in run.items.into_iter().filter(|item| item.retry_at.is_some_and(|at| at <= now)) {
            again(draft, run.id, item, false);
        }
    }
    let late: Vec<_> =
        draft.view().gates.iter().filter(|gate| gate.deadline.is_some_and(|at| at <= now)).cloned().collect();
    for gate in late {
        driver::expire(draft, &gate);
    }
}

/// Take up what a restart or a lost node left behind: turns begin anew, calls are made again where that does no harm, and
/// what was to be stopped has stopped, since nothing runs for this session any more.
pub(super) fn recover(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().cloned() else { return };
    let stops = |verb| matches!(verb, ControlVerb::Interrupt | ControlVerb::Cancel);
    for open in run.controls.iter().filter(|open| stops(open.verb)) {
        // The text so far, and what it cost, was on the lost node only.
        let done = if open.acknowledged { Ok(()) } else { control::acknowledge(draft, open.id) };
        let _ = done.and_then(|()| control::stopped(draft, open.id, &[]));
    }
    let Some(run) = draft.view().active_run().cloned() else { return };
    let sent: Vec<Call> = run.started().cloned().collect();
    for call in sent {
        calls::take_up(draft, run.id, &call);
    }
    for item in run.items.into_iter().filter(|item| item.retry_at.is_none()) {
        again(draft, run.id, item, true);
    }
    due(draft);
}

fn again(draft: &mut Draft, run: RunId, item: Item, recovered: bool) {
    let Item { message, step, agent, task, attempt, .. } = item;
    work::fold_steers(draft, run, step, &agent);
    draft.emit(Fact::MessageStarted { message, run, step, agent, task, attempt: attempt + 1, recovered });
}

impl State {
    /// When `Due` is to be said next, if nothing happens before.
    pub fn next_due(&self) -> Option<Timestamp> {
        let run = self.view.active_run()?;
        // A paused run makes no new attempts; without this its orchestrator would wake for them over and over.
        let retries = run.items.iter().filter(|_| !run.paused && !run.stopping()).filter_map(|item| item.retry_at);
        retries.chain(self.view.gates.iter().filter_map(|gate| gate.deadline)).min()
    }

    /// Whether a run has work outstanding that only an orchestrator can do: it must be taken up after a restart.
    pub fn is_unfinished(&self) -> bool {
        let waits = |call: &Call| matches!(call.state, CallState::Asked | CallState::Uncertain) || call.state.is_over();
        let calling = |run: &Run| run.exchanges.iter().flat_map(|exchange| &exchange.calls).any(|call| !waits(call));
        let busy = |run: &Run| !run.items.is_empty() || !run.controls.is_empty() || calling(run);
        self.view.active_run().is_some_and(busy) || self.next_due().is_some()
    }
}
