//! Questions that a running call asks: each has its own gate, and the call continues with the answer.

use roundtable::kernel::call::{Call, CallState};
use roundtable::kernel::gate::{Choice, Gate, GateAction, GateKind};
use roundtable::kernel::*;
use serde_json::json;

use super::flows::team_of;
use super::harness::{recover, set};
use super::scripted_runner::{ScriptedRunner, put_once};

fn call(runner: &ScriptedRunner) -> Call {
    let run = runner.harness.state.view().run.as_ref().expect("a run");
    run.tool_rounds[0].calls[0].clone()
}

fn inquiry() -> Inquiry {
    let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"] });
    Inquiry { from: "paint".into(), message: "Which colour?".into(), schema, link: None }
}

fn open_inquiry(runner: &mut ScriptedRunner) -> Vec<String> {
    let Call { id, attempt, .. } = call(runner);
    runner.harness.submit_as_orchestrator(Command::OpenInquiry { call: id, attempt, inquiry: inquiry() })
}

/// Returns a runner in which a running call has asked a question, and the gate of the question.
fn run_until_question() -> (ScriptedRunner, Gate) {
    run_until_question_within(None)
}

/// Does the same as [`run_until_question`], with this many seconds to answer.
fn run_until_question_within(gate_seconds: Option<u64>) -> (ScriptedRunner, Gate) {
    let mut runner = run_until_call_within(gate_seconds);
    assert_eq!(open_inquiry(&mut runner), ["gate.opened", "run.state_changed"]);
    let gate = runner.harness.gate();
    (runner, gate)
}

/// Returns a runner with a running call.
fn run_until_call() -> ScriptedRunner {
    run_until_call_within(None)
}

fn run_until_call_within(gate_seconds: Option<u64>) -> ScriptedRunner {
    let mut runner = ScriptedRunner::new(team_of("react", &[("W", AgentRole::Worker)]), |view, running| {
        put_once(view.active_run().expect("a run"), running, "a")
    });
    runner.harness.ok(1, set(json!({ "gate_seconds": gate_seconds })));
    runner.begin("do it");
    while runner.harness.state.view().run.as_ref().is_none_or(|run| run.started().next().is_none()) {
        assert!(runner.step());
    }
    runner
}

/// Returns the reply to the call in the newest event that ends a gate.
fn last_reply(runner: &ScriptedRunner) -> Option<InquiryReply> {
    let event = runner.harness.log.iter().rev().find(|event| {
        matches!(event.fact, Fact::GateDecided { .. } | Fact::GateExpired { .. } | Fact::GateClosed { .. })
    })?;
    effects(&runner.harness.state, event).into_iter().find_map(|effect| match effect {
        Effect::DeliverReply { reply, .. } => Some(reply),
        _ => None,
    })
}

fn end_call(runner: &mut ScriptedRunner) -> Vec<String> {
    let Call { id, attempt, .. } = call(runner);
    runner.harness.submit_as_orchestrator(Command::CallEnded { call: id, attempt, result: Ok("painted".into()) })
}

#[test]
fn a_call_continues_with_the_answer_of_people() {
    let (mut runner, gate) = run_until_question();
    assert_eq!((gate.kind, call(&runner).state), (GateKind::Question, CallState::Started));
    assert_eq!(gate.allow, [GateAction::Respond, GateAction::Reject]);
    let context = gate.context.expect("says who asks");
    assert!(context.contains("paint") && context.contains("put"), "{context}");
    assert!(context.contains("models read it too") && context.contains("do not enter passwords"), "{context}");
    let origin = gate.origin.expect("says which server asks");
    assert_eq!((&*origin.server, origin.link), ("paint", None));
    assert_eq!(runner.harness.phase(), Phase::Waiting);
    let wrong = Command::Answer { rev: None, gate: gate.id, text: "{\"colour\": 3}".into() };
    assert!(matches!(runner.harness.submit(1, wrong), Err(Rejection::Invalid(_))));
    runner.harness.ok(1, Command::Answer { rev: None, gate: gate.id, text: "{\"colour\": \"blue\"}".into() });
    assert_eq!(last_reply(&runner), Some(InquiryReply::Accepted(json!({ "colour": "blue" }))));
    assert_eq!((call(&runner).state, runner.harness.phase()), (CallState::Started, Phase::Executing));
    // The call may ask again.
    assert_eq!(open_inquiry(&mut runner), ["gate.opened", "run.state_changed"]);
    let again = Command::Answer { rev: None, gate: runner.harness.gate().id, text: "{\"colour\": \"red\"}".into() };
    runner.harness.ok(1, again);
    assert_eq!(end_call(&mut runner)[0], "tool.completed");
}

#[test]
fn an_inquiry_with_a_page_shows_its_address_and_needs_no_content() {
    let mut runner = run_until_call();
    let page: std::sync::Arc<str> = "https://paint.example.org/connect".into();
    let schema = json!({ "type": "object", "properties": {} });
    let inquiry = Inquiry { schema, link: Some(page.clone()), ..inquiry() };
    let Call { id, attempt, .. } = call(&runner);
    runner.harness.submit_as_orchestrator(Command::OpenInquiry { call: id, attempt, inquiry });
    let gate = runner.harness.gate();
    assert_eq!(gate.origin.and_then(|origin| origin.link), Some(page));
    runner.harness.ok(1, Command::Answer { rev: None, gate: gate.id, text: "{}".into() });
    assert_eq!(last_reply(&runner), Some(InquiryReply::Accepted(json!({}))));
}

#[test]
fn people_can_decline_an_inquiry_or_miss_its_deadline() {
    let (mut runner, gate) = run_until_question();
    let no = Command::Vote { gate: gate.id, rev: 1, choice: Choice::Reject, comment: None, edit: None, standing: None };
    runner.harness.ok(1, no);
    assert_eq!((last_reply(&runner), call(&runner).state), (Some(InquiryReply::Declined), CallState::Started));

    let (mut runner, _) = run_until_question_within(Some(1));
    runner.harness.now += 1_000;
    runner.harness.submit_as_orchestrator(Command::DeadlineReached);
    assert_eq!((last_reply(&runner), call(&runner).state), (Some(InquiryReply::Cancelled), CallState::Started));
}

#[test]
fn an_inquiry_ends_with_its_call_or_without_a_waiter() {
    let (mut runner, _) = run_until_question();
    assert_eq!(end_call(&mut runner)[..2], ["gate.closed", "tool.completed"]);
    assert_eq!(last_reply(&runner), None);

    let (mut runner, _) = run_until_question();
    let Call { id, attempt, .. } = call(&runner);
    assert_eq!(runner.harness.submit_as_orchestrator(Command::WithdrawInquiry { call: id, attempt })[0], "gate.closed");
    assert_eq!(last_reply(&runner), Some(InquiryReply::Cancelled));
    assert!(runner.harness.submit_as_orchestrator(Command::WithdrawInquiry { call: id, attempt }).is_empty());

    let (mut runner, _) = run_until_question();
    runner.harness.ok(1, runner.harness.cancel(None));
    runner.finish_run(None);
    assert!(runner.harness.state.view().gates.is_empty());
    assert_eq!(last_reply(&runner), None);
}

#[test]
fn inquiries_of_a_lost_call_are_withdrawn() {
    let (mut runner, question) = run_until_question();
    runner.harness.submit_as_orchestrator(recover());
    let gates = &runner.harness.state.view().gates;
    assert_eq!(gates.iter().map(|gate| gate.kind).collect::<Vec<_>>(), [GateKind::Uncertain]);
    let late = Command::Answer { rev: None, gate: question.id, text: "{\"colour\": \"blue\"}".into() };
    assert!(matches!(runner.harness.submit(1, late), Err(Rejection::GateClosed(_))));
    // Questions of an attempt that has ended are dropped.
    assert!(open_inquiry(&mut runner).is_empty());
    runner.finish_run(None);
    assert_eq!(runner.put.values().sum::<u32>(), 1);
}

#[test]
fn a_call_has_one_inquiry_at_a_time() {
    let (mut runner, _) = run_until_question();
    assert!(open_inquiry(&mut runner).is_empty());
}
