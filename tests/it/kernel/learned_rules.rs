//! Rules learned from votes: suggested, proposed, tested against past calls, decided at their own gate, used and
//! revoked.

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use roundtable::kernel::call::{
    CallSourceKind, CallState, PastOutcome, Permission, Risk, RulePattern, RuleSuggestion, StandingArguments,
    StandingPermission, StandingTerms,
};
use roundtable::kernel::gate::{Choice, Gate, GateKind, Quorum};
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::call_gates::{gates, vote, worker};
use super::harness::*;
use super::scripted_runner::{ModelResponse, ModelScript, ScriptedRunner, text_response, tool_call};

/// A participant who joined with an invite link.
const GUEST: u128 = 7;

/// Makes two calls per run, whose arguments differ from run to run.
fn call_some_arguments(view: &View, running: &RunningMessage) -> ModelResponse {
    let run = view.active_run().expect("a run");
    if run.tool_rounds_of(&running.assignment()).next().is_some() {
        return text_response("done");
    }
    let first = ["a", "b", "c"][usize::try_from(run.id.0 % 3).expect("small")];
    ("".into(), vec![tool_call("put", json!({ "what": first })), tool_call("put", json!({ "what": "b" }))])
}

/// Makes two calls per run, with arguments that no other call has.
fn call_distinct_arguments(view: &View, running: &RunningMessage) -> ModelResponse {
    let run = view.active_run().expect("a run");
    if run.tool_rounds_of(&running.assignment()).next().is_some() {
        return text_response("done");
    }
    let call = |name: &str| tool_call("put", json!({ "what": format!("{name}{}", run.id.0) }));
    ("".into(), vec![call("a"), call("b")])
}

/// Starts a session with an owner, two reviewers, a viewer and a guest, whose agent asks before each call.
fn start_session(learning: Value) -> ScriptedRunner {
    start_session_with(call_distinct_arguments, learning)
}

fn start_session_with(script: ModelScript, learning: Value) -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(worker(), script).ask_before_calls();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Viewer), (GUEST, Role::Member)] {
        runner.harness.enter(who, role);
    }
    runner.harness.ok(OWNER, set(json!({ "learning": learning })));
    runner
}

fn suggestions(runner: &ScriptedRunner) -> Vec<RuleSuggestion> {
    RuleSuggestion::all(runner.harness.state.view())
}

fn permissions(runner: &ScriptedRunner) -> &[StandingPermission] {
    &runner.harness.state.view().permissions
}

fn proposals(runner: &ScriptedRunner) -> Vec<Gate> {
    gates(runner).into_iter().filter(|gate| gate.kind == GateKind::Rule).collect()
}

fn tool_gates(runner: &ScriptedRunner) -> Vec<Gate> {
    gates(runner).into_iter().filter(|gate| gate.kind == GateKind::Tool).collect()
}

/// Does all outstanding work that does not wait for people.
fn settle(runner: &mut ScriptedRunner) {
    let busy = |run: &Run| {
        let mut calls = run.tool_rounds.iter().flat_map(|round| &round.calls);
        let open = calls.any(|call| !call.state.is_over() && call.state != CallState::Asked);
        !run.running.is_empty() || !run.controls.is_empty() || open
    };
    while runner.harness.state.view().active_run().is_some_and(busy) {
        assert!(runner.step());
    }
}

fn begin(runner: &mut ScriptedRunner, who: u128) {
    let mut envelope = runner.harness.envelope(who, say("do it"));
    if let CommandSender::Participant { actor, .. } = &mut envelope.by {
        actor.guest = who == GUEST;
    }
    runner.harness.decide(&envelope).expect("accepted");
    settle(runner);
}

/// Completes one run. These people decide on its calls in turn.
fn run(runner: &mut ScriptedRunner, people: &[u128], choice: Choice) {
    begin(runner, OWNER);
    for (at, gate) in tool_gates(runner).iter().enumerate() {
        runner.harness.ok(people[at % people.len()], vote(gate, choice, None));
    }
    settle(runner);
    assert!(runner.harness.state.view().active_run().is_none(), "the run is over");
}

/// Replays the log through the same decisions, and returns the calls that the rule would have allowed.
fn replay(log: &[Event], session: SessionId, pattern: &RulePattern) -> BTreeSet<CallId> {
    let (mut state, mut allowed) = (State::new(session), BTreeSet::new());
    for event in log {
        if let Fact::ToolChecked { call, permission: Permission::Ask, idempotent, risk, result_sources, .. } =
            &event.fact
        {
            let id = PermissionId(1_000_000);
            let permission = pattern.clone().permission(id, GateId(1_000_000), event.at);
            let mut with = state.clone();
            let fact = Fact::PermissionGranted { permission };
            let (seq, by) = (state.seq() + 1, Actor::system());
            evolve(&mut with, &Event { seq, at: event.at, by, run: None, cause: None, redacted: None, fact });
            let events = recheck_call(&with, *call, (*idempotent, *risk, result_sources), event.at);
            let by_the_rule = |event: &Event| matches!(&event.fact, Fact::ToolChecked { call: of, standing, .. } if of == call && *standing == Some(id));
            if events.iter().any(by_the_rule) {
                allowed.insert(*call)
            } else {
                allowed.remove(call)
            };
        }
        evolve(&mut state, event);
    }
    allowed
}

/// Returns the events that the check of a call leads to in this state.
fn recheck_call(
    state: &State,
    call: CallId,
    (idempotent, risk, result_sources): (bool, Risk, &BTreeSet<CallSourceKind>),
    at: Timestamp,
) -> Vec<Event> {
    let result_sources = result_sources.clone();
    let (permission, reads_only, schema) = (Permission::Ask, false, Value::Null);
    let check = CallCheck::Known { permission, idempotent, risk, reads_only, result_sources, schema };
    let command = Command::CallChecked { call, check };
    match decide(state, &Envelope { at, by: CommandSender::Orchestrator { cause: None }, command }) {
        Ok(CommandOutcome::Events { events, .. }) => events,
        other => panic!("{other:?}"),
    }
}

#[test]
fn repeated_approvals_lead_to_a_proposed_rule_that_can_be_revoked() {
    let mut runner = start_session(json!({}));
    run(&mut runner, &[2, 3], Choice::Approve);
    run(&mut runner, &[2, 3], Choice::Approve);
    assert!(suggestions(&runner).is_empty(), "four calls are too few");
    begin(&mut runner, OWNER);
    runner.harness.ok(2, vote(&tool_gates(&runner)[0], Choice::Approve, None));
    let [proposal] = &proposals(&runner)[..] else { panic!("a rule is proposed") };
    let rule = proposal.rule.as_deref().expect("a rule");
    assert_eq!((rule.allowed, rule.refused, rule.changed, rule.undecided, rule.calls.len()), (5, 0, 0, 1, 6));
    assert_eq!((rule.allowed_by.as_slice(), rule.proposed_by), ([id(2), id(3)].as_slice(), None));
    assert_eq!((rule.pattern.arguments_digest.clone(), rule.pattern.risk), (None, Risk::Medium));
    assert!(proposal.context.as_ref().expect("text").contains("2 people allowed 5 of 5 such calls of put"));
    assert_ne!(runner.harness.phase(), Phase::Pending, "nothing waits for the proposal");
    assert!(matches!(
        runner.harness.submit(4, vote(proposal, Choice::Approve, None)),
        Err(Rejection::Forbidden { .. })
    ));
    let names = runner.harness.ok(3, vote(proposal, Choice::Approve, None));
    // The second call of the run is waiting, and the new rule decides it.
    assert_eq!(names[..5], ["gate.voted", "gate.decided", "permission.granted", "gate.closed", "tool.checked"]);
    let [granted] = permissions(&runner) else { panic!("one permission") };
    assert_eq!((granted.granted_by.as_slice(), granted.gate, granted.uses), ([id(3)].as_slice(), proposal.id, 1));
    assert!(suggestions(&runner).is_empty(), "it is granted");
    settle(&mut runner);
    begin(&mut runner, OWNER);
    assert!(gates(&runner).is_empty(), "nobody is asked");
    let permission = permissions(&runner)[0].id;
    assert_eq!(permissions(&runner)[0].uses, 3);
    runner.harness.ok(2, Command::RevokePermission { permission });
    begin(&mut runner, OWNER);
    assert_eq!(tool_gates(&runner).len(), 2, "people are asked again");
    let restored = runner.harness.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, runner.harness.state);
}

#[test]
fn a_declined_pattern_is_proposed_again_only_after_the_evidence_has_doubled() {
    let mut runner = start_session(json!({ "min_decisions": 2 }));
    run(&mut runner, &[2, 3], Choice::Approve);
    let [proposal] = &proposals(&runner)[..] else { panic!("a rule is proposed") };
    assert_eq!(runner.harness.ok(2, vote(proposal, Choice::Reject, None)), ["gate.voted", "gate.decided"]);
    let [declined] = &suggestions(&runner)[..] else { panic!("it stays a suggestion") };
    assert!(declined.declined && declined.allowed == 2);
    begin(&mut runner, OWNER);
    runner.harness.ok(3, vote(&tool_gates(&runner)[0], Choice::Approve, None));
    assert!(proposals(&runner).is_empty(), "three are not twice two");
    // People can propose a suggested rule at any time, but only once.
    let suggestion = suggestions(&runner)[0].id.clone();
    let viewer = runner.harness.submit(4, Command::ProposeRule { suggestion: suggestion.clone() });
    assert!(matches!(viewer, Err(Rejection::Forbidden { .. })), "{viewer:?}");
    assert_eq!(runner.harness.ok(2, Command::ProposeRule { suggestion: suggestion.clone() }), ["gate.opened"]);
    assert_eq!(proposals(&runner)[0].rule.as_ref().expect("a rule").proposed_by, Some(id(2)));
    let again = runner.harness.submit(2, Command::ProposeRule { suggestion });
    assert!(matches!(again, Err(Rejection::Invalid(_))), "{again:?}");
    let unknown = runner.harness.submit(2, Command::ProposeRule { suggestion: "0".into() });
    assert_eq!(unknown, Err(Rejection::UnknownSuggestion));
    runner.harness.ok(3, vote(&proposals(&runner)[0], Choice::Reject, None));
    settle(&mut runner);
    for gate in tool_gates(&runner) {
        runner.harness.ok(2, vote(&gate, Choice::Approve, None));
    }
    settle(&mut runner);
    assert!(proposals(&runner).is_empty(), "four are not twice three");
    run(&mut runner, &[2, 3], Choice::Approve);
    assert_eq!(proposals(&runner).len(), 1, "six are twice three");
}

#[test]
fn a_proposal_outlives_its_run_and_the_settings_choose_the_proposer() {
    let mut runner = start_session(json!({ "min_decisions": 2 }));
    begin(&mut runner, OWNER);
    for (who, gate) in [2, 3].into_iter().zip(tool_gates(&runner)) {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    runner.harness.ok(OWNER, runner.harness.cancel(None));
    settle(&mut runner);
    let [proposal] = &proposals(&runner)[..] else { panic!("it is still open") };
    runner.harness.ok(2, vote(proposal, Choice::Approve, None));
    assert_eq!(permissions(&runner).len(), 1);

    let mut runner = start_session(json!({ "min_decisions": 2, "mode": "manual" }));
    run(&mut runner, &[2, 3], Choice::Approve);
    assert_eq!((proposals(&runner).len(), suggestions(&runner).len()), (0, 1));
    let suggestion = suggestions(&runner)[0].id.clone();
    runner.harness.ok(3, Command::ProposeRule { suggestion });
    runner.harness.ok(OWNER, set(json!({ "learning": { "min_decisions": 2, "mode": "off" } })));
    assert!(suggestions(&runner).is_empty());
    for wrong in [json!({ "min_decisions": 1 }), json!({ "min_people": 0 }), json!({ "max_refused_percent": 51 })] {
        let refused = runner.harness.submit(OWNER, set(json!({ "learning": wrong })));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    }
    let rule = json!([{ "gate": "rule", "quorum": { "kind": "any" } }]);
    let refused = runner.harness.submit(OWNER, set(json!({ "approval_rules": rule })));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    assert_eq!(runner.harness.ok(OWNER, Command::Close { reason: "".into() }), ["gate.closed", "session.closed"]);
}

#[test]
fn one_person_silence_edits_and_rejections_are_no_evidence() {
    let learning = json!({ "min_decisions": 2 });
    let mut runner = start_session(learning.clone());
    run(&mut runner, &[2], Choice::Approve);
    run(&mut runner, &[2], Choice::Approve);
    assert!(suggestions(&runner).is_empty(), "one person allowed them");

    let mut runner = start_session(learning.clone());
    run(&mut runner, &[2, 3], Choice::Approve);
    runner.harness.ok(2, vote(&proposals(&runner)[0], Choice::Reject, None));
    run(&mut runner, &[2, 3], Choice::Reject);
    assert!(suggestions(&runner).is_empty(), "half of them were refused");

    let mut runner = start_session(learning.clone());
    begin(&mut runner, OWNER);
    for (who, gate) in [2, 3].into_iter().zip(tool_gates(&runner)) {
        runner.harness.ok(who, vote(&gate, Choice::Approve, Some(json!({ "what": "z" }))));
    }
    settle(&mut runner);
    assert!(suggestions(&runner).is_empty(), "people approved other arguments");

    let mut runner = start_session(learning);
    let rules = json!([{ "quorum": { "kind": "veto" }, "deadline_seconds": 10 }]);
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rules })));
    begin(&mut runner, OWNER);
    runner.harness.now += 20_000;
    runner.harness.submit_as_orchestrator(Command::DeadlineReached);
    settle(&mut runner);
    assert_eq!(runner.put.len(), 2, "silence approved both");
    assert!(suggestions(&runner).is_empty() && proposals(&runner).is_empty());
}

#[test]
fn no_rule_is_learned_for_high_risk_for_separated_duties_or_for_sources_that_it_does_not_name() {
    let mut runner = start_session(json!({ "min_decisions": 2 }));
    runner.risk = Risk::High;
    run(&mut runner, &[2, 3], Choice::Approve);
    assert!(suggestions(&runner).is_empty(), "the calls are of high risk");
    runner.risk = Risk::Medium;
    let rules = json!([{ "gate": "tool", "quorum": { "kind": "any" }, "separate_duties": true }]);
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rules })));
    run(&mut runner, &[2, 3], Choice::Approve);
    assert!(suggestions(&runner).is_empty(), "duties are separated");
    runner.harness.ok(OWNER, set(json!({ "approval_rules": [] })));
    run(&mut runner, &[2, 3], Choice::Approve);
    let [proposal] = &proposals(&runner)[..] else { panic!("a rule is proposed") };
    runner.harness.ok(2, vote(proposal, Choice::Approve, None));
    begin(&mut runner, OWNER);
    assert!(tool_gates(&runner).is_empty());
    // A guest's message led to the next calls, and nobody has allowed such calls yet.
    begin(&mut runner, GUEST);
    assert_eq!(tool_gates(&runner).len(), 2);
    for (who, gate) in [2, 3].into_iter().zip(tool_gates(&runner)) {
        runner.harness.ok(who, vote(&gate, Choice::Approve, None));
    }
    settle(&mut runner);
    let [wider] = &proposals(&runner)[..] else { panic!("a wider rule is proposed") };
    let pattern = &wider.rule.as_ref().expect("a rule").pattern;
    assert_eq!(pattern.sources, BTreeSet::from([CallSourceKind::Guest]));
}

#[test]
fn a_rule_is_decided_under_the_rule_of_its_calls_and_covers_no_calls_under_another() {
    let mut runner = start_session(json!({ "min_decisions": 2 }));
    let rule = |n: u32| json!([{ "gate": "tool", "quorum": { "kind": "at_least", "n": n } }]);
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rule(2) })));
    begin(&mut runner, OWNER);
    for gate in tool_gates(&runner) {
        runner.harness.ok(2, vote(&gate, Choice::Approve, None));
        runner.harness.ok(3, vote(&gate, Choice::Approve, None));
    }
    settle(&mut runner);
    let [proposal] = &proposals(&runner)[..] else { panic!("a rule is proposed") };
    assert_eq!(proposal.quorum, Quorum::AtLeast { n: 2, role: None });
    assert_eq!(runner.harness.ok(2, vote(proposal, Choice::Approve, None)), ["gate.voted"], "one vote is too few");
    runner.harness.ok(3, vote(proposal, Choice::Approve, None));
    assert_eq!(permissions(&runner).len(), 1);
    begin(&mut runner, OWNER);
    assert!(tool_gates(&runner).is_empty());
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rule(3) })));
    begin(&mut runner, OWNER);
    assert_eq!(tool_gates(&runner).len(), 2, "the calls need another rule now");
}

#[test]
fn redacting_a_call_removes_what_was_learned_from_it() {
    let mut runner = start_session(json!({ "min_decisions": 2 }));
    run(&mut runner, &[2, 3], Choice::Approve);
    runner.harness.ok(2, vote(&proposals(&runner)[0], Choice::Approve, None));
    let calls = runner.harness.log.iter().find_map(|event| match &event.fact {
        Fact::ToolProposed { message, .. } => *message,
        _ => None,
    });
    let target = RedactionTarget::Message(calls.expect("a message with calls"));
    runner.harness.ok(OWNER, Command::Redact { target, reason: None });
    let redaction = runner.harness.log.last().expect("an event");
    let mut eraser = Eraser::of(redaction).expect("a redaction");
    runner.harness.log.iter().for_each(|event| eraser.note(event));
    let erased = runner.harness.log.iter().map(|event| eraser.erase(event).unwrap_or_else(|| event.clone()));
    let (mut state, mut text) = (State::new(runner.harness.state.view().session), String::new());
    for event in erased {
        text += &serde_json::to_string(&event).expect("JSON");
        evolve(&mut state, &event);
    }
    assert!(!text.contains("\"tool\":\"put\""), "the rule names the tool: {text}");
    assert!(RuleSuggestion::all(state.view()).is_empty() && state.view().call_history.calls().next().is_none());
    assert_ne!(&*state.view().permissions[0].tool, "put");
}

#[derive(Debug, Clone)]
enum LearningAction {
    Begin(u128),
    /// The voter, the gate, and the choice.
    Vote(u128, usize, u8),
    Risk(Risk),
    Web(bool),
    Rules(u8),
    Propose(usize),
    Revoke(usize),
    Cancel,
}

fn any_action() -> impl Strategy<Value = LearningAction> {
    let who = prop::sample::select(vec![OWNER, 2, 3]);
    let risk = prop::sample::select(vec![Risk::Low, Risk::Medium, Risk::Medium, Risk::High]);
    prop_oneof![
        6 => prop::sample::select(vec![OWNER, OWNER, 2, GUEST]).prop_map(LearningAction::Begin),
        12 => (who, 0..3usize, 0..12u8).prop_map(|(who, at, how)| LearningAction::Vote(who, at, how)),
        1 => risk.prop_map(LearningAction::Risk),
        1 => any::<bool>().prop_map(LearningAction::Web),
        1 => (0..5u8).prop_map(LearningAction::Rules),
        2 => (0..3usize).prop_map(LearningAction::Propose),
        1 => (0..3usize).prop_map(LearningAction::Revoke),
        1 => Just(LearningAction::Cancel),
    ]
}

fn perform(runner: &mut ScriptedRunner, act: &LearningAction) {
    let view = runner.harness.state.view();
    match *act {
        LearningAction::Begin(who) => return begin(runner, who),
        LearningAction::Vote(who, at, how) => {
            let Some(gate) = view.gates.get(at).or(view.gates.first()).cloned() else { return };
            let standing =
                StandingTerms { arguments: StandingArguments::Any, this_run: true, until: None, max_uses: None };
            let command = match how {
                0 => vote(&gate, Choice::Approve, Some(json!({ "what": "z" }))),
                1 | 2 => vote(&gate, Choice::Reject, None),
                3 => {
                    let (gate, rev, choice) = (gate.id, gate.rev, Choice::Approve);
                    Command::Vote { gate, rev, choice, comment: None, edit: None, standing: Some(standing) }
                }
                _ => vote(&gate, Choice::Approve, None),
            };
            drop(runner.harness.submit(who, command));
        }
        LearningAction::Risk(risk) => runner.risk = risk,
        LearningAction::Web(web) => {
            runner.result_sources = if web { BTreeSet::from([CallSourceKind::Web]) } else { BTreeSet::new() };
        }
        LearningAction::Rules(which) => {
            let rules = match which {
                0 => json!([]),
                1 => json!([{ "gate": "tool", "quorum": { "kind": "at_least", "n": 2 } }]),
                2 => json!([{ "caused_by": ["guest", "web"], "quorum": { "kind": "at_least", "n": 2 } }]),
                3 => json!([{ "min_risk": "medium", "quorum": { "kind": "role", "role": "reviewer" } }]),
                _ => json!([{ "min_risk": "medium", "quorum": { "kind": "any" }, "separate_duties": true }]),
            };
            runner.harness.ok(OWNER, set(json!({ "approval_rules": rules })));
        }
        LearningAction::Propose(at) => {
            if let Some(suggestion) = suggestions(runner).get(at).map(|known| known.id.clone()) {
                drop(runner.harness.submit(2, Command::ProposeRule { suggestion }));
            }
        }
        LearningAction::Revoke(at) => {
            if let Some(permission) = view.permissions.get(at).map(|known| known.id) {
                runner.harness.ok(2, Command::RevokePermission { permission });
            }
        }
        LearningAction::Cancel if view.active_run().is_some() => {
            drop(runner.harness.submit(OWNER, runner.harness.cancel(None)))
        }
        LearningAction::Cancel => {}
    }
    settle(runner);
}

/// Returns all patterns that could be proposed in a session with this history, whether suggested or not.
fn patterns(runner: &ScriptedRunner) -> BTreeSet<RulePattern> {
    let calls = runner.harness.state.view().call_history.calls().map(|past| &past.features);
    calls
        .filter_map(|call| Some((call, call.rule.clone()?)))
        .flat_map(|(call, rule)| {
            let (agent, tool, risk, sources) = (call.agent.clone(), call.tool.clone(), call.risk, call.sources.clone());
            let any = RulePattern { agent, tool, arguments_digest: None, risk, sources, rule };
            [RulePattern { arguments_digest: call.arguments_digest.clone(), ..any.clone() }, any]
        })
        .collect()
}

/// Checks that no learned rule let a call through to which, without the learned rule, a different approval rule would
/// have applied.
fn check_rules(log: &[Event], session: SessionId) -> usize {
    let (mut state, mut used) = (State::new(session), 0);
    for event in log {
        if let Fact::ToolChecked { call, standing: Some(id), idempotent, risk, result_sources, .. } = &event.fact {
            let known = state.view().permissions.iter().find(|known| known.id == *id).expect("granted").clone();
            let is_new =
                state.view().active_run().and_then(|run| run.call(*call)).expect("a call").state == CallState::Proposed;
            if known.rule.is_some() && is_new {
                used += 1;
                let mut without = state.clone();
                let (seq, by, fact) =
                    (state.seq() + 1, Actor::system(), Fact::PermissionRevoked { expired: false, permission: *id });
                evolve(&mut without, &Event { seq, at: event.at, by, run: None, cause: None, redacted: None, fact });
                let events = recheck_call(&without, *call, (*idempotent, *risk, result_sources), event.at);
                let granted_at = log.iter().find_map(|event| match &event.fact {
                    Fact::GateOpened { gate } if gate.id == known.gate => Some(gate),
                    _ => None,
                });
                let granted_at = granted_at.expect("a gate");
                let needed = events.iter().find_map(|event| match &event.fact {
                    Fact::GateOpened { gate } => Some(gate),
                    _ => None,
                });
                if let Some(needed) = needed {
                    assert_eq!((granted_at.quorum, &granted_at.eligible), (needed.quorum, &needed.eligible));
                    assert!(!needed.separate_duties && needed.risk < Some(Risk::High));
                }
            }
        }
        evolve(&mut state, event);
    }
    used
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_forecast_of_a_rule_equals_a_replay_of_the_log_with_it(acts in prop::collection::vec(any_action(), 10..60)) {
        let mut runner = start_session_with(call_some_arguments, json!({ "min_decisions": 2, "max_refused_percent": 50 }));
        acts.iter().for_each(|act| perform(&mut runner, act));
        let session = runner.harness.state.view().session;
        for pattern in patterns(&runner) {
            let forecast = RuleSuggestion::forecast(&runner.harness.state.view().call_history, pattern.clone());
            let foretold: BTreeSet<CallId> = forecast.calls.iter().map(|past| past.call).collect();
            prop_assert_eq!(&foretold, &replay(&runner.harness.log, session, &pattern), "{:?}", pattern);
            // People's decisions are in the log, too.
            for past in &forecast.calls {
                let decided = runner.harness.log.iter().find_map(|event| match &event.fact {
                    Fact::GateDecided { gate, outcome, .. } if Some(*gate) == past.gate => Some(*outcome),
                    _ => None,
                });
                let refused = matches!(decided, Some(gate::Outcome::Rejected | gate::Outcome::Responded));
                prop_assert_eq!(past.outcome == PastOutcome::Refused, refused, "{:?}", past);
            }
        }
    }
}

#[test]
fn a_learned_rule_never_weakens_the_rule_of_its_calls() {
    let used = Cell::new(0);
    let config = ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() };
    let sessions = prop::collection::vec(any_action(), 30..80);
    let ran = TestRunner::new(config).run(&sessions, |acts| {
        let mut runner = start_session_with(
            call_some_arguments,
            json!({ "min_decisions": 2, "min_people": 1, "max_refused_percent": 50 }),
        );
        acts.iter().for_each(|act| perform(&mut runner, act));
        used.set(used.get() + check_rules(&runner.harness.log, runner.harness.state.view().session));
        Ok(())
    });
    ran.expect("the law holds");
    assert!(used.get() > 0, "learned rules were used");
}
