//! An example of how a flow is added, which only the tests have: this file, and its line in [`super::FLOWS`].
//!
//! Two agents argue for a number of rounds, side by side in each; then a third decides. Everything that the flow needs to
//! know it reads off the run: how many turns are done, and by whom.

use super::{Flow, Next, one, takes};
use crate::kernel::{AgentRole, Assignment, Run, Task, Team, View};

/// The flow `debate`.
pub(super) struct Debate;

/// How often each side speaks.
const ROUNDS: usize = 2;

impl Flow for Debate {
    fn next(&self, view: &View, run: &Run) -> Next {
        let sides: Vec<_> = view.team.in_role(AgentRole::Worker).collect();
        if let Some(last) = run.last_done().filter(|done| done.assignment.task == Task::Summarize) {
            return Next::Finish { answer: last.message };
        }
        if run.done.len() >= ROUNDS * sides.len() {
            return one(view, AgentRole::Summarizer, Task::Summarize);
        }
        Next::Take(sides.into_iter().map(|side| Assignment::new(&side.id, Task::Reply)).collect())
    }

    fn check(&self, team: &Team) -> Result<(), String> {
        takes(team, &[(AgentRole::Worker, "worker"), (AgentRole::Summarizer, "summarizer")])
    }
}
