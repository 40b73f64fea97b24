//! Results of model turns.

use std::sync::Arc;

use super::output_repair;
use super::step::{begin_turn, fold_steers};
use crate::ProposedCall;
use crate::draft::Draft;
use crate::{
    AbortReason, AgentId, AttemptError, Fact, MessageId, PartialMessage, ParticipantId, RunId, RunningMessage,
    StructuredOutputFile, Usage, budget, call, driver,
};

/// Response of a model.
pub(crate) struct TurnOutput<'a> {
    pub(crate) text: &'a Arc<str>,
    pub(crate) calls: &'a [ProposedCall],
    pub(crate) usage: &'a Usage,
    pub(crate) truncated: bool,
    pub(crate) output_file: Option<&'a StructuredOutputFile>,
}

/// Applies the result of a turn. A result of an earlier attempt is discarded, because a newer attempt is already
/// running or scheduled.
pub(crate) fn complete(draft: &mut Draft, message: MessageId, attempt: u32, answer: &TurnOutput) {
    let TurnOutput { text, calls: proposed, usage, truncated, .. } = *answer;
    let Some((run, running)) = current(draft, message, attempt) else { return };
    let (step, by) = (running.step, running.assignment());
    let (agent, calls) = (by.agent.clone(), u32::try_from(proposed.len()).unwrap_or(u32::MAX));
    // A task must terminate: the calls of its last turn are not made, and the text of that turn is the result.
    let out_of_turns = calls > 0 && running.turn >= draft.view().settings.max_turns_per_task;
    let text = text.clone();
    draft.emit(Fact::MessageCompleted { message, run, step, agent, attempt, text, calls, out_of_turns, truncated });
    record(draft, message, &by.agent, usage);
    match out_of_turns {
        true => call::lifecycle::refuse(draft, run, step, message, &by, proposed),
        false if calls > 0 => return call::lifecycle::propose(draft, run, step, Some(message), &by, proposed),
        false => {}
    }
    if output_repair::read_output(draft, run, step, message, &by, answer) == output_repair::OutputCheck::Again {
        return;
    }
    let halted = draft.view().active_run().is_none_or(|run| {
        // Without room for a steering message and a response to it, the message waits for the next run. Otherwise
        // steering could extend a run forever.
        run.paused
            || run.stopping()
            || run.error.is_some()
            || driver::is_full(draft.view(), run, 2)
            || budget::remaining_requests(draft.view()) == 0
    });
    if !halted && fold_steers(draft, run, step, &by.agent) {
        begin_turn(draft, run, step, &by);
    }
}

/// Applies a failed attempt: schedules a retry, or ends the message.
pub(crate) fn fail(
    draft: &mut Draft,
    attempt: u32,
    error: &AttemptError,
    retry_in_ms: Option<u64>,
    left: &PartialMessage,
) {
    let message = left.message;
    let Some((run, running)) = current(draft, message, attempt) else { return };
    let (step, agent, error) = (running.step, running.agent, error.clone());
    let held = &*error.code == budget::QUOTA_EXCEEDED;
    let more = held || running.failures + 1 < draft.view().settings.max_attempts;
    let retry_at = retry_in_ms.filter(|_| more).map(|wait_ms| draft.at().plus(wait_ms));
    let permanent = retry_in_ms.is_none();
    draft.emit(Fact::AttemptFailed { step, run, message, agent: agent.clone(), attempt, error, retry_at, permanent });
    if let Some(usage) = &left.usage {
        record(draft, message, &agent, usage);
    }
    if retry_at.is_none() {
        let (text, reason) = (left.text.clone(), AbortReason::Failed);
        draft.emit(Fact::MessageAborted { message, run, step, agent, attempt, text, reason });
    }
}

/// Records the usage of an attempt, whether or not it completed.
pub(crate) fn record(draft: &mut Draft, message: MessageId, agent: &AgentId, usage: &Usage) {
    let Some(run) = draft.view().active_run() else { return };
    let (run, participant) = (run.id, run.started_by.map(|(id, _)| id));
    draft.emit(usage.recorded(message, run, agent.clone(), participant));
}

impl Usage {
    /// Returns the usage of a request that used nothing.
    pub(crate) fn none() -> Self {
        Self { model: "".into(), input_tokens: 0, output_tokens: 0, estimated: false, cost_micros: 0 }
    }

    /// Returns the fact that records this usage.
    pub(crate) fn recorded(
        &self,
        message: MessageId,
        run: RunId,
        agent: AgentId,
        participant: Option<ParticipantId>,
    ) -> Fact {
        Fact::UsageRecorded {
            message,
            run,
            agent,
            participant,
            model: self.model.clone(),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            estimated: self.estimated,
            cost_micros: self.cost_micros,
        }
    }
}

/// Returns the running message that a result belongs to, with its run. Returns `None` if that attempt is over.
fn current(draft: &Draft, message: MessageId, attempt: u32) -> Option<(RunId, RunningMessage)> {
    let run = draft.view().active_run()?;
    let is_current = |running: &&RunningMessage| running.attempt == attempt && running.retry_at.is_none();
    let running = run.running_message(message).filter(is_current)?;
    Some((run.id, running.clone()))
}
