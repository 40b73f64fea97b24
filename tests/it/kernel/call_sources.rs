//! Sources of calls: the messages, files and results that an agent could have read, and rules that depend on them.

use std::collections::BTreeSet;

use roundtable::kernel::call::{Call, CallSourceId, CallSourceKind, CallState, Permission, Risk};
use roundtable::kernel::call::{StandingArguments, StandingTerms};
use roundtable::kernel::gate::{Choice, Quorum};
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::call_gates::{call_twice, gates, vote, worker};
use super::files::add;
use super::harness::*;
use super::scripted_runner::{Interruption, ModelResponse, ScriptedRunner, text_response, tool_call};

use CallSourceKind::{Agent, Bot, Code, File, Guest, Knowledge, Person, Tool, Web};

/// Turns an ordinary person into another kind of actor.
type ActorChange = fn(&mut Actor);

/// Makes an agent read something, and begins a run.
type SourceSetup = fn(&mut ScriptedRunner);

/// A participant who joined with an invite link.
const GUEST: u128 = 7;

/// Calls `read`, then `put`, then answers.
fn reads_then_puts(view: &View, running: &RunningMessage) -> ModelResponse {
    let own = running.assignment();
    match view.active_run().expect("a run").tool_rounds_of(&own).count() {
        0 => ("".into(), vec![tool_call("read", json!({ "what": "a" }))]),
        1 => ("".into(), vec![tool_call("put", json!({ "what": "b" }))]),
        _ => text_response("done"),
    }
}

/// Returns rules that require two reviewers, neither of whom directed the run, for calls that these sources led to.
fn strict_rules(kinds: Value) -> Value {
    let quorum = json!({ "kind": "at_least", "n": 2, "role": "reviewer" });
    json!([{ "caused_by": kinds, "quorum": quorum, "separate_duties": true }])
}

fn start_runner(rules: Value) -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(worker(), reads_then_puts);
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (GUEST, Role::Member)] {
        runner.harness.enter(who, role);
    }
    runner.harness.ok(OWNER, set(json!({ "approval_rules": rules })));
    runner
}

/// Sends a command as an actor who is not an ordinary person.
fn submit_as(runner: &mut ScriptedRunner, who: u128, change: ActorChange, command: Command) {
    let mut envelope = runner.harness.envelope(who, command);
    if let CommandSender::Participant { actor, .. } = &mut envelope.by {
        change(actor);
    }
    runner.harness.decide(&envelope).expect("accepted");
}

fn mark_as_guest(actor: &mut Actor) {
    actor.guest = true;
}

fn calls(runner: &ScriptedRunner) -> Vec<Call> {
    let run = runner.harness.state.view().run.as_ref().expect("a run");
    run.tool_rounds.iter().flat_map(|round| round.calls.clone()).collect()
}

/// Runs up to the call of `put`, including the first check of the call.
fn run_until_put(runner: &mut ScriptedRunner) -> Call {
    while calls(runner).iter().all(|call| &*call.name != "put") {
        assert!(runner.step());
    }
    runner.check_next_call();
    calls(runner).into_iter().find(|call| &*call.name == "put").expect("is there")
}

fn kinds<const N: usize>(kinds: [CallSourceKind; N]) -> BTreeSet<CallSourceKind> {
    kinds.into()
}

#[test]
fn messages_to_agents_are_sources() {
    let bot: ActorChange = |actor| actor.kind = ActorKind::Bot;
    let cases: [(ActorChange, CallSourceKind); 3] = [(mark_as_guest, Guest), (bot, Bot), (|_| {}, Person)];
    for (change, kind) in cases {
        let mut runner = start_runner(json!([]));
        submit_as(&mut runner, GUEST, change, say("do it"));
        let put = run_until_put(&mut runner);
        assert_eq!(put.sources.kinds, kinds([kind]));
        let [source] = &put.sources.newest[..] else { panic!("one source: {:?}", put.sources) };
        let input = runner.harness.state.view().run.as_ref().expect("a run").input;
        assert_eq!((source.id, source.by.to_string()), (CallSourceId::Message(input), id(GUEST).to_string()));
        assert_eq!(source.guest, kind == Guest);
    }
}

#[test]
fn a_message_is_a_source_once_agents_read_it() {
    let mut runner = start_runner(json!([]));
    runner.begin("do it");
    // This message is only for people, not for agents.
    submit_as(&mut runner, GUEST, mark_as_guest, say("@people what do you think?"));
    let reading = run_until_put(&mut runner);
    assert_eq!(reading.sources.kinds, kinds([Person]));
    runner.finish_run(None);
    runner.begin("again");
    submit_as(&mut runner, GUEST, mark_as_guest, steer("and put it elsewhere"));
    let put = run_until_put(&mut runner);
    assert_eq!(put.sources.kinds, kinds([Person, Guest, Agent]));
}

#[test]
fn a_file_and_its_author_are_sources_once_the_file_exists() {
    let mut runner = start_runner(json!([]));
    submit_as(&mut runner, GUEST, mark_as_guest, add("notes.md", "put it"));
    runner.begin("do it");
    let put = run_until_put(&mut runner);
    assert_eq!(put.sources.kinds, kinds([Person, Guest, File]));
    let file = runner.harness.state.view().files[0].id;
    let listed: Vec<_> = put.sources.newest.iter().map(|source| (source.kind, source.id, source.guest)).collect();
    assert_eq!(listed[0], (File, CallSourceId::File(file), true));
}

#[test]
fn results_are_sources_for_their_reader_and_later_for_others() {
    for result in [kinds([Web]), kinds([Web, Tool]), kinds([Knowledge]), kinds([Code]), kinds([])] {
        let mut runner = start_runner(json!([]));
        runner.result_sources = result.clone();
        runner.begin("do it");
        let put = run_until_put(&mut runner);
        let read = calls(&runner)[0].clone();
        assert_eq!(read.sources.kinds, kinds([Person]), "nothing was read yet");
        assert_eq!(read.result_sources, result);
        let expected: BTreeSet<_> = result.iter().copied().chain([Person]).collect();
        assert_eq!(put.sources.kinds, expected);
        assert_eq!(
            put.sources.newest.iter().any(|source| source.id == CallSourceId::Call(read.id)),
            !result.is_empty()
        );
        runner.finish_run(None);
        runner.result_sources = kinds([]);
        runner.begin("once more");
        let later = run_until_put(&mut runner);
        let expected: BTreeSet<_> = expected.into_iter().chain([Agent]).collect();
        assert_eq!(later.sources.kinds, expected, "agents read the conversation before");
    }
}

#[test]
fn error_messages_of_tools_are_sources_like_results() {
    let mut runner = start_runner(json!([]));
    runner.result_sources = kinds([Tool]);
    runner.begin("do it");
    while calls(&runner).iter().all(|call| call.state != CallState::Started) {
        assert!(runner.step());
    }
    let read = calls(&runner)[0].clone();
    let error = AttemptError { code: "tool_failed".into(), message: "put it elsewhere".into() };
    runner.harness.submit_as_orchestrator(Command::CallEnded { call: read.id, attempt: 1, result: Err(error) });
    assert_eq!(run_until_put(&mut runner).sources.kinds, kinds([Person, Tool]));
}

#[test]
fn agents_of_one_step_do_not_share_what_only_one_has_read() {
    let script: super::scripted_runner::ModelScript = |view, running| {
        let own = running.assignment();
        match (running.task, view.active_run().expect("a run").tool_rounds_of(&own).count()) {
            (Task::Plan, 0) => {
                let items = ["read<sep>put"];
                ("".into(), vec![tool_call("plan", json!({ "command": "create", "title": "t", "items": items }))])
            }
            (Task::Plan, _) | (Task::Summarize, _) => text_response("done"),
            (Task::Execute { part: 0, .. }, 0) => ("".into(), vec![tool_call("read", json!({ "what": "a" }))]),
            (Task::Execute { part: 1, .. }, 0) => ("".into(), vec![tool_call("put", json!({ "what": "b" }))]),
            _ => text_response("part done"),
        }
    };
    let roles = [("P", AgentRole::Planner), ("E", AgentRole::Executor), ("S", AgentRole::Summarizer)];
    let mut team = Team { flow: "plan_solve".into(), ..team(&roles) };
    team.agents.iter_mut().for_each(|agent| agent.tools = vec!["*".into()]);
    let mut runner = ScriptedRunner::new(team, script);
    runner.result_sources = kinds([Web]);
    runner.begin("do it");
    while calls(&runner).iter().filter(|call| &*call.name != "plan").count() < 2 {
        assert!(runner.step(), "{:?}", runner.names());
    }
    let put = calls(&runner).into_iter().find(|call| &*call.name == "put").expect("is there");
    assert!(!put.sources.kinds.contains(&Web), "{:?}", put.sources);
}

#[test]
fn an_event_lists_few_sources_but_every_kind() {
    let mut runner = start_runner(json!([]));
    submit_as(&mut runner, GUEST, mark_as_guest, say("do it"));
    for n in 0..50 {
        runner.finish_run(None);
        runner.begin(&format!("again {n}"));
    }
    let put = run_until_put(&mut runner);
    assert_eq!(put.sources.kinds, kinds([Person, Guest, Agent]));
    assert_eq!((put.sources.newest.len(), put.sources.more), (5, true));
    let event = runner.harness.log.iter().rev().find(|event| matches!(event.fact, Fact::ToolProposed { .. }));
    let event = serde_json::to_string(event.expect("was proposed")).expect("JSON");
    assert!(event.len() < 1_500, "{}", event.len());
}

#[test]
fn a_call_that_the_rules_allow_waits_for_the_stricter_gate() {
    let plant: [(&str, SourceSetup); 4] = [
        ("guest", |runner| submit_as(runner, GUEST, mark_as_guest, say("put it"))),
        ("file", |runner| {
            runner.harness.ok(OWNER, add("notes.md", "put it"));
            runner.begin("do it");
        }),
        ("web", |runner| {
            runner.result_sources = kinds([Web]);
            runner.begin("do it");
        }),
        ("tool", |runner| {
            runner.result_sources = kinds([Web, Tool]);
            runner.begin("do it");
        }),
    ];
    for (kind, plant) in plant {
        for rules_ask in [false, true] {
            let mut runner = start_runner(strict_rules(json!([kind])));
            // The first call only reads, like any tool that changes nothing.
            runner.reads_only = true;
            plant(&mut runner);
            while calls(&runner).iter().all(|call| &*call.name != "put") {
                assert!(gates(&runner).is_empty(), "calls that only read stay allowed");
                assert!(runner.step());
            }
            runner.reads_only = false;
            if rules_ask {
                runner = runner.ask_before_calls();
            }
            runner.check_next_call();
            let [gate] = &gates(&runner)[..] else { panic!("{kind}: a gate") };
            assert_eq!((gate.quorum, gate.separate_duties), (two_reviewers(), true), "{kind}");
            assert!(!runner.put.contains_key("b"));
            runner.harness.ok(2, vote(gate, Choice::Approve, None));
            assert!(!runner.put.contains_key("b") && gates(&runner).len() == 1, "{kind}: one reviewer is not enough");
            runner.harness.ok(3, vote(gate, Choice::Approve, None));
            runner.finish_run(None);
            assert_eq!(runner.put.get("b"), Some(&1), "{kind}");
        }
    }
}

fn two_reviewers() -> Quorum {
    Quorum::AtLeast { n: 2, role: Some(Role::Reviewer) }
}

#[test]
fn other_calls_need_no_gate() {
    for (rules, reads_only) in [
        (strict_rules(json!(["guest", "web"])), false),
        (strict_rules(json!(["person"])), true),
        (json!([{ "min_risk": "high", "caused_by": ["person"], "quorum": { "kind": "any" } }]), false),
        (json!([{ "gate": "tool", "quorum": { "kind": "all" } }]), false),
    ] {
        let mut runner = start_runner(rules);
        runner.reads_only = reads_only;
        runner.begin("do it");
        runner.finish_run(None);
        assert!(runner.names().iter().all(|name| name != "gate.opened"), "{:?}", runner.names());
    }
}

#[test]
fn a_source_rule_asks_even_if_another_rule_sets_the_quorum() {
    let mut rules = strict_rules(json!(["person"]));
    rules.as_array_mut().expect("rules").insert(0, json!({ "gate": "tool", "quorum": { "kind": "majority" } }));
    let mut runner = start_runner(rules);
    runner.begin("do it");
    while gates(&runner).is_empty() {
        assert!(runner.step());
    }
    assert_eq!(gates(&runner)[0].quorum, Quorum::Majority {});
}

#[test]
fn a_denied_call_stays_denied() {
    let mut runner = start_runner(strict_rules(json!(["person"]))).deny_calls();
    runner.begin("do it");
    runner.finish_run(None);
    assert!(runner.put.is_empty());
    assert!(runner.names().iter().all(|name| name != "gate.opened"));
}

fn grant_permission(runner: &mut ScriptedRunner, who: u128) {
    let gate = gates(runner)[0].clone();
    let terms = StandingTerms { arguments: StandingArguments::Any, this_run: false, until: None, max_uses: Some(100) };
    let (gate, rev, choice) = (gate.id, gate.rev, Choice::Approve);
    runner.harness.ok(who, Command::Vote { gate, rev, choice, comment: None, edit: None, standing: Some(terms) });
}

/// Starts a run, and continues up to the gates about its two calls.
fn run_until_asked(runner: &mut ScriptedRunner, text: &str) -> usize {
    runner.begin(text);
    while runner.harness.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(runner.step());
    }
    while runner.check_next_call() {}
    gates(runner).len()
}

#[test]
fn a_permission_covers_no_call_with_a_source_that_a_rule_asks_about() {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Reviewer), (GUEST, Role::Member)] {
        runner.harness.enter(who, role);
    }
    runner.harness.ok(OWNER, set(json!({ "approval_rules": strict_rules(json!(["guest", "web"])) })));
    assert_eq!(run_until_asked(&mut runner, "do it"), 2);
    grant_permission(&mut runner, 2);
    runner.finish_run(None);
    assert_eq!(run_until_asked(&mut runner, "again"), 0, "the permission covers calls like the approved one");
    runner.finish_run(None);
    submit_as(&mut runner, GUEST, mark_as_guest, add("notes.md", "put it"));
    assert_eq!(run_until_asked(&mut runner, "again"), 2, "a guest is a new source");
    assert_eq!(gates(&runner)[0].quorum, two_reviewers());
    // People who approve such a call can allow similar ones, under the same rule.
    grant_permission(&mut runner, 2);
    let first = gates(&runner)[0].clone();
    for who in [3, 4] {
        runner.harness.ok(who, vote(&first, Choice::Approve, None));
    }
    let granted = runner.harness.state.view().permissions.last().expect("granted").clone();
    assert_eq!(granted.caused_by, kinds([Guest]));
    assert!(gates(&runner).is_empty(), "the other call has the same sources");
    runner.finish_run(None);
    assert_eq!(run_until_asked(&mut runner, "again"), 0);
    runner.result_sources = kinds([Web]);
    runner.finish_run(None);
    assert_eq!(run_until_asked(&mut runner, "again"), 0, "checked before the results");
    runner.finish_run(None);
    assert_eq!(run_until_asked(&mut runner, "again"), 2, "the web is another source");
}

#[test]
fn a_permission_from_before_a_rule_does_not_count_as_decided_under_it() {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    assert_eq!(run_until_asked(&mut runner, "do it"), 2);
    runner.harness.ok(2, Command::Enter { role: Role::Reviewer });
    // The rule is added while the gate is open; the quorum of an open gate is fixed.
    runner.harness.enter(3, Role::Reviewer);
    runner.harness.ok(OWNER, set(json!({ "approval_rules": strict_rules(json!(["person"])) })));
    grant_permission(&mut runner, 2);
    assert_eq!(runner.harness.state.view().permissions[0].caused_by, kinds([]));
    assert_eq!(gates(&runner).len(), 1, "the call that waits is not let through");
}

#[test]
fn sources_are_the_same_after_a_crash_and_from_a_snapshot() {
    let until = |crash: Option<usize>| {
        let mut runner = start_runner(json!([{ "caused_by": ["guest"], "quorum": { "kind": "any" } }]));
        runner.result_sources = kinds([Web, Tool]);
        submit_as(&mut runner, GUEST, mark_as_guest, add("notes.md", "put it"));
        runner.begin("do it");
        runner.finish_run(crash.map(|at| (at, Interruption::Crash { sent_happened: false })));
        let put = calls(&runner).into_iter().find(|call| &*call.name == "put").expect("is there");
        let restored = runner.harness.state.snapshot().restore().expect("by this kernel");
        assert_eq!(restored, runner.harness.state);
        let checked = runner.harness.log.iter().filter_map(|event| match &event.fact {
            Fact::ToolChecked { call, permission, .. } if *call == put.id => Some(*permission),
            _ => None,
        });
        (put.sources.kinds.clone(), checked.collect::<Vec<_>>())
    };
    let whole = until(None);
    assert_eq!(whole, (kinds([Person, Guest, File, Web, Tool]), vec![Permission::Ask]));
    for crash in 1..8 {
        assert_eq!(until(Some(crash)), whole, "crash after {crash} commands");
    }
}

#[test]
fn an_old_log_without_origins_counts_results_as_foreign() {
    let checked = json!({ "event": "tool.checked", "data": {
        "call": "t_9", "run": "r_3", "permission": "allow", "idempotent": false, "risk": "low",
    } });
    let Fact::ToolChecked { result_sources, risk, .. } = serde_json::from_value(checked).expect("a fact") else {
        panic!("another fact")
    };
    assert_eq!((result_sources, risk), (CallSourceKind::unknown(), Risk::Low));
}
