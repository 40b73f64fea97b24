//! Results of model turns.

use std::sync::Arc;

use super::draft::Draft;
use super::work::{begin_turn, fold_steers};
use super::{
    AbortReason, AgentId, Fact, Item, MessageId, StepError, Unfinished, Usage, answer, calls, command::Wanted, driver,
};

/// Response of a model.
pub(super) struct Answer<'a> {
    pub(super) text: &'a Arc<str>,
    pub(super) calls: &'a [Wanted],
    pub(super) usage: &'a Usage,
    pub(super) truncated: bool,
}

/// Applies the result of a turn. A result of an earlier attempt is discarded, because a newer attempt is already
/// running.
pub(super) fn completed(draft: &mut Draft, message: MessageId, attempt: u32, answer: &Answer) {
    let Answer { text, calls: wanted, usage, truncated } = *answer;
    let Some((run, item)) = current(draft, message, attempt) else { return };
    let (step, by) = (item.step, item.assignment());
    let (agent, calls) = (by.agent.clone(), u32::try_from(wanted.len()).unwrap_or(u32::MAX));
    // A task must terminate: the calls of its last turn are not made, and the text of that turn is the result.
    let out_of_turns = calls > 0 && item.turn >= draft.view().settings.turns_per_task;
    let text = text.clone();
    draft.emit(Fact::MessageCompleted { message, run, step, agent, attempt, text, calls, out_of_turns, truncated });
    record(draft, message, &by.agent, usage);
    match out_of_turns {
        true => calls::refuse(draft, run, step, message, &by, wanted),
        false if calls > 0 => return calls::propose(draft, run, step, Some(message), &by, wanted),
        false => {}
    }
    if answer::read(draft, run, step, message, &by, answer) == answer::Reading::Again {
        return;
    }
    let halted = draft.view().active_run().is_none_or(|run| {
        // Without room for a steering message and a response to it, the message waits for the next run. Otherwise
        // steering could extend a run forever.
        run.paused || run.stopping() || run.error.is_some() || driver::full(draft.view(), run, 2)
    });
    if !halted && fold_steers(draft, run, step, &by.agent) {
        begin_turn(draft, run, step, &by);
    }
}

/// Applies a failed attempt: schedules a retry, or ends the item.
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

/// Records the usage of an attempt, whether or not it completed.
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

/// Returns the item that a result belongs to, unless its attempt is over.
fn current(draft: &Draft, message: MessageId, attempt: u32) -> Option<(super::RunId, Item)> {
    let run = draft.view().active_run()?;
    let item = run.item(message).filter(|item| item.attempt == attempt && item.retry_at.is_none())?;
    Some((run.id, item.clone()))
}
