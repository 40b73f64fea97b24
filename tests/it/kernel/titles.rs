//! The title of an unnamed session: requested with its first message, set by the server, and never over a title that a
//! person set.

use roundtable::kernel::*;

use super::harness::*;
use super::redaction::{leftovers, rewrite};

/// A session named after its team, with a run in progress, and the title request to the shell.
fn begun(words: &str) -> (KernelHarness, RunId, MessageId) {
    let mut stage = KernelHarness::new();
    stage.ok(OWNER, say(words));
    let (run, message) = wish(&stage).expect("a title is asked for");
    (stage, run, message)
}

fn wish(stage: &KernelHarness) -> Option<(RunId, MessageId)> {
    let begun = stage.log.iter().rfind(|event| matches!(event.fact, Fact::RunStarted { .. }))?;
    effects(&stage.state, begun).into_iter().find_map(|effect| match effect {
        Effect::Title { run, message } => Some((run, message)),
        _ => None,
    })
}

fn made(stage: &mut KernelHarness, run: RunId, message: MessageId, title: Option<&str>) -> Vec<String> {
    let cost = Usage { model: "m/m".into(), input_tokens: 30, output_tokens: 6, estimated: false, cost_micros: 2 };
    let usage = title.is_some().then_some(cost);
    let command = Command::TitleMade { run, message, title: title.map(Into::into), usage };
    let (at, by) = (Timestamp::from_millis(stage.now), CommandSender::Orchestrator { cause: Some(run.0) });
    stage.decide(&Envelope { at, by, command }).expect("the shell is never refused")
}

/// Ends the run and erases its first message.
fn erase(stage: &mut KernelHarness, run: RunId, message: MessageId) {
    stage.ok(OWNER, Command::Cancel { run, reason: None });
    stage.stop("");
    stage.ok(OWNER, Command::Redact { target: RedactionTarget::Message(message), reason: None });
    rewrite(stage);
}

#[test]
fn the_first_words_of_an_unnamed_session_ask_for_a_title() {
    let (mut stage, run, message) = begun("Please write test cases for refunds");
    assert_eq!(made(&mut stage, run, message, Some("Refund tests")), ["usage.recorded", "session.updated"]);
    let view = stage.state.view();
    assert_eq!(&*view.title, "Refund tests");
    let updated = stage.log.last().expect("events");
    assert_eq!(updated.by, Actor::system());
    let cost = view.usage_by_agent.iter().find(|totals| &*totals.of == "session.title").expect("counted");
    assert_eq!((cost.turns, cost.input_tokens, cost.output_tokens, cost.cost_micros), (1, 30, 6, 2));
    assert_eq!(wish(&stage), None, "it has a title now");
}

#[test]
fn a_session_that_somebody_named_keeps_its_title() {
    let set = |title: &str| Command::Set { title: Some(title.into()), settings: None };
    let (mut stage, run, message) = begun("Write test cases");
    stage.ok(OWNER, set("Ours"));
    // Its cost still counts.
    assert_eq!(made(&mut stage, run, message, Some("Theirs")), ["usage.recorded"]);
    assert_eq!(&*stage.state.view().title, "Ours");
    let mut named = KernelHarness::new();
    named.ok(OWNER, set("Ours"));
    named.ok(OWNER, say("Write test cases"));
    assert_eq!(wish(&named), None);
}

#[test]
fn without_a_model_the_title_is_the_beginning_of_the_words() {
    let (mut stage, run, message) = begun("Write test cases\nfor refunds");
    assert_eq!(made(&mut stage, run, message, None), ["session.updated"]);
    assert_eq!(&*stage.state.view().title, "Write test cases");
    assert!(made(&mut stage, run, message, None).is_empty());
}

#[test]
fn a_title_that_was_thought_of_for_words_that_go_goes_with_them() {
    let (mut stage, run, message) = begun("The password is xyzzy");
    made(&mut stage, run, message, Some("About xyzzy"));
    erase(&mut stage, run, message);
    assert_eq!(leftovers(&stage, "xyzzy"), [""; 0]);

    // A title that arrives late is discarded.
    let (mut stage, run, message) = begun("The password is xyzzy");
    erase(&mut stage, run, message);
    assert_eq!(made(&mut stage, run, message, Some("About xyzzy")), ["usage.recorded"]);
    assert_eq!(leftovers(&stage, "xyzzy"), [""; 0]);
}
