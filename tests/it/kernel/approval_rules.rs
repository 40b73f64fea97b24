//! Approval rules: which votes decide which gates, and whose votes do not count.

use roundtable::kernel::call::Risk;
use roundtable::kernel::gate::{Choice, Gate, Outcome, Quorum};
use roundtable::kernel::*;
use serde_json::json;

use super::call_gates::{call_twice, gates, vote, worker};
use super::harness::*;
use super::scripted_runner::ScriptedRunner;

/// Returns a runner at the gates about two calls of this risk. The owner started the run, and four more people are in
/// the session.
pub(super) fn run_until_gates_with_rules(rules: serde_json::Value, risk: Risk) -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.risk = risk;
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Member), (5, Role::Owner)] {
        runner.harness.enter(who, role);
    }
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rules })));
    runner.begin("do it");
    while runner.harness.state.view().gates.len() < 2 {
        assert!(runner.step());
    }
    runner
}

pub(super) fn outcome_of(runner: &ScriptedRunner, gate: &Gate) -> Option<Outcome> {
    let ended = runner.harness.state.view().decided.iter().find(|ended| ended.id == gate.id)?;
    ended.decision.as_ref().map(|decision| decision.outcome)
}

#[test]
fn the_first_rule_that_applies_counts() {
    let rules = json!([
        { "gate": "plan", "quorum": { "kind": "all" } },
        { "gate": "tool", "min_risk": "high", "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" } },
        { "min_risk": "medium", "quorum": { "kind": "majority" } },
    ]);
    for (risk, quorum) in [
        (Risk::Low, Quorum::Any {}),
        (Risk::Medium, Quorum::Majority {}),
        (Risk::High, Quorum::AtLeast { n: 2, role: Some(Role::Reviewer) }),
    ] {
        let runner = run_until_gates_with_rules(rules.clone(), risk);
        assert_eq!((gates(&runner)[0].quorum, gates(&runner)[0].risk), (quorum, Some(risk)));
    }
}

#[test]
fn a_majority_is_more_than_half_of_all_who_may_vote() {
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": { "kind": "majority" } }]), Risk::Low);
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    for who in [OWNER, 2] {
        runner.harness.ok(who, vote(first, Choice::Approve, None));
        runner.harness.ok(who, vote(second, Choice::Reject, None));
    }
    assert_eq!((outcome_of(&runner, first), outcome_of(&runner, second)), (None, None));
    runner.harness.ok(3, vote(second, Choice::Abstain, None));
    assert_eq!(outcome_of(&runner, second), Some(Outcome::Rejected), "three of five cannot be for it any more");
    runner.harness.ok(3, vote(first, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, first), Some(Outcome::Approved));
}

#[test]
fn the_votes_of_one_role_count_and_others_comment() {
    let rules = json!([{ "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" } }]);
    let mut runner = run_until_gates_with_rules(rules, Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    runner.harness.ok(4, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None);
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}

#[test]
fn participants_who_directed_the_run_cannot_approve() {
    let rules = json!([{ "quorum": { "kind": "any" }, "separate_duties": true }]);
    let mut runner = run_until_gates_with_rules(rules, Risk::High);
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    let refused = runner.harness.submit(OWNER, vote(first, Choice::Approve, None));
    match refused {
        Err(Rejection::Forbidden { message, .. }) => {
            assert!(message.contains("somebody else must approve"), "{message}")
        }
        other => panic!("{other:?}"),
    }
    // An edit counts as taking part: the editor's own vote is recorded, and others vote on the edit.
    runner.harness.ok(2, vote(first, Choice::Approve, Some(json!({ "what": "z" }))));
    let edited = gates(&runner)[0].clone();
    assert_eq!((edited.edited_by.as_slice(), edited.votes.len()), ([id(2)].as_slice(), 1));
    assert_eq!(outcome_of(&runner, first), None);
    runner.harness.ok(3, vote(&edited, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, first), Some(Outcome::Approved));
    runner.harness.ok(2, vote(second, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, second), Some(Outcome::Approved), "they had no part in this one");
}

#[test]
fn a_guest_cannot_approve_for_somebody_who_directed_the_run() {
    let rules = |quorum: &str| json!([{ "quorum": { "kind": quorum }, "separate_duties": true }]);
    let mut runner = run_until_gates_with_rules(rules("all"), Risk::High);
    runner.harness.enter(GUEST, Role::Reviewer);
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    match runner.harness.submit(GUEST, vote(first, Choice::Approve, None)) {
        Err(Rejection::Forbidden { message, .. }) => assert!(message.contains("you are a guest"), "{message}"),
        other => panic!("{other:?}"),
    }
    for who in 2..=5 {
        assert_eq!(outcome_of(&runner, first), None);
        runner.harness.ok(who, vote(first, Choice::Approve, None));
    }
    assert_eq!(outcome_of(&runner, first), Some(Outcome::Approved), "nobody waits for the guest");
    runner.harness.ok(GUEST, vote(second, Choice::Reject, None));
    assert_eq!(outcome_of(&runner, second), Some(Outcome::Rejected));
    // No gate waits for a guest, however the guest joined the session.
    let mut runner = run_until_gates_with_rules(rules("all"), Risk::High);
    runner.harness.ok(GUEST, Command::Knock { role: Role::Reviewer });
    runner.harness.ok(OWNER, Command::Admit { participant: id(GUEST) });
    let (kind, name, role) = (ActorKind::User, "Kim".into(), Role::Reviewer);
    runner.harness.ok(OWNER, Command::Invite { participant: id(GUEST + 1), kind, name, role, guest: true });
    let gate = gates(&runner)[0].clone();
    for who in 2..=5 {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
    // A gate whose rule needs a guest's vote would wait forever: only five of the seven participants are not guests.
    let of_six = json!([{ "quorum": { "kind": "at_least", "n": 6 }, "separate_duties": true }]);
    let refused = runner.harness.submit(OWNER, set(json!({ "approval_rules": of_six })));
    assert!(matches!(&refused, Err(Rejection::Invalid(text)) if text.contains("set at most 5")), "{refused:?}");
    // Without separation of duties, a guest votes like everyone else.
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": { "kind": "any" } }]), Risk::High);
    runner.harness.enter(GUEST, Role::Reviewer);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(GUEST, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}

#[test]
fn the_participant_who_started_the_run_can_reject() {
    let rules = json!([{ "quorum": { "kind": "any" }, "separate_duties": true }]);
    let mut runner = run_until_gates_with_rules(rules, Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(OWNER, vote(&gate, Choice::Reject, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Rejected));
}

#[test]
fn a_message_to_agents_counts_as_directing_the_run() {
    let mut runner = run_until_gates_with_rules(json!([]), Risk::High);
    let directed =
        |runner: &ScriptedRunner| runner.harness.state.view().run.as_ref().expect("a run").directed_by.clone();
    assert_eq!(directed(&runner), [id(OWNER)]);
    runner.harness.ok(4, steer("in short"));
    runner.finish_run(None);
    assert_eq!(directed(&runner), [id(OWNER), id(4)]);
}

#[test]
fn votes_of_involved_participants_do_not_decide() {
    // Tries every combination of the votes of five people. One of them is the owner, who started the run.
    for votes in 0..3_u32.pow(5) {
        let quorum = Quorum::AtLeast { n: 2, role: None };
        let rule = json!({ "gate": "tool", "quorum": quorum, "separate_duties": true });
        let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
        let gate = gates(&runner)[0].clone();
        let mut counted = 0;
        for who in 1..=5_u32 {
            let choice = [Choice::Approve, Choice::Abstain, Choice::Reject][(votes / 3_u32.pow(who - 1) % 3) as usize];
            let accepted = runner.harness.submit(who.into(), vote(&gate, choice, None)).is_ok();
            counted += u32::from(accepted && choice == Choice::Approve && who != 1);
            if outcome_of(&runner, &gate) == Some(Outcome::Approved) {
                assert_eq!(counted, 2, "{votes}");
                break;
            }
        }
    }
}

fn escalation_steps(seconds: &[u64]) -> serde_json::Value {
    let step = |after: &u64| json!({ "after_seconds": after, "quorum": { "kind": "role", "role": "owner" } });
    seconds.iter().map(step).collect()
}

#[test]
fn approval_rules_are_validated() {
    let mut harness = KernelHarness::with(worker(), Settings::default());
    let no_weights = json!({ "owner": 0, "member": 0, "reviewer": 0, "bot": 0 });
    let cases = [
        (json!([{ "quorum": { "kind": "at_least", "n": 0 } }]), "between 1 and 100"),
        (json!([{ "quorum": { "kind": "at_least", "n": 1, "role": "viewer" } }]), "may not approve here"),
        (json!([{ "quorum": { "kind": "role", "role": "owner", "n": 2 } }]), "unknown field"),
        (json!([{ "quorum": { "kind": "all", "n": 2 } }]), "unknown field"),
        (json!([{ "quorum": { "kind": "veto" }, "at_deadline": "approved" }]), "at_deadline requires a deadline"),
        (json!([{ "quorum": { "kind": "at_least", "n": 2 } }]), "invite more people"),
        (json!([{ "quorum": { "kind": "any" }, "who": 1 }]), "unknown field"),
        (json!([{ "quorum": { "kind": "weighted", "n": 0, "weights": {} } }]), "between 1 and 10000"),
        (json!([{ "quorum": { "kind": "weighted", "n": 1, "weights": { "owner": 101 } } }]), "between 0 and 100"),
        (json!([{ "quorum": { "kind": "weighted", "n": 9, "weights": { "owner": 8 } } }]), "are 8 in sum"),
        (json!([{ "quorum": { "kind": "any" }, "deadline_seconds": 0 }]), "between 1 second and a year"),
        (json!([{ "gate": "question", "quorum": { "kind": "all" } }]), "the first answer decides"),
        (json!([{ "gate": "question", "quorum": { "kind": "any" }, "bots": true }]), "the first answer decides"),
        (json!([{ "gate": "budget", "quorum": { "kind": "any" }, "at_deadline": "approved" }]), "always expire"),
        (json!([{ "gate": "uncertain", "quorum": { "kind": "any" }, "at_deadline": "approved" }]), "always expire"),
        (json!([{ "gate": "command", "quorum": { "kind": "any" }, "at_deadline": "approved" }]), "always expire"),
        (
            json!([{ "quorum": { "kind": "any" }, "escalation": escalation_steps(&[5, 5]) }]),
            "later than the one before",
        ),
        (json!([{ "quorum": { "kind": "any" }, "escalation": escalation_steps(&[1, 2, 3, 4, 5]) }]), "at most 4"),
        (json!(vec![json!({ "quorum": { "kind": "any" } }); 17]), "at most 16"),
        (json!([{ "quorum": { "kind": "any" }, "gate": "plan", "min_risk": "high" }]), "only calls have a risk"),
        (json!([{ "quorum": { "kind": "any" }, "gate": "budget", "caused_by": ["web"] }]), "only calls have a risk"),
        (
            json!([{ "quorum": { "kind": "any" }, "escalation": escalation_steps(&[5, 60]), "deadline_seconds": 60 }]),
            "earlier than the deadline",
        ),
        (
            json!([{ "quorum": { "kind": "weighted", "n": 1, "weights": no_weights } }]),
            "at least one weight of a quorum must be above 0",
        ),
        (
            json!([{ "quorum": { "kind": "weighted", "n": 1, "weights": { "owner": 0 } } }]),
            "nobody here may approve with a vote that counts",
        ),
        (
            json!([{ "quorum": { "kind": "at_least", "n": 1, "role": "reviewer" } }]),
            "nobody here may approve; invite people who may",
        ),
        (json!([{ "foo": 1 }]), "settings: approval_rules/0: unknown field `foo`"),
        (
            json!([{ "quorum": { "kind": "any" } }, { "quorum": { "kind": "all", "n": 1 } }]),
            "approval_rules/1: unknown",
        ),
        (json!([{ "gate": "command", "quorum": { "kind": "any" }, "comments_hold": true }]), "nothing to comment on"),
        (json!({}), "approval_rules: invalid type: object, expected a list"),
    ];
    for (rules, text) in cases {
        match harness.submit(OWNER, set(json!({ "approval_rules": rules }))) {
            Err(Rejection::Invalid(error)) => assert!(error.contains(text), "{error}"),
            other => panic!("{other:?}"),
        }
    }
    // The session's deadline applies too.
    let late = json!({ "gate_seconds": 60, "approval_rules": [{ "quorum": { "kind": "any" }, "escalation": escalation_steps(&[60]) }] });
    match harness.submit(OWNER, set(late)) {
        Err(Rejection::Invalid(error)) => assert!(error.contains("earlier than the deadline"), "{error}"),
        other => panic!("{other:?}"),
    }
    harness.ok(
        OWNER,
        set(json!({ "approval_rules": [{ "gate": "uncertain", "min_risk": "high", "quorum": { "kind": "any" } }] })),
    );
}

#[test]
fn a_rule_that_counts_bots_can_be_satisfied_by_them() {
    let mut runner = run_until_gates_with_rules(json!([]), Risk::High);
    runner.harness.enter(6, Role::Bot);
    runner.harness.enter(7, Role::Bot);
    let rules = |n: u32| json!([{ "gate": "tool", "bots": true, "quorum": { "kind": "at_least", "n": n } }]);
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rules(6) })));
    let refused = runner.harness.submit(OWNER, set(json!({ "approval_rules": rules(9) })));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    let of_bots = |bots: bool| json!([{ "gate": "tool", "bots": bots, "quorum": { "kind": "role", "role": "bot" } }]);
    runner.harness.ok(OWNER, set(json!({ "approval_rules": of_bots(true) })));
    let refused = runner.harness.submit(OWNER, set(json!({ "approval_rules": of_bots(false) })));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
}
