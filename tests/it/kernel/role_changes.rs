//! Changes of roles and of guest status while gates are open.

use roundtable::kernel::call::Risk;
use roundtable::kernel::gate::{Choice, CommentTarget, Outcome};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules::{outcome_of, run_until_gates_with_rules};
use super::call_gates::{gates, vote};
use super::harness::*;
use super::scripted_runner::ScriptedRunner;

fn set_role(runner: &mut ScriptedRunner, who: u128, role: Role) {
    runner.harness.ok(OWNER, Command::SetRole { participant: id(who), role });
}

/// Returns a runner at the gates of [`run_until_gates_with_rules`] under this quorum.
fn run_until_gates_with_quorum(quorum: serde_json::Value) -> ScriptedRunner {
    run_until_gates_with_rules(json!([{ "quorum": quorum }]), Risk::High)
}

#[test]
fn a_demoted_reviewer_no_longer_counts_as_one() {
    for (quorum, missing) in [
        (json!({ "kind": "at_least", "n": 2, "role": "reviewer" }), 4),
        (json!({ "kind": "weighted", "n": 4, "weights": { "reviewer": 2, "member": 1 } }), 2),
    ] {
        let mut runner = run_until_gates_with_quorum(quorum);
        runner.harness.enter(4, Role::Reviewer);
        set_role(&mut runner, 4, Role::Reviewer);
        let gate = gates(&runner)[0].clone();
        runner.harness.ok(2, vote(&gate, Choice::Approve, None));
        set_role(&mut runner, 2, Role::Member);
        runner.harness.ok(3, vote(&gate, Choice::Approve, None));
        assert_eq!(outcome_of(&runner, &gate), None, "the first vote was that of a reviewer");
        if missing == 2 {
            runner.harness.ok(2, vote(&gate, Choice::Approve, None));
            assert_eq!(outcome_of(&runner, &gate), None, "a member has half of the weight");
        }
        runner.harness.ok(4, vote(&gate, Choice::Approve, None));
        assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
    }
}

#[test]
fn a_comment_does_not_become_a_vote() {
    let mut runner = run_until_gates_with_quorum(json!({ "kind": "role", "role": "reviewer" }));
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(4, vote(&gate, Choice::Approve, None));
    set_role(&mut runner, 4, Role::Reviewer);
    assert_eq!(outcome_of(&runner, &gate), None, "it was a member's vote, which is a comment here");
    runner.harness.ok(4, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}

#[test]
fn a_voter_who_was_a_viewer_in_between_is_waited_for() {
    let mut runner = run_until_gates_with_quorum(json!({ "kind": "all" }));
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    set_role(&mut runner, 2, Role::Viewer);
    set_role(&mut runner, 2, Role::Reviewer);
    for who in [OWNER, 3, 4, 5] {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    assert_eq!(outcome_of(&runner, &gate), None, "their first vote no longer counts");
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}

#[test]
fn a_vote_against_that_no_longer_counts_does_not_prevent_an_approval_at_the_deadline() {
    let rule = json!({ "quorum": { "kind": "all" }, "deadline_seconds": 60, "at_deadline": "approved" });
    let lose_the_role: fn(&mut ScriptedRunner) = |runner| set_role(runner, 2, Role::Viewer);
    let lose_the_right: fn(&mut ScriptedRunner) = |runner| {
        let rights = json!([{ "role": "reviewer", "right": "approve", "access": "deny" }]);
        runner.harness.ok(OWNER, set(json!({ "rights": rights })));
    };
    // Two votes are needed to reject, so that one leaves the gate open.
    let quorum = json!({ "kind": "at_least", "n": 2 });
    let comment = json!({ "kind": "role", "role": "owner" });
    for (lose, quorum, expected) in [
        (Some(lose_the_role), &quorum, true),
        (Some(lose_the_right), &quorum, true),
        (None, &comment, true),
        (None, &quorum, false),
    ] {
        let mut rule = rule.clone();
        rule["quorum"] = quorum.clone();
        let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
        let gate = gates(&runner)[0].clone();
        runner.harness.ok(2, vote(&gate, Choice::Reject, None));
        lose.iter().for_each(|lose| lose(&mut runner));
        runner.harness.now += 61_000;
        runner.harness.submit_as_orchestrator(Command::DeadlineReached);
        assert_eq!(outcome_of(&runner, &gate), expected.then_some(Outcome::Approved));
        if !expected {
            let late = runner.harness.submit(3, vote(&gate, Choice::Approve, None));
            assert_eq!(late, Err(Rejection::GateExpired(gate.id)));
        }
    }
}

#[test]
fn a_decision_names_somebody_who_voted_for_it() {
    let mut runner = run_until_gates_with_quorum(json!({ "kind": "all" }));
    let gate = gates(&runner)[0].clone();
    for who in [OWNER, 2, 3, 4] {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    runner.harness.ok(5, Command::Leave);
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved), "the last one who had not voted left");
    match runner.harness.submit(2, vote(&gate, Choice::Approve, None)) {
        Err(Rejection::AlreadyDecided { decision, .. }) => assert_eq!(decision.by.participant_id(), Some(id(4))),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_decision_names_a_vote_that_counts() {
    let rule = json!({ "quorum": { "kind": "role", "role": "owner" }, "comments_hold": true });
    let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
    let gate = gates(&runner)[0].clone();
    let comment = |target| Command::Comment { gate: gate.id, rev: gate.rev, target, text: "why?".into() };
    runner.harness.ok(3, comment(CommentTarget::Subject { path: "".into(), line: None }));
    let thread = gates(&runner)[0].threads[0].place.thread;
    runner.harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    runner.harness.ok(3, Command::ResolveComment { gate: gate.id, thread, resolved: true });
    let decided = runner.harness.state.view().decided.back().expect("it is decided").clone();
    let by = decided.decision.as_ref().and_then(|decision| decision.by.participant_id());
    assert_eq!(by, Some(id(OWNER)), "the reviewer's vote is a comment");
}

/// Sends a command from participant `GUEST`, who acts as a guest or as a regular person.
fn act_as(runner: &mut ScriptedRunner, guest: bool, command: Command) {
    let mut envelope = runner.harness.envelope(GUEST, command);
    if let CommandSender::Participant { actor, .. } = &mut envelope.by {
        actor.guest = guest;
    }
    runner.harness.decide(&envelope).expect("accepted");
}

#[test]
fn an_approved_command_does_not_say_whether_its_sender_is_a_guest_now() {
    let rule = json!({ "quorum": { "kind": "all" }, "separate_duties": true });
    let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
    runner.harness.enter(GUEST, Role::Reviewer);
    let rights = json!([{ "role": "reviewer", "right": "say", "access": "ask" }]);
    runner.harness.ok(OWNER, set(json!({ "rights": rights })));
    act_as(&mut runner, true, say("@people hello"));
    let asked = runner.harness.state.view().gates.iter().find(|gate| gate.command.is_some()).expect("it waits").clone();
    let gate = gates(&runner)[0].clone();
    act_as(&mut runner, false, vote(&gate, Choice::Abstain, None));
    act_as(&mut runner, false, Command::WithdrawVote { gate: gate.id });
    for who in 2..=5 {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    runner.harness.ok(OWNER, vote(&asked, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &asked), Some(Outcome::Approved));
    assert_eq!(outcome_of(&runner, &gate), None, "the gate waits for somebody who is no longer a guest");
}

#[test]
fn a_participant_is_a_guest_as_of_their_latest_action() {
    let is_guest = |runner: &ScriptedRunner| runner.harness.state.view().member(id(GUEST)).expect("is here").guest;
    let rule = json!({ "quorum": { "kind": "all" }, "separate_duties": true });
    let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
    runner.harness.enter(GUEST, Role::Reviewer);
    assert!(is_guest(&runner));
    act_as(&mut runner, false, say("@people I have an account now"));
    assert!(!is_guest(&runner));
    let gate = gates(&runner)[0].clone();
    for who in 2..=5 {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    assert_eq!(outcome_of(&runner, &gate), None, "the gate waits for them");
    runner.harness.ok(GUEST, say("@people and now I have none"));
    assert!(is_guest(&runner));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved), "nobody waits for a guest");
}
