//! Driving a run: whenever nothing is under way, ask its flow what comes next, and make it happen.

use super::decide::Draft;
use super::flow::{self, Next};
use super::gate::{Act, Gate, GateKind, Rule, Subject};
use super::{
    AbortReason, AgentId, ControlVerb, Fact, FinishReason, GateId, Language, MessageId, Mode, Phase, Right, Role, Run,
    RunId, StepError, StepId, Target, View,
};

/// Where a run stands, from its outstanding work and its gates.
pub(super) fn phase(view: &View, run: &Run) -> Phase {
    if run.phase.is_over() {
        run.phase
    } else if run.paused {
        Phase::Paused
    } else if view.gates.iter().any(|gate| gate.run == run.id) {
        Phase::Waiting
    } else if run.items.iter().any(|item| item.recovered) {
        Phase::Recovering
    } else if run.items.is_empty() {
        Phase::Pending
    } else {
        Phase::Executing
    }
}

/// Take the run as far as it goes without people or models. Every pass emits at least one fact or ends, and each
/// starts work, opens a gate or ends the run, so it comes to rest.
pub(super) fn drive(draft: &mut Draft) {
    loop {
        end_step(draft);
        end_pausing(draft);
        let view = draft.view();
        let Some(run) = view.active_run() else { return };
        let waits = view.gates.iter().any(|gate| gate.run == run.id);
        if waits || run.paused || run.stopping() || !run.items.is_empty() {
            return;
        }
        let id = run.id;
        if let Some(error) = run.error.clone() {
            draft.emit(Fact::RunFailed { run: id, error });
            return;
        }
        let Some(flow) = flow::named(&run.flow) else {
            let message = "the session's flow is not known to this server";
            let error = StepError { code: "unknown_flow".into(), message: message.into() };
            draft.emit(Fact::RunFailed { run: id, error });
            return;
        };
        match flow.next(view, run) {
            Next::Take(agents) if full(view, run, agents.len()) => finish(draft, id, FinishReason::MessageLimit, None),
            Next::Take(agents) => take(draft, id, &agents),
            Next::Ask => match said_already(view, run) {
                // Taken into a run that has no room for an answer, the words would be lost.
                Some(_) if full(view, run, 2) => finish(draft, id, FinishReason::MessageLimit, None),
                Some(message) => draft.emit(Fact::MessageConsumed { message, run: id, step: None }),
                None => open_gate(draft, id),
            },
            Next::Finish { answer } => finish(draft, id, FinishReason::Completed, answer),
        }
    }
}

/// The waiting words that say what comes next. After an interrupt only those that came with it do: whoever stopped the
/// agents would otherwise see them go on with something else.
fn said_already(view: &View, run: &Run) -> Option<MessageId> {
    let mut waiting = view.inbox.iter().map(|queued| queued.message);
    match run.round.interrupted {
        true => waiting.find(|message| run.round.words == Some(*message)),
        false => waiting.next(),
    }
}

/// Whether the run has no room for so many more messages. An approved one always has room for its final answer: people who
/// waited for it would get nothing else.
pub(super) fn full(view: &View, run: &Run, more: usize) -> bool {
    let more = u32::try_from(more).unwrap_or(u32::MAX);
    !run.round.approved && run.messages.saturating_add(more) > view.settings.messages_per_run
}

/// A step ends when all its agents are done, or have been stopped.
fn end_step(draft: &mut Draft) {
    let Some(run) = draft.view().active_run().filter(|run| run.items.is_empty()) else { return };
    let (id, Some(step)) = (run.id, run.step) else { return };
    let skipped = match (run.round.interrupted, run.error.is_some()) {
        (true, _) => Some(AbortReason::Interrupted),
        (false, true) => Some(AbortReason::Failed),
        (false, false) => None,
    };
    match skipped {
        Some(reason) => draft.emit(Fact::StepSkipped { step, run: id, reason }),
        None => draft.emit(Fact::StepCompleted { step, run: id }),
    }
}

/// A pause is effective once no turn is under way.
fn end_pausing(draft: &mut Draft) {
    let Some(run) = draft.view().active_run() else { return };
    let pause = run.controls.iter().find(|control| control.verb == ControlVerb::Pause).map(|control| control.id);
    if let (Some(control), true) = (pause, run.items.iter().all(|item| item.retry_at.is_some())) {
        let run = run.id;
        draft.emit(Fact::ControlEffective { control, run, verb: ControlVerb::Pause });
    }
}

/// Fold the steers that are for `agent` into the step; whether there were any.
pub(super) fn fold_steers(draft: &mut Draft, run: RunId, step: StepId, agent: &AgentId) -> bool {
    let steers: Vec<MessageId> = draft
        .view()
        .inbox
        .iter()
        .filter(|queued| queued.mode == Mode::Steer && is_for(&queued.to, std::slice::from_ref(agent)))
        .map(|queued| queued.message)
        .collect();
    for message in &steers {
        draft.emit(Fact::MessageConsumed { message: *message, run, step: Some(step) });
    }
    !steers.is_empty()
}

/// Begin a turn of `agent` in `step`.
pub(super) fn begin_turn(draft: &mut Draft, run: RunId, step: StepId, agent: AgentId) {
    let message = MessageId(draft.next_seq());
    draft.emit(Fact::MessageStarted { message, run, step, agent, attempt: 1, recovered: false });
}

/// Whether a step of these agents reaches everybody whom the words are for. Words for others too, or for the whole flow,
/// wait for a round of their own: taken now, some of their addressees would never read them.
fn is_for(to: &[Target], agents: &[AgentId]) -> bool {
    to.iter().filter(|target| target.is_for_agents()).all(|target| match target {
        Target::Agent(agent) => agents.contains(agent),
        _ => false,
    })
}

fn take(draft: &mut Draft, run: RunId, agents: &[AgentId]) {
    let step = StepId(draft.next_seq());
    draft.emit(Fact::StepStarted { step, run, agents: agents.to_vec() });
    let waiting: Vec<MessageId> =
        draft.view().inbox.iter().filter(|queued| is_for(&queued.to, agents)).map(|queued| queued.message).collect();
    for message in waiting {
        draft.emit(Fact::MessageConsumed { message, run, step: Some(step) });
    }
    for agent in agents {
        begin_turn(draft, run, step, agent.clone());
    }
}

/// End the run well. What still waits begins the next one, so that nothing said is dropped.
fn finish(draft: &mut Draft, run: RunId, reason: FinishReason, answer: Option<MessageId>) {
    draft.emit(Fact::RunFinished { run, reason, answer });
    if let Some(next) = draft.view().inbox.first().cloned() {
        start_run(draft, next.message, next.to);
    }
}

/// Begin a run on a message that is already posted.
pub(super) fn start_run(draft: &mut Draft, input: MessageId, to: Vec<Target>) {
    let run = RunId(draft.next_seq());
    let flow = draft.view().team.flow.clone();
    draft.emit(Fact::RunStarted { run, flow, input, to });
}

fn open_gate(draft: &mut Draft, run_id: RunId) {
    let view = draft.view();
    let Some(run) = view.active_run() else { return };
    let message = run.round.last.and_then(|id| view.message(id));
    let subject = message.map(|message| Subject {
        id: message.id,
        rev: 1,
        digest: blake3::hash(message.text.as_bytes()).to_hex().as_str().into(),
    });
    let agent: Option<AgentId> = message.and_then(|message| message.by.id.parse().ok());
    let deadline = view.settings.gate_seconds.map(|seconds| draft.at().plus(seconds.saturating_mul(1000)));
    let gate = Gate {
        id: GateId(draft.next_seq()),
        run: run_id,
        kind: GateKind::Feedback,
        prompt: draft.prompt(GateKind::Feedback, agent.as_ref(), run.round.interrupted).into(),
        rev: 1,
        // Nothing has been written that could be approved.
        allow: if subject.is_some() { vec![Act::Approve, Act::Reject, Act::Respond] } else { vec![Act::Respond] },
        subject,
        agent,
        agents: view.team.agents.iter().map(|agent| agent.id.clone()).collect(),
        rule: view.settings.approval,
        eligible: Role::ALL.into_iter().filter(|role| role.may(Right::Approve)).collect(),
        deadline,
        votes: vec![],
        decision: None,
        opened_at: draft.at(),
    };
    draft.emit(Fact::GateOpened { gate });
}

/// A gate's time ran out: silence is consent where the rule says so, else the run cannot go on.
pub(super) fn expire(draft: &mut Draft, gate: &Gate) {
    if gate.rule == Rule::Veto && gate.subject.is_some() {
        super::vote::decided(draft, gate.id, super::gate::Outcome::Approved, None, vec![]);
        return;
    }
    draft.emit(Fact::GateExpired { gate: gate.id });
    let message = match draft.view().team.language {
        Language::Zh => "没有人在期限内作出决定；发送一条消息即可开始新的运行",
        Language::En => "nobody decided in time; say something to begin a new run",
    };
    let error = StepError { code: "gate_expired".into(), message: message.into() };
    draft.emit(Fact::RunFailed { run: gate.run, error });
}
