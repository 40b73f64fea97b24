//! Properties of standing permissions: whatever people grant, revoke and pause, and whenever a node dies, no call is
//! sent under a permission that was revoked, has ended, or was never granted.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roundtable::kernel::call::{Permission, Risk, StandingArguments, StandingPermission, StandingTerms};
use roundtable::kernel::gate::{Choice, GateKind, Outcome};
use roundtable::kernel::*;

use super::call_gates::{call_twice, vote, worker};
use super::harness::*;
use super::scripted_runner::{Interruption, ScriptedRunner};

/// Action of a person or of the system.
#[derive(Debug, Clone)]
enum PermissionAction {
    /// Approves the first waiting call, with a standing permission on these terms.
    Grant(StandingTerms),
    Vote(Choice),
    /// Revokes the permission at this position.
    Revoke(usize),
    Pause,
    Resume,
    /// Sets the risk of later calls.
    SetRisk(Risk),
    Wait(u64),
    Crash,
    /// Does the next piece of outstanding work, or starts another run if the last one has ended.
    Work,
}

const NO_LIMIT: StandingTerms =
    StandingTerms { arguments: StandingArguments::Any, this_run: false, until: None, max_uses: None };

/// Generates terms whose `until` is relative to the time of the vote.
fn any_terms() -> impl Strategy<Value = StandingTerms> {
    let arguments = prop::sample::select(vec![StandingArguments::Any, StandingArguments::Same]);
    let limits = prop_oneof![
        Just(StandingTerms { this_run: true, ..NO_LIMIT }),
        (1..4u32).prop_map(|uses| StandingTerms { max_uses: Some(uses), ..NO_LIMIT }),
        (1..90u64)
            .prop_map(|minutes| StandingTerms { until: Some(Timestamp::from_millis(minutes * 60_000)), ..NO_LIMIT }),
    ];
    (arguments, limits).prop_map(|(arguments, limits)| StandingTerms { arguments, ..limits })
}

fn any_permission_action() -> impl Strategy<Value = PermissionAction> {
    let choice = prop::sample::select(vec![Choice::Approve, Choice::Approve, Choice::Reject]);
    let risk = prop::sample::select(vec![Risk::Low, Risk::Medium, Risk::Medium, Risk::High]);
    prop_oneof![
        3 => any_terms().prop_map(PermissionAction::Grant),
        1 => choice.prop_map(PermissionAction::Vote),
        2 => (0..3usize).prop_map(PermissionAction::Revoke),
        2 => Just(PermissionAction::Pause),
        1 => Just(PermissionAction::Resume),
        1 => risk.prop_map(PermissionAction::SetRisk),
        1 => (1..60u64).prop_map(|minutes| PermissionAction::Wait(minutes * 60_000)),
        1 => Just(PermissionAction::Crash),
        12 => Just(PermissionAction::Work),
    ]
}

/// Performs an action. Ignores rejections.
fn perform(runner: &mut ScriptedRunner, action: &PermissionAction) {
    let view = runner.harness.state.view();
    let waiting = view.gates.iter().find(|gate| gate.kind == GateKind::Tool).cloned();
    match (action, waiting) {
        (PermissionAction::Grant(terms), Some(gate)) => {
            let until = terms.until.map(|until| Timestamp::from_millis(runner.harness.now).plus(until.millis()));
            let (gate, rev, standing) = (gate.id, gate.rev, Some(StandingTerms { until, ..*terms }));
            let choice = Choice::Approve;
            let vote = Command::Vote { gate, rev, choice, comment: None, edit: None, standing };
            let _ = runner.harness.submit(2, vote);
        }
        (PermissionAction::Vote(choice), Some(gate)) => drop(runner.harness.submit(2, vote(&gate, *choice, None))),
        (PermissionAction::Grant(_) | PermissionAction::Vote(_), None) => {}
        (PermissionAction::Revoke(place), _) => {
            let Some(permission) = view.permissions.get(*place).map(|permission| permission.id) else { return };
            let _ = runner.harness.submit(3, Command::RevokePermission { permission });
        }
        (PermissionAction::Pause, _) if view.active_run().is_some() => {
            let _ = runner.harness.submit(OWNER, runner.harness.pause());
        }
        (PermissionAction::Resume, _) if view.active_run().is_some() => {
            let _ = runner.harness.submit(OWNER, runner.harness.resume());
        }
        (PermissionAction::Pause | PermissionAction::Resume, _) => {}
        (PermissionAction::SetRisk(risk), _) => runner.risk = *risk,
        (PermissionAction::Wait(ms), _) => runner.harness.now += ms,
        (PermissionAction::Crash, _) => runner.interrupt_with(Interruption::Crash { sent_happened: true }),
        (PermissionAction::Work, _) if view.active_run().is_none() => runner.begin("once more"),
        (PermissionAction::Work, _) => drop(runner.step()),
    }
}

/// Reason why a call can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    Standing(PermissionId),
    Votes,
}

/// Checks, from the log alone, each call that was sent. Returns the number of calls sent under standing permissions.
fn check_sent_calls(log: &[Event]) -> usize {
    let mut live: BTreeMap<PermissionId, StandingPermission> = BTreeMap::new();
    let mut grounds: BTreeMap<CallId, Ground> = BTreeMap::new();
    let mut gates: BTreeMap<GateId, CallId> = BTreeMap::new();
    let mut sent = 0;
    for event in log {
        match &event.fact {
            Fact::PermissionGranted { permission } => drop(live.insert(permission.id, permission.clone())),
            Fact::PermissionRevoked { permission, .. } => drop(live.remove(permission)),
            Fact::GateOpened { gate } => drop(gate.call.map(|call| gates.insert(gate.id, call))),
            Fact::GateDecided { gate, outcome: Outcome::Approved, .. } => {
                grounds.extend(gates.get(gate).map(|call| (*call, Ground::Votes)));
            }
            Fact::ToolChecked { call, permission, standing, run, risk, .. } => {
                grounds.remove(call);
                let Some(id) = standing else {
                    assert_ne!(*permission, Permission::Allow, "only people allow calls here: {event:?}");
                    continue;
                };
                let used = live.get_mut(id).unwrap_or_else(|| panic!("{id} is not in force: {event:?}"));
                used.uses += 1;
                assert!(used.max_uses.is_none_or(|max| used.uses <= max), "{id} is used up: {event:?}");
                assert!(used.until.is_none_or(|until| event.at < until), "{id} is over: {event:?}");
                assert!(used.run.is_none_or(|only| only == *run), "{id} is for another run: {event:?}");
                assert!(*risk <= used.risk, "{id} is for calls of less risk: {event:?}");
                grounds.insert(*call, Ground::Standing(*id));
            }
            Fact::ToolStarted { call, .. } => match grounds.get(call) {
                Some(Ground::Votes) => {}
                Some(Ground::Standing(id)) => {
                    let used = live.get(id).unwrap_or_else(|| panic!("{id} was revoked: {event:?}"));
                    assert!(!used.has_expired(event.at), "{call} was sent after {id} was over: {event:?}");
                    sent += 1;
                }
                None => panic!("nobody allowed {call}: {event:?}"),
            },
            _ => {}
        }
    }
    sent
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_revoked_permission_never_lets_a_call_through(acts in prop::collection::vec(any_permission_action(), 1..80)) {
        let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
        for who in [2, 3] {
            runner.harness.enter(who, Role::Reviewer);
        }
        runner.begin("do it");
        for act in &acts {
            perform(&mut runner, act);
        }
        check_sent_calls(&runner.harness.log);
    }
}

#[test]
fn calls_are_sent_under_standing_permissions() {
    use PermissionAction::{Grant, Pause, Revoke, Work};
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    runner.harness.enter(3, Role::Reviewer);
    let grant = Grant(StandingTerms { max_uses: Some(100), ..NO_LIMIT });
    let acts = [vec![Work; 4], vec![grant], vec![Work; 12], vec![Pause, Revoke(0)], vec![Work; 12]].concat();
    acts.iter().for_each(|act| perform(&mut runner, act));
    assert!(check_sent_calls(&runner.harness.log) > 2, "{:?}", runner.names());
}
