//! Steps: agents work in parallel, each on a task, turn after turn until a turn calls no tools.

use crate::ProposedCall;
use crate::draft::Draft;
use crate::plan::PlanItemState;
use crate::{AgentId, Assignment, Fact, MessageId, Mode, RunId, StepId, Target, Task, budget, call, driver, flow};

/// Starts these assignments in the running step, or in a new one.
pub(crate) fn join_step(draft: &mut Draft, run: RunId, tasks: &[Assignment]) {
    match draft.view().active_run().and_then(|run| run.step) {
        Some(step) => tasks.iter().for_each(|assignment| begin_turn(draft, run, step, assignment)),
        None => start_step(draft, run, tasks),
    }
}

/// Starts a step with these assignments.
pub(crate) fn start_step(draft: &mut Draft, run: RunId, tasks: &[Assignment]) {
    let max_parallel = usize::try_from(draft.view().settings.max_parallel).unwrap_or(usize::MAX);
    let tasks = &tasks[..tasks.len().min(max_parallel).min(budget::remaining_requests(draft.view()))];
    let agents: Vec<AgentId> = tasks.iter().map(|assignment| assignment.agent.clone()).collect();
    let step = begin(draft, run, tasks);
    let room = draft
        .view()
        .active_run()
        .map_or(0, |run| driver::remaining_messages(draft.view(), run).saturating_sub(tasks.len()));
    let anybody = draft.view().active_run().and_then(flow::flow_of).is_some_and(|flow| !flow.uses_rounds());
    // Messages wait for the next run: an agent that only writes structured output answers nobody.
    let answers = tasks.iter().any(|assignment| assignment.task != Task::Structure);
    let waiting = draft.view().inbox.iter().filter(|queued| answers && is_for(&queued.to, &agents, anybody));
    // Messages that the run has no room for keep waiting: the first of them starts the next run.
    let waiting: Vec<MessageId> = waiting.map(|queued| queued.message).take(room).collect();
    for message in waiting {
        draft.emit(Fact::MessageConsumed { message, run, step: Some(step) });
    }
    for assignment in tasks {
        begin_turn(draft, run, step, assignment);
    }
}

/// Starts a step that is a single call, without a model.
pub(crate) fn start_call_step(draft: &mut Draft, run: RunId, by: &Assignment, call: ProposedCall) {
    let step = begin(draft, run, std::slice::from_ref(by));
    call::lifecycle::propose(draft, run, step, None, by, &[call]);
}

fn begin(draft: &mut Draft, run: RunId, tasks: &[Assignment]) -> StepId {
    let step = StepId(draft.next_seq());
    let agents = tasks.iter().map(|assignment| assignment.agent.clone()).collect();
    draft.emit(Fact::StepStarted { step, run, agents });
    if let Some(Task::Execute { number, .. }) = tasks.first().map(|assignment| assignment.task)
        && !is_in_progress(draft, number)
    {
        change_item(draft, run, number, PlanItemState::InProgress);
    }
    step
}

fn is_in_progress(draft: &Draft, number: u32) -> bool {
    let plan = draft.view().active_run().and_then(|run| run.plan.as_ref());
    plan.and_then(|plan| plan.item(number)).is_some_and(|item| item.state == PlanItemState::InProgress)
}

pub(crate) fn change_item(draft: &mut Draft, run: RunId, number: u32, state: PlanItemState) {
    draft.emit(Fact::PlanItemChanged { run, number, state, note: "".into() });
}

/// Starts a turn.
pub(super) fn begin_turn(draft: &mut Draft, run: RunId, step: StepId, assignment: &Assignment) {
    let message = MessageId(draft.next_seq());
    let Assignment { agent, task } = assignment.clone();
    draft.emit(Fact::MessageStarted { message, run, step, agent, task, attempt: 1, recovered: false });
}

/// Starts the next turn of every task whose calls all have results.
pub(crate) fn continue_tasks(draft: &mut Draft) {
    loop {
        let Some(run) = draft.view().active_run().filter(|_| budget::remaining_requests(draft.view()) > 0) else {
            return;
        };
        let ready = run.tool_rounds.iter().find(|round| {
            // A call that the flow itself made needs no further turn: the call is the result.
            !round.closed && round.message.is_some() && round.is_over()
        });
        let Some((id, step, assignment)) = ready.map(|ready| (run.id, ready.step, ready.assignment.clone())) else {
            return;
        };
        fold_steers(draft, id, step, &assignment.agent);
        begin_turn(draft, id, step, &assignment);
    }
}

/// Delivers waiting steering messages for `agent` to the step. Returns whether there were any.
pub(super) fn fold_steers(draft: &mut Draft, run: RunId, step: StepId, agent: &AgentId) -> bool {
    let steering = draft.view().inbox.iter().filter(|queued| queued.mode == Mode::Steer);
    let steers = steering.filter(|queued| is_for(&queued.to, std::slice::from_ref(agent), false));
    let steers: Vec<MessageId> = steers.map(|queued| queued.message).collect();
    for message in &steers {
        draft.emit(Fact::MessageConsumed { message: *message, run, step: Some(step) });
    }
    !steers.is_empty()
}

/// Returns whether a step of these agents reaches all recipients of a message. A message that is also for other agents,
/// or for `@all`, waits for its own round, because some of its recipients would otherwise never read it. In a flow
/// without rounds, all agents read all messages of the run.
fn is_for(to: &[Target], agents: &[AgentId], anybody: bool) -> bool {
    let mut meant = to.iter().filter(|target| target.is_for_agents());
    anybody || meant.all(|target| matches!(target, Target::Agent(agent) if agents.contains(agent)))
}
