//! Votes that are withdrawn, cast together, cast on behalf of others, or not cast in time.

use roundtable::kernel::call::{CallState, Risk};
use roundtable::kernel::gate::{BatchedVote, Choice, DeadlineOutcome, Gate, Outcome, Quorum};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules::{outcome_of, run_until_gates_with_rules};
use super::call_gates::{call_of_gate, gates, vote};
use super::harness::*;
use super::scripted_runner::ScriptedRunner;

pub(super) fn batched_vote(gate: &Gate, choice: Choice) -> BatchedVote {
    BatchedVote { gate: gate.id, rev: gate.rev, choice }
}

fn batch(gates: &[Gate], choice: Choice) -> Command {
    Command::VoteBatch { votes: gates.iter().map(|gate| batched_vote(gate, choice)).collect() }
}

fn delegate_votes(by: Option<u128>, until: Option<u64>) -> Command {
    Command::DelegateVotes { to: by.map(id), until: until.map(Timestamp::from_millis) }
}

/// Advances the clock and processes everything that is due.
fn advance_time(runner: &mut ScriptedRunner, seconds: u64) -> Vec<String> {
    runner.harness.now += seconds * 1000;
    runner.harness.submit_as_orchestrator(Command::DeadlineReached)
}

#[test]
fn a_withdrawn_vote_does_not_count() {
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": { "kind": "at_least", "n": 2 } }]), Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(runner.harness.ok(2, Command::WithdrawVote { gate: gate.id }), ["gate.vote_withdrawn"]);
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None);
    assert_eq!(runner.harness.ok(2, Command::WithdrawVote { gate: gate.id }), Vec::<String>::new());
    runner.harness.ok(2, vote(&gate, Choice::Reject, None));
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved), "a later vote replaces the one before");
    let late = runner.harness.submit(2, Command::WithdrawVote { gate: gate.id });
    assert!(matches!(late, Err(Rejection::AlreadyDecided { .. })), "{late:?}");
}

#[test]
fn a_batch_of_votes_is_atomic() {
    let mut runner = run_until_gates_with_rules(json!([]), Risk::Low);
    let both = gates(&runner);
    let stale = [both[0].clone(), Gate { rev: 7, ..both[1].clone() }];
    match runner.harness.submit(2, batch(&stale, Choice::Approve)) {
        Err(Rejection::InBatch { gate, reason }) => {
            assert_eq!((gate, *reason), (both[1].id, Rejection::StaleRevision { given: 7, current: 1 }));
        }
        other => panic!("{other:?}"),
    }
    assert!(gates(&runner).iter().all(|gate| gate.votes.is_empty()));
    for wrong in [vec![], vec![both[0].clone(); 2], vec![both[0].clone(); 65]] {
        let refused = runner.harness.submit(2, batch(&wrong, Choice::Approve));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    }
    runner.harness.ok(2, batch(&both, Choice::Approve));
    assert!(both.iter().all(|gate| call_of_gate(&runner, gate).state == CallState::Started));
}

#[test]
fn only_the_selected_calls_are_dispatched() {
    let mut runner = run_until_gates_with_rules(json!([]), Risk::Low);
    let both = gates(&runner);
    runner.harness.ok(2, batch(&both[1..], Choice::Approve));
    runner.harness.ok(2, batch(&both[..1], Choice::Reject));
    runner.finish_run(None);
    assert_eq!(runner.put.keys().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn an_undecided_gate_escalates_to_the_next_group() {
    let escalation = json!([
        { "after_seconds": 60, "quorum": { "kind": "role", "role": "member" } },
        { "after_seconds": 120, "quorum": { "kind": "role", "role": "owner" } },
    ]);
    let quorum = json!({ "kind": "at_least", "n": 2, "role": "reviewer" });
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": quorum, "escalation": escalation }]), Risk::High);
    let gate = gates(&runner)[0].clone();
    assert_eq!(gate.escalations.len(), 2);
    assert_eq!(runner.harness.state.next_due(), Some(gate.escalations[0].at));
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    runner.harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert_eq!(advance_time(&mut runner, 59), Vec::<String>::new());
    assert_eq!(advance_time(&mut runner, 1), ["gate.escalated", "gate.escalated"], "both calls wait");
    let now = gates(&runner)[0].clone();
    assert_eq!((now.quorum, now.escalations.len()), (Quorum::Role { role: Role::Member }, 1));
    assert_eq!(outcome_of(&runner, &gate), None);
    let names = advance_time(&mut runner, 60);
    assert!(names.contains(&"gate.decided".into()), "the owner has voted already: {names:?}");
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
    let restored = runner.harness.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, runner.harness.state);
}

#[test]
fn an_edit_restarts_the_escalation_of_its_gate() {
    let escalation = json!([{ "after_seconds": 60, "quorum": { "kind": "role", "role": "member" } }]);
    let quorum = json!({ "kind": "at_least", "n": 2, "role": "reviewer" });
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": quorum, "escalation": escalation }]), Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(OWNER, set(json!({ "approval_rules": [] })));
    for rev in [1, 2] {
        runner.harness.now += 30_000;
        let edited = Gate { rev, ..gate.clone() };
        runner.harness.ok(2, vote(&edited, Choice::Approve, Some(json!({ "what": format!("edit {rev}") }))));
        let gate = &gates(&runner)[0];
        let whole = gate.revised_at.expect("edited").plus(60_000);
        assert_eq!(gate.escalations.iter().map(|step| step.at).collect::<Vec<_>>(), [whole]);
    }
}

#[test]
fn escalation_steps_that_are_due_at_once_are_merged() {
    let escalation = json!([
        { "after_seconds": 60, "quorum": { "kind": "role", "role": "member" } },
        { "after_seconds": 120, "quorum": { "kind": "role", "role": "owner" } },
    ]);
    let mut runner = run_until_gates_with_rules(
        json!([{ "gate": "tool", "quorum": { "kind": "all" }, "escalation": escalation }]),
        Risk::High,
    );
    assert_eq!(advance_time(&mut runner, 500), ["gate.escalated", "gate.escalated"]);
    let gate = &gates(&runner)[0];
    assert_eq!((gate.quorum, gate.escalations.len()), (Quorum::Role { role: Role::Owner }, 0));
}

#[test]
fn the_deadline_has_the_outcome_of_the_gate() {
    for (rule, policy, outcome) in [
        (json!({ "quorum": { "kind": "all" }, "deadline_seconds": 60, "at_deadline": "approved" }), "approved", true),
        (json!({ "quorum": { "kind": "all" }, "deadline_seconds": 60 }), "expired", false),
        (json!({ "quorum": { "kind": "veto" }, "deadline_seconds": 60 }), "approved", true),
        (json!({ "quorum": { "kind": "veto" }, "deadline_seconds": 60, "at_deadline": "expired" }), "expired", false),
    ] {
        let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
        let both = gates(&runner);
        assert_eq!(json!(both[0].at_deadline), json!(policy));
        advance_time(&mut runner, 61);
        for gate in &both {
            assert_eq!(outcome_of(&runner, gate), outcome.then_some(Outcome::Approved));
            let expected = if outcome { CallState::Started } else { CallState::Failed };
            assert_eq!(call_of_gate(&runner, gate).state, expected);
        }
    }
}

#[test]
fn silence_does_not_override_a_rejection() {
    let rule = json!({ "quorum": { "kind": "at_least", "n": 2 }, "deadline_seconds": 60, "at_deadline": "approved" });
    let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
    let both = gates(&runner);
    assert_eq!(both[0].at_deadline, Some(DeadlineOutcome::Approved));
    runner.harness.ok(2, vote(&both[0], Choice::Reject, None));
    advance_time(&mut runner, 61);
    assert_eq!((outcome_of(&runner, &both[0]), outcome_of(&runner, &both[1])), (None, Some(Outcome::Approved)));
}

#[test]
fn silence_does_not_review_an_edit() {
    for separate in [false, true] {
        let rule = json!({ "quorum": { "kind": "all" }, "separate_duties": separate, "deadline_seconds": 60,
            "at_deadline": "approved" });
        let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
        let gate = gates(&runner)[0].clone();
        runner.harness.ok(2, vote(&gate, Choice::Approve, Some(json!({ "what": "z" }))));
        let policy = if separate { DeadlineOutcome::Expired } else { DeadlineOutcome::Approved };
        assert_eq!(gates(&runner)[0].at_deadline, Some(policy), "the gate says what will happen");
        advance_time(&mut runner, 200);
        assert_eq!(outcome_of(&runner, &gate), (!separate).then_some(Outcome::Approved));
    }
}

#[test]
fn a_decision_lists_only_the_votes_that_count() {
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": { "kind": "at_least", "n": 2 } }]), Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    runner.harness.ok(OWNER, Command::SetRole { participant: id(2), role: Role::Viewer });
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None, "a viewer's vote does not count");
    runner.harness.ok(4, vote(&gate, Choice::Approve, None));
    let decided = runner.harness.state.view().decided.back().expect("it is decided").clone();
    let voters: Vec<_> = decided.votes.iter().filter_map(|vote| vote.by.participant_id()).collect();
    assert_eq!(voters, [id(3), id(4)]);
}

#[test]
fn bots_vote_only_if_the_rule_allows_it() {
    for bots in [false, true] {
        let mut runner = run_until_gates_with_rules(json!([{ "quorum": { "kind": "any" }, "bots": bots }]), Risk::High);
        runner.harness.enter(7, Role::Bot);
        let gate = gates(&runner)[0].clone();
        let voted = runner.harness.submit(7, vote(&gate, Choice::Approve, None));
        assert_eq!(voted.is_ok(), bots, "{voted:?}");
        assert_eq!(outcome_of(&runner, &gate).is_some(), bots);
    }
}

#[test]
fn weights_are_summed() {
    let quorum = json!({ "kind": "weighted", "n": 3, "weights": { "owner": 0, "member": 2 } });
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": quorum }]), Risk::High);
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    for who in [OWNER, 5, 2] {
        runner.harness.ok(who, vote(first, Choice::Approve, None));
    }
    assert_eq!(outcome_of(&runner, first), None, "owners have no weight here, and a reviewer has 1");
    runner.harness.ok(4, vote(first, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, first), Some(Outcome::Approved));
    runner.harness.ok(2, vote(second, Choice::Reject, None));
    assert_eq!(outcome_of(&runner, second), None, "3 can still be reached");
    runner.harness.ok(3, vote(second, Choice::Reject, None));
    assert_eq!(outcome_of(&runner, second), Some(Outcome::Rejected));
}

#[test]
fn a_delegator_is_not_waited_for_and_a_delegate_has_one_vote() {
    let mut runner = run_until_gates_with_rules(
        json!([{ "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" } }]),
        Risk::High,
    );
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    // A member votes on behalf of a reviewer, so the vote counts in that role.
    assert_eq!(runner.harness.ok(2, delegate_votes(Some(4), None)), ["votes.delegated"]);
    assert_eq!(runner.harness.ok(2, delegate_votes(Some(4), None)), Vec::<String>::new(), "nothing changes");
    runner.harness.ok(4, vote(first, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, first), None, "one person is one vote");
    runner.harness.ok(3, vote(first, Choice::Approve, None));
    let ended = runner.harness.state.view().decided.back().expect("it is decided").clone();
    assert_eq!(ended.votes.iter().map(|vote| vote.on_behalf_of.clone()).collect::<Vec<_>>(), [vec![id(2)], vec![]]);
    // A person who votes is no longer represented.
    runner.harness.ok(2, vote(second, Choice::Approve, None));
    runner.harness.ok(4, vote(second, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, second), None);
    runner.harness.ok(3, vote(second, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, second), Some(Outcome::Approved));
}

#[test]
fn a_delegate_of_both_reviewers_still_has_one_vote() {
    let mut runner = run_until_gates_with_rules(
        json!([{ "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" } }]),
        Risk::High,
    );
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, delegate_votes(Some(3), None));
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None);
}

#[test]
fn a_delegation_ends_with_its_time_and_when_its_delegate_leaves() {
    let mut runner = run_until_gates_with_rules(json!([{ "quorum": { "kind": "all" } }]), Risk::High);
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    let until = Some(runner.harness.now + 60_000);
    for who in [OWNER, 2, 3] {
        runner.harness.ok(who, delegate_votes(Some(4), until));
    }
    runner.harness.ok(5, batch(&[first.clone(), second.clone()], Choice::Approve));
    runner.harness.ok(4, vote(first, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, first), Some(Outcome::Approved), "nobody waits for the three");
    runner.harness.now += 61_000;
    runner.harness.ok(4, vote(second, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, second), None, "the three are back");
    runner.harness.ok(2, delegate_votes(Some(4), None));
    runner.harness.ok(4, Command::Leave);
    assert!(
        runner.harness.state.view().participants.iter().all(|member| member.delegate.is_none_or(|d| d.to != id(4)))
    );
}

#[test]
fn a_delegation_does_not_help_the_participant_who_started_the_run() {
    let rule = json!({ "quorum": { "kind": "at_least", "n": 1, "role": "owner" }, "separate_duties": true });
    let mut runner = run_until_gates_with_rules(json!([rule]), Risk::High);
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(OWNER, delegate_votes(Some(4), None));
    runner.harness.ok(4, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None, "the owner who started it cannot lend their role");
    runner.harness.ok(5, delegate_votes(Some(4), None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved), "the other owner can");
}

#[test]
fn delegations_are_checked() {
    let mut runner = run_until_gates_with_rules(json!([]), Risk::High);
    runner.harness.enter(7, Role::Viewer);
    let now = runner.harness.now;
    for wrong in [
        delegate_votes(Some(2), None),
        delegate_votes(Some(7), None),
        delegate_votes(Some(99), None),
        delegate_votes(Some(3), Some(now)),
        delegate_votes(Some(3), Some(now + 40_000_000_000)),
        delegate_votes(None, Some(now + 1)),
    ] {
        assert!(runner.harness.submit(2, wrong.clone()).is_err(), "{wrong:?}");
    }
    assert!(matches!(runner.harness.submit(7, delegate_votes(Some(2), None)), Err(Rejection::Forbidden { .. })));
}

#[test]
fn a_bot_votes_as_a_bot_whatever_its_role() {
    let mut runner =
        run_until_gates_with_rules(json!([{ "gate": "tool", "quorum": { "kind": "at_least", "n": 2 } }]), Risk::High);
    runner.harness.enter(BOT, Role::Bot);
    runner.harness.ok(OWNER, Command::SetRole { participant: id(BOT), role: Role::Owner });
    let gate = gates(&runner)[0].clone();
    let refused = runner.harness.submit(BOT, vote(&gate, Choice::Approve, None));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    let refused = runner.harness.submit(BOT, Command::DelegateVotes { to: Some(id(2)), until: None });
    assert!(refused.is_ok(), "it may hand over what it does not have: {refused:?}");
    let lent = runner.harness.submit(3, Command::DelegateVotes { to: Some(id(BOT)), until: None });
    assert!(matches!(lent, Err(Rejection::Invalid(_))), "{lent:?}");
    runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), None);
    runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(outcome_of(&runner, &gate), Some(Outcome::Approved));
}
