//! Votes that are withdrawn, cast together, cast for others, or not cast in time.

use roundtable::kernel::call::{CallState, Risk};
use roundtable::kernel::gate::{BatchedVote, Choice, DeadlineOutcome, Gate, Outcome, Quorum};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules::{asked, decided};
use super::call_gates::{call, gates, vote};
use super::harness::*;
use super::play::Play;

pub(super) fn batched(gate: &Gate, choice: Choice) -> BatchedVote {
    BatchedVote { gate: gate.id, rev: gate.rev, choice }
}

fn batch(gates: &[Gate], choice: Choice) -> Command {
    Command::VoteBatch { votes: gates.iter().map(|gate| batched(gate, choice)).collect() }
}

fn represent(by: Option<u128>, until: Option<u64>) -> Command {
    Command::DelegateVotes { to: by.map(id), until: until.map(Timestamp::from_millis) }
}

/// Advances the time and processes what is due.
fn later(play: &mut Play, seconds: u64) -> Vec<String> {
    play.stage.now += seconds * 1000;
    play.stage.shell(Command::DeadlineReached)
}

#[test]
fn a_vote_that_is_taken_back_does_not_count() {
    let mut play = asked(json!([{ "quorum": { "kind": "at_least", "n": 2 } }]), Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(play.stage.ok(2, Command::WithdrawVote { gate: gate.id }), ["gate.vote_withdrawn"]);
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None);
    assert_eq!(play.stage.ok(2, Command::WithdrawVote { gate: gate.id }), Vec::<String>::new());
    play.stage.ok(2, vote(&gate, Choice::Reject, None));
    play.stage.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved), "a later vote replaces the one before");
    let late = play.stage.does(2, Command::WithdrawVote { gate: gate.id });
    assert!(matches!(late, Err(Rejection::AlreadyDecided { .. })), "{late:?}");
}

#[test]
fn a_batch_counts_as_a_whole_or_not_at_all() {
    let mut play = asked(json!([]), Risk::Low);
    let both = gates(&play);
    let stale = [both[0].clone(), Gate { rev: 7, ..both[1].clone() }];
    match play.stage.does(2, batch(&stale, Choice::Approve)) {
        Err(Rejection::InBatch { gate, reason }) => {
            assert_eq!((gate, *reason), (both[1].id, Rejection::StaleRevision { given: 7, current: 1 }));
        }
        other => panic!("{other:?}"),
    }
    assert!(gates(&play).iter().all(|gate| gate.votes.is_empty()));
    for wrong in [vec![], vec![both[0].clone(); 2], vec![both[0].clone(); 65]] {
        let refused = play.stage.does(2, batch(&wrong, Choice::Approve));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    }
    play.stage.ok(2, batch(&both, Choice::Approve));
    assert!(both.iter().all(|gate| call(&play, gate).state == CallState::Started));
}

#[test]
fn what_is_dispatched_is_exactly_what_was_ticked() {
    let mut play = asked(json!([]), Risk::Low);
    let both = gates(&play);
    play.stage.ok(2, batch(&both[1..], Choice::Approve));
    play.stage.ok(2, batch(&both[..1], Choice::Reject));
    play.finish_run(None);
    assert_eq!(play.put.keys().collect::<Vec<_>>(), ["b"]);
}

#[test]
fn a_gate_that_nobody_decides_goes_to_the_next_group() {
    let escalation = json!([
        { "after_seconds": 60, "quorum": { "kind": "role", "role": "member" } },
        { "after_seconds": 120, "quorum": { "kind": "role", "role": "owner" } },
    ]);
    let quorum = json!({ "kind": "at_least", "n": 2, "role": "reviewer" });
    let mut play = asked(json!([{ "quorum": quorum, "escalation": escalation }]), Risk::High);
    let gate = gates(&play)[0].clone();
    assert_eq!(gate.escalations.len(), 2);
    assert_eq!(play.stage.state.next_due(), Some(gate.escalations[0].at));
    play.stage.ok(2, vote(&gate, Choice::Approve, None));
    play.stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert_eq!(later(&mut play, 59), Vec::<String>::new());
    assert_eq!(later(&mut play, 1), ["gate.escalated", "gate.escalated"], "both calls wait");
    let now = gates(&play)[0].clone();
    assert_eq!((now.quorum, now.escalations.len()), (Quorum::Role { role: Role::Member }, 1));
    assert_eq!(decided(&play, &gate), None);
    let names = later(&mut play, 60);
    assert!(names.contains(&"gate.decided".into()), "the owner has voted already: {names:?}");
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved));
    let restored = play.stage.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, play.stage.state);
}

#[test]
fn an_edit_moves_the_steps_of_the_gate_whatever_the_rules_are_now() {
    let escalation = json!([{ "after_seconds": 60, "quorum": { "kind": "role", "role": "member" } }]);
    let quorum = json!({ "kind": "at_least", "n": 2, "role": "reviewer" });
    let mut play = asked(json!([{ "quorum": quorum, "escalation": escalation }]), Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(OWNER, set(json!({ "approval_rules": [] })));
    for rev in [1, 2] {
        play.stage.now += 30_000;
        let edited = Gate { rev, ..gate.clone() };
        play.stage.ok(2, vote(&edited, Choice::Approve, Some(json!({ "what": format!("edit {rev}") }))));
        let gate = &gates(&play)[0];
        let whole = gate.revised_at.expect("edited").plus(60_000);
        assert_eq!(gate.escalations.iter().map(|step| step.at).collect::<Vec<_>>(), [whole]);
    }
}

#[test]
fn steps_that_are_due_at_once_are_one() {
    let escalation = json!([
        { "after_seconds": 60, "quorum": { "kind": "role", "role": "member" } },
        { "after_seconds": 120, "quorum": { "kind": "role", "role": "owner" } },
    ]);
    let mut play =
        asked(json!([{ "gate": "tool", "quorum": { "kind": "all" }, "escalation": escalation }]), Risk::High);
    assert_eq!(later(&mut play, 500), ["gate.escalated", "gate.escalated"]);
    let gate = &gates(&play)[0];
    assert_eq!((gate.quorum, gate.escalations.len()), (Quorum::Role { role: Role::Owner }, 0));
}

#[test]
fn the_deadline_has_the_outcome_that_the_gate_says() {
    for (rule, said, outcome) in [
        (json!({ "quorum": { "kind": "all" }, "deadline_seconds": 60, "at_deadline": "approved" }), "approved", true),
        (json!({ "quorum": { "kind": "all" }, "deadline_seconds": 60 }), "expired", false),
        (json!({ "quorum": { "kind": "veto" }, "deadline_seconds": 60 }), "approved", true),
        (json!({ "quorum": { "kind": "veto" }, "deadline_seconds": 60, "at_deadline": "expired" }), "expired", false),
    ] {
        let mut play = asked(json!([rule]), Risk::High);
        let both = gates(&play);
        assert_eq!(json!(both[0].at_deadline), json!(said));
        later(&mut play, 61);
        for gate in &both {
            assert_eq!(decided(&play, gate), outcome.then_some(Outcome::Approved));
            let expected = if outcome { CallState::Started } else { CallState::Failed };
            assert_eq!(call(&play, gate).state, expected);
        }
    }
}

#[test]
fn silence_approves_nothing_that_somebody_is_against() {
    let rule = json!({ "quorum": { "kind": "at_least", "n": 2 }, "deadline_seconds": 60, "at_deadline": "approved" });
    let mut play = asked(json!([rule]), Risk::High);
    let both = gates(&play);
    assert_eq!(both[0].at_deadline, Some(DeadlineOutcome::Approved));
    play.stage.ok(2, vote(&both[0], Choice::Reject, None));
    later(&mut play, 61);
    assert_eq!((decided(&play, &both[0]), decided(&play, &both[1])), (None, Some(Outcome::Approved)));
}

#[test]
fn bots_vote_only_where_the_rule_says_so() {
    for bots in [false, true] {
        let mut play = asked(json!([{ "quorum": { "kind": "any" }, "bots": bots }]), Risk::High);
        play.stage.enter(7, Role::Bot);
        let gate = gates(&play)[0].clone();
        let voted = play.stage.does(7, vote(&gate, Choice::Approve, None));
        assert_eq!(voted.is_ok(), bots, "{voted:?}");
        assert_eq!(decided(&play, &gate).is_some(), bots);
    }
}

#[test]
fn weights_are_summed() {
    let quorum = json!({ "kind": "weighted", "n": 3, "weights": { "owner": 0, "member": 2 } });
    let mut play = asked(json!([{ "quorum": quorum }]), Risk::High);
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    for who in [OWNER, 5, 2] {
        play.stage.ok(who, vote(first, Choice::Approve, None));
    }
    assert_eq!(decided(&play, first), None, "owners have no weight here, and a reviewer has 1");
    play.stage.ok(4, vote(first, Choice::Approve, None));
    assert_eq!(decided(&play, first), Some(Outcome::Approved));
    play.stage.ok(2, vote(second, Choice::Reject, None));
    assert_eq!(decided(&play, second), None, "3 can still be reached");
    play.stage.ok(3, vote(second, Choice::Reject, None));
    assert_eq!(decided(&play, second), Some(Outcome::Rejected));
}

#[test]
fn nobody_waits_for_who_is_represented_and_one_person_stays_one_vote() {
    let mut play = asked(json!([{ "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" } }]), Risk::High);
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    // A member votes on behalf of a reviewer, so the vote counts in that role.
    assert_eq!(play.stage.ok(2, represent(Some(4), None)), ["votes.delegated"]);
    assert_eq!(play.stage.ok(2, represent(Some(4), None)), Vec::<String>::new(), "nothing changes");
    play.stage.ok(4, vote(first, Choice::Approve, None));
    assert_eq!(decided(&play, first), None, "one person is one vote");
    play.stage.ok(3, vote(first, Choice::Approve, None));
    let ended = play.stage.state.view().decided.back().expect("it is decided").clone();
    assert_eq!(ended.votes.iter().map(|vote| vote.on_behalf_of.clone()).collect::<Vec<_>>(), [vec![id(2)], vec![]]);
    // A person who votes is no longer represented.
    play.stage.ok(2, vote(second, Choice::Approve, None));
    play.stage.ok(4, vote(second, Choice::Approve, None));
    assert_eq!(decided(&play, second), None);
    play.stage.ok(3, vote(second, Choice::Approve, None));
    assert_eq!(decided(&play, second), Some(Outcome::Approved));
}

#[test]
fn both_reviewers_in_one_hand_are_still_one_vote() {
    let mut play = asked(json!([{ "quorum": { "kind": "at_least", "n": 2, "role": "reviewer" } }]), Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, represent(Some(3), None));
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None);
}

#[test]
fn a_delegation_ends_with_its_time_and_when_its_delegate_leaves() {
    let mut play = asked(json!([{ "quorum": { "kind": "all" } }]), Risk::High);
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    let until = Some(play.stage.now + 60_000);
    for who in [OWNER, 2, 3] {
        play.stage.ok(who, represent(Some(4), until));
    }
    play.stage.ok(5, batch(&[first.clone(), second.clone()], Choice::Approve));
    play.stage.ok(4, vote(first, Choice::Approve, None));
    assert_eq!(decided(&play, first), Some(Outcome::Approved), "nobody waits for the three");
    play.stage.now += 61_000;
    play.stage.ok(4, vote(second, Choice::Approve, None));
    assert_eq!(decided(&play, second), None, "the three are back");
    play.stage.ok(2, represent(Some(4), None));
    play.stage.ok(4, Command::Leave);
    assert!(play.stage.state.view().participants.iter().all(|member| member.delegate.is_none_or(|d| d.to != id(4))));
}

#[test]
fn a_delegation_never_helps_who_started_the_run() {
    let rule = json!({ "quorum": { "kind": "at_least", "n": 1, "role": "owner" }, "separate_duties": true });
    let mut play = asked(json!([rule]), Risk::High);
    let gate = gates(&play)[0].clone();
    play.stage.ok(OWNER, represent(Some(4), None));
    play.stage.ok(4, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None, "the owner who started it cannot lend their role");
    play.stage.ok(5, represent(Some(4), None));
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved), "the other owner can");
}

#[test]
fn delegations_are_checked() {
    let mut play = asked(json!([]), Risk::High);
    play.stage.enter(7, Role::Viewer);
    let now = play.stage.now;
    for wrong in [
        represent(Some(2), None),
        represent(Some(7), None),
        represent(Some(99), None),
        represent(Some(3), Some(now)),
        represent(Some(3), Some(now + 40_000_000_000)),
        represent(None, Some(now + 1)),
    ] {
        assert!(play.stage.does(2, wrong.clone()).is_err(), "{wrong:?}");
    }
    assert!(matches!(play.stage.does(7, represent(Some(2), None)), Err(Rejection::Forbidden { .. })));
}

#[test]
fn a_bot_votes_as_a_bot_whatever_its_role() {
    let mut play = asked(json!([{ "gate": "tool", "quorum": { "kind": "at_least", "n": 2 } }]), Risk::High);
    play.stage.enter(BOT, Role::Bot);
    play.stage.ok(OWNER, Command::SetRole { participant: id(BOT), role: Role::Owner });
    let gate = gates(&play)[0].clone();
    let refused = play.stage.does(BOT, vote(&gate, Choice::Approve, None));
    assert!(matches!(refused, Err(Rejection::Forbidden { right: Right::Approve, .. })), "{refused:?}");
    let refused = play.stage.does(BOT, Command::DelegateVotes { to: Some(id(2)), until: None });
    assert!(refused.is_ok(), "it may hand over what it does not have: {refused:?}");
    let lent = play.stage.does(3, Command::DelegateVotes { to: Some(id(BOT)), until: None });
    assert!(matches!(lent, Err(Rejection::Invalid(_))), "{lent:?}");
    play.stage.ok(2, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), None);
    play.stage.ok(3, vote(&gate, Choice::Approve, None));
    assert_eq!(decided(&play, &gate), Some(Outcome::Approved));
}
