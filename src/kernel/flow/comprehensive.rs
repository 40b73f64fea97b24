//! `comprehensive`: workers do all they can with all tools, then one agent sums up what they have found.

use super::{Flow, Next, meant, one, takes};
use crate::kernel::{AgentRole, Assignment, Run, Task, Team, View};

/// The flow `comprehensive`.
pub(super) struct Comprehensive;

impl Flow for Comprehensive {
    fn next(&self, view: &View, run: &Run) -> Next {
        match run.last_done().map(|done| (done.assignment.task, done.message)) {
            None => {
                let workers = meant(view, run, AgentRole::Worker).into_iter();
                Next::Take(workers.map(|agent| Assignment::new(&agent.id, Task::Reply)).collect())
            }
            Some((Task::Summarize, answer)) => Next::Finish { answer },
            Some(_) => one(view, AgentRole::Summarizer, Task::Summarize),
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Worker, "worker"), (AgentRole::Summarizer, "summarizer")])
    }
}
