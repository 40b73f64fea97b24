//! Laws for the nodes and the tasks of a run with the `topology` flow, whatever faults occurred while its log was
//! written.

use std::collections::{BTreeSet, HashMap};

use roundtable::kernel::topology::{NodeStrategy, Topology};
use roundtable::kernel::{AbortReason, AgentId, Fact, FinishReason, MessageId, Task, View};

/// Progress of the newest run.
#[derive(Default)]
pub struct NodeLaws {
    /// Nodes that have finished, by their numbers in the plan.
    finished: BTreeSet<u32>,
    /// Assignment of each message in progress.
    running: HashMap<MessageId, (AgentId, Task)>,
    outcomes: HashMap<(AgentId, Task), TaskCount>,
    /// Number of decisions that each supervisor has made.
    decided: HashMap<AgentId, u32>,
    /// Number of decisions that picked each agent.
    picked: HashMap<AgentId, u32>,
    /// True if the last event handed a participant's message to a step.
    is_steered: bool,
}

/// Outcomes of an agent's task.
#[derive(Default)]
struct TaskCount {
    completed: u32,
    failed: u32,
    /// Number of turns that participants' messages caused after the completion.
    steered: u32,
}

impl NodeLaws {
    /// Reads the next event. `view` is the session after it.
    pub fn read(&mut self, view: &View, fact: &Fact) -> Result<(), String> {
        if matches!(fact, Fact::RunStarted { .. }) {
            *self = Self::default();
        }
        let Some(topology) = view.team.topology.as_deref() else { return Ok(()) };
        if view.run.as_ref().is_none_or(|run| &*run.flow != "topology") {
            return Ok(());
        }
        let is_steered = std::mem::replace(&mut self.is_steered, matches!(fact, Fact::MessageConsumed { .. }));
        match fact {
            Fact::PlanItemChanged { number, state, .. } => match state.is_over() {
                true if self.finished.insert(*number) => Ok(()),
                false if !self.finished.contains(number) => Ok(()),
                _ => Err("the node had finished".into()),
            },
            Fact::MessageStarted { message, agent, task, .. } => {
                self.running.insert(*message, (agent.clone(), *task));
                let outcome = self.outcomes.entry((agent.clone(), *task)).or_default();
                outcome.steered += u32::from(is_steered && outcome.completed > 0);
                Ok(())
            }
            Fact::MessageCompleted { message, calls, out_of_turns, .. } if *calls == 0 || *out_of_turns => {
                self.end(view, topology, *message, true)
            }
            Fact::MessageAborted { message, reason: AbortReason::Failed, .. } => {
                self.end(view, topology, *message, false)
            }
            Fact::DecisionMade { message: Some(_), agent, decision, .. } => {
                decision.agents.iter().for_each(|agent| *self.picked.entry(agent.clone()).or_default() += 1);
                let decided = self.decided.entry(agent.clone()).or_default();
                *decided += 1;
                let steered = self.outcomes.get(&(agent.clone(), Task::Decide)).map_or(0, |outcome| outcome.steered);
                match *decided <= topology.max_iterations + steered {
                    true => Ok(()),
                    false => Err(format!("{agent} picked {decided} times")),
                }
            }
            Fact::RunFinished { reason: FinishReason::Completed, .. }
                if self.finished.len() != topology.nodes.len() =>
            {
                Err(format!("only the nodes {:?} have finished", self.finished))
            }
            _ => Ok(()),
        }
    }

    /// Counts an outcome of the task of a message. A task completes once, and fails at most as often as it can be
    /// attempted. A task that a supervisor picked ends once for each time that it was picked.
    fn end(&mut self, view: &View, topology: &Topology, message: MessageId, completed: bool) -> Result<(), String> {
        let Some((agent, task)) = self.running.remove(&message) else { return Ok(()) };
        let outcome = self.outcomes.entry((agent.clone(), task)).or_default();
        outcome.completed += u32::from(completed);
        outcome.failed += u32::from(!completed);
        let TaskCount { completed, failed, steered } = *outcome;
        let node = view.team.agent(&agent).and_then(|agent| agent.node.as_ref());
        let node = topology.nodes.iter().find(|known| Some(&known.id) == node);
        let is_picked = node.is_some_and(|node| node.strategy == NodeStrategy::Adaptive);
        let holds = match task {
            // Outputs that cannot be parsed are written again. Each decision is a separate event.
            Task::Decide => failed <= view.settings.max_retries + 1,
            Task::Structure => true,
            Task::Execute { .. } if is_picked => {
                completed + failed <= self.picked.get(&agent).copied().unwrap_or_default() + steered
            }
            Task::Execute { .. } | Task::Plan | Task::Summarize | Task::Report { .. } => {
                completed <= 1 + steered && failed <= view.settings.max_retries + 1
            }
            Task::Reply | Task::Route => false,
        };
        match holds {
            true => Ok(()),
            false => Err(format!("{agent} completed {task:?} {completed} times, and failed {failed} times")),
        }
    }
}
