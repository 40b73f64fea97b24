//! Session rules that the lead sets at random: who may do what, and who decides.

use serde_json::{Value, json};

use crate::commands::PlannedCommand;
use servers::random::Random;

/// Returns a command that sets a rule about what reviewers or bots may do, or removes such rules.
pub fn rights(random: &mut Random) -> PlannedCommand {
    let (role, right, access) = match random.between(0, 6) {
        0 => ("reviewer", "steer", "deny"),
        1 => ("reviewer", "answer", "deny"),
        2 => ("reviewer", "interrupt", "allow"),
        // Messages from bots then wait for the lead's approval.
        3 | 4 => ("bot", "say", "ask"),
        _ => return set(json!({ "rights": [] })),
    };
    set(json!({ "rights": [{ "role": role, "right": right, "access": access }] }))
}

/// Returns a command that sets rules about who decides gates. No gate waits forever for a vote that nobody can cast:
/// where this is possible, the rule has a deadline or escalates to another group.
pub fn approval(random: &mut Random) -> PlannedCommand {
    let escalation = json!([{ "after_seconds": 1, "quorum": { "kind": "any" } }]);
    let weights = json!({ "owner": 1, "member": 1, "reviewer": 2 });
    let rules = match random.between(0, 10) {
        0 => json!([{ "quorum": { "kind": "role", "role": "reviewer" }, "escalation": escalation }]),
        1 | 2 => json!([{ "quorum": { "kind": "at_least", "n": 2 } }]),
        3 => json!([{ "quorum": { "kind": "any" }, "separate_duties": true, "deadline_seconds": 2 }]),
        4 => json!([{ "quorum": { "kind": "any" }, "separate_duties": true, "deadline_seconds": 2,
            "at_deadline": "approved" }]),
        5 => json!([{ "quorum": { "kind": "veto" }, "deadline_seconds": 1 }]),
        // The quorum can also be reached without a reviewer, because roles change.
        6 => json!([{ "quorum": { "kind": "weighted", "n": 2, "weights": weights }, "escalation": escalation }]),
        7 => {
            json!([{ "gate": "tool", "quorum": { "kind": "majority" }, "comments_hold": true, "escalation": escalation }])
        }
        8 => json!([{ "caused_by": ["bot"], "quorum": { "kind": "any" }, "bots": true }]),
        _ => json!([]),
    };
    let learning = json!({ "min_decisions": 3, "min_people": 1, "max_refused_percent": 50 });
    set(json!({ "approval_rules": rules, "learning": learning }))
}

fn set(settings: Value) -> PlannedCommand {
    PlannedCommand::new("set", json!({ "settings": settings }))
}
