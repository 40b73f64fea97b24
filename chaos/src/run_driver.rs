//! The lead of a session: starts runs, decides their gates, and pauses, interrupts and cancels runs.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use roundtable::kernel::Timestamp;
use serde_json::{Value, json};

use crate::commands::PlannedCommand;
use crate::counting_tool::TOOL;
use crate::observed_log::Frame;
use crate::session_rules;
use servers::random::Random;

/// State of a lead.
pub struct RunDriver {
    name: String,
    /// Id of the participant.
    id: String,
    running: bool,
    /// The newest run, which controls must name.
    run: String,
    paused: bool,
    gates: BTreeMap<String, Gate>,
    /// The newest plan, as a template for an edit.
    plan: Value,
    runs: u32,
    /// Number of tool calls so far, which makes the arguments of each call unique.
    calls: u32,
    /// Participants who knocked and are waiting to be admitted.
    knocks: Vec<String>,
    /// Messages from bots to people, some of which the lead redacts.
    notes: Vec<String>,
    /// Standing permissions, some of which the lead revokes.
    permissions: Vec<String>,
    /// Other participants who may vote and can therefore represent this one.
    voters: Vec<String>,
    /// File to comment on, which has two lines.
    file: Option<String>,
    /// Rules that were proposed, some of which the lead proposes again.
    suggestions: Vec<String>,
}

/// An open gate.
struct Gate {
    kind: String,
    rev: u64,
    /// True if people can approve the gate by voting.
    votes: bool,
    /// True if the gate shows something to comment on.
    has_subject: bool,
    /// Newest comment thread.
    thread: Option<String>,
}

impl RunDriver {
    pub fn new(name: &str, id: &str) -> Self {
        Self {
            name: name.to_owned(),
            id: id.to_owned(),
            running: false,
            run: String::new(),
            paused: false,
            gates: BTreeMap::new(),
            plan: Value::Null,
            runs: 0,
            calls: 0,
            knocks: vec![],
            notes: vec![],
            permissions: vec![],
            voters: vec![],
            file: None,
            suggestions: vec![],
        }
    }

    /// Returns true while the run is paused; it must be resumed before the cluster can settle.
    pub fn is_paused(&self) -> bool {
        self.running && self.paused
    }

    pub fn resume(&self) -> PlannedCommand {
        PlannedCommand::new("resume", json!({ "run": self.run }))
    }

    /// Returns the command that admits a waiting participant.
    pub fn admit(&self) -> Option<PlannedCommand> {
        self.knocks.first().map(|knock| PlannedCommand::new("admit", json!({ "participant": knock })))
    }

    pub fn observe(&mut self, event: &str, frame: &Frame) {
        let data: Value = serde_json::from_str(frame.data.map_or("{}", |data| data.get())).unwrap_or_default();
        let who = || data["participant"].as_str().map(str::to_owned);
        let gate = || data["gate"].as_str().unwrap_or_default().to_owned();
        match event {
            "participant.knocked" => self.knocks.extend(who()),
            "participant.joined" => {
                self.knocks.retain(|knock| Some(knock) != who().as_ref());
                let votes = matches!(data["role"].as_str(), Some("owner" | "member" | "reviewer"));
                self.voters.extend(who().filter(|who| votes && *who != self.id));
            }
            "run.started" => {
                (self.running, self.paused) = (true, false);
                self.run = frame.run.unwrap_or_default().to_owned();
            }
            "run.finished" | "run.failed" | "run.cancelled" => {
                self.running = false;
                // Gates about rules and commands stay open: they are independent of the run.
                self.gates.retain(|_, gate| matches!(&*gate.kind, "rule" | "command"));
            }
            "gate.opened" => {
                let gate = &data["gate"];
                let (id, kind) = (gate["id"].as_str().unwrap_or_default(), gate["kind"].as_str().unwrap_or_default());
                let rev = gate["rev"].as_u64().unwrap_or_default();
                self.suggestions.extend(gate["rule"]["id"].as_str().map(str::to_owned));
                let votes = gate["allow"].as_array().is_some_and(|acts| acts.contains(&json!("approve")));
                let has_subject =
                    kind != "feedback" || gate["subject"]["id"].as_str().is_some_and(|id| id.starts_with("m_"));
                self.gates.insert(id.to_owned(), Gate { kind: kind.to_owned(), rev, votes, has_subject, thread: None });
            }
            "file.added" if data["name"] == "rules.md" => self.file = data["file"].as_str().map(str::to_owned),
            "gate.commented" => {
                let place = &data["place"];
                if let Some(gate) = place["gate"].as_str().and_then(|id| self.gates.get_mut(id)) {
                    gate.thread = place["thread"].as_str().map(str::to_owned);
                }
            }
            "gate.revised" => {
                if let Some(gate) = self.gates.get_mut(&gate()) {
                    gate.rev = data["rev"].as_u64().unwrap_or(gate.rev);
                }
                if !data["plan"].is_null() {
                    self.plan = data["plan"].clone();
                }
            }
            "message.posted" if data["text"].as_str().is_some_and(|text| text.starts_with("@people note")) => {
                self.notes.extend(data["message"].as_str().map(str::to_owned));
            }
            "permission.granted" => self.permissions.extend(data["permission"]["id"].as_str().map(str::to_owned)),
            "permission.revoked" => self.permissions.retain(|known| Some(&**known) != data["permission"].as_str()),
            "plan.proposed" | "plan.edited" => self.plan = data["plan"].clone(),
            "gate.decided" | "gate.closed" | "gate.expired" => drop(self.gates.remove(&gate())),
            "control.requested" => match data["verb"].as_str() {
                Some("pause") => self.paused = true,
                Some("resume") => self.paused = false,
                _ => {}
            },
            _ => {}
        }
    }

    pub fn next_command(&mut self, random: &mut Random) -> Option<PlannedCommand> {
        if !self.notes.is_empty() && random.chance(2) {
            let message = self.notes.swap_remove(random.index(self.notes.len()));
            return Some(PlannedCommand::new("redact", json!({ "message": message, "reason": "a secret" })));
        }
        if random.chance(5)
            && let Some(admit) = self.admit()
        {
            return Some(admit);
        }
        // Some of these permissions are no longer in force; the server then rejects the command.
        if !self.permissions.is_empty() && random.chance(4) {
            let permission = self.permissions.swap_remove(random.index(self.permissions.len()));
            return Some(PlannedCommand::new("revoke_permission", json!({ "permission": permission })));
        }
        if random.chance(2) {
            return Some(self.delegate_or_rule(random));
        }
        // Some of these rules have been accepted in the meantime; the server then rejects the command.
        if !self.suggestions.is_empty() && random.chance(2) {
            let suggestion = self.suggestions.swap_remove(random.index(self.suggestions.len()));
            return Some(PlannedCommand::new("propose_rule", json!({ "suggestion": suggestion })));
        }
        if random.chance(2) {
            return Some(session_rules::rights(random));
        }
        if self.is_paused() {
            return random.chance(10).then(|| self.resume());
        }
        if !self.gates.is_empty() {
            let at = random.index(self.gates.len());
            return self.decide(at, random);
        }
        if self.running {
            return match random.between(0, 200) {
                0 => Some(PlannedCommand::new("pause", json!({ "run": self.run }))),
                1 => Some(PlannedCommand::new("interrupt", json!({ "run": self.run, "text": "shorter, please" }))),
                2 => Some(PlannedCommand::new("interrupt", json!({ "run": self.run }))),
                3 => Some(PlannedCommand::new("cancel", json!({ "run": self.run, "reason": "begin again" }))),
                _ => None,
            };
        }
        random.chance(30).then(|| {
            self.runs += 1;
            let task = self.task(random);
            match random.chance(15) {
                true => PlannedCommand::new("start", json!({ "input": task, "output_schema": output_schema() })),
                false => PlannedCommand::new("say", json!({ "text": task })),
            }
        })
    }

    /// Returns a command that delegates votes, ends a delegation, changes a voter's role, or changes the session's
    /// rules.
    fn delegate_or_rule(&self, random: &mut Random) -> PlannedCommand {
        if !self.voters.is_empty() && random.chance(50) {
            let to = &self.voters[random.index(self.voters.len())];
            if random.chance(30) {
                let role = ["member", "reviewer"][random.index(2)];
                return PlannedCommand::new("set_role", json!({ "participant": to, "role": role }));
            }
            let data = match random.between(0, 4) {
                0 => json!({ "until": in_seconds(30), "to": to }),
                1 => json!({}),
                _ => json!({ "to": to }),
            };
            return PlannedCommand::new("delegate_votes", data);
        }
        session_rules::approval(random)
    }

    /// Returns one batch of votes at all open gates about calls. If one of these gates is decided before the batch
    /// arrives, none of the votes count.
    fn vote_batch(&self, random: &mut Random) -> PlannedCommand {
        let tools = self.gates.iter().filter(|(_, gate)| gate.kind == "tool");
        let mut vote = |(id, gate): (&String, &Gate)| {
            let choice = if random.chance(80) { "approve" } else { "reject" };
            json!({ "gate": id, "rev": gate.rev, "choice": choice })
        };
        let votes: Vec<Value> = tools.map(&mut vote).collect();
        PlannedCommand::new("vote_batch", json!({ "votes": votes }))
    }

    /// Returns the input of a run: short or long, with or without tool calls and a question to people.
    fn task(&mut self, random: &mut Random) -> String {
        let mut text = format!("write test cases for refunds, {}", self.runs);
        if random.chance(40) {
            text += "; compare what is known about them with what customers were told in the last three years";
        }
        if random.chance(15) {
            text += "; ask_people which version it is";
        }
        for _ in 0..random.between(0, 4) {
            text += &format!("\n/tool {TOOL} {}", self.call_arguments());
        }
        text
    }

    /// Returns arguments for the tool that no earlier call used.
    fn call_arguments(&mut self) -> Value {
        self.calls += 1;
        json!({ "n": format!("{}-{}", self.name, self.calls) })
    }

    /// Returns the command for one of the open gates, if any.
    fn decide(&mut self, at: usize, random: &mut Random) -> Option<PlannedCommand> {
        let (gate, Gate { kind, rev, votes, has_subject, thread }) = self.gates.iter().nth(at)?;
        let (gate, rev, votes, has_subject) = (gate.clone(), *rev, *votes, *has_subject);
        let vote = |data: Value| Some(PlannedCommand { rev: Some(rev), ..PlannedCommand::new("vote", data) });
        let approve = || vote(json!({ "gate": gate, "choice": "approve" }));
        let say = |text: &str| Some(PlannedCommand::new("say", json!({ "text": text })));
        let answer = |text: &str| Some(PlannedCommand::new("answer", json!({ "gate": gate, "text": text })));
        let resolve = |thread: &String, random: &mut Random| {
            let data = json!({ "gate": gate, "thread": thread, "resolved": random.chance(80) });
            Some(PlannedCommand::new("resolve_comment", data))
        };
        if let Some(thread) = thread.as_ref().filter(|_| random.chance(10)) {
            return resolve(thread, random);
        }
        match (&**kind, random.between(0, 100)) {
            ("feedback", 0..14) if votes => approve(),
            ("feedback" | "plan", 14..20) => say("approve"),
            ("feedback", 20..26) => say("add boundary tests"),
            ("plan", 0..14) if votes => approve(),
            ("plan", 20..26) => vote(json!({ "gate": gate, "choice": "reject", "comment": "fewer steps" })),
            ("plan", 26..32) => {
                let mut plan = self.plan.clone();
                if let Some(items) = plan["items"].as_array_mut().filter(|items| items.len() > 1) {
                    items.pop();
                }
                vote(json!({ "gate": gate, "choice": "approve", "edit": plan }))
            }
            ("tool", 0..50) => approve(),
            ("tool", 50..55) => vote(json!({ "gate": gate, "choice": "reject" })),
            ("tool", 55..65) => {
                let edit = self.call_arguments();
                vote(json!({ "gate": gate, "choice": "approve", "edit": edit }))
            }
            ("tool", 68..80) => {
                let standing = match random.between(0, 4) {
                    0 => json!({ "arguments": "any", "this_run": true }),
                    3 => json!({ "arguments": "any", "until": in_seconds(30) }),
                    1 => json!({ "arguments": "any", "max_uses": 2 }),
                    _ => json!({ "arguments": "same", "max_uses": 5 }),
                };
                vote(json!({ "gate": gate, "choice": "approve", "standing": standing }))
            }
            ("tool", 80..85) => Some(self.vote_batch(random)),
            // There is rarely a vote to withdraw, because one vote usually decides the gate.
            ("feedback" | "plan" | "tool", 85..88) => {
                Some(PlannedCommand::new("withdraw_vote", json!({ "gate": gate })))
            }
            ("feedback" | "plan" | "tool", 88..92) => {
                let mut comment = json!({ "gate": gate, "text": "why?" });
                if let Some(file) = self.file.as_ref().filter(|_| !has_subject || random.chance(50)) {
                    (comment["file"], comment["line"]) = (json!(file), json!(1 + random.below(2)));
                } else if !has_subject {
                    return None;
                }
                Some(PlannedCommand { rev: Some(rev), ..PlannedCommand::new("comment", comment) })
            }
            ("feedback" | "plan" | "tool", 92) => thread
                .as_ref()
                .map(|thread| PlannedCommand::new("delete_comment", json!({ "gate": gate, "comment": thread }))),
            ("tool", 65..68) => answer("it is there already"),
            ("rule" | "command", 0..40) => approve(),
            ("rule" | "command", 40..60) => vote(json!({ "gate": gate, "choice": "reject" })),
            ("uncertain", 0..30) => approve(),
            ("uncertain", 30..40) => vote(json!({ "gate": gate, "choice": "reject" })),
            ("uncertain", 40..50) => answer("it has happened"),
            ("budget", 0..20) => approve(),
            ("budget", 20..30) => vote(json!({ "gate": gate, "choice": "approve", "edit": { "max_tokens": 200_000 } })),
            ("budget", 35..45) => vote(json!({ "gate": gate, "choice": "approve", "edit": { "model": "demo/demo" } })),
            ("budget", 30..35) => vote(json!({ "gate": gate, "choice": "reject" })),
            ("question", 0..25) => answer("the newest"),
            // A run that waits at a gate about a call can be interrupted, like one that waits for the call itself.
            ("tool" | "uncertain" | "question", 98) => {
                Some(PlannedCommand::new("interrupt", json!({ "run": self.run })))
            }
            ("tool" | "uncertain" | "question", 99) => {
                Some(PlannedCommand::new("cancel", json!({ "run": self.run, "reason": "begin again" })))
            }
            _ => None,
        }
    }
}

/// Returns the time this many seconds from now, in the wire format.
fn in_seconds(seconds: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(now.as_millis() as u64 + 1_000 * seconds).to_string()
}

/// Returns a schema for structured output.
fn output_schema() -> Value {
    let case = json!({ "type": "object", "properties": { "title": { "type": "string" }, "risk": { "enum": ["high", "low"] } } });
    json!({ "type": "object", "properties": { "cases": { "type": "array", "items": case } }, "required": ["cases"] })
}
