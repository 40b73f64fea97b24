//! Work of one node: its agents under its supervisor.

use std::collections::HashMap;

use super::progress::{TaskProgress, TaskState};
use super::{adaptive, priority, round_robin};
use crate::topology::{NodeStrategy, Topology, TopologyNode};
use crate::{Agent, AgentRole, Task, Team};

/// Supervisor and agents of a node.
#[derive(Debug, Clone, Default)]
pub(super) struct NodeTeam<'a> {
    pub(super) supervisor: Option<&'a Agent>,
    /// Agents in list order.
    pub(super) agents: Vec<&'a Agent>,
}

impl<'a> NodeTeam<'a> {
    /// Returns the team of each node, by node index.
    pub(super) fn all(team: &'a Team, topology: &Topology) -> Vec<Self> {
        let index: HashMap<&str, usize> = (0..).zip(&topology.nodes).map(|(at, node)| (&*node.id, at)).collect();
        let mut teams = vec![Self::default(); topology.nodes.len()];
        let mut last: Option<(&str, usize)> = None;
        for (agent, node) in team.agents.iter().filter_map(|agent| Some((agent, agent.node.as_deref()?))) {
            // Agents of a node are usually adjacent in the list, so most of them need no lookup.
            let at = last.filter(|(id, _)| *id == node).map(|(_, at)| at).or_else(|| index.get(node).copied());
            let Some(at) = at else { continue };
            last = Some((node, at));
            match agent.role == AgentRole::Supervisor {
                true => _ = teams[at].supervisor.get_or_insert(agent),
                false => teams[at].agents.push(agent),
            }
        }
        teams
    }
}

/// Next work of a node's agents.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextAgents {
    /// The supervisor gives the task to the agents at these indices, according to a rule of the strategy.
    Delegate(Vec<usize>),
    /// The agent at this index, which the supervisor has picked, starts.
    Start(usize),
    /// The supervisor has to pick an agent.
    Ask,
    /// Agents or the supervisor are busy.
    Wait,
    /// The work of the node's agents has ended.
    Done,
}

/// A node with the progress of its agents.
pub(super) struct NodeProgress<'a> {
    /// Number of the node in the plan, from 1.
    pub(super) number: u32,
    pub(super) node: &'a TopologyNode,
    pub(super) supervisor: &'a Agent,
    /// Agents in list order.
    pub(super) agents: &'a [&'a Agent],
    /// State of each agent.
    pub(super) states: Vec<TaskState>,
    pub(super) progress: &'a TaskProgress<'a>,
}

impl<'a> NodeProgress<'a> {
    pub(super) fn of(
        number: u32,
        node: &'a TopologyNode,
        supervisor: &'a Agent,
        agents: &'a [&'a Agent],
        progress: &'a TaskProgress<'a>,
    ) -> Self {
        let states = (0..).zip(agents).map(|(part, agent)| progress.state(&agent.id, Task::Execute { number, part }));
        Self { number, node, supervisor, agents, states: states.collect(), progress }
    }

    /// Returns the task of the agent at this index.
    pub(super) fn task(&self, at: usize) -> Task {
        Task::Execute { number: self.number, part: u32::try_from(at).unwrap_or(u32::MAX) }
    }

    /// Returns the number of times that the node's agents have worked, including failures.
    pub(super) fn executions(&self) -> u32 {
        (0..).zip(self.agents).map(|(at, agent)| self.progress.ended(&agent.id, self.task(at))).sum()
    }

    /// Returns whether agents have worked, and all of them failed.
    pub(super) fn all_failed(&self) -> bool {
        let completed = |(at, agent): (usize, &&Agent)| self.progress.completed(&agent.id, self.task(at)) > 0;
        self.executions() > 0 && !(0..).zip(self.agents).any(completed)
    }

    /// Returns the next work of the agents, according to the node's strategy.
    pub(super) fn next_agents(&self, max_iterations: u32) -> NextAgents {
        match self.node.strategy {
            NodeStrategy::RoundRobin => round_robin::next_agents(self),
            NodeStrategy::Priority => priority::next_agents(self),
            NodeStrategy::Adaptive => adaptive::next_agents(self, max_iterations),
        }
    }
}
