//! Decisions of scripted people and bots, based on what they saw.

use serde_json::{Value, json};

use crate::lead::Lead;
use crate::seen::Frame;
use servers::random::Random;

/// Placeholder in a command for a word that no other command has.
pub const MARK: &str = "{mark}";

/// Returns the unique word of the command with this id.
pub fn mark(id: &str) -> String {
    format!("M{id}z")
}

/// A command without its id and session.
pub struct Wish {
    pub name: &'static str,
    pub data: Value,
    pub rev: Option<u64>,
}

/// A scripted participant of a session.
pub enum Mind {
    /// Begins runs and decides at their gates.
    Lead(Lead),
    /// Posts messages to people.
    Chat(u64),
}

impl Mind {
    pub fn hear(&mut self, frame: &Frame) {
        if let (Self::Lead(lead), Some(event)) = (self, frame.event) {
            lead.hear(event, frame);
        }
    }

    /// Returns the next command, if any. Called about twenty times a second while all of its commands have responses.
    pub fn want(&mut self, random: &mut Random) -> Vec<Wish> {
        match self {
            Self::Lead(lead) => lead.want(random).into_iter().collect(),
            Self::Chat(said) if random.chance(10) => {
                let mut wish = || {
                    *said += 1;
                    Wish::new("say", json!({ "text": format!("@people note {said} {MARK}") }))
                };
                (0..if random.chance(20) { 3 } else { 1 }).map(|_| wish()).collect()
            }
            Self::Chat(_) => vec![],
        }
    }

    /// Returns a command that is needed before everything can come to rest.
    pub fn tidy(&self) -> Option<Wish> {
        match self {
            Self::Lead(lead) if lead.is_paused() => Some(lead.resume()),
            Self::Lead(lead) => lead.admit(),
            Self::Chat(_) => None,
        }
    }
}

impl Wish {
    pub fn new(name: &'static str, data: Value) -> Self {
        Self { name, data, rev: None }
    }
}
