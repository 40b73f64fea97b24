//! Controls of a run: pause, resume, interrupt and cancel. Each has three phases: requested, acknowledged, effective.

use std::fmt::Display;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{due, turn};
use crate::draft::Draft;
use crate::gate::Gate;
use crate::message::{mention, say};
use crate::{
    AbortReason, AttemptError, Fact, Language, MessageId, Mode, PartialMessage, Rejection, Right, Run, RunId,
    RunningMessage, StepId, Target, call,
};

/// Kind of control of a run. Each control is recorded in three phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlVerb {
    /// No new turn starts; running turns finish.
    Pause,
    /// The pause ends.
    Resume,
    /// Running output stops; then the run waits for people.
    Interrupt,
    /// The run ends.
    Cancel,
    /// The run has reached its time limit, so it fails. No participant requests this.
    Expire,
}

impl ControlVerb {
    /// Returns whether the control stops everything that is running.
    pub fn stops_work(self) -> bool {
        matches!(self, Self::Interrupt | Self::Cancel | Self::Expire)
    }

    /// Returns whether the control ends the run.
    pub fn ends_run(self) -> bool {
        matches!(self, Self::Cancel | Self::Expire)
    }
}

/// Applies the `pause` command: nothing new starts, running turns finish.
pub(crate) fn pause(draft: &mut Draft, run: RunId) -> Result<(), Rejection> {
    let run = target_run(draft, run)?;
    if run.paused {
        return Err(Rejection::AlreadyPaused);
    }
    may_request(run, ControlVerb::Pause)?;
    let control = request(draft, ControlVerb::Pause, None, None)?;
    // The orchestrator does not need to be notified: the driver starts nothing from now on.
    acknowledge(draft, control)
}

/// Applies the `resume` command: the pause ends, and held work continues.
pub(crate) fn resume(draft: &mut Draft, run: RunId) -> Result<(), Rejection> {
    let run = target_run(draft, run)?;
    if !run.paused {
        return Err(Rejection::NotPaused);
    }
    may_request(run, ControlVerb::Resume)?;
    let control = request(draft, ControlVerb::Resume, None, None)?;
    acknowledge(draft, control)?;
    record_effective(draft, control, ControlVerb::Resume)?;
    due::retry_held(draft);
    due::apply_due(draft);
    Ok(())
}

/// Applies the `interrupt` command: running output stops, if the run and the given step or message are in progress.
/// `text` is new input for the agents that were stopped, unless it mentions others.
pub(crate) fn interrupt(
    draft: &mut Draft,
    run: RunId,
    step: Option<StepId>,
    message: Option<MessageId>,
    text: Option<&Arc<str>>,
) -> Result<(), Rejection> {
    let run = target_run(draft, run)?;
    if let Some(step) = step.filter(|step| run.step != Some(*step)) {
        return Err(over_rejection(draft, step.0, &step, Rejection::UnknownTarget(step.to_string().into())));
    }
    if let Some(message) = message.filter(|message| run.running_message(*message).is_none()) {
        return Err(over_rejection(draft, message.0, &message, Rejection::UnknownTarget(message.to_string().into())));
    }
    if !run.is_busy() {
        return Err(Rejection::NothingRunning);
    }
    let mut stopped: Vec<Target> = vec![];
    let calling = run.tool_rounds.iter().filter(|round| !round.closed).map(|round| &round.assignment.agent);
    for agent in run.running.iter().map(|message| &message.agent).chain(calling) {
        let target = Target::Agent(agent.clone());
        if !stopped.contains(&target) {
            stopped.push(target);
        }
    }
    let comment = text.filter(|text| !text.trim().is_empty());
    match comment {
        // If two people interrupt at the same time, both messages count. If the second command were rejected, its text
        // would be lost.
        Some(_) => {
            draft.require(Right::Steer)?;
            check_not_pending(run, ControlVerb::Cancel)?;
        }
        None => may_request(run, ControlVerb::Interrupt)?,
    }
    let message = comment.map(|text| {
        let mut route = mention::route(draft.view(), text, None).for_agents();
        if route.to.is_empty() {
            route.to = stopped;
        }
        say::post(draft, text, route, Some(Mode::Queue))
    });
    request(draft, ControlVerb::Interrupt, None, message)?;
    Ok(())
}

/// Applies the `cancel` command: the run ends as soon as nothing is running in it.
pub(crate) fn cancel(draft: &mut Draft, run: RunId, reason: Option<&Arc<str>>) -> Result<(), Rejection> {
    let run = target_run(draft, run)?;
    may_request(run, ControlVerb::Cancel)?;
    let idle = run.running.is_empty() && run.started().next().is_none();
    let control = request(draft, ControlVerb::Cancel, reason, None)?;
    if idle {
        acknowledge(draft, control)?;
        record_stop(draft, control, &[])?;
    }
    Ok(())
}

/// Ends the run because it has reached its time limit.
pub(super) fn expire(draft: &mut Draft) -> Result<(), Rejection> {
    let run = require_active_run(draft)?;
    let idle = run.running.is_empty() && run.started().next().is_none();
    let control = request(draft, ControlVerb::Expire, None, None)?;
    if idle {
        acknowledge(draft, control)?;
        record_stop(draft, control, &[])?;
    }
    Ok(())
}

/// Records that the orchestrator has started executing a control.
pub(crate) fn acknowledge(draft: &mut Draft, control: u64) -> Result<(), Rejection> {
    let Some((run, verb)) = pending_control(draft, control) else { return Ok(()) };
    draft.emit(Fact::ControlAcknowledged { control, run: run.id, verb });
    Ok(())
}

/// Records that everything that the control had to stop has stopped.
pub(crate) fn record_stop(draft: &mut Draft, control: u64, left: &[PartialMessage]) -> Result<(), Rejection> {
    let Some((run, verb)) = pending_control(draft, control) else { return Ok(()) };
    let (reason, code) = match verb {
        ControlVerb::Cancel => (AbortReason::Cancelled, "cancelled"),
        ControlVerb::Expire => (AbortReason::TimedOut, "run_timeout"),
        ControlVerb::Interrupt | ControlVerb::Pause | ControlVerb::Resume => (AbortReason::Interrupted, "interrupted"),
    };
    for RunningMessage { message, step, agent, attempt, .. } in run.running {
        let left = left.iter().find(|left| left.message == message);
        if let Some(usage) = left.and_then(|left| left.usage.as_ref()) {
            turn::record(draft, message, &agent, usage);
        }
        let text = left.map_or_else(|| "".into(), |left| left.text.clone());
        draft.emit(Fact::MessageAborted { message, run: run.id, step, agent, attempt, text, reason });
    }
    call::lifecycle::fail_all(draft, code);
    if verb.ends_run() {
        if let Some(step) = run.step {
            draft.emit(Fact::StepSkipped { step, run: run.id, reason });
        }
        for gate in draft.view().gates.clone().into_iter().filter(Gate::holds_work) {
            draft.emit(Fact::GateClosed { gate: gate.id });
        }
        let cancel_reason = run.controls.iter().find(|open| open.id == control).and_then(|open| open.reason.clone());
        draft.emit(match verb {
            ControlVerb::Expire => Fact::RunFailed { run: run.id, error: timeout_error(draft.view().team.language) },
            ControlVerb::Cancel | ControlVerb::Interrupt | ControlVerb::Pause | ControlVerb::Resume => {
                Fact::RunCancelled { run: run.id, reason: cancel_reason.unwrap_or_else(|| "".into()) }
            }
        });
        // The end of the run fulfills all other requested controls.
        for open in run.controls.iter().filter(|open| open.id != control) {
            draft.emit(Fact::ControlEffective { control: open.id, run: run.id, verb: open.verb });
        }
    }
    draft.emit(Fact::ControlEffective { control, run: run.id, verb });
    Ok(())
}

fn timeout_error(language: Language) -> AttemptError {
    let message = match language {
        Language::Zh => "运行超过了时限；已完成的结果保留在会话中，可以延长时限后重新开始",
        Language::En => {
            "the run exceeded its time limit; finished results stay in the session; start it again with more time"
        }
    };
    AttemptError { code: "run_timeout".into(), message: message.into() }
}

fn record_effective(draft: &mut Draft, control: u64, verb: ControlVerb) -> Result<(), Rejection> {
    let run = require_active_run(draft)?.id;
    draft.emit(Fact::ControlEffective { control, run, verb });
    Ok(())
}

fn may_request(run: &Run, verb: ControlVerb) -> Result<(), Rejection> {
    check_not_pending(run, verb)?;
    check_not_pending(run, ControlVerb::Expire)?;
    check_not_pending(run, ControlVerb::Cancel)
}

fn check_not_pending(run: &Run, verb: ControlVerb) -> Result<(), Rejection> {
    if run.controls.iter().any(|open| open.verb == verb) { Err(Rejection::AlreadyRequested) } else { Ok(()) }
}

fn request(
    draft: &mut Draft,
    verb: ControlVerb,
    reason: Option<&Arc<str>>,
    message: Option<MessageId>,
) -> Result<u64, Rejection> {
    let (control, run) = (draft.next_seq(), require_active_run(draft)?.id);
    draft.emit(Fact::ControlRequested { control, run, verb, reason: reason.cloned(), message });
    Ok(control)
}

/// Returns the run that a control names, if it is in progress. A control that is sent again after a lost response must
/// not affect another run.
fn target_run(draft: &Draft, id: RunId) -> Result<&Run, Rejection> {
    match draft.view().active_run() {
        Some(run) if run.id == id => Ok(run),
        Some(run) => Err(over_rejection(draft, id.0, &id, Rejection::OtherRun { requested: id, active: run.id })),
        None => Err(over_rejection(draft, id.0, &id, Rejection::NoRun)),
    }
}

/// Returns `TargetOver` for an id that the log has passed, otherwise `not_yet`. Ids are seqs, so an id that the log has
/// passed can never be assigned again: the rejection is final, however often the command is repeated.
fn over_rejection(draft: &Draft, seq: u64, id: &dyn Display, not_yet: Rejection) -> Rejection {
    if seq < draft.next_seq() { Rejection::TargetOver(id.to_string().into()) } else { not_yet }
}

fn require_active_run(draft: &Draft) -> Result<&Run, Rejection> {
    draft.view().active_run().ok_or(Rejection::NoRun)
}

/// Returns the run and the verb of a control that is not effective yet; `None` if there is no such control.
fn pending_control(draft: &Draft, control: u64) -> Option<(Run, ControlVerb)> {
    let run = draft.view().active_run()?;
    let verb = run.controls.iter().find(|open| open.id == control)?.verb;
    Some((run.clone(), verb))
}
