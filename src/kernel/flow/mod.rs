//! Flows: pure policies that decide the next step. A flow is one file and one line in [`FLOWS`].

mod brain;
mod comprehensive;
mod investigate;
mod plan_solve;
mod react;
mod review;
mod router;
mod workflow;

use super::command::Wanted;
use super::plan::Plan;
use super::shape::Shape;
use super::{Agent, AgentRole, Assignment, MessageId, Run, StepError, Target, Task, Team, View};

/// What a run does next, when nothing is under way in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// These agents take a turn each, side by side, in one step.
    Take(Vec<Assignment>),
    /// This call is made for this task, without asking a model.
    Call(Assignment, Wanted),
    /// The run follows this plan.
    Propose(Plan),
    /// People are asked what they think of what was written last.
    AskFeedback,
    /// People are asked to confirm the plan.
    AskAboutPlan,
    /// The run is done.
    Finish {
        /// Its final answer.
        answer: Option<MessageId>,
    },
    /// The run ends at a limit of the session, with an answer that says what there is until then.
    CutShort {
        /// That answer.
        answer: Option<MessageId>,
    },
    /// The run cannot go on.
    Fail(StepError),
}

/// How a team works. It reads the fold of the run's events and holds nothing of its own, so every run can be paused,
/// resumed on another node, replayed and tested by tables.
pub trait Flow: Sync {
    /// The next step of `run`.
    fn next(&self, view: &View, run: &Run) -> Next;

    /// The shape that an answer to this task must have, where the flow goes by it; else words will do.
    fn shape(&self, view: &View, task: &Task) -> Option<Shape> {
        let _ = (view, task);
        None
    }

    /// Why a team cannot work by it.
    fn check(&self, team: &Team) -> Result<(), String> {
        let _ = team;
        Ok(())
    }

    /// Messages that a run may hold where nobody has said how many: enough for every way that it usually takes.
    fn messages_per_run(&self) -> u32 {
        200
    }

    /// Whether the parts of a step are tasks of their own, side by side; else whoever does the step does all of it.
    fn divides_steps(&self) -> bool {
        false
    }

    /// Whether a step of the plan is done when a step of the run that worked on it is.
    fn is_step_done(&self, run: &Run, number: u32) -> bool {
        let _ = (run, number);
        true
    }

    /// Whether an agent decides what becomes of a step whose model failed for good; else the run fails.
    fn judges_failures(&self) -> bool {
        false
    }

    /// Whether it goes round by what people say: words for the whole flow begin a round, instead of being heard at the next
    /// step, and an agent answers the words of its round.
    fn goes_in_rounds(&self) -> bool {
        false
    }
}

/// All flows, by the name that teams have for them.
pub const FLOWS: &[(&str, &dyn Flow)] = &[
    ("review", &review::Review),
    ("react", &react::React),
    ("plan_solve", &plan_solve::PlanSolve),
    ("router", &router::Router),
    ("workflow", &workflow::Workflow),
    ("comprehensive", &comprehensive::Comprehensive),
    ("brain", &brain::Brain),
    ("investigate", &investigate::Investigate),
];

/// Flows that show how one is added; only the tests have them.
#[cfg(test)]
const EXAMPLES: &[(&str, &dyn Flow)] = &[("debate", &debate::Debate)];
#[cfg(not(test))]
const EXAMPLES: &[(&str, &dyn Flow)] = &[];

/// The flow of this name.
pub fn named(name: &str) -> Option<&'static dyn Flow> {
    FLOWS.iter().chain(EXAMPLES).find(|(known, _)| *known == name).map(|(_, flow)| *flow)
}

/// Why a team cannot work: its flow is not known, or wants other agents.
pub fn check(team: &Team) -> Result<(), String> {
    match named(&team.flow) {
        Some(flow) => flow.check(team),
        None => {
            let names: Vec<_> = FLOWS.iter().map(|(name, _)| *name).collect();
            Err(format!("there is no flow {}; there are {}", team.flow, names.join(", ")))
        }
    }
}

/// The flow that a run goes by now.
pub fn of(run: &Run) -> Option<&'static dyn Flow> {
    named(run.route.as_ref().unwrap_or(&run.flow))
}

/// The agents that the words of the round are for, of those in this role; all of them where it names none.
fn meant<'a>(view: &'a View, run: &Run, role: AgentRole) -> Vec<&'a Agent> {
    let named = |agent: &Agent| run.round.to.contains(&Target::Agent(agent.id.clone()));
    let agents: Vec<&Agent> = view.team.in_role(role).collect();
    let meant: Vec<&Agent> = agents.iter().copied().filter(|agent| named(agent)).collect();
    if meant.is_empty() { agents } else { meant }
}

/// The workers answer side by side; nothing, once all of them have.
fn work(view: &View, run: &Run) -> Option<Next> {
    let workers = meant(view, run, AgentRole::Worker).into_iter().filter(|agent| !run.has_replied(&agent.id));
    let tasks: Vec<_> = workers.map(|agent| Assignment::new(&agent.id, Task::Reply)).collect();
    (!tasks.is_empty()).then_some(Next::Take(tasks))
}

/// The first agent in this role does the task; without one, the first agent of the team.
fn one(view: &View, role: AgentRole, task: Task) -> Next {
    match view.team.in_role(role).next().or(view.team.agents.first()) {
        Some(agent) => Next::Take(vec![Assignment::new(&agent.id, task)]),
        None => Next::Fail(StepError { code: "no_agent".into(), message: "the team has no agent".into() }),
    }
}

/// That the team has somebody in each of these roles.
fn takes(team: &Team, roles: &[(AgentRole, &str)]) -> Result<(), String> {
    let missing = roles.iter().filter(|(role, _)| team.in_role(*role).next().is_none());
    match missing.map(|(_, name)| *name).collect::<Vec<_>>().as_slice() {
        [] => Ok(()),
        [name] => Err(format!("flow {} takes an agent in role {name}", team.flow)),
        names => Err(format!("flow {} takes agents in the roles {}", team.flow, names.join(", "))),
    }
}

#[cfg(test)]
mod debate;
