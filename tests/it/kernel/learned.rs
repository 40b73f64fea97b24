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
use super::play::{Line, Play, PlayScript, wanted, words};

/// A participant who joined with an invite link.
const GUEST: u128 = 7;

/// Two calls per run, whose arguments differ from run to run.
fn some(view: &View, item: &Item) -> Line {
    let run = view.active_run().expect("a run");
    if run.tool_rounds_of(&item.assignment()).next().is_some() {
        return words("done");
    }
    let first = ["a", "b", "c"][usize::try_from(run.id.0 % 3).expect("small")];
    ("".into(), vec![wanted("put", json!({ "what": first })), wanted("put", json!({ "what": "b" }))])
}

/// Two calls per run, whose arguments no other call has.
fn distinct(view: &View, item: &Item) -> Line {
    let run = view.active_run().expect("a run");
    if run.tool_rounds_of(&item.assignment()).next().is_some() {
        return words("done");
    }
    let call = |name: &str| wanted("put", json!({ "what": format!("{name}{}", run.id.0) }));
    ("".into(), vec![call("a"), call("b")])
}

/// A session with an owner, two reviewers and a viewer, whose agent asks before each call.
fn session(learning: Value) -> Play {
    session_of(distinct, learning)
}

fn session_of(script: PlayScript, learning: Value) -> Play {
    let mut play = Play::new(worker(), script).asking();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Viewer), (GUEST, Role::Member)] {
        play.stage.enter(who, role);
    }
    play.stage.ok(OWNER, set(json!({ "learning": learning })));
    play
}

fn suggestions(play: &Play) -> Vec<RuleSuggestion> {
    RuleSuggestion::all(play.stage.state.view())
}

fn permissions(play: &Play) -> &[StandingPermission] {
    &play.stage.state.view().permissions
}

fn proposals(play: &Play) -> Vec<Gate> {
    gates(play).into_iter().filter(|gate| gate.kind == GateKind::Rule).collect()
}

fn asked(play: &Play) -> Vec<Gate> {
    gates(play).into_iter().filter(|gate| gate.kind == GateKind::Tool).collect()
}

/// Does all outstanding work that does not wait for people.
fn settle(play: &mut Play) {
    let busy = |run: &Run| {
        let mut calls = run.tool_rounds.iter().flat_map(|round| &round.calls);
        let open = calls.any(|call| !call.state.is_over() && call.state != CallState::Asked);
        !run.items.is_empty() || !run.controls.is_empty() || open
    };
    while play.stage.state.view().active_run().is_some_and(busy) {
        assert!(play.step());
    }
}

fn begin(play: &mut Play, who: u128) {
    let mut envelope = play.stage.envelope(who, say("do it"));
    if let CommandSender::Participant { actor, .. } = &mut envelope.by {
        actor.guest = who == GUEST;
    }
    play.stage.decide(&envelope).expect("accepted");
    settle(play);
}

/// Plays one run; these people decide on its calls in turn.
fn run(play: &mut Play, people: &[u128], choice: Choice) {
    begin(play, OWNER);
    for (at, gate) in asked(play).iter().enumerate() {
        play.stage.ok(people[at % people.len()], vote(gate, choice, None));
    }
    settle(play);
    assert!(play.stage.state.view().active_run().is_none(), "the run is over");
}

/// Returns the calls that the rule would have allowed: replays the log through the same decisions.
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
            let events = check_again(&with, *call, (*idempotent, *risk, result_sources), event.at);
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

/// Returns what the check of a call leads to in this state.
fn check_again(
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
fn where_people_keep_allowing_calls_the_server_proposes_a_rule_that_can_be_revoked() {
    let mut play = session(json!({}));
    run(&mut play, &[2, 3], Choice::Approve);
    run(&mut play, &[2, 3], Choice::Approve);
    assert!(suggestions(&play).is_empty(), "four calls are too few");
    begin(&mut play, OWNER);
    play.stage.ok(2, vote(&asked(&play)[0], Choice::Approve, None));
    let [proposal] = &proposals(&play)[..] else { panic!("a rule is proposed") };
    let rule = proposal.rule.as_deref().expect("a rule");
    assert_eq!((rule.allowed, rule.refused, rule.changed, rule.undecided, rule.calls.len()), (5, 0, 0, 1, 6));
    assert_eq!((rule.allowed_by.as_slice(), rule.proposed_by), ([id(2), id(3)].as_slice(), None));
    assert_eq!((rule.pattern.arguments_digest.clone(), rule.pattern.risk), (None, Risk::Medium));
    assert!(proposal.context.as_ref().expect("words").contains("2 people allowed 5 of 5 such calls of put"));
    assert_ne!(play.stage.phase(), Phase::Pending, "nothing waits for the proposal");
    assert!(matches!(play.stage.does(4, vote(proposal, Choice::Approve, None)), Err(Rejection::Forbidden { .. })));
    let names = play.stage.ok(3, vote(proposal, Choice::Approve, None));
    // The second call of the run is waiting, and the new rule decides it.
    assert_eq!(names[..5], ["gate.voted", "gate.decided", "permission.granted", "gate.closed", "tool.checked"]);
    let [granted] = permissions(&play) else { panic!("one permission") };
    assert_eq!((granted.granted_by.as_slice(), granted.gate, granted.uses), ([id(3)].as_slice(), proposal.id, 1));
    assert!(suggestions(&play).is_empty(), "it is granted");
    settle(&mut play);
    begin(&mut play, OWNER);
    assert!(gates(&play).is_empty(), "nobody is asked");
    let permission = permissions(&play)[0].id;
    assert_eq!(permissions(&play)[0].uses, 3);
    play.stage.ok(2, Command::RevokePermission { permission });
    begin(&mut play, OWNER);
    assert_eq!(asked(&play).len(), 2, "people are asked again");
    let restored = play.stage.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, play.stage.state);
}

#[test]
fn a_declined_pattern_is_proposed_again_only_after_the_evidence_has_doubled() {
    let mut play = session(json!({ "min_decisions": 2 }));
    run(&mut play, &[2, 3], Choice::Approve);
    let [proposal] = &proposals(&play)[..] else { panic!("a rule is proposed") };
    assert_eq!(play.stage.ok(2, vote(proposal, Choice::Reject, None)), ["gate.voted", "gate.decided"]);
    let [declined] = &suggestions(&play)[..] else { panic!("it stays a suggestion") };
    assert!(declined.declined && declined.allowed == 2);
    begin(&mut play, OWNER);
    play.stage.ok(3, vote(&asked(&play)[0], Choice::Approve, None));
    assert!(proposals(&play).is_empty(), "three are not twice two");
    // People can propose it at any time, and only once.
    let suggestion = suggestions(&play)[0].id.clone();
    let viewer = play.stage.does(4, Command::ProposeRule { suggestion: suggestion.clone() });
    assert!(matches!(viewer, Err(Rejection::Forbidden { .. })), "{viewer:?}");
    assert_eq!(play.stage.ok(2, Command::ProposeRule { suggestion: suggestion.clone() }), ["gate.opened"]);
    assert_eq!(proposals(&play)[0].rule.as_ref().expect("a rule").proposed_by, Some(id(2)));
    for wrong in [suggestion, "0".into()] {
        let again = play.stage.does(2, Command::ProposeRule { suggestion: wrong });
        assert!(matches!(again, Err(Rejection::Invalid(_))), "{again:?}");
    }
    play.stage.ok(3, vote(&proposals(&play)[0], Choice::Reject, None));
    settle(&mut play);
    for gate in asked(&play) {
        play.stage.ok(2, vote(&gate, Choice::Approve, None));
    }
    settle(&mut play);
    assert!(proposals(&play).is_empty(), "four are not twice three");
    run(&mut play, &[2, 3], Choice::Approve);
    assert_eq!(proposals(&play).len(), 1, "six are twice three");
}

#[test]
fn a_proposal_outlives_its_run_and_the_settings_say_who_proposes() {
    let mut play = session(json!({ "min_decisions": 2 }));
    begin(&mut play, OWNER);
    for (who, gate) in [2, 3].into_iter().zip(asked(&play)) {
        play.stage.ok(who, vote(&gate, Choice::Approve, None));
    }
    play.stage.ok(OWNER, play.stage.cancel(None));
    settle(&mut play);
    let [proposal] = &proposals(&play)[..] else { panic!("it is still open") };
    play.stage.ok(2, vote(proposal, Choice::Approve, None));
    assert_eq!(permissions(&play).len(), 1);

    let mut play = session(json!({ "min_decisions": 2, "mode": "manual" }));
    run(&mut play, &[2, 3], Choice::Approve);
    assert_eq!((proposals(&play).len(), suggestions(&play).len()), (0, 1));
    let suggestion = suggestions(&play)[0].id.clone();
    play.stage.ok(3, Command::ProposeRule { suggestion });
    play.stage.ok(OWNER, set(json!({ "learning": { "min_decisions": 2, "mode": "off" } })));
    assert!(suggestions(&play).is_empty());
    for wrong in [json!({ "min_decisions": 1 }), json!({ "min_people": 0 }), json!({ "max_refused_percent": 51 })] {
        let refused = play.stage.does(OWNER, set(json!({ "learning": wrong })));
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    }
    let rule = json!([{ "gate": "rule", "quorum": { "kind": "any" } }]);
    let refused = play.stage.does(OWNER, set(json!({ "approval_rules": rule })));
    assert!(matches!(refused, Err(Rejection::Invalid(_))), "{refused:?}");
    assert_eq!(play.stage.ok(OWNER, Command::Close { reason: "".into() }), ["gate.closed", "session.closed"]);
}

#[test]
fn one_person_silence_edits_and_refusals_are_no_evidence() {
    let learning = json!({ "min_decisions": 2 });
    let mut play = session(learning.clone());
    run(&mut play, &[2], Choice::Approve);
    run(&mut play, &[2], Choice::Approve);
    assert!(suggestions(&play).is_empty(), "one person allowed them");

    let mut play = session(learning.clone());
    run(&mut play, &[2, 3], Choice::Approve);
    play.stage.ok(2, vote(&proposals(&play)[0], Choice::Reject, None));
    run(&mut play, &[2, 3], Choice::Reject);
    assert!(suggestions(&play).is_empty(), "half of them were refused");

    let mut play = session(learning.clone());
    begin(&mut play, OWNER);
    for (who, gate) in [2, 3].into_iter().zip(asked(&play)) {
        play.stage.ok(who, vote(&gate, Choice::Approve, Some(json!({ "what": "z" }))));
    }
    settle(&mut play);
    assert!(suggestions(&play).is_empty(), "people approved other arguments");

    let mut play = session(learning);
    let rules = json!([{ "quorum": { "kind": "veto" }, "deadline_seconds": 10 }]);
    play.stage.ok(OWNER, set(json!({ "approval_rules": rules })));
    begin(&mut play, OWNER);
    play.stage.now += 20_000;
    play.stage.shell(Command::DeadlineReached);
    settle(&mut play);
    assert_eq!(play.put.len(), 2, "silence approved both");
    assert!(suggestions(&play).is_empty() && proposals(&play).is_empty());
}

#[test]
fn no_rule_is_learned_for_high_risk_for_separated_duties_or_for_sources_that_it_does_not_name() {
    let mut play = session(json!({ "min_decisions": 2 }));
    play.risk = Risk::High;
    run(&mut play, &[2, 3], Choice::Approve);
    assert!(suggestions(&play).is_empty(), "the calls are of high risk");
    play.risk = Risk::Medium;
    let rules = json!([{ "gate": "tool", "quorum": { "kind": "any" }, "separate_duties": true }]);
    play.stage.ok(OWNER, set(json!({ "approval_rules": rules })));
    run(&mut play, &[2, 3], Choice::Approve);
    assert!(suggestions(&play).is_empty(), "duties are separated");
    play.stage.ok(OWNER, set(json!({ "approval_rules": [] })));
    run(&mut play, &[2, 3], Choice::Approve);
    let [proposal] = &proposals(&play)[..] else { panic!("a rule is proposed") };
    play.stage.ok(2, vote(proposal, Choice::Approve, None));
    begin(&mut play, OWNER);
    assert!(asked(&play).is_empty());
    // A guest's message led to the next calls, and nobody has allowed such calls yet.
    begin(&mut play, GUEST);
    assert_eq!(asked(&play).len(), 2);
    for (who, gate) in [2, 3].into_iter().zip(asked(&play)) {
        play.stage.ok(who, vote(&gate, Choice::Approve, None));
    }
    settle(&mut play);
    let [wider] = &proposals(&play)[..] else { panic!("a wider rule is proposed") };
    let pattern = &wider.rule.as_ref().expect("a rule").pattern;
    assert_eq!(pattern.sources, BTreeSet::from([CallSourceKind::Guest]));
}

#[test]
fn a_rule_is_decided_under_the_rule_of_its_calls_and_covers_no_calls_under_another() {
    let mut play = session(json!({ "min_decisions": 2 }));
    let rule = |n: u32| json!([{ "gate": "tool", "quorum": { "kind": "at_least", "n": n } }]);
    play.stage.ok(OWNER, set(json!({ "approval_rules": rule(2) })));
    begin(&mut play, OWNER);
    for gate in asked(&play) {
        play.stage.ok(2, vote(&gate, Choice::Approve, None));
        play.stage.ok(3, vote(&gate, Choice::Approve, None));
    }
    settle(&mut play);
    let [proposal] = &proposals(&play)[..] else { panic!("a rule is proposed") };
    assert_eq!(proposal.quorum, Quorum::AtLeast { n: 2, role: None });
    assert_eq!(play.stage.ok(2, vote(proposal, Choice::Approve, None)), ["gate.voted"], "one vote is too few");
    play.stage.ok(3, vote(proposal, Choice::Approve, None));
    assert_eq!(permissions(&play).len(), 1);
    begin(&mut play, OWNER);
    assert!(asked(&play).is_empty());
    play.stage.ok(OWNER, set(json!({ "approval_rules": rule(3) })));
    begin(&mut play, OWNER);
    assert_eq!(asked(&play).len(), 2, "the calls need another rule now");
}

#[test]
fn a_redacted_call_takes_what_was_learned_from_it_along() {
    let mut play = session(json!({ "min_decisions": 2 }));
    run(&mut play, &[2, 3], Choice::Approve);
    play.stage.ok(2, vote(&proposals(&play)[0], Choice::Approve, None));
    let calls = play.stage.log.iter().find_map(|event| match &event.fact {
        Fact::ToolProposed { message, .. } => *message,
        _ => None,
    });
    let target = RedactionTarget::Message(calls.expect("a message with calls"));
    play.stage.ok(OWNER, Command::Redact { target, reason: None });
    let redaction = play.stage.log.last().expect("an event");
    let mut eraser = Eraser::of(redaction).expect("a redaction");
    play.stage.log.iter().for_each(|event| eraser.note(event));
    let erased = play.stage.log.iter().map(|event| eraser.erase(event).unwrap_or_else(|| event.clone()));
    let (mut state, mut text) = (State::new(play.stage.state.view().session), String::new());
    for event in erased {
        text += &serde_json::to_string(&event).expect("JSON");
        evolve(&mut state, &event);
    }
    assert!(!text.contains("\"tool\":\"put\""), "the rule names the tool: {text}");
    assert!(RuleSuggestion::all(state.view()).is_empty() && state.view().call_history.calls().next().is_none());
    assert_ne!(&*state.view().permissions[0].tool, "put");
}

#[derive(Debug, Clone)]
enum SessionAct {
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

fn act() -> impl Strategy<Value = SessionAct> {
    let who = prop::sample::select(vec![OWNER, 2, 3]);
    let risk = prop::sample::select(vec![Risk::Low, Risk::Medium, Risk::Medium, Risk::High]);
    prop_oneof![
        6 => prop::sample::select(vec![OWNER, OWNER, 2, GUEST]).prop_map(SessionAct::Begin),
        12 => (who, 0..3usize, 0..12u8).prop_map(|(who, at, how)| SessionAct::Vote(who, at, how)),
        1 => risk.prop_map(SessionAct::Risk),
        1 => any::<bool>().prop_map(SessionAct::Web),
        1 => (0..5u8).prop_map(SessionAct::Rules),
        2 => (0..3usize).prop_map(SessionAct::Propose),
        1 => (0..3usize).prop_map(SessionAct::Revoke),
        1 => Just(SessionAct::Cancel),
    ]
}

fn perform(play: &mut Play, act: &SessionAct) {
    let view = play.stage.state.view();
    match *act {
        SessionAct::Begin(who) => return begin(play, who),
        SessionAct::Vote(who, at, how) => {
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
            drop(play.stage.does(who, command));
        }
        SessionAct::Risk(risk) => play.risk = risk,
        SessionAct::Web(web) => {
            play.result_sources = if web { BTreeSet::from([CallSourceKind::Web]) } else { BTreeSet::new() };
        }
        SessionAct::Rules(which) => {
            let rules = match which {
                0 => json!([]),
                1 => json!([{ "gate": "tool", "quorum": { "kind": "at_least", "n": 2 } }]),
                2 => json!([{ "caused_by": ["guest", "web"], "quorum": { "kind": "at_least", "n": 2 } }]),
                3 => json!([{ "min_risk": "medium", "quorum": { "kind": "role", "role": "reviewer" } }]),
                _ => json!([{ "min_risk": "medium", "quorum": { "kind": "any" }, "separate_duties": true }]),
            };
            play.stage.ok(OWNER, set(json!({ "approval_rules": rules })));
        }
        SessionAct::Propose(at) => {
            if let Some(suggestion) = suggestions(play).get(at).map(|known| known.id.clone()) {
                drop(play.stage.does(2, Command::ProposeRule { suggestion }));
            }
        }
        SessionAct::Revoke(at) => {
            if let Some(permission) = view.permissions.get(at).map(|known| known.id) {
                play.stage.ok(2, Command::RevokePermission { permission });
            }
        }
        SessionAct::Cancel if view.active_run().is_some() => drop(play.stage.does(OWNER, play.stage.cancel(None))),
        SessionAct::Cancel => {}
    }
    settle(play);
}

/// All patterns that could be proposed in a session with this history, suggested or not.
fn patterns(play: &Play) -> BTreeSet<RulePattern> {
    let calls = play.stage.state.view().call_history.calls().map(|past| &past.features);
    calls
        .filter_map(|call| Some((call, call.rule.clone()?)))
        .flat_map(|(call, rule)| {
            let (agent, tool, risk, sources) = (call.agent.clone(), call.tool.clone(), call.risk, call.sources.clone());
            let any = RulePattern { agent, tool, arguments_digest: None, risk, sources, rule };
            [RulePattern { arguments_digest: call.arguments_digest.clone(), ..any.clone() }, any]
        })
        .collect()
}

/// Checks that no learned rule let a call through that, without it, a different approval rule would have applied to.
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
                let (seq, by, fact) = (state.seq() + 1, Actor::system(), Fact::PermissionRevoked { permission: *id });
                evolve(&mut without, &Event { seq, at: event.at, by, run: None, cause: None, redacted: None, fact });
                let events = check_again(&without, *call, (*idempotent, *risk, result_sources), event.at);
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
    fn the_forecast_of_a_rule_equals_a_replay_of_the_log_with_it(acts in prop::collection::vec(act(), 10..60)) {
        let mut play = session_of(some, json!({ "min_decisions": 2, "max_refused_percent": 50 }));
        acts.iter().for_each(|act| perform(&mut play, act));
        let session = play.stage.state.view().session;
        for pattern in patterns(&play) {
            let forecast = RuleSuggestion::forecast(&play.stage.state.view().call_history, pattern.clone());
            let foretold: BTreeSet<CallId> = forecast.calls.iter().map(|past| past.call).collect();
            prop_assert_eq!(&foretold, &replay(&play.stage.log, session, &pattern), "{:?}", pattern);
            // The decisions of people are in the log, too.
            for past in &forecast.calls {
                let decided = play.stage.log.iter().find_map(|event| match &event.fact {
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
    let sessions = prop::collection::vec(act(), 30..80);
    let ran = TestRunner::new(config).run(&sessions, |acts| {
        let mut play = session_of(some, json!({ "min_decisions": 2, "min_people": 1, "max_refused_percent": 50 }));
        acts.iter().for_each(|act| perform(&mut play, act));
        used.set(used.get() + check_rules(&play.stage.log, play.stage.state.view().session));
        Ok(())
    });
    ran.expect("the law holds");
    assert!(used.get() > 0, "learned rules were used");
}
