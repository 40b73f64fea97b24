//! The title of an unnamed session: requested with the session's first message, set by the server, and never replacing
//! a title that a person set.

use roundtable::kernel::*;

use super::harness::*;
use super::redaction::{remaining_places, rewrite};

/// Starts a run in a session that is named after its team. Returns the session, and the run and the message of the
/// title request.
fn start_run(text: &str) -> (KernelHarness, RunId, MessageId) {
    let mut harness = KernelHarness::new();
    harness.ok(OWNER, say(text));
    let (run, message) = title_request(&harness).expect("a title is asked for");
    (harness, run, message)
}

fn title_request(harness: &KernelHarness) -> Option<(RunId, MessageId)> {
    let run_started = harness.log.iter().rfind(|event| matches!(event.fact, Fact::RunStarted { .. }))?;
    effects(&harness.state, run_started).into_iter().find_map(|effect| match effect {
        Effect::Title { run, message } => Some((run, message)),
        _ => None,
    })
}

fn finish_title(harness: &mut KernelHarness, run: RunId, message: MessageId, title: Option<&str>) -> Vec<String> {
    let cost = Usage { model: "m/m".into(), input_tokens: 30, output_tokens: 6, estimated: false, cost_micros: 2 };
    let usage = title.is_some().then_some(cost);
    let command = Command::TitleMade { run, message, title: title.map(Into::into), usage };
    let (at, by) = (Timestamp::from_millis(harness.now), CommandSender::Orchestrator { cause: Some(run.0) });
    harness.decide(&Envelope { at, by, command }).expect("the shell is never refused")
}

/// Ends the run and erases its first message.
fn erase(harness: &mut KernelHarness, run: RunId, message: MessageId) {
    harness.ok(OWNER, Command::Cancel { run, reason: None });
    harness.stop("");
    harness.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    rewrite(harness);
}

#[test]
fn the_first_message_of_an_unnamed_session_requests_a_title() {
    let (mut harness, run, message) = start_run("Please write test cases for refunds");
    assert_eq!(finish_title(&mut harness, run, message, Some("Refund tests")), ["usage.recorded", "session.updated"]);
    let view = harness.state.view();
    assert_eq!(&*view.title, "Refund tests");
    let updated = harness.log.last().expect("events");
    assert_eq!(updated.by, Actor::system());
    let cost = view.usage_by_agent.iter().find(|totals| &*totals.of == "session.title").expect("counted");
    assert_eq!((cost.turns, cost.input_tokens, cost.output_tokens, cost.cost_micros), (1, 30, 6, 2));
    assert_eq!(title_request(&harness), None, "it has a title now");
}

#[test]
fn a_session_that_somebody_named_keeps_its_title() {
    let set = |title: &str| Command::Set { title: Some(title.into()), settings: None };
    let (mut harness, run, message) = start_run("Write test cases");
    harness.ok(OWNER, set("Ours"));
    // The cost of the discarded title still counts.
    assert_eq!(finish_title(&mut harness, run, message, Some("Theirs")), ["usage.recorded"]);
    assert_eq!(&*harness.state.view().title, "Ours");
    let mut named = KernelHarness::new();
    named.ok(OWNER, set("Ours"));
    named.ok(OWNER, say("Write test cases"));
    assert_eq!(title_request(&named), None);
    // The same applies to a title that equals the one that the server would give.
    let mut named = KernelHarness::new();
    let title = named.state.view().team.title.to_string();
    named.ok(OWNER, set("Ours"));
    named.ok(OWNER, set(&title));
    named.ok(OWNER, say("Write test cases"));
    assert_eq!((title_request(&named), named.state.view().title.to_string()), (None, title));
}

#[test]
fn without_a_model_the_title_is_the_start_of_the_message() {
    let (mut harness, run, message) = start_run("Write test cases\nfor refunds");
    assert_eq!(finish_title(&mut harness, run, message, None), ["session.updated"]);
    assert_eq!(&*harness.state.view().title, "Write test cases");
    assert!(finish_title(&mut harness, run, message, None).is_empty());
}

#[test]
fn a_generated_title_is_redacted_with_its_message() {
    let (mut harness, run, message) = start_run("The password is xyzzy");
    finish_title(&mut harness, run, message, Some("About xyzzy"));
    erase(&mut harness, run, message);
    assert_eq!(remaining_places(&harness, "xyzzy"), [""; 0]);

    // A title that arrives late is discarded.
    let (mut harness, run, message) = start_run("The password is xyzzy");
    erase(&mut harness, run, message);
    assert_eq!(finish_title(&mut harness, run, message, Some("About xyzzy")), ["usage.recorded"]);
    assert_eq!(remaining_places(&harness, "xyzzy"), [""; 0]);
}
