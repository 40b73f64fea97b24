//! Outcomes of the tasks of a run, by agent and task. Computed once for each decision of the flow.

use std::collections::{HashMap, HashSet};

use crate::kernel::planner_decision::PlannerDecision;
use crate::kernel::{AgentId, MessageId, Run, Task};

/// State of an agent's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskState {
    /// The task has not started, or was stopped.
    NotStarted,
    /// A turn or a call of the task is in progress.
    Busy,
    /// The last attempt at the task failed; it can be repeated.
    Retry,
    /// The task failed more often than it can be repeated.
    Failed,
    /// The task is done.
    Done,
}

/// Outcomes of an agent's task.
#[derive(Debug, Clone, Copy, Default)]
struct TaskOutcomes {
    completed: u32,
    failed: u32,
    /// True if the last one failed.
    last_failed: bool,
    message: Option<MessageId>,
}

/// TaskProgress of all tasks of a run.
pub(super) struct TaskProgress<'a> {
    run: &'a Run,
    busy: HashSet<(&'a AgentId, Task)>,
    outcomes: HashMap<(&'a AgentId, Task), TaskOutcomes>,
    max_retries: u32,
}

impl<'a> TaskProgress<'a> {
    pub(super) fn of(run: &'a Run, max_retries: u32) -> Self {
        let writing = run.items.iter().map(|item| (&item.agent, item.task));
        let calling = run.tool_rounds.iter().filter(|round| !round.closed).map(|round| &round.assignment);
        let busy = writing.chain(calling.map(|assignment| (&assignment.agent, assignment.task))).collect();
        let mut outcomes: HashMap<_, TaskOutcomes> = HashMap::new();
        for done in &run.task_results {
            let outcome = outcomes.entry((&done.assignment.agent, done.assignment.task)).or_default();
            outcome.last_failed = done.failure.is_some();
            match outcome.last_failed {
                true => outcome.failed += 1,
                false => (outcome.completed, outcome.message) = (outcome.completed + 1, done.message),
            }
        }
        Self { run, busy, outcomes, max_retries }
    }

    /// Returns the state of a task.
    pub(super) fn state(&self, agent: &AgentId, task: Task) -> TaskState {
        if self.busy.contains(&(agent, task)) {
            return TaskState::Busy;
        }
        match self.outcomes.get(&(agent, task)) {
            None => TaskState::NotStarted,
            Some(outcome) if !outcome.last_failed => TaskState::Done,
            Some(outcome) if outcome.failed <= self.max_retries => TaskState::Retry,
            Some(_) => TaskState::Failed,
        }
    }

    /// Returns how often a task was completed.
    pub(super) fn completed(&self, agent: &AgentId, task: Task) -> u32 {
        self.outcomes.get(&(agent, task)).map_or(0, |outcome| outcome.completed)
    }

    /// Returns how often a task was completed or failed.
    pub(super) fn ended(&self, agent: &AgentId, task: Task) -> u32 {
        self.outcomes.get(&(agent, task)).map_or(0, |outcome| outcome.completed + outcome.failed)
    }

    /// Returns the message of the last completion of a task.
    pub(super) fn message(&self, agent: &AgentId, task: Task) -> Option<MessageId> {
        self.outcomes.get(&(agent, task)).and_then(|outcome| outcome.message)
    }

    /// Returns the last decision of a supervisor about its agents.
    pub(super) fn delegation(&self, supervisor: &AgentId) -> Option<&'a PlannerDecision> {
        let mut last = self.run.delegations.iter().rev();
        last.find(|delegation| delegation.by == *supervisor).map(|delegation| &delegation.decision)
    }
}
