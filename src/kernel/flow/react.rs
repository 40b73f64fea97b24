//! `react`: a worker alternates between reasoning and tool calls until it can answer.

use super::{Flow, Next, takes, work};
use crate::kernel::{AgentRole, Run, Team, View};

/// Flow `react`.
pub(super) struct React;

impl Flow for React {
    fn next(&self, view: &View, run: &Run) -> Next {
        let answer = run.last_done().and_then(|done| done.message);
        work(view, run).unwrap_or(Next::Finish { answer })
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Worker, "worker")])
    }
}
