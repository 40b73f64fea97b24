//! Gates about calls, plans and questions: exactly what was decided is carried out.

use roundtable::kernel::call::{CallState, Permission, Risk, digest};
use roundtable::kernel::gate::{Choice, Gate, GateAction, GateKind};
use roundtable::kernel::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::harness::*;
use super::play::{Line, Play, wanted, words};

/// Calls `put` twice in one turn, then reports the results.
pub(super) fn twice(view: &View, item: &Item) -> Line {
    let run = view.active_run().expect("a run");
    let said = |call: &call::Call| match (&call.output, &call.error) {
        (Some(output), _) => output.to_string(),
        (_, Some(error)) => format!("{}: {}", error.code, error.message),
        _ => String::new(),
    };
    let own = item.assignment();
    match run.tool_rounds_of(&own).next() {
        Some(round) => words(&round.calls.iter().map(said).collect::<Vec<_>>().join(" | ")),
        None => ("".into(), vec![wanted("put", json!({ "what": "a" })), wanted("put", json!({ "what": "b" }))]),
    }
}

pub(super) fn worker() -> Team {
    let mut team = Team { flow: "react".into(), ..team(&[("W", AgentRole::Worker)]) };
    team.agents[0].tools = vec!["*".into()];
    team
}

/// A play in which two calls wait for people.
pub(super) fn asked() -> Play {
    let mut play = Play::new(worker(), twice).asking();
    play.stage.enter(2, Role::Reviewer);
    play.begin("do it");
    while play.stage.state.view().gates.len() < 2 {
        assert!(play.step());
    }
    play
}

pub(super) fn gates(play: &Play) -> Vec<Gate> {
    play.stage.state.view().gates.clone()
}

pub(super) fn vote(gate: &Gate, choice: Choice, edit: Option<Value>) -> Command {
    let edit = edit.map(|edit| written(&edit.to_string()));
    Command::Vote { gate: gate.id, rev: gate.rev, choice, comment: None, edit, standing: None }
}

fn written(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("it is JSON")
}

pub(super) fn call(play: &Play, gate: &Gate) -> call::Call {
    let run = play.stage.state.view().run.as_ref().expect("a run");
    run.call(gate.call.expect("it is about a call")).expect("kept").clone()
}

#[test]
fn each_call_has_a_gate_that_shows_it_and_holds_up_only_itself() {
    let mut play = asked();
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    assert_eq!((first.kind, call(&play, first).state), (GateKind::Tool, CallState::Asked));
    assert_eq!(first.allow, [GateAction::Approve, GateAction::Edit, GateAction::Reject, GateAction::Respond]);
    let subject = first.subject.clone().expect("a subject");
    assert_eq!(subject.digest, digest("{\"what\":\"a\"}"));
    play.stage.ok(2, vote(second, Choice::Approve, None));
    assert_eq!(call(&play, second).state, CallState::Started);
    assert_eq!(call(&play, first).state, CallState::Asked);
    play.stage.ok(2, vote(first, Choice::Approve, None));
    play.finish_run(None);
    assert_eq!(play.put.keys().collect::<Vec<_>>(), ["a", "b"]);
    // Results are in the order of the model's calls, not in the order of the decisions.
    assert!(play.result().contains("\"a | b\""), "{}", play.result());
}

#[test]
fn words_that_end_a_call_keep_their_author() {
    let mut play = asked();
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    play.stage.ok(2, Command::Answer { rev: None, gate: first.id, text: "the owner approved".into() });
    let comment = Some("no, the owner approved".into());
    let (gate, rev, choice) = (second.id, second.rev, Choice::Reject);
    play.stage.ok(OWNER, Command::Vote { gate, rev, choice, comment, edit: None, standing: None });
    let memory = &play.stage.state.view().call_memory;
    let answer = |gate: &Gate| memory.answer(gate.call.expect("it is about a call")).expect("is kept");
    let (said, refused) = (answer(first), answer(second));
    assert_eq!((said.by.participant_id(), said.by.role), (Some(id(2)), Some(Role::Reviewer)));
    assert_eq!((&*said.text, &said.refusal), ("the owner approved", &None));
    assert_eq!((refused.by.participant_id(), refused.by.role), (Some(id(OWNER)), Some(Role::Owner)));
    assert_eq!(
        (&*refused.text, refused.refusal.as_deref()),
        ("no, the owner approved", Some("people did not allow it"))
    );
    let restored = play.stage.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, play.stage.state);
}

#[test]
fn an_edit_is_checked_makes_a_new_revision_and_voids_the_votes() {
    let mut play = Play::new(worker(), twice).asking();
    play.stage.enter(2, Role::Reviewer);
    play.stage.enter(3, Role::Reviewer);
    play.stage.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    play.begin("do it");
    while play.stage.state.view().gates.is_empty() {
        assert!(play.step());
    }
    let gate = play.stage.gate();
    play.stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    let wrong = play.stage.does(2, vote(&gate, Choice::Approve, Some(json!({ "which": "z" }))));
    assert!(matches!(wrong, Err(Rejection::Invalid(words)) if words.contains("what")));
    // The tool would get a different text from the one that people read.
    for inexact in ["{\"what\":\"z\",\"n\":12345678901234567890123}", "{\"what\":\"z\",\"what\":\"y\"}"] {
        let edit = RawValue::from_string(inexact.into()).ok();
        let (gate, rev, choice, comment) = (gate.id, gate.rev, Choice::Approve, None);
        let refused = play.stage.does(2, Command::Vote { gate, rev, choice, comment, edit, standing: None });
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{inexact}");
    }
    let names = play.stage.ok(2, vote(&gate, Choice::Approve, Some(json!({ "what": "z" }))));
    assert_eq!(names, ["gate.revised", "gate.voted"]);
    let revised = play.stage.gate();
    assert_eq!((revised.rev, revised.votes.len()), (2, 1), "the first vote is void");
    assert_eq!(revised.subject.as_ref().map(|subject| subject.digest.clone()), Some(digest("{\"what\":\"z\"}")));
    let stale = play.stage.does(3, vote(&gate, Choice::Approve, None));
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 1, current: 2 }));
    play.stage.ok(3, vote(&revised, Choice::Approve, None));
    let sent = play.stage.log.iter().find_map(|event| match &event.fact {
        Fact::ToolStarted { rev, digest, .. } => Some((*rev, digest.clone())),
        _ => None,
    });
    assert_eq!(sent, Some((2, digest("{\"what\":\"z\"}"))), "what was decided on is what is sent");
}

#[test]
fn an_edit_does_what_the_rules_allow_or_ask_about_and_nothing_that_they_deny() {
    let rule = |arguments: &str, permission| call_rule::CallRule {
        tool: "p*".into(),
        arguments: Some(arguments.into()),
        permission,
        risk: None,
    };
    let mut team = worker();
    team.agents[0].permissions = vec![rule("*secret*", Permission::Deny), rule("*\"ask\"*", Permission::Ask)];
    let mut play = Play::new(team, twice).asking();
    play.stage.enter(2, Role::Reviewer);
    play.begin("do it");
    while play.stage.state.view().gates.len() < 2 {
        assert!(play.step());
    }
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    let denied = play.stage.does(2, vote(first, Choice::Approve, Some(json!({ "what": "secret" }))));
    match denied {
        Err(Rejection::Forbidden { message, .. }) => {
            assert!(message.contains("do not allow this call of put"), "{message}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(call(&play, first).rev, 1, "a refusal leaves no trace");
    play.stage.ok(2, vote(first, Choice::Approve, Some(json!({ "what": "ask" }))));
    play.stage.ok(2, vote(second, Choice::Approve, Some(json!({ "what": "z" }))));
    play.finish_run(None);
    assert_eq!(play.put.keys().collect::<Vec<_>>(), ["ask", "z"]);
}

#[test]
fn an_edit_stays_as_it_was_written_to_the_last_digit() {
    let mut play = asked();
    let gate = gates(&play).remove(0);
    let text = r#"{"what":"z","id":9007199254740993,"share":1.10,"all":[1.0]}"#;
    let edit = Some(written(text));
    play.stage
        .ok(2, Command::Vote { gate: gate.id, rev: 1, choice: Choice::Approve, comment: None, edit, standing: None });
    assert_eq!(&*call(&play, &gate).arguments, text);
}

#[test]
fn a_call_that_people_reject_or_answer_is_not_made() {
    let mut play = asked();
    let open = gates(&play);
    play.stage.ok(2, vote(&open[0], Choice::Reject, None));
    play.stage.ok(2, Command::Answer { rev: None, gate: open[1].id, text: "as if".into() });
    play.finish_run(None);
    assert!(play.put.is_empty());
    assert!(play.result().contains("rejected: people did not allow it | as if"), "{}", play.result());
    // It is the tool's result for the caller, and nobody's feedback.
    let said = play.stage.state.view().messages.iter().find(|message| &*message.text == "as if").expect("is kept");
    assert_eq!(said.to, [Target::People]);
}

#[test]
fn words_at_a_gate_about_a_call_are_words_and_no_result() {
    let mut play = asked();
    play.stage.ok(OWNER, say("what is this for?"));
    assert_eq!(play.stage.state.view().gates.len(), 2);
    assert_eq!(play.stage.state.view().inbox.len(), 1);
    play.finish_run(None);
}

#[test]
fn a_decision_is_used_once() {
    let mut play = asked();
    let gate = gates(&play).remove(0);
    play.stage.ok(OWNER, vote(&gate, Choice::Approve, None));
    let again = play.stage.does(OWNER, vote(&gate, Choice::Approve, None));
    assert!(matches!(again, Err(Rejection::AlreadyDecided { .. })));
    play.finish_run(None);
    assert_eq!(play.put.get("a"), Some(&1));
}

#[test]
fn a_call_that_the_rules_deny_is_not_made_and_the_agent_reads_why() {
    let mut play = Play::new(worker(), twice).denying();
    play.begin("do it");
    play.finish_run(None);
    assert!(play.put.is_empty());
    assert!(play.result().contains("denied: the rules of this session"), "{}", play.result());
}

#[test]
fn a_call_whose_result_a_crash_lost_is_not_repeated_without_people() {
    let mut play = Play::new(worker(), twice);
    play.begin("do it");
    let started = |play: &Play| play.stage.state.view().active_run().expect("a run").started().count();
    while started(&play) < 2 {
        assert!(play.step());
    }
    let names = play.stage.shell(Command::Recover);
    assert_eq!(names.iter().filter(|name| *name == "tool.uncertain").count(), 2);
    let open = gates(&play);
    assert!(open.iter().all(|gate| gate.kind == GateKind::Uncertain));
    play.stage.ok(OWNER, vote(&open[0], Choice::Approve, None));
    assert_eq!((call(&play, &open[0]).state, call(&play, &open[0]).attempt), (CallState::Started, 2));
    play.stage.ok(OWNER, vote(&open[1], Choice::Reject, None));
    play.finish_run(None);
    assert!(play.result().contains("a | uncertain: "), "{}", play.result());
    assert_eq!(play.put.get("b"), None);
}

#[test]
fn a_result_of_an_attempt_that_is_over_is_dropped() {
    let mut play = Play::new(worker(), twice);
    play.begin("do it");
    while play.stage.state.view().active_run().expect("a run").started().count() == 0 {
        assert!(play.step());
    }
    let first = play.stage.state.view().active_run().expect("a run").started().next().expect("one").clone();
    play.stage.shell(Command::Recover);
    let late = Command::CallEnded { call: first.id, attempt: first.attempt, result: Ok("late".into()) };
    assert!(play.stage.shell(late).is_empty());
}

#[test]
fn files_of_a_call_are_recorded_with_its_result() {
    let mut play = Play::new(worker(), twice);
    play.begin("do it");
    while play.stage.state.view().active_run().expect("a run").started().count() == 0 {
        assert!(play.step());
    }
    let first = play.stage.state.view().active_run().expect("a run").started().next().expect("one").clone();
    let room = FileRoom { versions: 2, bytes: 100 };
    let files = ["one", "two", "three"].map(|content| super::files::file("a.md", content)).into();
    let result = Ok(CallOutput { text: "made them".into(), files, room });
    let ended = |attempt| Command::CallEnded { call: first.id, attempt, result: result.clone() };
    assert!(play.stage.shell(ended(first.attempt + 1)).is_empty(), "of another attempt");
    let names = play.stage.shell(ended(first.attempt));
    assert_eq!(names[..3], ["file.added", "file.added", "tool.completed"]);
    let view = play.stage.state.view();
    let versions: Vec<_> = view.files.iter().map(|file| (file.version, file.by.name.to_string(), file.call)).collect();
    assert_eq!(versions, [(1, "W".into(), Some(first.id)), (2, "W".to_owned(), Some(first.id))]);
    let ids: Vec<FileId> = view.files.iter().map(|file| file.id).collect();
    let completed = play.stage.log.iter().find_map(|event| match &event.fact {
        Fact::ToolCompleted { output, files, .. } => Some((output.clone(), files.clone())),
        _ => None,
    });
    let (output, made) = completed.expect("it is over");
    assert_eq!(made, ids);
    assert!(output.starts_with("made them\n[a.md was not stored: too many file versions"), "{output}");
    assert!(play.stage.shell(ended(first.attempt)).is_empty(), "once");
}

#[test]
fn a_plan_is_confirmed_edited_or_sent_back() {
    let brain = || {
        let roles = [("P", AgentRole::Planner), ("A", AgentRole::Executor)];
        let mut play = Play::new(Team { flow: "brain".into(), ..team(&roles) }, |_, item| match item.task {
            Task::Plan => words("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"}]}"),
            Task::Decide => words("{\"next_action\":\"continue\",\"reason\":\"ok\"}"),
            _ => words("done"),
        });
        play.begin("do it");
        while play.stage.state.view().gates.is_empty() {
            assert!(play.step());
        }
        play
    };
    let actions = |play: &Play| -> Vec<String> {
        let plan = play.stage.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan");
        plan.items.iter().map(|step| step.action.to_string()).collect()
    };
    let mut play = brain();
    let gate = play.stage.gate();
    assert_eq!((gate.kind, gate.rev), (GateKind::Plan, 1));
    let items = json!({ "rev": 1, "items": [{ "agent": "A", "action": "b" }, { "agent": "A", "action": "c" }] });
    let names = play.stage.ok(OWNER, vote(&gate, Choice::Approve, Some(items)));
    assert_eq!(names[..3], ["gate.revised", "gate.voted", "gate.decided"]);
    play.finish_run(None);
    assert_eq!(actions(&play), ["b", "c"]);

    let mut play = brain();
    play.stage.ok(OWNER, say("rather another one"));
    assert_eq!(play.stage.writing(), ["P"]);
    assert_eq!(play.stage.phase(), Phase::Planning);
    play.step();
    let again = play.stage.gate();
    assert_eq!((again.kind, again.rev), (GateKind::Plan, 2));
    play.finish_run(None);
    assert_eq!(actions(&play), ["a"]);
}

#[test]
fn several_questions_are_open_at_once_and_each_takes_what_its_form_takes() {
    let mut play = Play::new(worker(), |view, item| {
        let own = item.assignment();
        match view.active_run().expect("a run").tool_rounds_of(&own).next() {
            Some(round) => {
                let outputs = round.calls.iter().filter_map(|call| call.output.as_deref());
                words(&outputs.collect::<Vec<_>>().join(" and "))
            }
            None => {
                let schema =
                    json!({ "type": "object", "required": ["size"], "properties": { "size": { "type": "integer" } } });
                let form = wanted("ask_people", json!({ "question": "How large?", "schema": schema }));
                ("".into(), vec![form, wanted("ask_people", json!({ "question": "Which colour?" }))])
            }
        }
    });
    play.stage.enter(2, Role::Bot);
    play.begin("do it");
    play.step();
    let [form, free] = &gates(&play)[..] else { panic!("two questions") };
    assert_eq!((&*form.prompt, play.stage.phase()), ("How large?", Phase::Waiting));
    let wrong = play.stage.does(OWNER, Command::Answer { rev: None, gate: form.id, text: "large".into() });
    assert!(matches!(wrong, Err(Rejection::Invalid(_))));
    play.stage.ok(OWNER, Command::Answer { rev: None, gate: form.id, text: "{\"size\": 7}".into() });
    // A bot may answer an agent's question. With a single open question, plain text is its answer.
    play.stage.shell(Command::Recover);
    let _ = free;
    play.stage.ok(2, say("blue"));
    play.finish_run(None);
    assert!(play.result().contains("{\\\"size\\\":7} and blue"), "{}", play.result());
}

#[test]
fn a_text_that_reads_like_json_is_an_answer_where_a_text_is_asked_for() {
    let mut play = Play::new(worker(), |view, item| {
        match view.active_run().expect("a run").tool_rounds_of(&item.assignment()).next() {
            Some(round) => words(round.calls[0].output.as_deref().unwrap_or_default()),
            None => {
                let schema = json!({ "type": "string", "enum": ["1.2", "true", "blue"] });
                ("".into(), vec![wanted("ask_people", json!({ "question": "Which?", "schema": schema }))])
            }
        }
    });
    for (answer, in_words) in [("1.2", false), ("true", true), ("blue", false), ("blue", true)] {
        play.begin("do it");
        play.step();
        let gate = play.stage.gate().id;
        let text = answer.into();
        play.stage.ok(OWNER, if in_words { say(answer) } else { Command::Answer { rev: None, gate, text } });
        play.finish_run(None);
        assert!(play.result().contains(&format!("Completed \"{answer}\"")), "{}", play.result());
    }
}

#[test]
fn a_question_whose_answer_could_not_be_checked_in_time_is_not_asked() {
    let mut play = Play::new(worker(), |view, item| {
        let line = |at: usize| {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            (format!("d{at}"), json!({ "allOf": [next, next] }))
        };
        match view.active_run().expect("a run").tool_rounds_of(&item.assignment()).next() {
            Some(round) => words(&format!("{:?}", round.calls[0].error)),
            None => {
                let mut defs: serde_json::Map<_, _> = (0..40).map(line).collect();
                defs.insert("d40".into(), json!({ "type": "string" }));
                let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs });
                ("".into(), vec![wanted("ask_people", json!({ "question": "Which?", "schema": schema }))])
            }
        }
    });
    play.begin("do it");
    play.finish_run(None);
    assert!(play.result().contains("it has more than"), "{}", play.result());
}

#[test]
fn an_expired_question_is_reported_to_the_agent() {
    let mut play = asked();
    assert_eq!(gates(&play).len(), 2, "without a deadline they stay");
    play.stage.ok(OWNER, play.stage.cancel(None));
    assert_eq!(play.stage.phase(), Phase::Cancelled);
    play.stage.ok(OWNER, set(json!({ "gate_seconds": 60 })));
    play.begin("once more");
    while play.stage.state.view().gates.len() < 2 {
        assert!(play.step());
    }
    play.stage.now += 61_000;
    play.stage.shell(Command::DeadlineReached);
    play.finish_run(None);
    assert!(play.result().contains("gate_expired: nobody decided in time"), "{}", play.result());
    assert!(play.put.is_empty());
}

#[test]
fn rules_of_tools_are_judged_by_the_shell_and_held_by_the_log() {
    let mut play = Play::new(worker(), twice);
    play.begin("do it");
    play.finish_run(None);
    let judged = play.stage.log.iter().filter_map(|event| match &event.fact {
        Fact::ToolChecked { permission, .. } => Some(*permission),
        _ => None,
    });
    assert_eq!(judged.collect::<Vec<_>>(), [Permission::Allow; 2]);
}

#[test]
fn an_edit_makes_no_call_riskier_than_its_gate_was_opened_for() {
    let rule = |arguments: &str, risk| call_rule::CallRule {
        tool: "put".into(),
        arguments: Some(arguments.into()),
        permission: Permission::Ask,
        risk: Some(risk),
    };
    let mut team = worker();
    team.agents[0].permissions = vec![rule("*main*", Risk::High), rule("*\"a\"*", Risk::Low)];
    let mut play = Play::new(team, twice).asking();
    play.risk = Risk::Low;
    play.stage.enter(2, Role::Reviewer);
    play.begin("do it");
    while play.stage.state.view().gates.len() < 2 {
        assert!(play.step());
    }
    let [first, second] = &gates(&play)[..] else { panic!("two gates") };
    // The rule for `a` gave the first call a lower risk than its tool; the second call has the risk of the tool.
    for (gate, what) in [(first, "main"), (first, "c"), (second, "main")] {
        match play.stage.does(2, vote(gate, Choice::Approve, Some(json!({ "what": what })))) {
            Err(Rejection::Forbidden { message, .. }) => assert!(message.contains("riskier"), "{message}"),
            other => panic!("{what}: {other:?}"),
        }
    }
    play.stage.ok(2, vote(first, Choice::Approve, Some(json!({ "what": "a", "why": "\"a\"" }))));
    play.stage.ok(2, vote(second, Choice::Approve, Some(json!({ "what": "c" }))));
}
