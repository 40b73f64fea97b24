//! Description of a task in the `topology` flow, with the parts of other agents' work that supervisors and agents of
//! nodes read.

use super::envelope::ServerLine;
use super::node_events;
use super::prompt_texts::PromptTexts;
use crate::agent::{CutBehavior, PromptBlock, TranscriptEntry};
use crate::kernel::flow::STRUCTURE;
use crate::kernel::flow::topology::graph::Graph;
use crate::kernel::flow::topology::task_of;
use crate::kernel::plan::PlanItemState;
use crate::kernel::topology::{NodeStrategy, Topology, TopologyNode};
use crate::kernel::{Agent, AgentId, Run, RunningMessage, Task, TaskResult, View};

/// Renders the tasks of supervisors and of their agents.
pub(super) struct Supervision<'a> {
    view: &'a View,
    run: &'a Run,
    running: &'a RunningMessage,
    topology: &'a Topology,
    graph: Graph,
    wording: PromptTexts,
}

impl<'a> Supervision<'a> {
    /// Creates the renderer for a running message; `None` if the session's team has no topology.
    pub(super) fn of(view: &'a View, run: &'a Run, running: &'a RunningMessage, wording: PromptTexts) -> Option<Self> {
        let topology = view.team.topology.as_deref()?;
        Some(Self { view, run, running, topology, graph: Graph::of(topology), wording })
    }

    /// Returns the results that the task builds on.
    pub(super) fn results(&self) -> Vec<TranscriptEntry> {
        let blocks = match (self.running.task, self.own_node()) {
            (Task::Plan, _) => vec![],
            (Task::Report { number }, _) => self.activity_of(number as usize - 1),
            (Task::Summarize, None) => self.results_of_nodes(),
            (Task::Structure, _) if *self.run.flow == *STRUCTURE => self.results_of_earlier_run(),
            (Task::Structure, _) => [self.results_of_nodes(), self.summary()].concat(),
            (Task::Execute { .. }, Some(node)) => {
                let alone = self.topology.nodes[node].strategy == NodeStrategy::RoundRobin;
                let earlier = if alone { vec![] } else { self.work_blocks(node) };
                [self.opening(), self.upstream(node), earlier].concat()
            }
            (_, Some(node)) => [self.opening(), self.upstream(node), self.work_blocks(node)].concat(),
            (_, None) => vec![],
        };
        blocks.into_iter().map(|block| TranscriptEntry::new(block, CutBehavior::Begins)).collect()
    }

    /// Returns the description of the task.
    pub(super) fn task(&self) -> Vec<PromptBlock> {
        let task = |text| self.wording.task(text);
        match (self.running.task, self.own_node()) {
            (Task::Plan, _) => vec![task(self.wording.supervision.open), self.nodes()],
            (Task::Decide, Some(node)) => vec![task(self.wording.supervision.pick), self.agents(node)],
            (Task::Summarize, Some(_)) => vec![task(self.wording.supervision.summarize_node)],
            (Task::Summarize, None) => vec![task(self.wording.supervision.summarize)],
            (Task::Structure, _) => vec![task(self.wording.structure)],
            (Task::Report { number }, _) => match self.topology.nodes.get(number as usize - 1) {
                Some(node) => {
                    vec![
                        task(self.wording.supervision.report),
                        PromptBlock::server(node_line(node, "[node id=").push("]")),
                    ]
                }
                None => vec![],
            },
            (_, Some(node)) => {
                let known = &self.topology.nodes[node];
                let mut blocks = vec![task(self.wording.supervision.work)];
                blocks.push(PromptBlock::server(node_line(known, "[node id=").push("]")));
                blocks.extend(self.instruction(known));
                let agent = self.view.team.agent(&self.running.agent);
                let task = agent.and_then(|agent| task_of(self.view, self.run, agent));
                blocks.extend(task.map(|task| PromptBlock::quoted(ServerLine::new("[task]"), &task)));
                blocks
            }
            (_, None) => vec![],
        }
    }

    fn own_node(&self) -> Option<usize> {
        let node = self.view.team.agent(&self.running.agent)?.node.as_ref()?;
        self.topology.nodes.iter().position(|known| known.id == *node)
    }

    /// Returns the instruction that the node's supervisor wrote for the picked agent, if any.
    fn instruction(&self, node: &TopologyNode) -> Option<PromptBlock> {
        let supervisor = self.view.team.node_supervisor(&node.id)?;
        let given = self.run.delegations.iter().rev().find(|known| known.by == supervisor.id)?;
        let meant = given.decision.agents.contains(&self.running.agent) && !given.decision.instruction.is_empty();
        let header = ServerLine::new("[instruction from=agent id=").id(supervisor.id.as_str()).push("]");
        meant.then(|| PromptBlock::quoted(header, &given.decision.instruction))
    }

    /// Returns the opening that the global supervisor wrote.
    fn opening(&self) -> Vec<PromptBlock> {
        self.said_by_global(Task::Plan)
    }

    /// Returns the final output that the global supervisor wrote.
    fn summary(&self) -> Vec<PromptBlock> {
        self.said_by_global(Task::Summarize)
    }

    fn said_by_global(&self, task: Task) -> Vec<PromptBlock> {
        let global = self.view.team.global_supervisor();
        let output = global.and_then(|global| self.result(&global.id, task));
        output.into_iter().map(|(header, text)| PromptBlock::quoted(header.push("]"), text)).collect()
    }

    /// Returns the results of the nodes that come before a node.
    fn upstream(&self, node: usize) -> Vec<PromptBlock> {
        self.graph.before[node].iter().filter_map(|earlier| self.result_of_node(*earlier)).collect()
    }

    /// Returns the results of a node's agents in quoted form, including failures.
    fn work_blocks(&self, node: usize) -> Vec<PromptBlock> {
        self.work_of(node).filter_map(|done| self.block(done)).collect()
    }

    /// Returns the results of a node's agents, including failures.
    fn work_of(&self, node: usize) -> impl Iterator<Item = &'a TaskResult> {
        let (team, id) = (&*self.view.team, self.topology.nodes.get(node).map(|node| &*node.id));
        self.run.task_results.iter().filter(move |done| {
            let of_node = team.agent(&done.assignment.agent).and_then(|agent| agent.node.as_deref());
            matches!(done.assignment.task, Task::Execute { .. }) && id.is_some() && of_node == id
        })
    }

    /// Returns the opening, the results of all nodes in the order of the plan (for a failed or skipped node, its
    /// status), the reports, and the notes on nodes whose results belong together.
    fn results_of_nodes(&self) -> Vec<PromptBlock> {
        let mut blocks = self.opening();
        blocks.extend((0..self.topology.nodes.len()).filter_map(|node| self.result_of_node(node)));
        blocks.extend(self.reports());
        blocks.extend(self.graph.integrates.iter().map(|(one, other)| {
            let ids = [one, other].map(|node| &self.topology.nodes[*node].id);
            let line = ServerLine::new("[integrates node=").id(ids[0]).push(" node=").id(ids[1]).push("]");
            PromptBlock::server(line.push(self.wording.supervision.together))
        }));
        blocks
    }

    /// Returns the results of an earlier run, whose plan no longer changes. They begin with the result of each node, or
    /// with what its agents had written when the run ended. The reports follow, then the final output. It is last
    /// because a cut removes the oldest entries first.
    fn results_of_earlier_run(&self) -> Vec<PromptBlock> {
        let of_node = |(node, known): (usize, &TopologyNode)| {
            self.completed(known).map_or_else(|| self.work_blocks(node), |result| vec![result])
        };
        let nodes = self.topology.nodes.iter().enumerate().flat_map(of_node);
        nodes.chain(self.reports()).chain(self.summary()).collect()
    }

    /// Returns the reports on monitored nodes.
    fn reports(&self) -> impl Iterator<Item = PromptBlock> {
        let reports = self.run.task_results.iter().filter(|done| matches!(done.assignment.task, Task::Report { .. }));
        reports.filter_map(|done| self.block(done))
    }

    /// Returns the result that the supervisor of a node has written, if any.
    fn completed(&self, node: &TopologyNode) -> Option<PromptBlock> {
        let supervisor = self.view.team.node_supervisor(&node.id)?;
        let (header, text) = self.result(&supervisor.id, Task::Summarize)?;
        Some(PromptBlock::quoted(header.push(" node=").id(&node.id).push("]"), text))
    }

    fn result_of_node(&self, node: usize) -> Option<PromptBlock> {
        let known = self.topology.nodes.get(node)?;
        let item = self.run.plan.as_ref()?.items.get(node)?;
        let line = |start: &'static str| ServerLine::new(start).id(&known.id);
        match item.state {
            PlanItemState::Completed => self.completed(known),
            PlanItemState::Blocked => Some(PromptBlock::quoted(line("[result node=").push(" failed]"), &item.note)),
            PlanItemState::Skipped => Some(PromptBlock::quoted(line("[result node=").push(" skipped]"), &item.note)),
            PlanItemState::NotStarted | PlanItemState::InProgress => None,
        }
    }

    /// Returns the text of an agent's last result, with the beginning of its header.
    fn result(&self, agent: &AgentId, task: Task) -> Option<(ServerLine, &'a str)> {
        let of_task = |done: &&TaskResult| done.assignment.agent == *agent && done.assignment.task == task;
        let done = self.run.task_results.iter().rev().filter(of_task).find(|done| done.text.is_some())?;
        Some((ServerLine::new("[result from=agent id=").id(agent.as_str()), done.text.as_deref()?))
    }

    /// Returns the events and results of a monitored node, in order, and its state.
    fn activity_of(&self, node: usize) -> Vec<PromptBlock> {
        let Some(known) = self.topology.nodes.get(node) else { return vec![] };
        let results = self.work_of(node).map(|done| (&done.assignment.agent, self.block(done)));
        let mut blocks = node_events::blocks(self.view, self.run, &known.id, results.collect());
        let state = self.run.plan.as_ref().and_then(|plan| plan.items.get(node));
        if let Some(item) = state {
            blocks.extend(self.completed(known).filter(|_| item.state == PlanItemState::Completed));
            blocks.push(node_events::state_block(&known.id, item));
        }
        blocks
    }

    fn block(&self, done: &TaskResult) -> Option<PromptBlock> {
        let header = ServerLine::new("[result from=agent id=").id(done.assignment.agent.as_str());
        let header = match done.assignment.task.monitored(self.topology) {
            // Without this field, reports on several nodes would look the same.
            Some(node) => header.push(" reports_on=").id(&node.id),
            None => header,
        };
        match (&done.text, &done.failure) {
            (Some(text), _) => Some(PromptBlock::quoted(header.push("]"), text)),
            (None, Some(failure)) => Some(PromptBlock::quoted(header.push(" failed]"), &failure.message)),
            (None, None) => None,
        }
    }

    /// Returns the nodes and edges of the topology.
    fn nodes(&self) -> PromptBlock {
        let nodes = self.topology.nodes.iter().fold(ServerLine::new("[topology]"), |line, node| {
            let line = line.push("\nnode id=").id(&node.id).push(" type=").quoted(&node.kind);
            line.push(" name=").quoted(&node.name)
        });
        PromptBlock::server(self.topology.edges.iter().fold(nodes, |line, edge| {
            let line = line.push("\nedge source=").id(&edge.source).push(" target=").id(&edge.target);
            line.push(" relation=").push(edge.relation.as_str())
        }))
    }

    /// Returns the agents of a node, for its supervisor to pick from.
    fn agents(&self, node: usize) -> PromptBlock {
        let known = &self.topology.nodes[node];
        let line = node_line(known, "[node id=").push("]");
        let agents = self.view.team.agents_beside(&self.running.agent);
        PromptBlock::server(
            agents.into_iter().fold(line, |line, agent: &Agent| {
                line.push("\n- ").id(agent.id.as_str()).push(": ").quoted(&agent.name)
            }),
        )
    }
}

fn node_line(node: &TopologyNode, start: &'static str) -> ServerLine {
    ServerLine::new(start).id(&node.id).push(" type=").quoted(&node.kind).push(" name=").quoted(&node.name)
}
