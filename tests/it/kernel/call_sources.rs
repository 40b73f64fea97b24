//! Sources of calls: the messages, files and results that an agent could have read, and rules that depend on them.

use std::collections::BTreeSet;

use roundtable::kernel::call::{Call, CallSourceId, CallSourceKind, CallState, Permission, Risk};
use roundtable::kernel::call::{StandingArguments, StandingTerms};
use roundtable::kernel::gate::{Choice, Quorum};
use roundtable::kernel::*;
use serde_json::{Value, json};

use super::call_gates::{gates, twice, vote, worker};
use super::files::add;
use super::harness::*;
use super::play::{Blow, Line, Play, wanted, words};

use CallSourceKind::{Agent, Bot, Code, File, Guest, Knowledge, Person, Tool, Web};

/// Turns an ordinary person into another kind of actor.
type Change = fn(&mut Actor);

/// Makes an agent read something, and begins a run.
type Plant = fn(&mut Play);

/// A participant who joined with an invite link.
const GUEST: u128 = 7;

/// An agent that reads, then puts, then answers.
fn reads_then_puts(view: &View, item: &Item) -> Line {
    let own = item.assignment();
    match view.active_run().expect("a run").tool_rounds_of(&own).count() {
        0 => ("".into(), vec![wanted("read", json!({ "what": "a" }))]),
        1 => ("".into(), vec![wanted("put", json!({ "what": "b" }))]),
        _ => words("done"),
    }
}

/// Requires two reviewers, neither of whom directed the run, for calls that these sources led to.
fn strict(kinds: Value) -> Value {
    let quorum = json!({ "kind": "at_least", "n": 2, "role": "reviewer" });
    json!([{ "caused_by": kinds, "quorum": quorum, "separate_duties": true }])
}

fn play(rules: Value) -> Play {
    let mut play = Play::new(worker(), reads_then_puts);
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (GUEST, Role::Member)] {
        play.stage.enter(who, role);
    }
    play.stage.ok(OWNER, set(json!({ "approval_rules": rules })));
    play
}

/// Sends a command as an actor who is not an ordinary person.
fn does_as(play: &mut Play, who: u128, change: Change, command: Command) {
    let mut envelope = play.stage.envelope(who, command);
    if let CommandSender::Participant { actor, .. } = &mut envelope.by {
        change(actor);
    }
    play.stage.decide(&envelope).expect("accepted");
}

fn guest(actor: &mut Actor) {
    actor.guest = true;
}

fn calls(play: &Play) -> Vec<Call> {
    let run = play.stage.state.view().run.as_ref().expect("a run");
    run.tool_rounds.iter().flat_map(|round| round.calls.clone()).collect()
}

/// Plays up to the call that puts something, including its first check.
fn until_put(play: &mut Play) -> Call {
    while calls(play).iter().all(|call| &*call.name != "put") {
        assert!(play.step());
    }
    play.judge();
    calls(play).into_iter().find(|call| &*call.name == "put").expect("is there")
}

fn kinds<const N: usize>(kinds: [CallSourceKind; N]) -> BTreeSet<CallSourceKind> {
    kinds.into()
}

#[test]
fn the_words_of_everybody_who_spoke_to_the_agents_are_sources() {
    let bot: Change = |actor| actor.kind = ActorKind::Bot;
    let cases: [(Change, CallSourceKind); 3] = [(guest, Guest), (bot, Bot), (|_| {}, Person)];
    for (change, kind) in cases {
        let mut play = play(json!([]));
        does_as(&mut play, GUEST, change, say("do it"));
        let put = until_put(&mut play);
        assert_eq!(put.sources.kinds, kinds([kind]));
        let [source] = &put.sources.newest[..] else { panic!("one source: {:?}", put.sources) };
        let input = play.stage.state.view().run.as_ref().expect("a run").input;
        assert_eq!((source.id, source.by.to_string()), (CallSourceId::Message(input), id(GUEST).to_string()));
        assert_eq!(source.guest, kind == Guest);
    }
}

#[test]
fn a_message_counts_once_agents_read_it() {
    let mut play = play(json!([]));
    play.begin("do it");
    // A conversation between people.
    does_as(&mut play, GUEST, guest, say("@people what do you think?"));
    let reading = until_put(&mut play);
    assert_eq!(reading.sources.kinds, kinds([Person]));
    play.finish_run(None);
    play.begin("again");
    does_as(&mut play, GUEST, guest, steer("and put it elsewhere"));
    let put = until_put(&mut play);
    assert_eq!(put.sources.kinds, kinds([Person, Guest, Agent]));
}

#[test]
fn a_file_counts_with_who_added_it_from_the_time_at_which_it_is_there() {
    let mut play = play(json!([]));
    does_as(&mut play, GUEST, guest, add("notes.md", "put it"));
    play.begin("do it");
    let put = until_put(&mut play);
    assert_eq!(put.sources.kinds, kinds([Person, Guest, File]));
    let file = play.stage.state.view().files[0].id;
    let listed: Vec<_> = put.sources.newest.iter().map(|source| (source.kind, source.id, source.guest)).collect();
    assert_eq!(listed[0], (File, CallSourceId::File(file), true));
}

#[test]
fn results_count_for_their_reader_and_for_others_once_the_task_is_done() {
    for result in [kinds([Web]), kinds([Web, Tool]), kinds([Knowledge]), kinds([Code]), kinds([])] {
        let mut play = play(json!([]));
        play.result_sources = result.clone();
        play.begin("do it");
        let put = until_put(&mut play);
        let read = calls(&play)[0].clone();
        assert_eq!(read.sources.kinds, kinds([Person]), "nothing was read yet");
        assert_eq!(read.result_sources, result);
        let expected: BTreeSet<_> = result.iter().copied().chain([Person]).collect();
        assert_eq!(put.sources.kinds, expected);
        assert_eq!(
            put.sources.newest.iter().any(|source| source.id == CallSourceId::Call(read.id)),
            !result.is_empty()
        );
        play.finish_run(None);
        play.result_sources = kinds([]);
        play.begin("once more");
        let later = until_put(&mut play);
        let expected: BTreeSet<_> = expected.into_iter().chain([Agent]).collect();
        assert_eq!(later.sources.kinds, expected, "agents read the conversation before");
    }
}

#[test]
fn the_words_of_a_server_that_fails_count_like_its_result() {
    let mut play = play(json!([]));
    play.result_sources = kinds([Tool]);
    play.begin("do it");
    while calls(&play).iter().all(|call| call.state != CallState::Started) {
        assert!(play.step());
    }
    let read = calls(&play)[0].clone();
    let error = AttemptError { code: "tool_failed".into(), message: "put it elsewhere".into() };
    play.stage.shell(Command::CallEnded { call: read.id, attempt: 1, result: Err(error) });
    assert_eq!(until_put(&mut play).sources.kinds, kinds([Person, Tool]));
}

#[test]
fn agents_of_one_step_do_not_share_what_only_one_has_read() {
    let script: super::play::PlayScript = |view, item| {
        let own = item.assignment();
        match (item.task, view.active_run().expect("a run").tool_rounds_of(&own).count()) {
            (Task::Plan, 0) => {
                let items = ["read<sep>put"];
                ("".into(), vec![wanted("plan", json!({ "command": "create", "title": "t", "items": items }))])
            }
            (Task::Plan, _) | (Task::Summarize, _) => words("done"),
            (Task::Execute { part: 0, .. }, 0) => ("".into(), vec![wanted("read", json!({ "what": "a" }))]),
            (Task::Execute { part: 1, .. }, 0) => ("".into(), vec![wanted("put", json!({ "what": "b" }))]),
            _ => words("part done"),
        }
    };
    let roles = [("P", AgentRole::Planner), ("E", AgentRole::Executor), ("S", AgentRole::Summarizer)];
    let mut team = Team { flow: "plan_solve".into(), ..team(&roles) };
    team.agents.iter_mut().for_each(|agent| agent.tools = vec!["*".into()]);
    let mut play = Play::new(team, script);
    play.result_sources = kinds([Web]);
    play.begin("do it");
    while calls(&play).iter().filter(|call| &*call.name != "plan").count() < 2 {
        assert!(play.step(), "{:?}", play.names());
    }
    let put = calls(&play).into_iter().find(|call| &*call.name == "put").expect("is there");
    assert!(!put.sources.kinds.contains(&Web), "{:?}", put.sources);
}

#[test]
fn many_sources_are_a_few_in_the_event_and_no_kind_is_lost() {
    let mut play = play(json!([]));
    does_as(&mut play, GUEST, guest, say("do it"));
    for n in 0..50 {
        play.finish_run(None);
        play.begin(&format!("again {n}"));
    }
    let put = until_put(&mut play);
    assert_eq!(put.sources.kinds, kinds([Person, Guest, Agent]));
    assert_eq!((put.sources.newest.len(), put.sources.more), (5, true));
    let event = play.stage.log.iter().rev().find(|event| matches!(event.fact, Fact::ToolProposed { .. }));
    let event = serde_json::to_string(event.expect("was proposed")).expect("JSON");
    assert!(event.len() < 1_500, "{}", event.len());
}

#[test]
fn a_call_that_the_rules_allow_waits_for_the_stricter_gate() {
    let plant: [(&str, Plant); 4] = [
        ("guest", |play| does_as(play, GUEST, guest, say("put it"))),
        ("file", |play| {
            play.stage.ok(OWNER, add("notes.md", "put it"));
            play.begin("do it");
        }),
        ("web", |play| {
            play.result_sources = kinds([Web]);
            play.begin("do it");
        }),
        ("tool", |play| {
            play.result_sources = kinds([Web, Tool]);
            play.begin("do it");
        }),
    ];
    for (kind, plant) in plant {
        for asks in [false, true] {
            let mut play = play(strict(json!([kind])));
            // The first call only reads, like any tool that changes nothing.
            play.reads_only = true;
            plant(&mut play);
            while calls(&play).iter().all(|call| &*call.name != "put") {
                assert!(gates(&play).is_empty(), "calls that only read stay allowed");
                assert!(play.step());
            }
            play.reads_only = false;
            if asks {
                play = play.asking();
            }
            play.judge();
            let [gate] = &gates(&play)[..] else { panic!("{kind}: a gate") };
            assert_eq!((gate.quorum, gate.separate_duties), (two_reviewers(), true), "{kind}");
            assert!(!play.put.contains_key("b"));
            play.stage.ok(2, vote(gate, Choice::Approve, None));
            assert!(!play.put.contains_key("b") && gates(&play).len() == 1, "{kind}: one reviewer is not enough");
            play.stage.ok(3, vote(gate, Choice::Approve, None));
            play.finish_run(None);
            assert_eq!(play.put.get("b"), Some(&1), "{kind}");
        }
    }
}

fn two_reviewers() -> Quorum {
    Quorum::AtLeast { n: 2, role: Some(Role::Reviewer) }
}

#[test]
fn other_calls_are_made_as_before() {
    for (rules, reads_only) in [
        (strict(json!(["guest", "web"])), false),
        (strict(json!(["person"])), true),
        (json!([{ "min_risk": "high", "caused_by": ["person"], "quorum": { "kind": "any" } }]), false),
        (json!([{ "gate": "tool", "quorum": { "kind": "all" } }]), false),
    ] {
        let mut play = play(rules);
        play.reads_only = reads_only;
        play.begin("do it");
        play.finish_run(None);
        assert!(play.names().iter().all(|name| name != "gate.opened"), "{:?}", play.names());
    }
}

#[test]
fn a_rule_asks_though_another_one_chooses_the_votes() {
    let mut rules = strict(json!(["person"]));
    rules.as_array_mut().expect("rules").insert(0, json!({ "gate": "tool", "quorum": { "kind": "majority" } }));
    let mut play = play(rules);
    play.begin("do it");
    while gates(&play).is_empty() {
        assert!(play.step());
    }
    assert_eq!(gates(&play)[0].quorum, Quorum::Majority);
}

#[test]
fn what_the_rules_deny_stays_denied() {
    let mut play = play(strict(json!(["person"]))).denying();
    play.begin("do it");
    play.finish_run(None);
    assert!(play.put.is_empty());
    assert!(play.names().iter().all(|name| name != "gate.opened"));
}

fn standing(play: &mut Play, who: u128) {
    let gate = gates(play)[0].clone();
    let terms = StandingTerms { arguments: StandingArguments::Any, this_run: false, until: None, max_uses: Some(100) };
    let (gate, rev, choice) = (gate.id, gate.rev, Choice::Approve);
    play.stage.ok(who, Command::Vote { gate, rev, choice, comment: None, edit: None, standing: Some(terms) });
}

/// Plays a run up to the gates about its two calls.
fn asked_twice(play: &mut Play, text: &str) -> usize {
    play.begin(text);
    while play.stage.state.view().active_run().is_some_and(|run| run.tool_rounds.is_empty()) {
        assert!(play.step());
    }
    while play.judge() {}
    gates(play).len()
}

#[test]
fn a_permission_covers_no_call_with_a_source_that_a_rule_asks_about() {
    let mut play = Play::new(worker(), twice).asking();
    for (who, role) in [(2, Role::Reviewer), (3, Role::Reviewer), (4, Role::Reviewer), (GUEST, Role::Member)] {
        play.stage.enter(who, role);
    }
    play.stage.ok(OWNER, set(json!({ "approval_rules": strict(json!(["guest", "web"])) })));
    assert_eq!(asked_twice(&mut play, "do it"), 2);
    standing(&mut play, 2);
    play.finish_run(None);
    assert_eq!(asked_twice(&mut play, "again"), 0, "the permission covers calls like the approved one");
    play.finish_run(None);
    does_as(&mut play, GUEST, guest, add("notes.md", "put it"));
    assert_eq!(asked_twice(&mut play, "again"), 2, "a guest is a new source");
    assert_eq!(gates(&play)[0].quorum, two_reviewers());
    // People who approve such a call can allow similar ones, under the same rule.
    standing(&mut play, 2);
    let first = gates(&play)[0].clone();
    for who in [3, 4] {
        play.stage.ok(who, vote(&first, Choice::Approve, None));
    }
    let granted = play.stage.state.view().permissions.last().expect("granted").clone();
    assert_eq!(granted.caused_by, kinds([Guest]));
    assert!(gates(&play).is_empty(), "the other call has the same sources");
    play.finish_run(None);
    assert_eq!(asked_twice(&mut play, "again"), 0);
    play.result_sources = kinds([Web]);
    play.finish_run(None);
    assert_eq!(asked_twice(&mut play, "again"), 0, "checked before the results");
    play.finish_run(None);
    assert_eq!(asked_twice(&mut play, "again"), 2, "the web is another source");
}

#[test]
fn a_permission_from_before_a_rule_does_not_count_as_decided_under_it() {
    let mut play = Play::new(worker(), twice).asking();
    play.stage.enter(2, Role::Reviewer);
    assert_eq!(asked_twice(&mut play, "do it"), 2);
    play.stage.ok(2, Command::Enter { role: Role::Reviewer });
    // The rule is added while the gate is open, whose quorum is fixed.
    play.stage.enter(3, Role::Reviewer);
    play.stage.ok(OWNER, set(json!({ "approval_rules": strict(json!(["person"])) })));
    standing(&mut play, 2);
    assert_eq!(play.stage.state.view().permissions[0].caused_by, kinds([]));
    assert_eq!(gates(&play).len(), 1, "the call that waits is not let through");
}

#[test]
fn sources_are_the_same_after_a_crash_and_from_a_snapshot() {
    let until = |crash: Option<usize>| {
        let mut play = play(json!([{ "caused_by": ["guest"], "quorum": { "kind": "any" } }]));
        play.result_sources = kinds([Web, Tool]);
        does_as(&mut play, GUEST, guest, add("notes.md", "put it"));
        play.begin("do it");
        play.finish_run(crash.map(|at| (at, Blow::Crash { sent_happened: false })));
        let put = calls(&play).into_iter().find(|call| &*call.name == "put").expect("is there");
        let restored = play.stage.state.snapshot().restore().expect("by this kernel");
        assert_eq!(restored, play.stage.state);
        let checked = play.stage.log.iter().filter_map(|event| match &event.fact {
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
