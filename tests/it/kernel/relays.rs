//! Conversations that took place elsewhere, passed on with the command that begins a run.

use std::sync::Arc;

use roundtable::kernel::{Command, FileId, PriorMessage, Rejection, RelayRole};

use super::files::add;
use super::harness::KernelHarness;

fn start(earlier: Vec<PriorMessage>) -> Command {
    Command::Start { flow: None, input: "go on".into(), files: vec![], earlier, request: None }
}

fn earlier(role: RelayRole, text: &str) -> PriorMessage {
    PriorMessage { role, text: text.into(), files: vec![] }
}

#[test]
fn a_run_knows_what_was_said_elsewhere_and_begins_with_its_own_words() {
    let mut stage = KernelHarness::new();
    stage.ok(1, start(vec![earlier(RelayRole::User, "hello"), earlier(RelayRole::Assistant, "approve")]));
    let posted: Vec<_> = stage.state.view().messages.iter().map(|said| (said.relays, &*said.text)).collect();
    assert_eq!(posted, [(Some(RelayRole::User), "hello"), (Some(RelayRole::Assistant), "approve"), (None, "go on")]);
    let view = stage.state.view();
    let run = view.active_run().expect("it has begun");
    assert_eq!(view.message(run.input).map(|input| &*input.text), Some("go on"));
    assert_eq!(run.messages, 1, "what was said elsewhere counts for no bound of the run");
    let heard: Vec<_> = view.heard.iter().map(|message| (message.run, message.relays, message.by.kind)).collect();
    let by = view.message(run.input).map(|input| input.by.kind).expect("is there");
    let run = Some(run.id);
    assert_eq!(heard, [(run, Some(RelayRole::User), by), (run, Some(RelayRole::Assistant), by), (run, None, by)]);
}

#[test]
fn relayed_messages_refer_only_to_files_of_the_session() {
    let mut stage = KernelHarness::new();
    let unknown = PriorMessage { files: vec![FileId(7)], ..earlier(RelayRole::User, "") };
    assert_eq!(stage.does(1, start(vec![unknown])).err(), Some(Rejection::UnknownFile(FileId(7))));
    stage.ok(1, add("cat.png", "cat"));
    let cat = stage.state.view().files[0].id;
    let shown = PriorMessage { files: vec![cat], ..earlier(RelayRole::User, "") };
    stage.ok(1, start(vec![shown]));
    assert_eq!(stage.state.view().heard.iter().map(|said| said.files.len()).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_rejected_relay_records_nothing() {
    let mut stage = KernelHarness::new();
    let many = vec![earlier(RelayRole::User, "again"); PriorMessage::MAX + 1];
    for earlier in [many, vec![earlier(RelayRole::User, "hello"), earlier(RelayRole::Tool, " ")]] {
        let before = stage.state.seq();
        assert!(matches!(stage.does(1, start(earlier)), Err(Rejection::Invalid(_))));
        assert_eq!(stage.state.seq(), before);
    }
    stage.ok(1, start(vec![earlier(RelayRole::User, "hello"); PriorMessage::MAX]));
    let input: Option<Arc<str>> = stage
        .state
        .view()
        .active_run()
        .and_then(|run| stage.state.view().message(run.input).map(|input| input.text.clone()));
    assert_eq!(input.as_deref(), Some("go on"));
}
