//! Tests of the lines of a run.

use super::*;
use crate::doors::auto_agent::request::AgentType;
use crate::doors::projection::frames::{self, delta, event};
use crate::kernel::Language;

fn request() -> AutoAgentContext {
    let from = StreamStart { session: frames::session(), seq: 0 };
    AutoAgentContext { id: "r-1".into(), agent_type: Some(AgentType(5)), language: Language::En, from }
}

fn asked() -> AskedRequest {
    AskedRequest::new(crate::kernel::ParticipantId(uuid::Uuid::from_u128(7)), 0, None, 0)
}

fn project(streams: bool, frames: &[Value]) -> Vec<AutoAgentLine> {
    frames::lines(&mut AutoAgentProjection::new(request(), streams, Duration::from_secs(10), asked()), frames)
}

/// Returns the lines for these frames: type, text, and whether the text is complete.
fn lines(streams: bool, frames: &[Value]) -> Vec<(String, String, bool)> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let whole = |AutoAgentLine { json, .. }: AutoAgentLine| {
        (text(&json["messageType"]), text(&json["content"]), json["isFinal"] == true)
    };
    project(streams, frames).into_iter().map(whole).collect()
}

fn message(seq: u64, name: &str, attempt: u32, more: Value) -> Value {
    let mut data = json!({ "message": "m_3", "run": "r_1", "step": "p_2", "agent": "A", "attempt": attempt });
    for (field, value) in more.as_object().into_iter().flatten() {
        data[field] = value.clone();
    }
    event(seq, name, data)
}

fn all_frames() -> Vec<Value> {
    vec![
        frames::run_started("react"),
        message(3, "message.started", 1, json!({})),
        delta(1, 0, "ha"),
        message(4, "message.started", 2, json!({})),
        delta(1, 2, "lf"),
        delta(2, 0, "look"),
        delta(2, 0, "look"),
        delta(2, 9, "lost before it"),
        message(5, "message.completed", 2, json!({ "text": "look it up", "calls": 1 })),
    ]
}

#[test]
fn pieces_are_said_once_and_the_whole_replaces_them() {
    let output = |kind: &str, text: &str, whole| (kind.to_owned(), text.to_owned(), whole);
    let thought = output("tool_thought", "look it up", true);
    let pieces = [output("agent_stream", "ha", false), output("agent_stream", "look", false), thought.clone()];
    assert_eq!(lines(true, &all_frames()), pieces);
    assert_eq!(lines(false, &all_frames()), [thought]);
}

#[test]
fn an_answer_that_was_cut_says_so_beside_its_text() {
    let finished = json!({ "run": "r_1", "final_message": "m_3", "reason": "completed" });
    let frames = [
        frames::run_started("react"),
        message(3, "message.started", 1, json!({})),
        message(4, "message.completed", 1, json!({ "text": "half", "truncated": true })),
        event(5, "run.finished", finished),
    ];
    let lines = project(false, &frames);
    let text = "the response was cut at the model's token limit";
    let shown: Vec<_> =
        lines.iter().map(|AutoAgentLine { json, .. }| (&json["messageType"], &json["errorMsg"])).collect();
    assert_eq!(shown, [(&json!("agent_stream"), &json!(text)), (&json!("result"), &json!(text))]);
    assert_eq!(lines[1].json["content"]["taskSummary"], "half");
}

#[test]
fn a_question_of_a_server_says_who_asks_and_who_reads_the_answer() {
    let question = event(5, "gate.opened", frames::question_of("maps", "Which region?"));
    let all = lines(true, &[frames::run_started("react"), question]);
    let (_, text, _) = all.last().expect("the question");
    assert!(text.starts_with("The server maps asks.") && text.contains("models"), "{text}");
    assert!(text.ends_with("\n\nWhich region?"), "{text}");
}

#[test]
fn a_step_that_is_taken_up_again_is_told_once() {
    let plan = json!({ "items": [{ "action": "a<sep>b" }, { "action": "c" }] });
    let changed =
        |seq, state: &str| event(seq, "plan.item_changed", json!({ "run": "r_1", "number": 1, "state": state }));
    let mut all = vec![frames::run_started("react"), event(2, "plan.proposed", json!({ "run": "r_1", "plan": plan }))];
    all.extend([changed(3, "in_progress"), changed(4, "in_progress"), changed(5, "completed")]);
    let tasks = |frames: &[Value]| -> Vec<String> {
        lines(true, frames).into_iter().filter(|(kind, ..)| kind == "task").map(|(_, text, _)| text).collect()
    };
    assert_eq!(tasks(&all), ["a", "b"]);
    // The step is repeated.
    all.push(changed(6, "in_progress"));
    assert_eq!(tasks(&all), ["a", "b", "a", "b"]);
}

#[test]
fn a_run_that_cannot_go_on_says_why() {
    let error = json!({ "code": "model_unauthorized", "message": "the provider refuses the key" });
    let mut answer = AutoAgentProjection::new(request(), true, Duration::from_secs(10), asked());
    let failed = event(2, "run.failed", json!({ "run": "r_1", "error": error }));
    let lines = frames::lines(&mut answer, &[frames::run_started("react"), failed]);
    assert_eq!((&lines[0].json["status"], &lines[0].json["finished"]), (&json!("failed"), &json!(true)));
    assert_eq!(lines[0].json["errorMsg"], "the provider refuses the key");
    assert!(answer.is_over());
}
