//! Kinds of events and commands that occur in the plans of a run. No plan tests a kind that never occurs.

use std::collections::BTreeSet;

use roundtable::kernel::{ActorKind, Command, Event, Fact};

use super::simulation::Simulation;

/// Kinds of events that no plan contains, with the reason.
const ABSENT_EVENTS: [(&str, &str); 0] = [];
/// Kinds of commands that no plan contains, with the reason.
const ABSENT_COMMANDS: [(&str, &str); 2] = [
    ("OpenInquiry", "only MCP servers ask people during a call, and the simulated tool is none"),
    ("WithdrawInquiry", "only MCP servers ask people during a call, and the simulated tool is none"),
];

/// Kinds that need several fitting steps in a row, so that not every set of 1,000 plans contains them. The kernel's
/// tests do.
const RARE: [&str; 3] = ["permission.revoked", "ProposeRule", "RevokePermission"];

/// Kinds of events and commands that occurred.
#[derive(Default)]
pub(super) struct SimCoverage {
    events: BTreeSet<String>,
    commands: BTreeSet<String>,
}

impl SimCoverage {
    /// Adds the kinds that occurred in a plan.
    pub(super) fn read(&mut self, simulation: &Simulation) {
        self.commands.extend(simulation.accepted.lock().iter().cloned());
        for session in &simulation.sessions {
            for event in super::check::state(simulation, *session).1 {
                self.commands.extend(command_behind(&event).map(str::to_owned));
                let wire = serde_json::to_value(&event.fact).expect("an event is JSON");
                self.events.extend(wire["event"].as_str().map(str::to_owned));
            }
            // A node that has claimed a session applies this command before any other.
            let logs = simulation.memory.logs.lock();
            if logs[session].writers.windows(2).any(|pair| pair[0] != pair[1]) {
                self.commands.insert("Recover".into());
            }
        }
    }

    /// Returns the kinds that are missing without being listed, and those that are listed but did occur.
    pub(super) fn problems(&self) -> Vec<String> {
        let events = problems("event", &all_events(), &self.events, &ABSENT_EVENTS);
        let commands = problems("command", &all_commands(), &self.commands, &ABSENT_COMMANDS);
        [events, commands].concat()
    }
}

fn problems(what: &str, all: &BTreeSet<String>, found: &BTreeSet<String>, absent: &[(&str, &str)]) -> Vec<String> {
    assert!(all.len() > 30, "the kinds are read: {all:?}");
    let is_listed = |kind: &str| RARE.contains(&kind) || absent.iter().any(|(listed, _)| *listed == kind);
    let missing = all.difference(found).filter(|kind| !is_listed(kind)).map(|kind| format!("no {what} {kind} occurs"));
    let listed = absent.iter().filter(|(kind, _)| found.contains(*kind) || !all.contains(*kind));
    let listed = listed.map(|(kind, _)| format!("the {what} {kind} is listed as absent, but occurs or is unknown"));
    let unknown = found.difference(all).map(|kind| format!("the {what} {kind} is unknown"));
    missing.chain(listed).chain(unknown).collect()
}

/// Returns the kind of a command, which is the name of its variant.
pub(super) fn kind_of(command: &Command) -> String {
    let text = format!("{command:?}");
    text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Returns the names of all events, from their schema.
fn all_events() -> BTreeSet<String> {
    let schema = serde_json::to_value(schemars::schema_for!(Fact)).expect("a schema is JSON");
    let variants = schema["oneOf"].as_array().expect("an enum");
    variants.iter().filter_map(|variant| variant["properties"]["event"]["const"].as_str()).map(str::to_owned).collect()
}

/// Returns the names of all commands, from their source code. The type has no list of them, because commands are never
/// stored.
fn all_commands() -> BTreeSet<String> {
    let source = include_str!("../../../src/kernel/command/mod.rs");
    let body = source.split("pub enum Command {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("an enum");
    let name = |line: &str| {
        let line =
            line.strip_prefix("    ").filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()))?;
        Some(line.trim_end_matches([' ', '{', ',']).to_owned())
    };
    body.lines().filter_map(name).collect()
}

/// Returns the command that causes this event, if only the server sends that command and no other command causes the
/// event.
fn command_behind(event: &Event) -> Option<&'static str> {
    match &event.fact {
        Fact::SessionCreated { .. } => Some("Create"),
        Fact::MessageCompleted { .. } => Some("TurnCompleted"),
        Fact::AttemptFailed { .. } => Some("TurnFailed"),
        Fact::ToolChecked { .. } => Some("CallChecked"),
        Fact::ToolCompleted { .. } => Some("CallEnded"),
        Fact::GateOpened { gate } if gate.origin.is_some() => Some("OpenInquiry"),
        Fact::ControlAcknowledged { .. } => Some("Acknowledge"),
        Fact::ControlEffective { .. } => Some("Stopped"),
        Fact::SessionUpdated { title: Some(_), .. } if event.by.kind == ActorKind::System => Some("TitleMade"),
        Fact::GateEscalated { .. } | Fact::GateExpired { .. } => Some("DeadlineReached"),
        _ => None,
    }
}

#[test]
fn missing_unlisted_and_wrongly_listed_kinds_are_problems() {
    let kinds = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let mut all = (0..40).map(|n| format!("k{n}")).collect::<BTreeSet<_>>();
    let found = all.clone();
    assert_eq!(problems("event", &all, &found, &[]), Vec::<String>::new());
    all.insert("new".into());
    assert_eq!(problems("event", &all, &found, &[]), ["no event new occurs"]);
    assert_eq!(problems("event", &all, &found, &[("new", "it is new")]), Vec::<String>::new());
    assert_eq!(problems("event", &all, &found, &[("new", "it is new"), ("k1", "it is one")]).len(), 1, "k1 occurs");
    let other = &(&found | &kinds(&["new", "other"]));
    assert_eq!(problems("event", &all, other, &[]), ["the event other is unknown"]);
    let commands = all_commands();
    assert!(["Create", "Leave", "Recover"].iter().all(|name| commands.contains(*name)), "{commands:?}");
}
