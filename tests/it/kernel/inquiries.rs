//! Questions of a running call: each has its own gate, and the call continues with the answer.

use roundtable::kernel::call::{Call, CallState};
use roundtable::kernel::gate::{Choice, Gate, GateAction, GateKind};
use roundtable::kernel::*;
use serde_json::json;

use super::flows::team_of;
use super::harness::set;
use super::play::{Play, puts};

fn call(play: &Play) -> Call {
    let run = play.stage.state.view().run.as_ref().expect("a run");
    run.tool_rounds[0].calls[0].clone()
}

fn inquiry() -> Inquiry {
    let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"] });
    Inquiry { from: "paint".into(), message: "Which colour?".into(), schema, link: None }
}

fn ask(play: &mut Play) -> Vec<String> {
    let Call { id, attempt, .. } = call(play);
    play.stage.shell(Command::OpenInquiry { call: id, attempt, inquiry: inquiry() })
}

/// A play in which a running call has asked a question.
fn asked() -> (Play, Gate) {
    asked_within(None)
}

/// The same, with this many seconds to answer.
fn asked_within(gate_seconds: Option<u64>) -> (Play, Gate) {
    let mut play = begun_within(gate_seconds);
    assert_eq!(ask(&mut play), ["gate.opened", "run.state_changed"]);
    let gate = play.stage.gate();
    (play, gate)
}

/// A play with a running call.
fn begun() -> Play {
    begun_within(None)
}

fn begun_within(gate_seconds: Option<u64>) -> Play {
    let mut play = Play::new(team_of("react", &[("W", AgentRole::Worker)]), |view, item| {
        puts(view.active_run().expect("a run"), item, "a")
    });
    play.stage.ok(1, set(json!({ "gate_seconds": gate_seconds })));
    play.begin("do it");
    while play.stage.state.view().run.as_ref().is_none_or(|run| run.started().next().is_none()) {
        assert!(play.step());
    }
    play
}

/// Returns the reply to the call in the newest event that ends a gate.
fn told(play: &Play) -> Option<InquiryReply> {
    let event = play.stage.log.iter().rev().find(|event| {
        matches!(event.fact, Fact::GateDecided { .. } | Fact::GateExpired { .. } | Fact::GateClosed { .. })
    })?;
    effects(&play.stage.state, event).into_iter().find_map(|effect| match effect {
        Effect::DeliverReply { reply, .. } => Some(reply),
        _ => None,
    })
}

fn end(play: &mut Play) -> Vec<String> {
    let Call { id, attempt, .. } = call(play);
    play.stage.shell(Command::CallEnded { call: id, attempt, result: Ok("painted".into()) })
}

#[test]
fn a_call_goes_on_with_what_people_say_and_is_not_over_by_it() {
    let (mut play, gate) = asked();
    assert_eq!((gate.kind, call(&play).state), (GateKind::Question, CallState::Started));
    assert_eq!(gate.allow, [GateAction::Respond, GateAction::Reject]);
    let context = gate.context.expect("says who asks");
    assert!(context.contains("paint") && context.contains("put"), "{context}");
    assert!(context.contains("models read it too") && context.contains("do not enter passwords"), "{context}");
    let origin = gate.origin.expect("says which server asks");
    assert_eq!((&*origin.server, origin.link), ("paint", None));
    assert_eq!(play.stage.phase(), Phase::Waiting);
    let wrong = Command::Answer { rev: None, gate: gate.id, text: "{\"colour\": 3}".into() };
    assert!(matches!(play.stage.does(1, wrong), Err(Rejection::Invalid(_))));
    play.stage.ok(1, Command::Answer { rev: None, gate: gate.id, text: "{\"colour\": \"blue\"}".into() });
    assert_eq!(told(&play), Some(InquiryReply::Accepted(json!({ "colour": "blue" }))));
    assert_eq!((call(&play).state, play.stage.phase()), (CallState::Started, Phase::Executing));
    // The call may ask again.
    assert_eq!(ask(&mut play), ["gate.opened", "run.state_changed"]);
    let again = Command::Answer { rev: None, gate: play.stage.gate().id, text: "{\"colour\": \"red\"}".into() };
    play.stage.ok(1, again);
    assert_eq!(end(&mut play)[0], "tool.completed");
}

#[test]
fn a_page_to_open_is_told_with_its_address_and_answered_with_nothing() {
    let mut play = begun();
    let page: std::sync::Arc<str> = "https://paint.example.org/connect".into();
    let schema = json!({ "type": "object", "properties": {} });
    let inquiry = Inquiry { schema, link: Some(page.clone()), ..inquiry() };
    let Call { id, attempt, .. } = call(&play);
    play.stage.shell(Command::OpenInquiry { call: id, attempt, inquiry });
    let gate = play.stage.gate();
    assert_eq!(gate.origin.and_then(|origin| origin.link), Some(page));
    play.stage.ok(1, Command::Answer { rev: None, gate: gate.id, text: "{}".into() });
    assert_eq!(told(&play), Some(InquiryReply::Accepted(json!({}))));
}

#[test]
fn people_may_keep_it_to_themselves_or_be_too_late() {
    let (mut play, gate) = asked();
    let no = Command::Vote { gate: gate.id, rev: 1, choice: Choice::Reject, comment: None, edit: None, standing: None };
    play.stage.ok(1, no);
    assert_eq!((told(&play), call(&play).state), (Some(InquiryReply::Declined), CallState::Started));

    let (mut play, _) = asked_within(Some(1));
    play.stage.now += 1_000;
    play.stage.shell(Command::DeadlineReached);
    assert_eq!((told(&play), call(&play).state), (Some(InquiryReply::Cancelled), CallState::Started));
}

#[test]
fn a_question_ends_with_its_call_or_when_nobody_waits_for_an_answer() {
    let (mut play, _) = asked();
    assert_eq!(end(&mut play)[..2], ["gate.closed", "tool.completed"]);
    assert_eq!(told(&play), None);

    let (mut play, _) = asked();
    let Call { id, attempt, .. } = call(&play);
    assert_eq!(play.stage.shell(Command::WithdrawInquiry { call: id, attempt })[0], "gate.closed");
    assert_eq!(told(&play), Some(InquiryReply::Cancelled));
    assert!(play.stage.shell(Command::WithdrawInquiry { call: id, attempt }).is_empty());

    let (mut play, _) = asked();
    play.stage.ok(1, play.stage.cancel(None));
    play.finish_run(None);
    assert!(play.stage.state.view().gates.is_empty());
    assert_eq!(told(&play), None);
}

#[test]
fn questions_of_a_lost_call_are_withdrawn() {
    let (mut play, question) = asked();
    play.stage.shell(Command::Recover);
    let gates = &play.stage.state.view().gates;
    assert_eq!(gates.iter().map(|gate| gate.kind).collect::<Vec<_>>(), [GateKind::Uncertain]);
    let late = Command::Answer { rev: None, gate: question.id, text: "{\"colour\": \"blue\"}".into() };
    assert!(matches!(play.stage.does(1, late), Err(Rejection::GateClosed(_))));
    // Questions of an attempt that has ended are dropped.
    assert!(ask(&mut play).is_empty());
    play.finish_run(None);
    assert_eq!(play.put.values().sum::<u32>(), 1);
}

#[test]
fn a_call_has_one_question_at_a_time() {
    let (mut play, _) = asked();
    assert!(ask(&mut play).is_empty());
}
