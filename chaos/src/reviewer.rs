//! A reviewer: the second voter of a session, who votes, changes their mind and withdraws votes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::commands::PlannedCommand;
use crate::observed_log::Frame;
use servers::random::Random;

/// State of a reviewer.
#[derive(Default)]
pub struct Reviewer {
    gates: BTreeMap<String, VotableGate>,
}

/// A gate at which people vote.
struct VotableGate {
    rev: u64,
    has_voted: bool,
}

impl Reviewer {
    pub fn observe(&mut self, event: &str, frame: &Frame) {
        let data: Value = serde_json::from_str(frame.data.map_or("{}", |data| data.get())).unwrap_or_default();
        match event {
            "gate.opened" => {
                let gate = &data["gate"];
                let (id, rev) = (gate["id"].as_str().unwrap_or_default(), gate["rev"].as_u64().unwrap_or_default());
                // Only owners decide on commands that others asked for.
                let is_command = gate["kind"] == "command";
                if !is_command && gate["allow"].as_array().is_some_and(|actions| actions.contains(&json!("approve"))) {
                    self.gates.insert(id.to_owned(), VotableGate { rev, has_voted: false });
                }
            }
            "gate.revised" => {
                if let Some(gate) = data["gate"].as_str().and_then(|id| self.gates.get_mut(id)) {
                    *gate = VotableGate { rev: data["rev"].as_u64().unwrap_or(gate.rev), has_voted: false };
                }
            }
            "gate.decided" | "gate.closed" | "gate.expired" => {
                self.gates.remove(data["gate"].as_str().unwrap_or_default());
            }
            _ => {}
        }
    }

    pub fn next_command(&mut self, random: &mut Random) -> Option<PlannedCommand> {
        if self.gates.is_empty() || !random.chance(15) {
            return None;
        }
        let at = random.index(self.gates.len());
        let (id, gate) = self.gates.iter_mut().nth(at)?;
        if gate.has_voted && random.chance(40) {
            gate.has_voted = false;
            return Some(PlannedCommand::new("withdraw_vote", json!({ "gate": id })));
        }
        // A second vote replaces the first one.
        gate.has_voted = true;
        let choice = ["approve", "approve", "approve", "reject", "abstain"][random.index(5)];
        let vote = PlannedCommand::new("vote", json!({ "gate": id, "choice": choice }));
        Some(PlannedCommand { rev: Some(gate.rev), ..vote })
    }
}
