//! `comprehensive`: all workers work with all of their tools, then one agent summarizes the results.

use super::{Flow, FlowAction, assign_one, check_roles, work_in_parallel};
use crate::{AgentRole, Run, Task, Team, View};

/// The `comprehensive` flow.
pub(super) struct Comprehensive;

impl Flow for Comprehensive {
    fn next(&self, view: &View, run: &Run) -> FlowAction {
        match run.last_done().map(|done| (done.assignment.task, done.message)) {
            Some((Task::Summarize, answer)) => FlowAction::Finish { final_message: answer },
            _ => {
                work_in_parallel(view, run).unwrap_or_else(|| assign_one(view, AgentRole::Summarizer, Task::Summarize))
            }
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        check_roles(team, &[(AgentRole::Worker, "worker"), (AgentRole::Summarizer, "summarizer")])
    }
}
