//! `comprehensive`: all workers work with all of their tools, then one agent summarizes the results.

use super::{Flow, Next, one, takes, work};
use crate::kernel::{AgentRole, Run, Task, Team, View};

/// Flow `comprehensive`.
pub(super) struct Comprehensive;

impl Flow for Comprehensive {
    fn next(&self, view: &View, run: &Run) -> Next {
        match run.last_done().map(|done| (done.assignment.task, done.message)) {
            Some((Task::Summarize, answer)) => Next::Finish { answer },
            _ => work(view, run).unwrap_or_else(|| one(view, AgentRole::Summarizer, Task::Summarize)),
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Worker, "worker"), (AgentRole::Summarizer, "summarizer")])
    }
}
