//! Flows: pure policies that decide the next step of a run. A flow is one file, its `mod` line, and one line in
//! [`FLOWS`].

mod brain;
mod comprehensive;
mod investigate;
mod plan_solve;
mod react;
mod review;
mod router;
mod structure;
pub mod topology;
mod workflow;

use std::sync::Arc;

pub use structure::STRUCTURE;
pub(super) use structure::{StructuredOutputState, structured_output_state};

use super::ProposedCall;
use super::plan::planner_decision::PlannerDecision;
use super::plan::{Plan, PlanItemState};
use super::run::output_shape::OutputShape;
use super::{Agent, AgentId, AgentRole, Assignment, AttemptError, MessageId, Run, Settings, Target, Task, Team, View};

/// Next action of a run that has nothing in progress or, with supervisors, of one whose tasks are in progress.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowAction {
    /// These agents work on one task each, in parallel, in one step.
    Take(Vec<Assignment>),
    /// This call is made for this task, without a model.
    Call(Assignment, ProposedCall),
    /// The run follows this plan.
    Propose(Plan),
    /// People are asked for feedback on the newest output.
    AskFeedback,
    /// People are asked to confirm the plan.
    AskAboutPlan,
    /// The run ends.
    Finish {
        /// Message with the result. `None` if the run has none.
        final_message: Option<MessageId>,
    },
    /// The run ends at a limit of the session, with a result from the messages so far.
    CutShort {
        /// Message with that result. `None` if the run has none.
        final_message: Option<MessageId>,
    },
    /// The run fails with this error.
    Fail(AttemptError),
    /// Supervisors decide, items of the plan change, and tasks join the running step or start one.
    Advance(Advance),
}

/// Progress of a flow with supervisors. If empty, nothing can start before work in progress ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Advance {
    /// Decisions that follow from a strategy's rules, each with the supervisor that it is made for.
    pub decisions: Vec<(AgentId, PlannerDecision)>,
    /// New states of plan items: number, state and note of each.
    pub items: Vec<(u32, PlanItemState, Arc<str>)>,
    /// Tasks that start.
    pub tasks: Vec<Assignment>,
}

impl Advance {
    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty() && self.items.is_empty() && self.tasks.is_empty()
    }
}

/// Policy of a team. It reads the state of the run and has no state of its own, so every run can be paused, resumed on
/// another node, replayed, and covered by table-driven tests.
pub trait Flow: Sync {
    /// Returns the next action of `run`.
    fn next(&self, view: &View, run: &Run) -> FlowAction;

    /// Returns the structure that the output of a task must have. `None` if any text is accepted.
    fn shape(&self, view: &View, by: &Assignment) -> Option<OutputShape> {
        let _ = (view, by);
        None
    }

    /// Checks that a team has what the flow needs. The error message is for the author of the team.
    fn check(&self, team: &Team) -> Result<(), String> {
        let _ = team;
        Ok(())
    }

    /// Returns the default settings of a session with this flow. 200 messages are enough for all common paths.
    fn settings(&self) -> Settings {
        Settings { max_messages_per_run: 200, ..Settings::default() }
    }

    /// Returns whether the parts of a plan item are separate tasks that run in parallel. Default false: one task does
    /// all parts.
    fn runs_parts_in_parallel(&self) -> bool {
        false
    }

    /// Returns whether a plan item is done once the step that worked on it has ended. Default true.
    fn is_item_done(&self, run: &Run, number: u32) -> bool {
        let _ = (run, number);
        true
    }

    /// Returns whether the flow continues after the last attempt at a turn of the task has failed. Default false: the
    /// run fails.
    fn continues_after_failure(&self, task: &Task) -> bool {
        let _ = task;
        false
    }

    /// Returns whether supervisors hand results from agent to agent: tasks can start while others of the step are in
    /// progress, results stay with their tasks, and an agent reads no messages from others. Default false.
    fn has_supervisors(&self) -> bool {
        false
    }

    /// Returns whether people drive the flow in rounds: a message for `@all` starts a round instead of joining the next
    /// step, and an agent responds to the message of its round. Default false.
    fn uses_rounds(&self) -> bool {
        false
    }
}

/// All flows that a team can have, keyed by the name that teams use in `flow`.
pub const FLOWS: &[(&str, &dyn Flow)] = &[
    ("review", &review::Review),
    ("react", &react::React),
    ("plan_solve", &plan_solve::PlanSolve),
    ("router", &router::Router),
    ("workflow", &workflow::Workflow),
    ("comprehensive", &comprehensive::Comprehensive),
    ("brain", &brain::Brain),
    ("investigate", &investigate::Investigate),
    ("topology", &topology::TopologyFlow),
];

/// Flows that a session can start in addition to the flow of its team.
const SHARED_FLOWS: &[(&str, &dyn Flow)] = &[(STRUCTURE, &structure::Structure)];

/// Example flows, compiled only for tests.
#[cfg(test)]
const EXAMPLES: &[(&str, &dyn Flow)] = &[("debate", &debate::Debate)];
#[cfg(not(test))]
const EXAMPLES: &[(&str, &dyn Flow)] = &[];

/// Returns the flow with this name.
pub fn flow_named(name: &str) -> Option<&'static dyn Flow> {
    FLOWS.iter().chain(SHARED_FLOWS).chain(EXAMPLES).find(|(known, _)| *known == name).map(|(_, flow)| *flow)
}

/// Checks that the flow of a team exists and that the team has what the flow needs. The error message is for the author
/// of the team.
pub fn check(team: &Team) -> Result<(), String> {
    match flow_named(&team.flow) {
        Some(flow) => flow.check(team),
        None => {
            let names: Vec<_> = FLOWS.iter().map(|(name, _)| *name).collect();
            Err(format!("there is no flow {}; use one of {}", team.flow, names.join(", ")))
        }
    }
}

/// Returns the current flow of a run: the one that a router chose, otherwise the run's own.
pub fn flow_of(run: &Run) -> Option<&'static dyn Flow> {
    flow_named(run.route.as_ref().unwrap_or(&run.flow))
}

/// Returns the structure that the output of a task must have: the one that the caller of the run specified, or the one
/// that the flow requires. `None` if any text is accepted.
pub fn shape_of(view: &View, run: &Run, by: &Assignment) -> Option<OutputShape> {
    match by.task {
        Task::Structure => run.request.as_ref()?.output_schema.clone().map(OutputShape::Given),
        Task::Reply
        | Task::Route
        | Task::Plan
        | Task::Execute { .. }
        | Task::Decide
        | Task::Summarize
        | Task::Report { .. } => flow_of(run)?.shape(view, by),
    }
}

/// Returns the agents in this role that the round addresses, or all agents in this role if it addresses none of them.
fn addressed_agents<'a>(view: &'a View, run: &Run, role: AgentRole) -> Vec<&'a Agent> {
    let named = |agent: &Agent| run.round.to.contains(&Target::Agent(agent.id.clone()));
    let agents: Vec<&Agent> = view.team.in_role(role).collect();
    let meant: Vec<&Agent> = agents.iter().copied().filter(|agent| named(agent)).collect();
    if meant.is_empty() { agents } else { meant }
}

/// Returns the action in which all workers that have not replied yet reply in parallel; `None` once all have replied.
fn work_in_parallel(view: &View, run: &Run) -> Option<FlowAction> {
    let workers =
        addressed_agents(view, run, AgentRole::Worker).into_iter().filter(|agent| !run.has_replied(&agent.id));
    let tasks: Vec<_> = workers.map(|agent| Assignment::new(&agent.id, Task::Reply)).collect();
    (!tasks.is_empty()).then_some(FlowAction::Take(tasks))
}

/// Assigns the task to the first agent in this role or, if there is none, to the first agent of the team.
fn assign_one(view: &View, role: AgentRole, task: Task) -> FlowAction {
    match view.team.in_role(role).next().or(view.team.agents.first()) {
        Some(agent) => FlowAction::Take(vec![Assignment::new(&agent.id, task)]),
        None => FlowAction::Fail(AttemptError {
            code: "no_agent".into(),
            message: "the team has no agent; add one to the team".into(),
        }),
    }
}

/// Checks that the team has an agent in each of these roles. The error message is for the author of the team.
fn check_roles(team: &Team, roles: &[(AgentRole, &str)]) -> Result<(), String> {
    let missing = roles.iter().filter(|(role, _)| team.in_role(*role).next().is_none());
    match missing.map(|(_, name)| *name).collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        [name] => Err(format!("flow {} requires an agent in role {name}", team.flow)),
        names => Err(format!("flow {} requires agents in the roles {}", team.flow, names.join(", "))),
    }
}

#[cfg(test)]
mod debate;
