//! A bot that posts messages to people, and withdraws some of those that are waiting for an owner's approval.

use serde_json::{Value, json};

use crate::commands::{MARK, PlannedCommand};
use crate::observed_log::Frame;
use servers::random::Random;

/// State of a bot.
pub struct ChatBot {
    /// Id of the participant.
    id: String,
    count: u64,
    /// Gates about its messages.
    asked: Vec<String>,
}

impl ChatBot {
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned(), count: 0, asked: vec![] }
    }

    pub fn observe(&mut self, event: &str, frame: &Frame) {
        let data: Value = serde_json::from_str(frame.data.map_or("{}", |data| data.get())).unwrap_or_default();
        match event {
            "gate.opened" if data["gate"]["command"]["by"]["id"] == *self.id => {
                self.asked.extend(data["gate"]["id"].as_str().map(str::to_owned));
            }
            "gate.decided" | "gate.closed" | "gate.expired" => {
                self.asked.retain(|gate| data["gate"].as_str() != Some(gate));
            }
            _ => {}
        }
    }

    pub fn next_commands(&mut self, random: &mut Random) -> Vec<PlannedCommand> {
        if !self.asked.is_empty() && random.chance(3) {
            let gate = self.asked.swap_remove(random.index(self.asked.len()));
            return vec![PlannedCommand::new("withdraw_command", json!({ "gate": gate }))];
        }
        if !random.chance(10) {
            return vec![];
        }
        let messages = if random.chance(20) { 3 } else { 1 };
        (0..messages).map(|_| self.say()).collect()
    }

    fn say(&mut self) -> PlannedCommand {
        self.count += 1;
        PlannedCommand::new("say", json!({ "text": format!("@people note {} {MARK}", self.count) }))
    }
}
