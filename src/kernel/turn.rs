//! What comes back from models, from the clock, and from a restart.

use std::sync::Arc;

use super::decide::Draft;
use super::{
    AbortReason, AgentId, ControlVerb, Fact, Item, MessageId, State, StepError, Timestamp, Unfinished, Usage, control,
    driver::{self, begin_turn, fold_steers},
};

/// A whole text. One of an earlier attempt is dropped: its successor is already at work.
pub(super) fn completed(draft: &mut Draft, message: MessageId, attempt: u32, text: &Arc<str>, usage: &Usage) {
    let Some((run, item)) = current(draft, message, attempt) else { return };
    let (step, agent) = (item.step, item.agent);
    draft.emit(Fact::MessageCompleted { message, run, step, agent: agent.clone(), attempt, text: text.clone() });
    record(draft, message, &agent, usage);
    let halted = draft.view().active_run().is_none_or(|run| {
        // Without room for a steer and its answer it waits for the next run, else steering would have no end.
        run.paused || run.stopping() || run.error.is_some() || driver::full(draft.view(), run, 2)
    });
    if !halted && fold_steers(draft, run, step, &agent) {
        begin_turn(draft, run, step, agent);
    }
}

/// A failed attempt: tried again at its time, or the last.
pub(super) fn failed(draft: &mut Draft, attempt: u32, error: &StepError, retry_in: Option<u64>, left: &Unfinished) {
    let message = left.message;
    let Some((run, item)) = current(draft, message, attempt) else { return };
    let (step, agent, error) = (item.step, item.agent, error.clone());
    let more = item.failures + 1 < draft.view().settings.attempts;
    let retry_at = retry_in.filter(|_| more).map(|millis| draft.at().plus(millis));
    draft.emit(Fact::StepFailed { step, run, message, agent: agent.clone(), attempt, error, retry_at });
    if let Some(usage) = &left.usage {
        record(draft, message, &agent, usage);
    }
    if retry_at.is_none() {
        let (text, reason) = (left.text.clone(), AbortReason::Failed);
        draft.emit(Fact::MessageAborted { message, run, step, agent, attempt, text, reason });
    }
}

/// What an attempt cost, whether or not it came to its end.
pub(super) fn record(draft: &mut Draft, message: MessageId, agent: &AgentId, usage: &Usage) {
    let Some(run) = draft.view().active_run() else { return };
    let (run, participant) = (run.id, run.started_by.map(|(id, _)| id));
    draft.emit(Fact::UsageRecorded {
        message,
        run,
        agent: agent.clone(),
        participant,
        model: usage.model.clone(),
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        estimated: usage.estimated,
        cost_micros: usage.cost_micros,
    });
}

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

/// Take up what a restart or a lost node left behind: turns begin anew, and what was to be stopped has stopped, since
/// nothing runs for this session any more.
pub(super) fn recover(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().cloned() else { return };
    let stops = |verb| matches!(verb, ControlVerb::Interrupt | ControlVerb::Cancel);
    for open in run.controls.iter().filter(|open| stops(open.verb)) {
        // The text so far, and what it cost, was on the lost node only.
        let done = if open.acknowledged { Ok(()) } else { control::acknowledge(draft, open.id) };
        let _ = done.and_then(|()| control::stopped(draft, open.id, &[]));
    }
    let Some(run) = draft.view().active_run().cloned() else { return };
    for item in run.items.into_iter().filter(|item| item.retry_at.is_none()) {
        again(draft, run.id, item, true);
    }
    due(draft);
}

fn again(draft: &mut Draft, run: super::RunId, item: Item, recovered: bool) {
    let Item { message, step, agent, attempt, .. } = item;
    fold_steers(draft, run, step, &agent);
    draft.emit(Fact::MessageStarted { message, run, step, agent, attempt: attempt + 1, recovered });
}

/// The item that a result belongs to, unless it is of an attempt that is over.
fn current(draft: &Draft, message: MessageId, attempt: u32) -> Option<(super::RunId, Item)> {
    let run = draft.view().active_run()?;
    let item = run.item(message).filter(|item| item.attempt == attempt && item.retry_at.is_none())?;
    Some((run.id, item.clone()))
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
        let busy = |run: &super::Run| !run.items.is_empty() || !run.controls.is_empty();
        self.view.active_run().is_some_and(busy) || self.next_due().is_some()
    }
}
