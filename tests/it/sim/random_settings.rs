//! Random changes to a session's settings.

use roundtable::kernel::Command;
use serde_json::{Value, json};
use servers::random::Random;

use super::counting_tool::any_budget;

fn set(settings: &Value) -> Command {
    Command::Set { title: None, settings: settings.as_object().cloned() }
}

/// Returns a command that makes the server propose rules after a few votes.
pub(super) fn learning() -> Command {
    set(&json!({ "learning": { "min_decisions": 2, "min_people": 1, "max_refused_percent": 50 } }))
}

pub(super) fn approval_rules(dice: &mut Random) -> Command {
    let seconds = 1 + dice.below(3);
    let (any, two) = (json!({ "kind": "any" }), json!({ "kind": "at_least", "n": 2 }));
    let rules = match dice.below(9) {
        0 => json!([]),
        1 => json!([{ "quorum": two, "escalation": [{ "after_seconds": seconds, "quorum": any }] }]),
        2 => json!([{ "quorum": { "kind": "veto" }, "deadline_seconds": seconds }]),
        3 => json!([{ "quorum": any, "comments_hold": true }]),
        4 => json!([{ "quorum": any, "separate_duties": true, "bots": true }]),
        5 => json!([{ "gate": "tool", "caused_by": ["person", "bot"], "quorum": two }]),
        6 => json!([{ "quorum": { "kind": "weighted", "n": 2, "weights": { "owner": 2 } } }]),
        7 => json!([{ "quorum": { "kind": "majority" } }]),
        _ => json!([{ "quorum": two, "deadline_seconds": seconds }]),
    };
    set(&json!({ "approval_rules": rules }))
}

/// Returns a command that makes members ask the owners before they write.
pub(super) fn members_ask() -> Command {
    set(&json!({ "rights": [{ "role": "member", "right": "say", "access": "ask" }] }))
}

pub(super) fn rights(dice: &mut Random) -> Command {
    let role = *dice.pick(&["member", "reviewer", "viewer", "bot"]);
    let right = *dice.pick(&["say", "steer", "answer", "approve", "edit", "interrupt", "invite"]);
    let access = *dice.pick(&["allow", "ask", "deny"]);
    // Some of these rights cannot have the access `ask`, so such a rule is rejected.
    let rule = json!({ "role": role, "right": right, "access": access });
    set(&json!({ "rights": if dice.below(2) == 0 { json!([rule]) } else { json!([]) } }))
}

pub(super) fn budget(dice: &mut Random) -> Command {
    let model = (dice.below(4) == 0).then_some("hand/other");
    set(&json!({ "budget": any_budget(dice), "model": model }))
}
