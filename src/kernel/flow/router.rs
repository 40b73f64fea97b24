//! `router`: an agent chooses the flow that fits the task, and the run goes on by that one.

use std::sync::Arc;

use super::{FLOWS, Flow, Next, one, takes};
use crate::kernel::shape::Shape;
use crate::kernel::{AgentRole, Run, Task, Team, View};

/// The flow `router`.
pub(super) struct Router;

/// What can be chosen, the simplest first: it is taken where the choice cannot be read.
const CHOICES: [&str; 4] = ["react", "plan_solve", "comprehensive", "workflow"];

impl Flow for Router {
    // Once the choice is made this flow is not asked any more.
    fn next(&self, view: &View, _: &Run) -> Next {
        one(view, AgentRole::Router, Task::Route)
    }

    fn shape(&self, view: &View, task: &Task) -> Option<Shape> {
        matches!(task, Task::Route).then(|| Shape::Route(choices(&view.team)))
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Router, "router")])?;
        match choices(team).is_empty() {
            true => Err("flow router takes agents for one of the flows that it can choose: a worker for react".into()),
            false => Ok(()),
        }
    }
}

/// The flows that the team has agents for.
fn choices(team: &Team) -> Vec<Arc<str>> {
    let fits = |name: &&str| FLOWS.iter().any(|(known, flow)| known == name && flow.check(team).is_ok());
    CHOICES.into_iter().filter(fits).map(Arc::from).collect()
}
