//! Standing permissions: proposed with a vote, decided by the gate, used, counted and revoked.

use roundtable::kernel::call::{CallState, Risk, StandingArguments, StandingPermission, StandingTerms};
use roundtable::kernel::gate::{Choice, Gate};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules;
use super::call_gates::{asked, call, gates, twice, vote, worker};
use super::harness::*;
use super::play::Play;

fn this_run() -> StandingTerms {
    StandingTerms { arguments: StandingArguments::Any, this_run: true, until: None, max_uses: None }
}

fn proposal(gate: &Gate, terms: StandingTerms) -> Command {
    let (gate, rev, choice) = (gate.id, gate.rev, Choice::Approve);
    Command::Vote { gate, rev, choice, comment: None, edit: None, standing: Some(terms) }
}

fn permissions(play: &Play) -> &[StandingPermission] {
    &play.stage.state.view().permissions
}

/// Begins another run, and plays up to the calls of its agent.
fn once_more(play: &mut Play) {
    play.begin("once more");
    until_calls(play);
}

fn until_calls(play: &mut Play) {
    while play.stage.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(play.step());
    }
    while play.judge() {}
}

#[test]
fn calls_like_an_approved_one_are_made_without_asking_and_those_that_wait_go_too() {
    let mut play = asked();
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    let names = play.stage.ok(2, proposal(first, StandingTerms { this_run: false, max_uses: Some(2), ..this_run() }));
    let expected = [
        "gate.revised",
        "gate.voted",
        "gate.decided",
        "permission.granted",
        "gate.closed",
        "tool.checked",
        "tool.started",
        "tool.started",
        "run.state_changed",
    ];
    assert_eq!(names, expected);
    assert_eq!((call(&play, first).standing, call(&play, second).standing), (None, Some(permissions(&play)[0].id)));
    let [granted] = permissions(&play) else { panic!("one permission") };
    assert_eq!((&*granted.tool, granted.uses, granted.max_uses), ("put", 1, Some(2)));
    assert_eq!((granted.granted_by.as_slice(), granted.gate), ([id(2)].as_slice(), first.id));
    play.finish_run(None);
    once_more(&mut play);
    assert_eq!(gates(&play).len(), 1, "the permission allows one more call, and there are two");
    let restored = play.stage.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, play.stage.state);
}

#[test]
fn a_permission_is_decided_under_the_rule_of_its_gate() {
    let mut play = Play::new(worker(), twice).asking();
    play.stage.enter(2, Role::Reviewer);
    play.stage.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    play.begin("do it");
    while play.stage.state.view().gates.is_empty() {
        assert!(play.step());
    }
    let gate = gates(&play)[0].clone();
    play.stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert_eq!(play.stage.ok(2, proposal(&gate, this_run())), ["gate.revised", "gate.voted"]);
    let revised = gates(&play)[0].clone();
    assert_eq!(
        (revised.rev, revised.votes.len(), revised.standing),
        (2, 1, Some(this_run())),
        "the first vote is void"
    );
    assert!(permissions(&play).is_empty());
    // A vote without terms is for the revision that has them; equal terms make no new revision.
    assert_eq!(
        play.stage.does(OWNER, proposal(&revised, this_run())).map(|names| names[0].clone()),
        Ok("gate.voted".into())
    );
    assert_eq!(permissions(&play).len(), 1);
    let granted = permissions(&play)[0].granted_by.clone();
    assert_eq!(granted, [id(2), id(OWNER)]);
    let sent: Vec<u32> = play
        .stage
        .log
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::ToolStarted { call, rev, .. } if Some(*call) == revised.call => Some(*rev),
            _ => None,
        })
        .collect();
    assert_eq!(sent, [2], "what was decided on is what is sent");
}

#[test]
fn a_permission_ends_with_its_run_its_time_and_its_uses() {
    let mut play = asked();
    let gate = gates(&play)[0].clone();
    play.stage.ok(2, proposal(&gate, this_run()));
    assert_eq!(permissions(&play).len(), 1);
    play.finish_run(None);
    assert!(permissions(&play).is_empty(), "it ends with the run");
    once_more(&mut play);
    let gate = gates(&play)[0].clone();
    let until = Some(Timestamp::from_millis(play.stage.now + 60_000));
    play.stage.ok(2, proposal(&gate, StandingTerms { this_run: false, until, ..this_run() }));
    play.finish_run(None);
    once_more(&mut play);
    assert!(gates(&play).is_empty(), "it outlives the run");
    play.finish_run(None);
    play.stage.now += 61_000;
    once_more(&mut play);
    assert_eq!(gates(&play).len(), 2, "its time is over");
}

#[test]
fn a_permission_covers_the_same_arguments_or_any() {
    let mut play = asked();
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    let terms = StandingTerms { arguments: StandingArguments::Same, ..this_run() };
    play.stage.ok(2, proposal(first, terms));
    assert_eq!(call(&play, second).state, CallState::Asked, "its arguments are others");
    play.stage.ok(2, vote(second, Choice::Reject, None));
    play.finish_run(None);
}

#[test]
fn a_riskier_call_needs_a_question() {
    let mut play = Play::new(worker(), twice).asking();
    play.stage.enter(2, Role::Reviewer);
    play.begin("do it");
    while play.stage.state.view().gates.is_empty() {
        assert!(play.step());
    }
    let gate = gates(&play)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..this_run() };
    play.stage.ok(2, proposal(&gate, terms));
    play.finish_run(None);
    play.risk = Risk::High;
    once_more(&mut play);
    assert_eq!(gates(&play).len(), 2, "people approved a call of medium risk");
}

#[test]
fn a_revoked_permission_lets_no_later_call_through() {
    let mut play = asked();
    let gate = gates(&play)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..this_run() };
    play.stage.ok(2, proposal(&gate, terms));
    let permission = permissions(&play)[0].id;
    play.finish_run(None);
    play.stage.enter(3, Role::Viewer);
    let refused = play.stage.does(3, Command::RevokePermission { permission });
    assert!(matches!(refused, Err(Rejection::Forbidden { .. })), "{refused:?}");
    assert_eq!(play.stage.ok(OWNER, Command::RevokePermission { permission }), ["permission.revoked"]);
    let again = play.stage.does(OWNER, Command::RevokePermission { permission });
    assert_eq!(again, Err(Rejection::UnknownPermission(permission)));
    once_more(&mut play);
    assert_eq!(gates(&play).len(), 2);
}

#[test]
fn a_call_that_is_allowed_and_not_sent_is_checked_again_after_a_revocation() {
    let mut play = asked();
    let gate = gates(&play)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..this_run() };
    play.stage.ok(2, proposal(&gate, terms));
    play.finish_run(None);
    play.begin("once more");
    while play.stage.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(play.step());
    }
    play.stage.ok(OWNER, play.stage.pause());
    while play.judge() {}
    let states = |play: &Play| -> Vec<CallState> {
        let run = play.stage.state.view().active_run().expect("a run");
        run.tool_rounds.iter().flat_map(|round| &round.calls).map(|call| call.state).collect()
    };
    assert_eq!(states(&play), [CallState::Allowed; 2], "a paused run sends nothing");
    let permission = permissions(&play)[0].id;
    play.stage.ok(OWNER, Command::RevokePermission { permission });
    assert_eq!(states(&play), [CallState::Proposed; 2]);
    let effects = effects(&play.stage.state, play.stage.log.last().expect("an event"));
    assert_eq!(effects.len(), 2, "both are checked again");
    while play.judge() {}
    assert_eq!(states(&play), [CallState::Asked; 2]);
}

#[test]
fn terms_are_limited_and_belong_to_the_approval_of_a_call() {
    let mut play = asked();
    let gate = gates(&play)[0].clone();
    let now = Timestamp::from_millis(play.stage.now);
    let bounds = [
        (StandingTerms { this_run: false, ..this_run() }, "no limit"),
        (StandingTerms { max_uses: Some(0), ..this_run() }, "between 1 and 1000"),
        (StandingTerms { max_uses: Some(1001), ..this_run() }, "between 1 and 1000"),
        (StandingTerms { until: Some(now), ..this_run() }, "in the future"),
        (StandingTerms { until: Some(now.plus(StandingTerms::MAX_MS + 60_000)), ..this_run() }, "30 days"),
    ];
    for (terms, words) in bounds {
        match play.stage.does(2, proposal(&gate, terms)) {
            Err(Rejection::Invalid(said)) => assert!(said.contains(words), "{said}"),
            other => panic!("{other:?}"),
        }
    }
    let (id, rev, choice, standing) = (gate.id, gate.rev, Choice::Reject, Some(this_run()));
    let against = Command::Vote { gate: id, rev, choice, comment: None, edit: None, standing };
    assert!(matches!(play.stage.does(2, against), Err(Rejection::Invalid(words)) if words.contains("approve")));
}

/// A play at the gates about two calls, each of which needs two votes.
fn two_votes() -> Play {
    approval_rules::asked(json!([{ "quorum": { "kind": "at_least", "n": 2 } }]), Risk::Medium)
}

/// Two people grant a permission at this gate.
fn grant(play: &mut Play, gate: &Gate) {
    play.stage.ok(2, proposal(gate, this_run()));
    play.stage.ok(OWNER, proposal(&gates(play)[0].clone(), this_run()));
    assert_eq!(permissions(play).len(), 1);
}

#[test]
fn a_permission_lets_no_edit_through_that_waits_for_votes() {
    let mut play = two_votes();
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    play.stage.ok(2, vote(second, Choice::Approve, Some(json!({ "what": "z" }))));
    grant(&mut play, first);
    assert_eq!(call(&play, second).state, CallState::Asked, "one vote is for the edit, and two are needed");
}

#[test]
fn a_permission_lets_nothing_through_that_somebody_voted_against() {
    let mut play = two_votes();
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    play.stage.ok(3, vote(second, Choice::Reject, None));
    grant(&mut play, first);
    assert_eq!(call(&play, second).state, CallState::Asked, "its gate decides");
}

#[test]
fn a_permission_lets_nothing_through_in_a_run_that_its_voters_directed() {
    let rules = json!([{ "gate": "tool", "quorum": { "kind": "any" }, "separate_duties": true }]);
    let mut play = approval_rules::asked(rules, Risk::Medium);
    let terms = StandingTerms { this_run: false, max_uses: Some(9), ..this_run() };
    let gate = gates(&play)[0].clone();
    play.stage.ok(5, proposal(&gate, terms));
    let revised = gates(&play)[0].clone();
    play.stage.ok(4, vote(&revised, Choice::Approve, None));
    assert!(permissions(&play)[0].granted_by.contains(&id(4)));
    play.finish_run(None);
    once_more(&mut play);
    assert_eq!(gates(&play).len(), 0, "nobody who granted it has a part in this run");
    play.finish_run(None);
    play.stage.ok(4, say("and for me"));
    until_calls(&mut play);
    assert_eq!(gates(&play).len(), 2, "they would approve their own calls");
}
