//! `router`: an agent chooses the flow for the task, and the run continues with it.

use std::sync::Arc;

use super::{FLOWS, Flow, FlowAction, assign_one, check_roles};
use crate::run::output_shape::OutputShape;
use crate::{AgentRole, Assignment, Run, Task, Team, View};

/// The `router` flow.
pub(super) struct Router;

/// Flows to choose from, the simplest first. The first one that the team has agents for is the fallback if the choice
/// cannot be read.
const CHOICES: [&str; 4] = ["react", "plan_solve", "comprehensive", "workflow"];

impl Flow for Router {
    // Called only until the choice is made. After that, the chosen flow decides.
    fn next(&self, view: &View, _: &Run) -> FlowAction {
        assign_one(view, AgentRole::Router, Task::Route)
    }

    fn shape(&self, view: &View, by: &Assignment) -> Option<OutputShape> {
        matches!(by.task, Task::Route).then(|| OutputShape::Route(choices(&view.team)))
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check_roles(team, &[(AgentRole::Router, "router")])?;
        match choices(team).is_empty() {
            true => {
                Err("flow router requires agents for at least one flow that it can choose; add a worker for react"
                    .into())
            }
            false => Ok(()),
        }
    }
}

/// Returns the flows that the team has agents for.
fn choices(team: &Team) -> Vec<Arc<str>> {
    let fits = |name: &&str| FLOWS.iter().any(|(known, flow)| known == name && flow.check(team).is_ok());
    CHOICES.into_iter().filter(fits).map(Arc::from).collect()
}
