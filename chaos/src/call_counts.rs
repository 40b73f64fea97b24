//! Comparison of the calls in the logs with the effects of the tool.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use roundtable::kernel::gate::GateKind;
use roundtable::kernel::{CallId, Event, Fact, GateId, call};

use crate::counting_tool::DONE;

/// Calls by the digest of their arguments, which no two calls share.
#[derive(Default)]
pub struct CallCounts {
    sent: BTreeMap<Arc<str>, u64>,
    done: BTreeMap<Arc<str>, u64>,
    /// Number of gates that people decided, by kind.
    decided: BTreeMap<String, u64>,
    /// Number of redacted messages.
    pub redactions: u64,
}

impl CallCounts {
    /// Reads the log of a session.
    pub fn read(&mut self, events: &[Event]) {
        let mut newest: HashMap<CallId, Arc<str>> = HashMap::new();
        let mut kinds: HashMap<GateId, GateKind> = HashMap::new();
        for Event { fact, .. } in events {
            match fact {
                Fact::GateOpened { gate } => drop(kinds.insert(gate.id, gate.kind)),
                Fact::GateDecided { gate, .. } => {
                    let kind = kinds.get(gate).map(|kind| format!("{kind:?}").to_lowercase()).unwrap_or_default();
                    *self.decided.entry(kind).or_default() += 1;
                }
                Fact::ToolStarted { call, digest, .. } => {
                    *self.sent.entry(digest.clone()).or_default() += 1;
                    newest.insert(*call, digest.clone());
                }
                Fact::ToolCompleted { call, output, .. } if &**output == DONE => {
                    if let Some(digest) = newest.get(call) {
                        *self.done.entry(digest.clone()).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns calls that took effect more often than they were sent, and calls that have a result but never took
    /// effect.
    pub fn violations(&self, executions: &BTreeMap<String, u64>) -> Vec<String> {
        let count = |all: &BTreeMap<Arc<str>, u64>, digest: &str| all.get(digest).copied().unwrap_or_default();
        let executions: BTreeMap<Arc<str>, (&String, u64)> =
            executions.iter().map(|(arguments, times)| (call::digest(arguments), (arguments, *times))).collect();
        let excess = executions.iter().filter(|(digest, (_, times))| *times > count(&self.sent, digest));
        let excess = excess.map(|(digest, (arguments, times))| {
            format!(
                "the tool was called {times} times with {arguments}, and {} of them are logged",
                count(&self.sent, digest)
            )
        });
        let missing =
            self.done.iter().filter(|(digest, times)| executions.get(*digest).is_none_or(|(_, done)| done < *times));
        excess
            .chain(missing.map(|(digest, _)| format!("a call has a result, but was not executed: {digest}")))
            .collect()
    }

    /// Returns a description of the counts.
    pub fn summary(&self) -> String {
        let decided: Vec<_> = self.decided.iter().map(|(kind, times)| format!("{times} {kind}")).collect();
        let (sent, redactions) = (self.sent.values().sum::<u64>(), self.redactions);
        format!("{sent} calls sent; gates decided: {}; {redactions} messages redacted", decided.join(", "))
    }
}
