//! A session's entry in lists: who is there, what happens now, and whom it waits for.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{GateId, Phase, Role, State};
use crate::store::Listing;

/// What lists show of a session beside its title.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Summary {
    /// Where its run stands; absent before the first.
    pub phase: Option<Phase>,
    /// The newest message, `name: text`, cut to about 120 characters.
    pub line: String,
    /// The open gate that waits longest.
    pub gate: Option<SummaryGate>,
    /// How many participants it has.
    pub participants: usize,
    /// The names of the agents that write now.
    pub writing: Vec<Arc<str>>,
    /// It takes no further commands.
    pub closed: bool,
}

/// A gate in a list.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SummaryGate {
    /// Which.
    pub id: GateId,
    /// What is asked.
    pub prompt: Arc<str>,
    /// Roles that may vote.
    pub eligible: Vec<Role>,
    /// The participants who voted already.
    pub voted: Vec<Arc<str>>,
}

/// The entry of a session in this state.
pub(super) fn listing(state: &State) -> Listing {
    let view = state.view();
    let line = view.messages.back().map_or(String::new(), |message| {
        let text: String = message.text.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("{}: {text}", message.by.name)
    });
    let writing = view.active_run().into_iter().flat_map(|run| &run.items);
    let summary = Summary {
        phase: view.run.as_ref().map(|run| run.phase),
        line,
        gate: view.gates.first().map(|gate| SummaryGate {
            id: gate.id,
            prompt: gate.prompt.clone(),
            eligible: gate.eligible.clone(),
            voted: gate.votes.iter().map(|vote| vote.by.id.clone()).collect(),
        }),
        participants: view.participants.len(),
        writing: writing.filter_map(|item| Some(view.team.agent(&item.agent)?.name.clone())).collect(),
        closed: view.closed,
    };
    Listing {
        title: view.title.clone(),
        updated_at: view.updated_at,
        unfinished: state.is_unfinished(),
        // A paused run has no gate and no work, and must not expire either.
        waiting: view.active_run().is_some(),
        summary: serde_json::to_string(&summary).unwrap_or_default().into(),
    }
}
