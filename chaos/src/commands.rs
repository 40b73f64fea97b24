//! Decisions of scripted people and bots, based on what they saw.

use serde_json::Value;

use crate::chat_bot::ChatBot;
use crate::observed_log::Frame;
use crate::reviewer::Reviewer;
use crate::run_driver::RunDriver;
use servers::random::Random;

/// Placeholder in a command for a word that is unique to the command.
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
    /// Starts runs and decides their gates.
    RunDriver(Box<RunDriver>),
    /// Votes at gates.
    Reviewer(Reviewer),
    /// Posts messages to people.
    ChatBot(ChatBot),
}

impl Behavior {
    pub fn observe(&mut self, frame: &Frame) {
        let Some(event) = frame.event else { return };
        match self {
            Self::RunDriver(driver) => driver.observe(event, frame),
            Self::Reviewer(reviewer) => reviewer.observe(event, frame),
            Self::ChatBot(bot) => bot.observe(event, frame),
        }
    }

    /// Returns the next commands, if any. Called about twenty times a second while all of its commands have responses.
    pub fn next_commands(&mut self, random: &mut Random) -> Vec<PlannedCommand> {
        match self {
            Self::RunDriver(driver) => driver.next_command(random).into_iter().collect(),
            Self::Reviewer(reviewer) => reviewer.next_command(random).into_iter().collect(),
            Self::ChatBot(bot) => bot.next_commands(random),
        }
    }

    /// Returns a command that is needed before the cluster can settle.
    pub fn closing_command(&self) -> Option<PlannedCommand> {
        match self {
            Self::RunDriver(driver) if driver.is_paused() => Some(driver.resume()),
            Self::RunDriver(driver) => driver.admit(),
            Self::Reviewer(_) | Self::ChatBot(_) => None,
        }
    }
}

impl PlannedCommand {
    pub fn new(name: &'static str, data: Value) -> Self {
        Self { name, data, rev: None }
    }
}
