//! Gates about calls, plans and questions: exactly what was decided is carried out.

use roundtable::kernel::call::{CallState, Permission, Risk, digest};
use roundtable::kernel::gate::{Choice, Gate, GateAction, GateKind};
use roundtable::kernel::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::harness::*;
use super::scripted_runner::{ModelResponse, ScriptedRunner, text_response, tool_call};

/// Calls `put` twice in one turn, then reports the results.
pub(super) fn call_twice(view: &View, running: &RunningMessage) -> ModelResponse {
    let run = view.active_run().expect("a run");
    let result_text = |call: &call::Call| match (&call.output, &call.error) {
        (Some(output), _) => output.to_string(),
        (_, Some(error)) => format!("{}: {}", error.code, error.message),
        _ => String::new(),
    };
    let own = running.assignment();
    match run.tool_rounds_of(&own).next() {
        Some(round) => text_response(&round.calls.iter().map(result_text).collect::<Vec<_>>().join(" | ")),
        None => ("".into(), vec![tool_call("put", json!({ "what": "a" })), tool_call("put", json!({ "what": "b" }))]),
    }
}

pub(super) fn worker() -> Team {
    let mut team = Team { flow: "react".into(), ..team(&[("W", AgentRole::Worker)]) };
    team.agents[0].tools = vec!["*".into()];
    team
}

/// Returns a runner in which two calls wait for people.
pub(super) fn run_until_gates() -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    runner.begin("do it");
    while runner.harness.state.view().gates.len() < 2 {
        assert!(runner.step());
    }
    runner
}

pub(super) fn gates(runner: &ScriptedRunner) -> Vec<Gate> {
    runner.harness.state.view().gates.clone()
}

pub(super) fn vote(gate: &Gate, choice: Choice, edit: Option<Value>) -> Command {
    let edit = edit.map(|edit| raw_json(&edit.to_string()));
    Command::Vote { gate: gate.id, rev: gate.rev, choice, comment: None, edit, standing: None }
}

fn raw_json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("it is JSON")
}

pub(super) fn call_of_gate(runner: &ScriptedRunner, gate: &Gate) -> call::Call {
    let run = runner.harness.state.view().run.as_ref().expect("a run");
    run.call(gate.call.expect("it is about a call")).expect("kept").clone()
}

#[test]
fn each_call_has_a_gate_that_blocks_only_this_call() {
    let mut runner = run_until_gates();
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    assert_eq!((first.kind, call_of_gate(&runner, first).state), (GateKind::Tool, CallState::Asked));
    assert_eq!(first.allow, [GateAction::Approve, GateAction::Edit, GateAction::Reject, GateAction::Respond]);
    let subject = first.subject.clone().expect("a subject");
    assert_eq!(subject.digest, digest("{\"what\":\"a\"}"));
    runner.harness.ok(2, vote(second, Choice::Approve, None));
    assert_eq!(call_of_gate(&runner, second).state, CallState::Started);
    assert_eq!(call_of_gate(&runner, first).state, CallState::Asked);
    runner.harness.ok(2, vote(first, Choice::Approve, None));
    runner.finish_run(None);
    assert_eq!(runner.put.keys().collect::<Vec<_>>(), ["a", "b"]);
    // Results are in the order of the model's calls, not in the order of the decisions.
    assert!(runner.result().contains("\"a | b\""), "{}", runner.result());
}

#[test]
fn a_message_that_ends_a_call_keeps_its_author() {
    let mut runner = run_until_gates();
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    runner.harness.ok(2, Command::Answer { rev: None, gate: first.id, text: "the owner approved".into() });
    let comment = Some("no, the owner approved".into());
    let (gate, rev, choice) = (second.id, second.rev, Choice::Reject);
    runner.harness.ok(OWNER, Command::Vote { gate, rev, choice, comment, edit: None, standing: None });
    let memory = &runner.harness.state.view().call_memory;
    let answer = |gate: &Gate| memory.answer(gate.call.expect("it is about a call")).expect("is kept");
    let (answered, refused) = (answer(first), answer(second));
    assert_eq!((answered.by.participant_id(), answered.by.role), (Some(id(2)), Some(Role::Reviewer)));
    assert_eq!((&*answered.text, &answered.refusal), ("the owner approved", &None));
    assert_eq!((refused.by.participant_id(), refused.by.role), (Some(id(OWNER)), Some(Role::Owner)));
    assert_eq!(
        (&*refused.text, refused.refusal.as_deref()),
        ("no, the owner approved", Some("people did not allow it"))
    );
    let restored = runner.harness.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, runner.harness.state);
}

#[test]
fn an_edit_is_validated_creates_a_revision_and_voids_the_votes() {
    let mut runner = ScriptedRunner::new(worker(), call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    runner.harness.enter(3, Role::Reviewer);
    runner.harness.ok(OWNER, set(json!({ "approval": { "kind": "at_least", "n": 2 } })));
    runner.begin("do it");
    while runner.harness.state.view().gates.is_empty() {
        assert!(runner.step());
    }
    let gate = runner.harness.gate();
    runner.harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    let wrong = runner.harness.submit(2, vote(&gate, Choice::Approve, Some(json!({ "which": "z" }))));
    assert!(matches!(wrong, Err(Rejection::Invalid(text)) if text.contains("what")));
    // With these edits, the tool would get a different text from the one that people read.
    for inexact in ["{\"what\":\"z\",\"n\":12345678901234567890123}", "{\"what\":\"z\",\"what\":\"y\"}"] {
        let edit = RawValue::from_string(inexact.into()).ok();
        let (gate, rev, choice, comment) = (gate.id, gate.rev, Choice::Approve, None);
        let refused = runner.harness.submit(2, Command::Vote { gate, rev, choice, comment, edit, standing: None });
        assert!(matches!(refused, Err(Rejection::Invalid(_))), "{inexact}");
    }
    let names = runner.harness.ok(2, vote(&gate, Choice::Approve, Some(json!({ "what": "z" }))));
    assert_eq!(names, ["gate.revised", "gate.voted"]);
    let revised = runner.harness.gate();
    assert_eq!((revised.rev, revised.votes.len()), (2, 1), "the first vote is void");
    assert_eq!(revised.subject.as_ref().map(|subject| subject.digest.clone()), Some(digest("{\"what\":\"z\"}")));
    let stale = runner.harness.submit(3, vote(&gate, Choice::Approve, None));
    assert_eq!(stale, Err(Rejection::StaleRevision { given: 1, current: 2 }));
    runner.harness.ok(3, vote(&revised, Choice::Approve, None));
    let sent = runner.harness.log.iter().find_map(|event| match &event.fact {
        Fact::ToolStarted { rev, digest, .. } => Some((*rev, digest.clone())),
        _ => None,
    });
    assert_eq!(sent, Some((2, digest("{\"what\":\"z\"}"))), "what was decided on is what is sent");
}

#[test]
fn an_edit_cannot_do_anything_that_the_rules_deny() {
    let rule = |arguments: &str, permission| call_rule::CallRule {
        tool: "p*".into(),
        arguments: Some(arguments.into()),
        permission,
        risk: None,
    };
    let mut team = worker();
    team.agents[0].permissions = vec![rule("*secret*", Permission::Deny), rule("*\"ask\"*", Permission::Ask)];
    let mut runner = ScriptedRunner::new(team, call_twice).ask_before_calls();
    runner.harness.enter(2, Role::Reviewer);
    runner.begin("do it");
    while runner.harness.state.view().gates.len() < 2 {
        assert!(runner.step());
    }
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    let denied = runner.harness.submit(2, vote(first, Choice::Approve, Some(json!({ "what": "secret" }))));
    match denied {
        Err(Rejection::Forbidden { message, .. }) => {
            assert!(message.contains("do not allow this call of put"), "{message}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(call_of_gate(&runner, first).rev, 1, "a refusal leaves no trace");
    runner.harness.ok(2, vote(first, Choice::Approve, Some(json!({ "what": "ask" }))));
    runner.harness.ok(2, vote(second, Choice::Approve, Some(json!({ "what": "z" }))));
    runner.finish_run(None);
    assert_eq!(runner.put.keys().collect::<Vec<_>>(), ["ask", "z"]);
}

#[test]
fn an_edit_is_stored_exactly_as_written() {
    let mut runner = run_until_gates();
    let gate = gates(&runner).remove(0);
    let text = r#"{"what":"z","id":9007199254740993,"share":1.10,"all":[1.0]}"#;
    let edit = Some(raw_json(text));
    runner
        .harness
        .ok(2, Command::Vote { gate: gate.id, rev: 1, choice: Choice::Approve, comment: None, edit, standing: None });
    assert_eq!(&*call_of_gate(&runner, &gate).arguments, text);
}

#[test]
fn a_call_that_people_reject_or_answer_is_not_executed() {
    let mut runner = run_until_gates();
    let open = gates(&runner);
    runner.harness.ok(2, vote(&open[0], Choice::Reject, None));
    runner.harness.ok(2, Command::Answer { rev: None, gate: open[1].id, text: "as if".into() });
    runner.finish_run(None);
    assert!(runner.put.is_empty());
    assert!(runner.result().contains("rejected: people did not allow it | as if"), "{}", runner.result());
    // For the caller, the text is the tool's result. It is not feedback.
    let posted =
        runner.harness.state.view().messages.iter().find(|message| &*message.text == "as if").expect("is kept");
    assert_eq!(posted.to, [Target::People]);
}

#[test]
fn a_message_at_the_gate_of_a_call_is_not_its_result() {
    let mut runner = run_until_gates();
    runner.harness.ok(OWNER, say("what is this for?"));
    assert_eq!(runner.harness.state.view().gates.len(), 2);
    assert_eq!(runner.harness.state.view().inbox.len(), 1);
    runner.finish_run(None);
}

#[test]
fn a_decision_is_used_once() {
    let mut runner = run_until_gates();
    let gate = gates(&runner).remove(0);
    runner.harness.ok(OWNER, vote(&gate, Choice::Approve, None));
    let again = runner.harness.submit(OWNER, vote(&gate, Choice::Approve, None));
    assert!(matches!(again, Err(Rejection::AlreadyDecided { .. })));
    runner.finish_run(None);
    assert_eq!(runner.put.get("a"), Some(&1));
}

#[test]
fn a_denied_call_is_not_executed_and_the_agent_reads_the_reason() {
    let mut runner = ScriptedRunner::new(worker(), call_twice).deny_calls();
    runner.begin("do it");
    runner.finish_run(None);
    assert!(runner.put.is_empty());
    assert!(runner.result().contains("denied: the rules of this session"), "{}", runner.result());
}

#[test]
fn a_call_with_a_lost_result_is_repeated_only_with_approval() {
    let mut runner = ScriptedRunner::new(worker(), call_twice);
    runner.begin("do it");
    let started = |runner: &ScriptedRunner| runner.harness.state.view().active_run().expect("a run").started().count();
    while started(&runner) < 2 {
        assert!(runner.step());
    }
    let names = runner.harness.submit_as_orchestrator(recover());
    assert_eq!(names.iter().filter(|name| *name == "tool.uncertain").count(), 2);
    let open = gates(&runner);
    assert!(open.iter().all(|gate| gate.kind == GateKind::Uncertain));
    runner.harness.ok(OWNER, vote(&open[0], Choice::Approve, None));
    assert_eq!(
        (call_of_gate(&runner, &open[0]).state, call_of_gate(&runner, &open[0]).attempt),
        (CallState::Started, 2)
    );
    runner.harness.ok(OWNER, vote(&open[1], Choice::Reject, None));
    runner.finish_run(None);
    assert!(runner.result().contains("a | uncertain: "), "{}", runner.result());
    assert_eq!(runner.put.get("b"), None);
}

#[test]
fn a_result_of_an_attempt_that_is_over_is_dropped() {
    let mut runner = ScriptedRunner::new(worker(), call_twice);
    runner.begin("do it");
    while runner.harness.state.view().active_run().expect("a run").started().count() == 0 {
        assert!(runner.step());
    }
    let first = runner.harness.state.view().active_run().expect("a run").started().next().expect("one").clone();
    runner.harness.submit_as_orchestrator(recover());
    let late = Command::CallEnded { call: first.id, attempt: first.attempt, result: Ok("late".into()) };
    assert!(runner.harness.submit_as_orchestrator(late).is_empty());
}

#[test]
fn files_of_a_call_are_recorded_with_its_result() {
    let mut runner = ScriptedRunner::new(worker(), call_twice);
    runner.begin("do it");
    while runner.harness.state.view().active_run().expect("a run").started().count() == 0 {
        assert!(runner.step());
    }
    let first = runner.harness.state.view().active_run().expect("a run").started().next().expect("one").clone();
    let limits = FileLimits { versions: 2, bytes: 100 };
    let files = ["one", "two", "three"].map(|content| super::files::file("a.md", content)).into();
    let result = Ok(CallOutput { text: "made them".into(), files, limits });
    let ended = |attempt| Command::CallEnded { call: first.id, attempt, result: result.clone() };
    assert!(runner.harness.submit_as_orchestrator(ended(first.attempt + 1)).is_empty(), "of another attempt");
    let names = runner.harness.submit_as_orchestrator(ended(first.attempt));
    assert_eq!(names[..3], ["file.added", "file.added", "tool.completed"]);
    let view = runner.harness.state.view();
    let versions: Vec<_> = view.files.iter().map(|file| (file.version, file.by.name.to_string(), file.call)).collect();
    assert_eq!(versions, [(1, "W".into(), Some(first.id)), (2, "W".to_owned(), Some(first.id))]);
    let ids: Vec<FileId> = view.files.iter().map(|file| file.id).collect();
    let completed = runner.harness.log.iter().find_map(|event| match &event.fact {
        Fact::ToolCompleted { output, files, .. } => Some((output.clone(), files.clone())),
        _ => None,
    });
    let (output, made) = completed.expect("it is over");
    assert_eq!(made, ids);
    assert!(output.starts_with("made them\n[a.md was not stored: too many file versions"), "{output}");
    assert!(runner.harness.submit_as_orchestrator(ended(first.attempt)).is_empty(), "once");
}

#[test]
fn a_plan_is_confirmed_edited_or_sent_back() {
    let brain = || {
        let roles = [("P", AgentRole::Planner), ("A", AgentRole::Executor)];
        let mut runner =
            ScriptedRunner::new(Team { flow: "brain".into(), ..team(&roles) }, |_, running| match running.task {
                Task::Plan => text_response("{\"steps\":[{\"agent\":\"A\",\"action\":\"a\"}]}"),
                Task::Decide => text_response("{\"next_action\":\"continue\",\"reason\":\"ok\"}"),
                _ => text_response("done"),
            });
        runner.begin("do it");
        while runner.harness.state.view().gates.is_empty() {
            assert!(runner.step());
        }
        runner
    };
    let actions = |runner: &ScriptedRunner| -> Vec<String> {
        let plan = runner.harness.state.view().run.as_ref().and_then(|run| run.plan.clone()).expect("a plan");
        plan.items.iter().map(|step| step.action.to_string()).collect()
    };
    let mut runner = brain();
    let gate = runner.harness.gate();
    assert_eq!((gate.kind, gate.rev), (GateKind::Plan, 1));
    let items = json!({ "rev": 1, "items": [{ "agent": "A", "action": "b" }, { "agent": "A", "action": "c" }] });
    let names = runner.harness.ok(OWNER, vote(&gate, Choice::Approve, Some(items)));
    assert_eq!(names[..3], ["gate.revised", "gate.voted", "gate.decided"]);
    runner.finish_run(None);
    assert_eq!(actions(&runner), ["b", "c"]);

    let mut runner = brain();
    runner.harness.ok(OWNER, say("rather another one"));
    assert_eq!(runner.harness.writing_agents(), ["P"]);
    assert_eq!(runner.harness.phase(), Phase::Planning);
    runner.step();
    let again = runner.harness.gate();
    assert_eq!((again.kind, again.rev), (GateKind::Plan, 2));
    runner.finish_run(None);
    assert_eq!(actions(&runner), ["a"]);
}

#[test]
fn several_questions_can_be_open_and_each_validates_its_own_form() {
    let mut runner = ScriptedRunner::new(worker(), |view, running| {
        let own = running.assignment();
        match view.active_run().expect("a run").tool_rounds_of(&own).next() {
            Some(round) => {
                let outputs = round.calls.iter().filter_map(|call| call.output.as_deref());
                text_response(&outputs.collect::<Vec<_>>().join(" and "))
            }
            None => {
                let schema =
                    json!({ "type": "object", "required": ["size"], "properties": { "size": { "type": "integer" } } });
                let form = tool_call("ask_people", json!({ "question": "How large?", "schema": schema }));
                ("".into(), vec![form, tool_call("ask_people", json!({ "question": "Which colour?" }))])
            }
        }
    });
    runner.harness.enter(2, Role::Bot);
    runner.begin("do it");
    runner.step();
    let [form, free] = &gates(&runner)[..] else { panic!("two questions") };
    assert_eq!((&*form.prompt, runner.harness.phase()), ("How large?", Phase::Waiting));
    let wrong = runner.harness.submit(OWNER, Command::Answer { rev: None, gate: form.id, text: "large".into() });
    assert!(matches!(wrong, Err(Rejection::Invalid(_))));
    runner.harness.ok(OWNER, Command::Answer { rev: None, gate: form.id, text: "{\"size\": 7}".into() });
    // A bot may answer an agent's question. If only one question is open, a plain text message answers it.
    runner.harness.submit_as_orchestrator(recover());
    let _ = free;
    runner.harness.ok(2, say("blue"));
    runner.finish_run(None);
    assert!(runner.result().contains("{\\\"size\\\":7} and blue"), "{}", runner.result());
}

#[test]
fn a_text_that_looks_like_json_answers_a_text_question() {
    let mut runner = ScriptedRunner::new(worker(), |view, running| {
        match view.active_run().expect("a run").tool_rounds_of(&running.assignment()).next() {
            Some(round) => text_response(round.calls[0].output.as_deref().unwrap_or_default()),
            None => {
                let schema = json!({ "type": "string", "enum": ["1.2", "true", "blue"] });
                ("".into(), vec![tool_call("ask_people", json!({ "question": "Which?", "schema": schema }))])
            }
        }
    });
    for (answer, in_words) in [("1.2", false), ("true", true), ("blue", false), ("blue", true)] {
        runner.begin("do it");
        runner.step();
        let gate = runner.harness.gate().id;
        let text = answer.into();
        runner.harness.ok(OWNER, if in_words { say(answer) } else { Command::Answer { rev: None, gate, text } });
        runner.finish_run(None);
        assert!(runner.result().contains(&format!("Completed \"{answer}\"")), "{}", runner.result());
    }
}

#[test]
fn a_question_whose_answer_could_not_be_checked_in_time_is_not_asked() {
    let mut runner = ScriptedRunner::new(worker(), |view, running| {
        let line = |at: usize| {
            let next = json!({ "$ref": format!("#/$defs/d{}", at + 1) });
            (format!("d{at}"), json!({ "allOf": [next, next] }))
        };
        match view.active_run().expect("a run").tool_rounds_of(&running.assignment()).next() {
            Some(round) => text_response(&format!("{:?}", round.calls[0].error)),
            None => {
                let mut defs: serde_json::Map<_, _> = (0..40).map(line).collect();
                defs.insert("d40".into(), json!({ "type": "string" }));
                let schema = json!({ "$ref": "#/$defs/d0", "$defs": defs });
                ("".into(), vec![tool_call("ask_people", json!({ "question": "Which?", "schema": schema }))])
            }
        }
    });
    runner.begin("do it");
    runner.finish_run(None);
    assert!(runner.result().contains("it has more than"), "{}", runner.result());
}

#[test]
fn an_expired_question_is_reported_to_the_agent() {
    let mut runner = run_until_gates();
    assert_eq!(gates(&runner).len(), 2, "without a deadline they stay");
    runner.harness.ok(OWNER, runner.harness.cancel(None));
    assert_eq!(runner.harness.phase(), Phase::Cancelled);
    runner.harness.ok(OWNER, set(json!({ "gate_seconds": 60 })));
    runner.begin("once more");
    while runner.harness.state.view().gates.len() < 2 {
        assert!(runner.step());
    }
    runner.harness.now += 61_000;
    runner.harness.submit_as_orchestrator(Command::DeadlineReached);
    runner.finish_run(None);
    assert!(runner.result().contains("gate_expired: nobody decided in time"), "{}", runner.result());
    assert!(runner.put.is_empty());
}

#[test]
fn checks_of_tool_rules_are_recorded_in_the_log() {
    let mut runner = ScriptedRunner::new(worker(), call_twice);
    runner.begin("do it");
    runner.finish_run(None);
    let judged = runner.harness.log.iter().filter_map(|event| match &event.fact {
        Fact::ToolChecked { permission, .. } => Some(*permission),
        _ => None,
    });
    assert_eq!(judged.collect::<Vec<_>>(), [Permission::Allow; 2]);
}

#[test]
fn an_edit_cannot_raise_the_risk_of_a_call() {
    let rule = |arguments: &str, risk| call_rule::CallRule {
        tool: "put".into(),
        arguments: Some(arguments.into()),
        permission: Permission::Ask,
        risk: Some(risk),
    };
    let mut team = worker();
    team.agents[0].permissions = vec![rule("*main*", Risk::High), rule("*\"a\"*", Risk::Low)];
    let mut runner = ScriptedRunner::new(team, call_twice).ask_before_calls();
    runner.risk = Risk::Low;
    runner.harness.enter(2, Role::Reviewer);
    runner.begin("do it");
    while runner.harness.state.view().gates.len() < 2 {
        assert!(runner.step());
    }
    let [first, second] = &gates(&runner)[..] else { panic!("two gates") };
    // The rule for `a` gave the first call a lower risk than that of its tool; the second call has the risk of the
    // tool.
    for (gate, what) in [(first, "main"), (first, "c"), (second, "main")] {
        match runner.harness.submit(2, vote(gate, Choice::Approve, Some(json!({ "what": what })))) {
            Err(Rejection::Forbidden { message, .. }) => assert!(message.contains("riskier"), "{message}"),
            other => panic!("{what}: {other:?}"),
        }
    }
    runner.harness.ok(2, vote(first, Choice::Approve, Some(json!({ "what": "a", "why": "\"a\"" }))));
    runner.harness.ok(2, vote(second, Choice::Approve, Some(json!({ "what": "c" }))));
}
