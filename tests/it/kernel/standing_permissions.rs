//! Standing permissions: proposed with a vote, decided by the gate, used, counted and revoked.

use roundtable::kernel::call::{CallState, Risk, StandingArguments, StandingPermission, StandingTerms};
use roundtable::kernel::gate::{Choice, Gate};
use roundtable::kernel::*;
use serde_json::json;

use super::approval_rules;
use super::call_gates::{call_of_gate, call_twice, gates, run_until_gates, vote, worker};
use super::harness::*;
use super::scripted_runner::ScriptedRunner;

fn terms_for_this_run() -> StandingTerms {
    StandingTerms { arguments: StandingArguments::Any, this_run: true, until: None, max_uses: None }
}

fn vote_with_terms(gate: &Gate, terms: StandingTerms) -> Command {
    let (gate, rev, choice) = (gate.id, gate.rev, Choice::Approve);
    Command::Vote { gate, rev, choice, comment: None, edit: None, standing: Some(terms) }
}

fn permissions(runner: &ScriptedRunner) -> &[StandingPermission] {
    &runner.harness.state.view().permissions
}

/// Starts another run, and continues up to the calls of its agent.
fn run_again(runner: &mut ScriptedRunner) {
    runner.begin("once more");
    run_until_calls(runner);
}

fn run_until_calls(runner: &mut ScriptedRunner) {
    while runner.harness.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(runner.step());
    }
    while runner.check_next_call() {}
}

#[test]
fn a_permission_lets_similar_calls_through_including_waiting_ones() {
    let mut runner = run_until_gates();
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    let names = runner
        .harness
        .ok(2, vote_with_terms(first, StandingTerms { this_run: false, max_uses: Some(2), ..terms_for_this_run() }));
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
    assert_eq!(
        (call_of_gate(&runner, first).standing, call_of_gate(&runner, second).standing),
        (None, Some(permissions(&runner)[0].id))
    );
    let [granted] = permissions(&runner) else { panic!("one permission") };
    assert_eq!((&*granted.tool, granted.uses, granted.max_uses), ("put", 1, Some(2)));
    assert_eq!((granted.granted_by.as_slice(), granted.gate), ([id(2)].as_slice(), first.id));
    runner.finish_run(None);
    run_again(&mut runner);
    assert_eq!(gates(&runner).len(), 1, "the permission allows one more call, and there are two");
    let restored = runner.harness.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, runner.harness.state);
}

#[test]
fn a_permission_is_decided_under_the_rule_of_its_gate() {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    runner.harness.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    runner.begin("do it");
    while runner.harness.state.view().gates.is_empty() {
        assert!(runner.step());
    }
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    assert_eq!(runner.harness.ok(2, vote_with_terms(&gate, terms_for_this_run())), ["gate.revised", "gate.voted"]);
    let revised = gates(&runner)[0].clone();
    assert_eq!(
        (revised.rev, revised.votes.len(), revised.standing),
        (2, 1, Some(terms_for_this_run())),
        "the first vote is void"
    );
    assert!(permissions(&runner).is_empty());
    // A vote without terms is for the revision that has them; equal terms create no new revision.
    assert_eq!(
        runner.harness.submit(OWNER, vote_with_terms(&revised, terms_for_this_run())).map(|names| names[0].clone()),
        Ok("gate.voted".into())
    );
    assert_eq!(permissions(&runner).len(), 1);
    let granted = permissions(&runner)[0].granted_by.clone();
    assert_eq!(granted, [id(2), id(OWNER)]);
    let sent: Vec<u32> = runner
        .harness
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
    let mut runner = run_until_gates();
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(2, vote_with_terms(&gate, terms_for_this_run()));
    assert_eq!(permissions(&runner).len(), 1);
    runner.finish_run(None);
    assert!(permissions(&runner).is_empty(), "it ends with the run");
    run_again(&mut runner);
    let gate = gates(&runner)[0].clone();
    let until = Some(Timestamp::from_millis(runner.harness.now + 60_000));
    runner.harness.ok(2, vote_with_terms(&gate, StandingTerms { this_run: false, until, ..terms_for_this_run() }));
    runner.finish_run(None);
    run_again(&mut runner);
    assert!(gates(&runner).is_empty(), "it outlives the run");
    runner.finish_run(None);
    runner.harness.now += 61_000;
    run_again(&mut runner);
    assert_eq!(gates(&runner).len(), 2, "its time is over");
}

#[test]
fn a_permission_covers_the_same_arguments_or_any() {
    let mut runner = run_until_gates();
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    let terms = StandingTerms { arguments: StandingArguments::Same, ..terms_for_this_run() };
    runner.harness.ok(2, vote_with_terms(first, terms));
    assert_eq!(call_of_gate(&runner, second).state, CallState::Asked, "its arguments are others");
    runner.harness.ok(2, vote(second, Choice::Reject, None));
    runner.finish_run(None);
}

#[test]
fn a_riskier_call_needs_approval() {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    runner.begin("do it");
    while runner.harness.state.view().gates.is_empty() {
        assert!(runner.step());
    }
    let gate = gates(&runner)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..terms_for_this_run() };
    runner.harness.ok(2, vote_with_terms(&gate, terms));
    runner.finish_run(None);
    runner.risk = Risk::High;
    run_again(&mut runner);
    assert_eq!(gates(&runner).len(), 2, "people approved a call of medium risk");
}

#[test]
fn a_revoked_permission_lets_no_later_call_through() {
    let mut runner = run_until_gates();
    let gate = gates(&runner)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..terms_for_this_run() };
    runner.harness.ok(2, vote_with_terms(&gate, terms));
    let permission = permissions(&runner)[0].id;
    runner.finish_run(None);
    runner.harness.enter(3, Role::Viewer);
    let refused = runner.harness.submit(3, Command::RevokePermission { permission });
    assert!(matches!(refused, Err(Rejection::Forbidden { .. })), "{refused:?}");
    assert_eq!(runner.harness.ok(OWNER, Command::RevokePermission { permission }), ["permission.revoked"]);
    let again = runner.harness.submit(OWNER, Command::RevokePermission { permission });
    assert_eq!(again, Err(Rejection::UnknownPermission(permission)));
    run_again(&mut runner);
    assert_eq!(gates(&runner).len(), 2);
}

#[test]
fn a_call_that_is_allowed_and_not_sent_is_checked_again_after_a_revocation() {
    let mut runner = run_until_gates();
    let gate = gates(&runner)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..terms_for_this_run() };
    runner.harness.ok(2, vote_with_terms(&gate, terms));
    runner.finish_run(None);
    runner.begin("once more");
    while runner.harness.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(runner.step());
    }
    runner.harness.ok(OWNER, runner.harness.pause());
    while runner.check_next_call() {}
    let states = |runner: &ScriptedRunner| -> Vec<CallState> {
        let run = runner.harness.state.view().active_run().expect("a run");
        run.tool_rounds.iter().flat_map(|round| &round.calls).map(|call| call.state).collect()
    };
    assert_eq!(states(&runner), [CallState::Allowed; 2], "a paused run sends nothing");
    let permission = permissions(&runner)[0].id;
    runner.harness.ok(OWNER, Command::RevokePermission { permission });
    assert_eq!(states(&runner), [CallState::Proposed; 2]);
    let effects = effects(&runner.harness.state, runner.harness.log.last().expect("an event"));
    assert_eq!(effects.len(), 2, "both are checked again");
    while runner.check_next_call() {}
    assert_eq!(states(&runner), [CallState::Asked; 2]);
}

#[test]
fn a_call_that_is_sent_after_the_time_of_its_permission_is_checked_again() {
    let mut runner = run_until_gates();
    let gate = gates(&runner)[0].clone();
    let until = Some(Timestamp::from_millis(runner.harness.now + 60_000));
    runner.harness.ok(2, vote_with_terms(&gate, StandingTerms { this_run: false, until, ..terms_for_this_run() }));
    runner.finish_run(None);
    runner.begin("once more");
    while runner.harness.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(runner.step());
    }
    runner.harness.ok(OWNER, runner.harness.pause());
    while runner.check_next_call() {}
    runner.harness.now += 60_000;
    let names = runner.harness.ok(OWNER, runner.harness.resume());
    assert!(!names.contains(&"tool.started".into()) && names.contains(&"permission.revoked".into()), "{names:?}");
    let ended = runner.harness.log.iter().find(|event| name(event) == "permission.revoked").expect("is in the log");
    assert_eq!(ended.by.kind, ActorKind::System, "nobody revoked it");
    while runner.check_next_call() {}
    assert_eq!(gates(&runner).len(), 2, "people are asked");
    assert!(permissions(&runner).is_empty());
}

#[test]
fn terms_are_limited_and_belong_to_the_approval_of_a_call() {
    let mut runner = run_until_gates();
    let gate = gates(&runner)[0].clone();
    let now = Timestamp::from_millis(runner.harness.now);
    let bounds = [
        (StandingTerms { this_run: false, ..terms_for_this_run() }, "no limit"),
        (StandingTerms { max_uses: Some(0), ..terms_for_this_run() }, "between 1 and 1000"),
        (StandingTerms { max_uses: Some(1001), ..terms_for_this_run() }, "between 1 and 1000"),
        (StandingTerms { until: Some(now), ..terms_for_this_run() }, "in the future"),
        (StandingTerms { until: Some(now.plus(StandingTerms::MAX_MS + 60_000)), ..terms_for_this_run() }, "30 days"),
    ];
    for (terms, text) in bounds {
        match runner.harness.submit(2, vote_with_terms(&gate, terms)) {
            Err(Rejection::Invalid(error)) => assert!(error.contains(text), "{error}"),
            other => panic!("{other:?}"),
        }
    }
    let (id, rev, choice, standing) = (gate.id, gate.rev, Choice::Reject, Some(terms_for_this_run()));
    let against = Command::Vote { gate: id, rev, choice, comment: None, edit: None, standing };
    assert!(matches!(runner.harness.submit(2, against), Err(Rejection::Invalid(text)) if text.contains("approve")));
}

/// Returns a runner at the gates about two calls, each of which needs two votes.
fn run_until_two_vote_gates() -> ScriptedRunner {
    approval_rules::run_until_gates_with_rules(json!([{ "quorum": { "kind": "at_least", "n": 2 } }]), Risk::Medium)
}

/// Grants a permission at this gate with the votes of two people.
fn grant(runner: &mut ScriptedRunner, gate: &Gate) {
    runner.harness.ok(2, vote_with_terms(gate, terms_for_this_run()));
    runner.harness.ok(OWNER, vote_with_terms(&gates(runner)[0].clone(), terms_for_this_run()));
    assert_eq!(permissions(runner).len(), 1);
}

#[test]
fn a_permission_lets_no_edit_through_that_waits_for_votes() {
    let mut runner = run_until_two_vote_gates();
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    runner.harness.ok(2, vote(second, Choice::Approve, Some(json!({ "what": "z" }))));
    grant(&mut runner, first);
    assert_eq!(call_of_gate(&runner, second).state, CallState::Asked, "one vote is for the edit, and two are needed");
}

#[test]
fn a_permission_lets_nothing_through_that_somebody_voted_against() {
    let mut runner = run_until_two_vote_gates();
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    runner.harness.ok(3, vote(second, Choice::Reject, None));
    grant(&mut runner, first);
    assert_eq!(call_of_gate(&runner, second).state, CallState::Asked, "its gate decides");
}

#[test]
fn a_permission_by_a_guest_lets_nothing_through_where_duties_are_separated() {
    let mut runner = run_until_gates();
    runner.harness.enter(GUEST, Role::Owner);
    let gate = gates(&runner)[0].clone();
    let terms = StandingTerms { this_run: false, max_uses: Some(100), ..terms_for_this_run() };
    runner.harness.ok(GUEST, vote_with_terms(&gate, terms));
    runner.finish_run(None);
    run_again(&mut runner);
    assert!(gates(&runner).is_empty(), "without separate duties, it counts");
    runner.finish_run(None);
    runner.harness.ok(GUEST, Command::Leave);
    let rule = json!({ "quorum": { "kind": "any" }, "separate_duties": true });
    runner.harness.ok(OWNER, set(json!({ "approval_rules": [rule] })));
    run_again(&mut runner);
    assert_eq!(gates(&runner).len(), 2, "also after the guest has left");
}

#[test]
fn a_permission_lets_nothing_through_in_a_run_that_its_voters_directed() {
    let rules = json!([{ "gate": "tool", "quorum": { "kind": "any" }, "separate_duties": true }]);
    let mut runner = approval_rules::run_until_gates_with_rules(rules, Risk::Medium);
    let terms = StandingTerms { this_run: false, max_uses: Some(9), ..terms_for_this_run() };
    let gate = gates(&runner)[0].clone();
    runner.harness.ok(5, vote_with_terms(&gate, terms));
    let revised = gates(&runner)[0].clone();
    runner.harness.ok(4, vote(&revised, Choice::Approve, None));
    assert!(permissions(&runner)[0].granted_by.contains(&id(4)));
    runner.finish_run(None);
    run_again(&mut runner);
    assert_eq!(gates(&runner).len(), 0, "nobody who granted it has a part in this run");
    runner.finish_run(None);
    runner.harness.ok(4, say("and for me"));
    run_until_calls(&mut runner);
    assert_eq!(gates(&runner).len(), 2, "they would approve their own calls");
}
