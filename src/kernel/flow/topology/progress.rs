//! Outcomes of the tasks of a run, by agent and task. Computed once for each call of `Flow::next`.

use std::collections::HashMap;

use super::node::NodeTeam;
use crate::{AgentId, Delegation, MessageId, Run, Task};

/// State of an agent's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskState {
    /// The task has not started, or was stopped.
    NotStarted,
    /// A turn or a call of the task is in progress.
    Busy,
    /// The task failed, and can be repeated.
    Retry,
    /// The task failed more often than it can be repeated.
    Failed,
    /// The task is done.
    Done,
}

impl TaskState {
    /// Returns whether the task can start now.
    pub(super) fn is_ready(self) -> bool {
        matches!(self, Self::NotStarted | Self::Retry)
    }

    /// Returns whether the task has ended for good.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed)
    }
}

/// Outcomes of an agent's task.
#[derive(Debug, Clone, Copy, Default)]
struct TaskOutcomes {
    busy: bool,
    completed: u32,
    failed: u32,
    /// True if the last outcome is a failure.
    last_failed: bool,
    /// True if the last outcome is a failure that a retry cannot fix.
    is_permanent: bool,
    message: Option<MessageId>,
}

/// Progress of all tasks of a run.
pub(super) struct TaskProgress<'a> {
    run: &'a Run,
    /// Tasks of the agents of each node. They are looked up by index, because every call of `Flow::next` reads all of
    /// them, and the largest teams have thousands.
    parts: Vec<Vec<TaskOutcomes>>,
    /// Tasks of the supervisors.
    supervisors: HashMap<(&'a AgentId, Task), TaskOutcomes>,
    max_retries: u32,
}

impl<'a> TaskProgress<'a> {
    pub(super) fn of(run: &'a Run, teams: &[NodeTeam], max_retries: u32) -> Self {
        let parts = teams.iter().map(|team| vec![TaskOutcomes::default(); team.agents.len()]).collect();
        let mut progress = Self { run, parts, supervisors: HashMap::new(), max_retries };
        let writing = run.running.iter().map(|message| (&message.agent, message.task));
        let calling = run.tool_rounds.iter().filter(|round| !round.closed).map(|round| &round.assignment);
        for (agent, task) in writing.chain(calling.map(|assignment| (&assignment.agent, assignment.task))) {
            progress.change(agent, task, |outcomes| outcomes.busy = true);
        }
        for done in &run.task_results {
            progress.change(&done.assignment.agent, done.assignment.task, |outcomes| {
                outcomes.last_failed = done.failure.is_some();
                outcomes.is_permanent = done.failure.as_ref().is_some_and(|failure| failure.permanent);
                match outcomes.last_failed {
                    true => outcomes.failed += 1,
                    false => (outcomes.completed, outcomes.message) = (outcomes.completed + 1, done.message),
                }
            });
        }
        progress
    }

    fn change(&mut self, agent: &'a AgentId, task: Task, change: impl FnOnce(&mut TaskOutcomes)) {
        let outcomes = match index_of(task) {
            Some((node, part)) => self.parts.get_mut(node).and_then(|parts| parts.get_mut(part)),
            None => Some(self.supervisors.entry((agent, task)).or_default()),
        };
        if let Some(outcomes) = outcomes {
            change(outcomes);
        }
    }

    fn outcomes(&self, agent: &AgentId, task: Task) -> TaskOutcomes {
        let outcomes = match index_of(task) {
            Some((node, part)) => self.parts.get(node).and_then(|parts| parts.get(part)),
            None => self.supervisors.get(&(agent, task)),
        };
        outcomes.copied().unwrap_or_default()
    }

    /// Returns the state of a task.
    pub(super) fn state(&self, agent: &AgentId, task: Task) -> TaskState {
        match self.outcomes(agent, task) {
            TaskOutcomes { busy: true, .. } => TaskState::Busy,
            TaskOutcomes { completed: 0, failed: 0, .. } => TaskState::NotStarted,
            TaskOutcomes { last_failed: false, .. } => TaskState::Done,
            TaskOutcomes { failed, is_permanent: false, .. } if failed <= self.max_retries => TaskState::Retry,
            TaskOutcomes { .. } => TaskState::Failed,
        }
    }

    /// Returns the number of times that a task was completed.
    pub(super) fn completed(&self, agent: &AgentId, task: Task) -> u32 {
        self.outcomes(agent, task).completed
    }

    /// Returns the number of times that a task was completed or failed.
    pub(super) fn ended(&self, agent: &AgentId, task: Task) -> u32 {
        let outcomes = self.outcomes(agent, task);
        outcomes.completed + outcomes.failed
    }

    /// Returns the message of the last completion of a task.
    pub(super) fn message(&self, agent: &AgentId, task: Task) -> Option<MessageId> {
        self.outcomes(agent, task).message
    }

    /// Returns the last decision of a supervisor about its agents.
    pub(super) fn delegation(&self, supervisor: &AgentId) -> Option<&'a Delegation> {
        self.run.delegations.iter().rev().find(|delegation| delegation.by == *supervisor)
    }
}

/// Returns the indices of the node and the agent for a task of a node's agent; `None` for the tasks of supervisors.
fn index_of(task: Task) -> Option<(usize, usize)> {
    let (number, part) = task.executed()?;
    Some((usize::try_from(number).ok()?.checked_sub(1)?, usize::try_from(part).ok()?))
}
