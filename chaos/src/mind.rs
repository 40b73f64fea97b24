//! What scripted people and bots want next, from what they saw.

use serde_json::{Value, json};

use crate::seen::Frame;
use servers::random::Random;

/// A command without its id and session.
pub struct Wish {
    pub name: &'static str,
    pub data: Value,
    pub rev: Option<u64>,
}

/// Whoever acts in a session.
pub enum Mind {
    /// Begins runs, approves them, sends them back, pauses and interrupts them.
    Lead(Lead),
    /// Says something to people now and then.
    Chat(u64),
}

/// What a lead knows.
#[derive(Default)]
pub struct Lead {
    running: bool,
    paused: bool,
    /// The open gate, and the revision that is judged there, if any is.
    gate: Option<(String, Option<u64>)>,
    runs: u32,
}

impl Mind {
    pub fn hear(&mut self, frame: &Frame) {
        let (Self::Lead(lead), Some(event)) = (self, frame.event) else { return };
        let data = || serde_json::from_str::<Value>(frame.data.map_or("{}", |data| data.get())).unwrap_or_default();
        match event {
            "run.started" => (lead.running, lead.paused) = (true, false),
            "run.finished" | "run.failed" | "run.cancelled" => (lead.running, lead.gate) = (false, None),
            "gate.opened" => {
                let gate = &data()["gate"];
                let rev = gate["subject"]["rev"].as_u64();
                lead.gate = gate["id"].as_str().map(|id| (id.to_owned(), rev));
            }
            "gate.decided" | "gate.closed" | "gate.expired" => lead.gate = None,
            "control.requested" => match data()["verb"].as_str() {
                Some("pause") => lead.paused = true,
                Some("resume") => lead.paused = false,
                _ => {}
            },
            _ => {}
        }
    }

    /// What it wants now, if anything; asked some twenty times a second, while nothing of its own is unanswered.
    pub fn want(&mut self, random: &mut Random) -> Vec<Wish> {
        match self {
            Self::Lead(lead) => lead.want(random).into_iter().collect(),
            Self::Chat(said) if random.chance(10) => {
                let mut wish = || {
                    *said += 1;
                    Wish::new("say", json!({ "text": format!("@people note {said}") }))
                };
                (0..if random.chance(20) { 3 } else { 1 }).map(|_| wish()).collect()
            }
            Self::Chat(_) => vec![],
        }
    }

    /// What has to be done before everything rests.
    pub fn tidy(&self) -> Option<Wish> {
        match self {
            Self::Lead(lead) if lead.running && lead.paused => Some(Wish::new("resume", json!({}))),
            _ => None,
        }
    }
}

impl Lead {
    fn want(&mut self, random: &mut Random) -> Option<Wish> {
        if self.running && self.paused {
            return random.chance(10).then(|| Wish::new("resume", json!({})));
        }
        if let Some((gate, rev)) = &self.gate {
            return match random.between(0, 100) {
                0..14 if rev.is_some() => {
                    let vote = Wish::new("vote", json!({ "gate": gate, "choice": "approve" }));
                    Some(Wish { rev: *rev, ..vote })
                }
                14..20 => Some(Wish::new("say", json!({ "text": "approve" }))),
                20..26 => Some(Wish::new("say", json!({ "text": "add boundary tests" }))),
                _ => None,
            };
        }
        if self.running {
            return match random.between(0, 200) {
                0 => Some(Wish::new("pause", json!({}))),
                1 => Some(Wish::new("interrupt", json!({ "text": "shorter, please" }))),
                2 => Some(Wish::new("interrupt", json!({}))),
                3 => Some(Wish::new("cancel", json!({ "reason": "begin again" }))),
                _ => None,
            };
        }
        random.chance(30).then(|| {
            self.runs += 1;
            Wish::new("say", json!({ "text": format!("write test cases for refunds, {}", self.runs) }))
        })
    }
}

impl Wish {
    fn new(name: &'static str, data: Value) -> Self {
        Self { name, data, rev: None }
    }
}
