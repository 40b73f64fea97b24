//! Conversations that took place elsewhere, passed on with the command that starts a run.

use std::sync::Arc;

use roundtable::kernel::{Command, FileId, PriorMessage, Rejection, RelayRole};

use super::files::add;
use super::harness::KernelHarness;

fn start(earlier: Vec<PriorMessage>) -> Command {
    Command::Start { flow: None, input: "go on".into(), files: vec![], earlier, request: None }
}

fn prior_message(role: RelayRole, text: &str) -> PriorMessage {
    PriorMessage { role, text: text.into(), files: vec![] }
}

#[test]
fn a_run_gets_relayed_messages_before_its_own_message() {
    let mut harness = KernelHarness::new();
    harness.ok(1, start(vec![prior_message(RelayRole::User, "hello"), prior_message(RelayRole::Assistant, "approve")]));
    let posted: Vec<_> = harness
        .state
        .view()
        .messages
        .iter()
        .map(|posted_message| (posted_message.relays, &*posted_message.text))
        .collect();
    assert_eq!(posted, [(Some(RelayRole::User), "hello"), (Some(RelayRole::Assistant), "approve"), (None, "go on")]);
    let view = harness.state.view();
    let run = view.active_run().expect("it has begun");
    assert_eq!(view.message(run.input).map(|input| &*input.text), Some("go on"));
    assert_eq!(run.messages, 1, "what was said elsewhere counts for no bound of the run");
    let read: Vec<_> =
        view.model_messages.iter().map(|message| (message.run, message.relays, message.by.kind)).collect();
    let by = view.message(run.input).map(|input| input.by.kind).expect("is there");
    let run = Some(run.id);
    assert_eq!(read, [(run, Some(RelayRole::User), by), (run, Some(RelayRole::Assistant), by), (run, None, by)]);
}

#[test]
fn relayed_messages_refer_only_to_files_of_the_session() {
    let mut harness = KernelHarness::new();
    let unknown = PriorMessage { files: vec![FileId(7)], ..prior_message(RelayRole::User, "") };
    assert_eq!(harness.submit(1, start(vec![unknown])).err(), Some(Rejection::UnknownFile(FileId(7))));
    harness.ok(1, add("cat.png", "cat"));
    let cat = harness.state.view().files[0].id;
    let prior = PriorMessage { files: vec![cat], ..prior_message(RelayRole::User, "") };
    harness.ok(1, start(vec![prior]));
    assert_eq!(
        harness.state.view().model_messages.iter().map(|message| message.files.len()).collect::<Vec<_>>(),
        [1, 0]
    );
}

#[test]
fn a_rejected_relay_records_nothing() {
    let mut harness = KernelHarness::new();
    let many = vec![prior_message(RelayRole::User, "again"); PriorMessage::MAX + 1];
    for earlier in [many, vec![prior_message(RelayRole::User, "hello"), prior_message(RelayRole::Tool, " ")]] {
        let before = harness.state.seq();
        assert!(matches!(harness.submit(1, start(earlier)), Err(Rejection::Invalid(_))));
        assert_eq!(harness.state.seq(), before);
    }
    harness.ok(1, start(vec![prior_message(RelayRole::User, "hello"); PriorMessage::MAX]));
    let input: Option<Arc<str>> = harness
        .state
        .view()
        .active_run()
        .and_then(|run| harness.state.view().message(run.input).map(|input| input.text.clone()));
    assert_eq!(input.as_deref(), Some("go on"));
}
