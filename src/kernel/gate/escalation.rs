//! Escalation: another quorum decides a gate that nobody has decided in time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Quorum;
use crate::draft::Draft;
use crate::{Fact, Timestamp};

/// Step of an escalation, in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EscalationStep {
    /// Seconds after the opening of the gate, 1 to 31536000.
    #[schemars(range(min = 1, max = 31_536_000))]
    pub after_seconds: u64,
    /// Votes that decide the gate from then on. Votes that were already cast count under this quorum.
    pub quorum: Quorum,
}

impl EscalationStep {
    /// Returns the step for a gate that opens now.
    pub(super) fn planned(&self, now: Timestamp) -> Escalation {
        Escalation { at: now.plus(self.after_seconds.saturating_mul(1000)), quorum: self.quorum }
    }
}

/// Step of an escalation that an open gate is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Escalation {
    /// Time of the step.
    pub at: Timestamp,
    /// Votes that decide the gate from then on.
    pub quorum: Quorum,
}

/// Takes every step of an escalation that is due. If several are due at once because the server was stopped, only the
/// last one decides who is asked.
pub(crate) fn escalate_due(draft: &mut Draft) {
    let now = draft.at();
    let due: Vec<_> = draft
        .view()
        .gates
        .iter()
        .filter_map(|gate| Some((gate.id, gate.escalations.iter().rfind(|step| step.at <= now)?.quorum)))
        .collect();
    for (gate, quorum) in due {
        draft.emit(Fact::GateEscalated { gate, quorum });
    }
}
