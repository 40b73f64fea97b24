//! Data that a program sends with the message of a run.

use std::sync::Arc;

use roundtable::kernel::*;
use serde_json::{Map, Value, json};

use super::harness::*;
use super::redaction::rewrite;

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

pub(super) fn start_with(context: Value, output_schema: Option<Value>) -> Command {
    let request = MessageRequest::of(object(context), output_schema, None);
    Command::Start { flow: None, input: "write".into(), files: vec![], earlier: vec![], request }
}

/// Returns a command that starts a run with a context, and with or without a schema for its output.
pub(super) fn start(structured: bool) -> Command {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
    start_with(json!({ "region": "eu" }), structured.then_some(schema))
}

fn request(harness: &KernelHarness) -> [Option<Arc<MessageRequest>>; 2] {
    let view = harness.state.view();
    let run = view.run.as_ref().expect("a run");
    [run.request.clone(), view.message(run.input).and_then(|input| input.request.clone())]
}

#[test]
fn a_run_gets_the_data_of_its_message() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, start(true));
    let [of_run, of_message] = request(&harness);
    let sent = of_run.clone().expect("is there");
    assert_eq!((of_run, &sent.context["region"]), (of_message, &json!("eu")));
    assert_eq!(sent.output_schema.as_ref().map(|schema| &schema["required"]), Some(&json!(["n"])));
    let posted = harness.log.iter().find(|event| matches!(event.fact, Fact::MessagePosted { .. })).expect("is posted");
    let wire = serde_json::to_value(posted).expect("JSON");
    assert_eq!(wire["data"]["request"]["context"], json!({ "region": "eu" }));
    assert_eq!(serde_json::from_value::<Event>(wire).expect("an event"), *posted);
}

#[test]
fn a_message_without_data_has_no_request() {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, start_with(json!({}), None));
    assert_eq!(request(&harness), [None, None]);
    assert!(harness.log.iter().all(|event| !serde_json::to_string(event).expect("JSON").contains("request")));
}

#[test]
fn data_beyond_a_limit_is_refused_with_the_limit() {
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }));
    let context = MessageRequest::CONTEXT;
    let long = json!({ "a": "x".repeat(context.max_bytes) });
    let cases = [
        (start_with(deep(context.max_depth + 1), None), "context: the value is nested more than 16 levels deep"),
        (start_with(long, None), "context: the value has 65544 bytes of JSON; at most 65536 are accepted"),
        (start_with(json!({ "a": "\0" }), None), "context: a string or a name in the value contains a NUL character"),
    ];
    let mut harness = KernelHarness::new();
    for (command, wanted) in cases {
        let Err(Rejection::Invalid(error)) = harness.submit(OWNER, command) else { panic!("{wanted}") };
        assert!(error.starts_with(wanted), "{error}");
    }
    harness.ok(OWNER, start_with(deep(context.max_depth), None));
}

#[test]
fn data_is_redacted_with_its_message() {
    for target in [
        None,
        Some(RedactionTarget::Session),
        Some(RedactionTarget::Participant { participant: id(OWNER), content: true }),
    ] {
        let mut harness = KernelHarness::new();
        harness.ok(OWNER, start_with(json!({ "key": "hunter2" }), None));
        let input = harness.state.view().run.as_ref().expect("a run").input;
        let control = harness.cancel(None);
        harness.ok(OWNER, control);
        let control = harness.control();
        harness.submit_as_orchestrator(Command::Acknowledge { control });
        harness.submit_as_orchestrator(Command::Stopped { control, left: vec![] });
        let target = target.unwrap_or(RedactionTarget::Message(input));
        harness.ok(OWNER, Command::Redact { target, reason: None });
        assert_eq!(request(&harness), [None, None], "{target:?}: at once");
        rewrite(&mut harness);
        assert_eq!(request(&harness), [None, None], "{target:?}: and when the log is read again");
        assert!(harness.log.iter().all(|event| !serde_json::to_string(event).expect("JSON").contains("hunter2")));
    }
}
