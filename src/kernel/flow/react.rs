//! `react`: a worker thinks and calls tools in turn until it can answer.

use super::{Flow, Next, meant, takes};
use crate::kernel::{AgentRole, Assignment, Run, Task, Team, View};

/// The flow `react`.
pub(super) struct React;

impl Flow for React {
    fn next(&self, view: &View, run: &Run) -> Next {
        match run.last_done() {
            Some(done) => Next::Finish { answer: done.message },
            None => {
                let workers = meant(view, run, AgentRole::Worker).into_iter();
                Next::Take(workers.map(|agent| Assignment::new(&agent.id, Task::Reply)).collect())
            }
        }
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Worker, "worker")])
    }
}
