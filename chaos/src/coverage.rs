//! Kinds of events that occurred in the logs of all seeds. A kind that never occurs is not tested under faults.

use std::collections::BTreeSet;

use roundtable::kernel::{Event, Fact};

/// Number of seeds after which every kind must have occurred.
const COMPLETE_SEEDS: u64 = 40;

/// Kinds that do not occur in any seed, each with the reason. All of them occur in the simulation.
const ABSENT: [(&str, &str); 9] = [
    ("file.redacted", "the lead redacts messages, whose text the check can search for"),
    ("file.removed", "the file is commented on until the end"),
    ("output.rejected", "the demo model's structured output matches its schema"),
    ("participant.left", "everybody must have the whole log at the end"),
    ("participant.redacted", "a redacted participant is disabled, and everybody must have the whole log at the end"),
    ("participant.refused", "the visitor must be in every session at the end"),
    ("participant.renamed", "the same participants are in all sessions"),
    ("session.closed", "every session must come to rest by itself"),
    ("session.redacted", "the checks read the content of every session"),
];

/// Kinds that require several specific actions in a row, so they do not occur in every 40 seeds. They occur in the
/// simulation.
const RARE: [&str; 2] = ["message.withdrawn", "run.failed"];

/// Kinds of events that occurred, by their names on the wire.
#[derive(Default)]
pub struct Coverage(BTreeSet<String>);

impl Coverage {
    pub fn read(&mut self, events: &[Event]) {
        for event in events {
            let wire = serde_json::to_value(&event.fact).expect("a fact serializes");
            self.0.extend(wire["event"].as_str().map(str::to_owned));
        }
    }

    pub fn add(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the kinds that did not occur, if there were enough seeds.
    pub fn missing(&self, seeds: u64) -> Vec<String> {
        if seeds < COMPLETE_SEEDS {
            return vec![];
        }
        let is_listed = |kind: &String| RARE.contains(&&**kind) || ABSENT.iter().any(|(listed, _)| listed == kind);
        all_kinds().difference(&self.0).filter(|kind| !is_listed(kind)).cloned().collect()
    }
}

/// Returns the names of all events, from their schema.
fn all_kinds() -> BTreeSet<String> {
    let schema = serde_json::to_value(schemars::schema_for!(Fact)).expect("a schema serializes");
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    variants.filter_map(|variant| variant["properties"]["event"]["const"].as_str()).map(str::to_owned).collect()
}
