//! `topology`: nodes with agents and supervisors. The global supervisor opens the work and dispatches to nodes
//! according to its strategy. The supervisor of a node gives the task to its agents according to the node's strategy.
//! Results flow back from agents to their supervisor, and from nodes along the edges and to the global supervisor,
//! which writes the final output.
//!
//! Item N of the run's plan is node N of the topology. Tasks overlap: everything that can run in parallel does.

mod adaptive;
mod check;
pub mod graph;
mod hierarchical;
mod longest_path;
mod node;
mod parallel;
mod priority;
mod progress;
mod reasons;
mod round_robin;
mod sequential;
mod template_values;

use std::sync::Arc;

pub use self::longest_path::longest_path;
pub use self::template_values::{check_templates, task_of};

use self::graph::Graph;
use self::node::{NextAgents, NodeProgress, NodeTeam};
use self::progress::{TaskProgress, TaskState};
use self::reasons::Reasons;
use super::{Advance, Flow, FlowAction};
use crate::plan::planner_decision::PlannerDecision;
use crate::plan::{Plan, PlanItem, PlanItemState};
use crate::run::output_shape::OutputShape;
use crate::topology::{GlobalStrategy, Topology, TopologyNode};
use crate::{Agent, Assignment, AttemptError, Run, Settings, Task, Team, View, budget};

/// The `topology` flow.
pub(super) struct TopologyFlow;

impl Flow for TopologyFlow {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let (Some(nodes), Some(global)) = (&view.team.topology, view.team.global_supervisor()) else {
            return fail("no_topology", "the team has no topology with a global supervisor; add them to the team");
        };
        let Some(plan) = &run.plan else {
            let item = |node: &TopologyNode| PlanItem {
                agent: view.team.node_supervisor(&node.id).map(|supervisor| supervisor.id.clone()),
                action: node.name.clone(),
                ..PlanItem::default()
            };
            let items = nodes.nodes.iter().map(item).collect();
            return FlowAction::Propose(Plan { rev: 1, items, approved: true, ..Plan::default() });
        };
        let teams = NodeTeam::all(&view.team, nodes);
        let progress = TaskProgress::of(run, &teams, view.settings.max_retries);
        match progress.state(&global.id, Task::Summarize) {
            TaskState::Done => {
                return FlowAction::Finish { final_message: progress.message(&global.id, Task::Summarize) };
            }
            TaskState::Failed => {
                return fail(
                    "supervisor_failed",
                    "the global supervisor failed to summarize the results; check its model, then start the run again",
                );
            }
            TaskState::NotStarted | TaskState::Busy | TaskState::Retry => {}
        }
        let states: Vec<PlanItemState> = plan.items.iter().map(|item| item.state).collect();
        if all_failed(&states) {
            return match run.is_busy() {
                true => FlowAction::Advance(Advance::default()),
                false => fail(
                    "all_nodes_failed",
                    "all nodes of the topology failed; see the errors of their agents, then start the run again",
                ),
            };
        }
        // Even if the budget is spent, an idle run requests one task, so that people are asked about the budget.
        let affordable = budget::remaining_requests(view).max(usize::from(!run.is_busy()));
        let (progress, next) = (&progress, Advance::default());
        let mut builder = AdvanceBuilder { view, run, nodes, teams: &teams, plan, progress, affordable, next };
        // Nodes work without an opening if the global supervisor's model fails permanently.
        match progress.state(&global.id, Task::Plan) {
            TaskState::NotStarted | TaskState::Retry => builder.start(global, Task::Plan),
            TaskState::Busy => {}
            TaskState::Done | TaskState::Failed => builder.advance_nodes(global),
        }
        let stuck = builder.next.is_empty() && !run.is_busy();
        match stuck {
            true => fail("no_node_ready", "no node of the topology can begin; remove cycles from its edges"),
            false => FlowAction::Advance(builder.next),
        }
    }

    fn shape(&self, view: &View, by: &Assignment) -> Option<OutputShape> {
        let agents = match by.task {
            Task::Decide => view.team.agents_beside(&by.agent),
            Task::Reply
            | Task::Route
            | Task::Plan
            | Task::Execute { .. }
            | Task::Summarize
            | Task::Report { .. }
            | Task::Structure => {
                return None;
            }
        };
        let worked = |agent: &&Agent| {
            let run = view.active_run();
            run.is_some_and(|run| run.task_results.iter().any(|done| done.assignment.agent == agent.id))
        };
        let fallback = agents.iter().find(|agent| !worked(agent)).map(|agent| agent.id.clone());
        let can_end = agents.iter().any(worked);
        let agents = agents.iter().map(|agent| agent.id.as_str().into()).collect();
        Some(OutputShape::Delegation { agents, fallback, can_end })
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check::check(team)
    }

    fn settings(&self) -> Settings {
        Settings {
            max_messages_per_run: Settings::MAX_MESSAGES_PER_RUN,
            max_steps_per_run: Settings::MAX_STEPS_PER_RUN,
            max_parallel: Settings::MAX_PARALLEL,
            ..Settings::default()
        }
    }

    /// The flow updates the items itself: a node is done when its supervisor has written the node's result.
    fn is_item_done(&self, _: &Run, _: u32) -> bool {
        false
    }

    fn continues_after_failure(&self, _: &Task) -> bool {
        true
    }

    fn has_supervisors(&self) -> bool {
        true
    }
}

fn fail(code: &str, message: &str) -> FlowAction {
    FlowAction::Fail(AttemptError { code: code.into(), message: message.into() })
}

/// Builds the next [`Advance`] of a run.
struct AdvanceBuilder<'a> {
    view: &'a View,
    run: &'a Run,
    nodes: &'a Topology,
    /// Supervisor and agents of each node.
    teams: &'a [NodeTeam<'a>],
    plan: &'a Plan,
    progress: &'a TaskProgress<'a>,
    /// Number of tasks that the session's budget allows to start now.
    affordable: usize,
    next: Advance,
}

impl<'a> AdvanceBuilder<'a> {
    fn start(&mut self, agent: &Agent, task: Task) {
        if self.room() > 0 {
            self.next.tasks.push(Assignment::new(&agent.id, task));
        }
    }

    /// Returns the number of further tasks that can start now.
    fn room(&self) -> usize {
        let limit = usize::try_from(self.view.settings.max_parallel).unwrap_or(usize::MAX);
        let limit = limit.saturating_sub(self.run.running.len()).min(self.affordable);
        limit.saturating_sub(self.next.tasks.len())
    }

    fn set(&mut self, node: usize, state: PlanItemState, note: Arc<str>) {
        self.next.items.push((number_of(node), state, note));
    }

    fn advance_nodes(&mut self, global: &'a Agent) {
        let graph = Graph::of(self.nodes);
        let mut states: Vec<PlanItemState> = self.plan.items.iter().map(|item| item.state).collect();
        let reasons = Reasons::of(self.view.team.language);
        for node in 0..self.teams.len() {
            if states.get(node) == Some(&PlanItemState::InProgress)
                && let Some((state, note)) = self.advance_node(node, &reasons)
            {
                states[node] = state;
                self.set(node, state, note);
            }
        }
        self.skip_nodes(&graph, &mut states, &reasons);
        let ready = match self.nodes.strategy {
            GlobalStrategy::Hierarchical => hierarchical::next_nodes(&graph, &states),
            GlobalStrategy::Parallel => parallel::next_nodes(&graph, &states),
            GlobalStrategy::Sequential => sequential::next_nodes(&graph, &states),
        };
        let mut started = vec![];
        for node in ready {
            if self.room() == 0 {
                break;
            }
            states[node] = PlanItemState::InProgress;
            self.set(node, PlanItemState::InProgress, "".into());
            started.push(node);
        }
        if !started.is_empty() {
            let supervisors = started.iter().filter_map(|node| self.supervisor(*node)).map(|agent| agent.id.clone());
            let reason = reasons.dispatch(self.nodes.strategy, &graph, &started);
            self.next
                .decisions
                .insert(0, (global.id.clone(), PlannerDecision::delegate(supervisors.collect(), reason)));
        }
        for node in started {
            // A node without agents that can begin ends on the next pass.
            let _ = self.advance_node(node, &reasons);
        }
        let reported = self.report(&graph, &states);
        let open = self.progress.state(&global.id, Task::Summarize).is_ready();
        let over = states.iter().all(|state| state.is_over());
        if reported && open && over && !all_failed(&states) {
            self.start(global, Task::Summarize);
        }
    }

    /// Adds the next work of a node. Returns the node's new state if the node has ended.
    fn advance_node(&mut self, node: usize, reasons: &Reasons) -> Option<(PlanItemState, Arc<str>)> {
        let known = self.nodes.nodes.get(node)?;
        let (supervisor, agents) = (self.supervisor(node)?, &*self.teams.get(node)?.agents);
        let work = NodeProgress::of(number_of(node), known, supervisor, agents, self.progress);
        match work.next_agents(self.nodes.max_iterations) {
            NextAgents::Wait => None,
            NextAgents::Ask => {
                self.start(supervisor, Task::Decide);
                None
            }
            NextAgents::Start(at) => {
                self.start(agents[at], work.task(at));
                None
            }
            NextAgents::Delegate(mut ready) => {
                ready.truncate(self.room());
                if !ready.is_empty() {
                    let ids = ready.iter().map(|at| agents[*at].id.clone()).collect();
                    let reason = reasons.assign(known.strategy, &work, &ready);
                    self.next.decisions.push((supervisor.id.clone(), PlannerDecision::delegate(ids, reason)));
                }
                for at in ready {
                    self.start(agents[at], work.task(at));
                }
                None
            }
            NextAgents::Done if work.all_failed() => Some((PlanItemState::Blocked, reasons.all_failed())),
            NextAgents::Done => match self.progress.state(&supervisor.id, Task::Summarize) {
                TaskState::Done => Some((PlanItemState::Completed, "".into())),
                TaskState::Failed => Some((PlanItemState::Blocked, reasons.supervisor_failed())),
                TaskState::Busy => None,
                TaskState::NotStarted | TaskState::Retry => {
                    self.start(supervisor, Task::Summarize);
                    None
                }
            },
        }
    }

    /// Skips nodes that depend on a node without a result, and nodes that depend on skipped nodes.
    fn skip_nodes(&mut self, graph: &Graph, states: &mut [PlanItemState], reasons: &Reasons) {
        for node in graph.order_of_needs() {
            let missing = graph.needs[node]
                .iter()
                .find(|needed| matches!(states[**needed], PlanItemState::Blocked | PlanItemState::Skipped));
            if let Some(missing) = missing.filter(|_| states[node] == PlanItemState::NotStarted) {
                states[node] = PlanItemState::Skipped;
                let note = reasons.needs(&self.nodes.nodes[*missing].id);
                self.set(node, PlanItemState::Skipped, note);
            }
        }
    }

    /// Starts the reports on monitored nodes that have worked. Returns whether all reports have ended.
    fn report(&mut self, graph: &Graph, states: &[PlanItemState]) -> bool {
        let mut all = true;
        for (node, targets) in graph.monitors.iter().enumerate() {
            for target in targets.iter().filter(|target| states[**target] != PlanItemState::Skipped) {
                let Some(supervisor) = self.supervisor(node) else { continue };
                let task = Task::Report { number: number_of(*target) };
                let state = self.progress.state(&supervisor.id, task);
                all &= state.is_over();
                if states[*target].is_over() && state.is_ready() {
                    self.start(supervisor, task);
                }
            }
        }
        all
    }

    fn supervisor(&self, node: usize) -> Option<&'a Agent> {
        self.teams.get(node)?.supervisor
    }
}

/// Returns whether all nodes have ended and none succeeded, so that there is nothing to summarize.
fn all_failed(states: &[PlanItemState]) -> bool {
    states.iter().all(|state| state.is_over()) && !states.contains(&PlanItemState::Completed)
}

/// Returns the plan number of the node at this index.
fn number_of(node: usize) -> u32 {
    u32::try_from(node + 1).unwrap_or(u32::MAX)
}
