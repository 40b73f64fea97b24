//! Commands that wait together share a commit, and nothing else.

use std::pin::Pin;

use futures_util::FutureExt;
use roundtable::kernel::*;
use roundtable::protocol::{Code, Problem};
use roundtable::store_error::StoreError;

use super::faulty_store::{AppendMode, FaultyStore, start_with_faulty_store};
use super::harness::*;

type WaitingAnswer<'a> = Pin<Box<dyn Future<Output = Result<u64, Problem>> + 'a>>;

/// Sends a command whose append is held, and then these commands, which wait. Returns all pending results.
async fn send_while_held<'a>(
    harness: &'a RunHarness,
    store: &FaultyStore,
    commands: Vec<(&str, Command)>,
) -> Vec<WaitingAnswer<'a>> {
    store.set_mode(AppendMode::Held);
    let mut appends = store.waiting.subscribe();
    let before = *appends.borrow_and_update();
    let mut answers: Vec<WaitingAnswer<'a>> = vec![send(harness, "first", say("@people first"))];
    tokio::select! {
        _ = &mut answers[0] => panic!("nothing is durable yet"),
        held = appends.wait_for(|count| *count > before) => drop(held.expect("an append waits")),
    }
    for (id, command) in commands {
        let mut answer = send(harness, id, command);
        assert!((&mut answer).now_or_never().is_none(), "it waits");
        answers.push(answer);
    }
    answers
}

/// Lets the store accept appends again, and returns the results of the commands.
async fn release_and_collect(store: &FaultyStore, answers: Vec<WaitingAnswer<'_>>) -> Vec<Result<u64, Code>> {
    store.set_mode(AppendMode::Open);
    store.permits.add_permits(1);
    let mut results = vec![];
    for answer in answers {
        results.push(answer.await.map_err(|problem| problem.code()));
    }
    results
}

/// Lets the store accept appends again, and returns the seqs of the commands, all of which must be accepted.
async fn release_and_expect_accepted(store: &FaultyStore, answers: Vec<WaitingAnswer<'_>>) -> Vec<u64> {
    release_and_collect(store, answers).await.into_iter().map(|result| result.expect("accepted")).collect()
}

fn send<'a>(harness: &'a RunHarness, id: &str, command: Command) -> WaitingAnswer<'a> {
    let id = id.to_owned();
    Box::pin(async move { harness.submit(&id, command).await })
}

fn chat(id: &str) -> (&str, Command) {
    (id, say("@people hello"))
}

fn set_role_of_unknown() -> Command {
    Command::SetRole { participant: ParticipantId(uuid::Uuid::from_u128(9)), role: Role::Viewer }
}

/// Returns the texts that people wrote, in the order of the log.
async fn posted_texts(harness: &RunHarness) -> Vec<String> {
    let text = |event: &Event| match &event.fact {
        Fact::MessagePosted { text, .. } => Some(text.to_string()),
        _ => None,
    };
    harness.log().await.iter().filter_map(text).collect()
}

#[tokio::test]
async fn commands_that_wait_together_share_a_commit() {
    let (mut harness, store) = start_with_faulty_store().await;
    let ids: Vec<String> = (0..20).map(|number| format!("c{number}")).collect();
    let commands = ids.iter().map(|id| (&**id, say(&format!("@people {id}")))).collect();
    let answers = send_while_held(&harness, &store, commands).await;
    let appends = *store.waiting.borrow();
    let seqs = release_and_expect_accepted(&store, answers).await;
    assert!(seqs.is_sorted_by(|earlier, later| earlier < later), "each has its own seq: {seqs:?}");
    assert_eq!(*store.waiting.borrow() - appends, 1, "one append for all that waited");
    let last = *seqs.last().expect("there are some");
    harness.find("the last of them", |event| event.seq == last).await;
    assert_eq!(harness.log().await, harness.seen);
    for (id, seq) in ids.iter().zip(&seqs[1..]) {
        let id: CommandId = id.parse().expect("an id");
        let receipt = harness.store.receipt(harness.session, &owner().id, &id).await.expect("reads");
        assert_eq!(receipt, Some(*seq), "each has its own receipt");
    }
}

#[tokio::test]
async fn a_rejection_in_the_middle_leaves_no_trace() {
    let (harness, store) = start_with_faulty_store().await;
    let commands = vec![chat("one"), ("bad", set_role_of_unknown()), chat("two"), chat("one")];
    let mut answers = send_while_held(&harness, &store, commands).await.into_iter();
    store.set_mode(AppendMode::Open);
    store.permits.add_permits(1);
    let mut next = async || answers.next().expect("an answer for each").await;
    let first = next().await.expect("accepted");
    let one = next().await.expect("accepted");
    assert_eq!(next().await.expect_err("nobody has this id").code(), Code::UnknownParticipant);
    let two = next().await.expect("accepted");
    assert_eq!(next().await.expect("the answer of the first time"), one);
    assert!(first < one && one < two);
    assert_eq!(posted_texts(&harness).await, ["@people first", "@people hello", "@people hello"]);
    assert_eq!(
        harness.submit("bad", set_role_of_unknown()).await.expect_err("has no receipt").code(),
        Code::UnknownParticipant
    );
}

#[tokio::test]
async fn an_append_that_fails_applies_none_of_them() {
    let (harness, store) = start_with_faulty_store().await;
    let answers =
        send_while_held(&harness, &store, vec![chat("one"), ("bad", set_role_of_unknown()), chat("two")]).await;
    store.fail_next_append(StoreError::unavailable("away"));
    let results = release_and_collect(&store, answers).await;
    assert!(results[0].is_ok());
    assert_eq!(results[1..], [const { Err(Code::StoreUnavailable) }; 3], "not even a rejection is final");
    assert_eq!(posted_texts(&harness).await, ["@people first"]);
    for id in ["one", "two"] {
        harness.submit(id, chat(id).1).await.expect("accepted later");
    }
}

#[tokio::test]
async fn a_command_that_cannot_be_stored_fails_alone() {
    let (harness, store) = start_with_faulty_store().await;
    let answers = send_while_held(&harness, &store, vec![chat("one"), chat("two")]).await;
    // The shared append fails, and so does the separate append of its first command.
    for _ in 0..2 {
        store.fail_next_append(StoreError::misuse("a value that the database does not take"));
    }
    let results = release_and_collect(&store, answers).await;
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert_eq!(results[1], Err(Code::Internal));
    assert_eq!(posted_texts(&harness).await.len(), 2);
}

#[tokio::test]
async fn a_repeated_command_that_only_the_store_knows_does_not_affect_others() {
    let (harness, store) = start_with_faulty_store().await;
    let old = harness.submit("old", say("@people old")).await.expect("accepted");
    for later in 0..State::RECEIPTS {
        harness.submit(&format!("later{later}"), say("@people more")).await.expect("accepted");
    }
    let answers = send_while_held(&harness, &store, vec![chat("one"), ("old", say("@people old")), chat("two")]).await;
    let seqs = release_and_expect_accepted(&store, answers).await;
    assert_eq!(seqs[2], old);
    assert!(seqs[0] < seqs[1] && seqs[1] < seqs[3]);
    assert_eq!(posted_texts(&harness).await.iter().filter(|text| *text == "@people old").count(), 1);
}

#[tokio::test]
async fn the_text_of_a_stopped_turn_is_recorded_before_the_next_command() {
    let (mut harness, store) = start_with_faulty_store().await;
    harness.submit("write", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    let stop = harness.interrupt(None).await;
    let answers = send_while_held(&harness, &store, vec![chat("one"), ("stop", stop), chat("two")]).await;
    let seqs = release_and_expect_accepted(&store, answers).await;
    let effective = harness.wait_for("control.effective").await.seq;
    assert!(seqs[2] < effective && effective < seqs[3], "{seqs:?}, effective at {effective}");
}

#[tokio::test]
async fn a_redaction_erases_commands_that_waited_with_it() {
    let (harness, store) = start_with_faulty_store().await;
    harness.submit("secret", say("@people hunter2")).await.expect("accepted");
    let log = harness.log().await;
    let posted = log.iter().rev().find(|event| matches!(event.fact, Fact::MessagePosted { .. })).expect("a message");
    let message = MessageId(posted.seq);
    let redact = Command::Redact { target: RedactionTarget::Message(message), reason: None };
    let answers = send_while_held(&harness, &store, vec![chat("one"), ("redact", redact), chat("two")]).await;
    let seqs = release_and_expect_accepted(&store, answers).await;
    assert!(seqs.is_sorted());
    assert!(!posted_texts(&harness).await.iter().any(|text| text.contains("hunter2")));
    assert_eq!(posted_texts(&harness).await.iter().filter(|text| text.contains("hello")).count(), 2);
}
