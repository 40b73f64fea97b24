//! Decisions of scripted people and bots, based on what they saw.

use serde_json::{Value, json};

use crate::observed_log::Frame;
use crate::run_driver::RunDriver;
use servers::random::Random;

/// Placeholder in a command for a word that no other command has.
pub const MARK: &str = "{mark}";

/// Returns the unique word of the command with this id.
pub fn mark(id: &str) -> String {
    format!("M{id}z")
}

/// A command without its id and session.
pub struct PlannedCommand {
    pub name: &'static str,
    pub data: Value,
    pub rev: Option<u64>,
}

/// A scripted participant of a session.
pub enum Behavior {
    /// Begins runs and decides at their gates.
    RunDriver(Box<RunDriver>),
    /// Posts messages to people.
    Chat(u64),
}

impl Behavior {
    pub fn observe(&mut self, frame: &Frame) {
        if let (Self::RunDriver(driver), Some(event)) = (self, frame.event) {
            driver.observe(event, frame);
        }
    }

    /// Returns the next command, if any. Called about twenty times a second while all of its commands have responses.
    pub fn next_commands(&mut self, random: &mut Random) -> Vec<PlannedCommand> {
        match self {
            Self::RunDriver(driver) => driver.next_command(random).into_iter().collect(),
            Self::Chat(count) if random.chance(10) => {
                let mut command = || {
                    *count += 1;
                    PlannedCommand::new("say", json!({ "text": format!("@people note {count} {MARK}") }))
                };
                (0..if random.chance(20) { 3 } else { 1 }).map(|_| command()).collect()
            }
            Self::Chat(_) => vec![],
        }
    }

    /// Returns a command that is needed before the cluster can settle.
    pub fn closing_command(&self) -> Option<PlannedCommand> {
        match self {
            Self::RunDriver(driver) if driver.is_paused() => Some(driver.resume()),
            Self::RunDriver(driver) => driver.admit(),
            Self::Chat(_) => None,
        }
    }
}

impl PlannedCommand {
    pub fn new(name: &'static str, data: Value) -> Self {
        Self { name, data, rev: None }
    }
}
