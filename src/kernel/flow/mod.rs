//! Flows: pure policies that decide the next step. A flow is one file and one line in [`named`].

mod review;

use super::{AgentId, MessageId, Run, View};

/// What a run does next, when nothing is under way in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// These agents take a turn each, side by side, in one step.
    Take(Vec<AgentId>),
    /// People are asked.
    Ask,
    /// The run is done.
    Finish {
        /// Its final answer.
        answer: Option<MessageId>,
    },
}

/// How a team works. It reads the fold of the run's events and holds nothing of its own, so every run can be paused,
/// resumed on another node, replayed and tested by tables.
pub trait Flow: Sync {
    /// The next step of `run`.
    fn next(&self, view: &View, run: &Run) -> Next;
}

/// The flow of this name.
pub fn named(name: &str) -> Option<&'static dyn Flow> {
    match name {
        "review" => Some(&review::Review),
        _ => None,
    }
}
