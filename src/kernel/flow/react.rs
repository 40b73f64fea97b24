//! `react`: a worker alternates between reasoning and tool calls until it can answer.

use super::{Flow, FlowAction, check_roles, work_in_parallel};
use crate::{AgentRole, Run, Team, View};

/// The `react` flow.
pub(super) struct React;

impl Flow for React {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        let answer = run.last_done().and_then(|done| done.message);
        work_in_parallel(view, run).unwrap_or(FlowAction::Finish { final_message: answer })
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check_roles(team, &[(AgentRole::Worker, "worker")])
    }
}
