//! Persist, then publish; and the behaviour while the store is unavailable.

use std::pin::Pin;

use futures_util::FutureExt;
use roundtable::kernel::*;
use roundtable::orchestrator::OrchestratorSettings;
use roundtable::protocol::{Code, Problem};
use roundtable::store::AppendError;

use super::gated::{Gate, Gated, gated, gated_with};
use super::harness::*;
use crate::server::soon;

/// A command whose append is held, as are all appends behind it.
async fn held<'a>(
    harness: &'a RunHarness,
    store: &Gated,
) -> Pin<Box<impl Future<Output = Result<u64, Problem>> + use<'a>>> {
    store.set(Gate::Held);
    let mut appends = store.waiting.subscribe();
    let before = *appends.borrow_and_update();
    let mut first = Box::pin(harness.does("c1", say("@people one")));
    tokio::select! {
        _ = &mut first => panic!("nothing is durable yet"),
        held = appends.wait_for(|count| *count > before) => drop(held.expect("an append waits")),
    }
    first
}

#[tokio::test]
async fn events_are_shown_only_after_they_are_durable() {
    let (mut harness, store) = gated().await;
    harness.until("participant.joined").await;
    store.set(Gate::Held);
    let mut waiting = store.waiting.subscribe();
    let before = *waiting.borrow_and_update();
    let node = harness.node.clone();
    let session = harness.session;
    let answer = tokio::spawn(async move { node.submit(session, by("c1"), say("write")).await });
    waiting.wait_for(|count| *count > before).await.expect("an append waits");
    while let Some(json) = harness.watch.next().now_or_never() {
        let text = String::from_utf8(json.expect("goes on").to_vec()).expect("text");
        assert!(!text.contains("\"event\""), "published before it was durable: {text}");
    }
    assert!(!answer.is_finished(), "acknowledged before it was durable");
    store.set(Gate::Open);
    store.permits.add_permits(1);
    answer.await.expect("no panic").expect("accepted");
    harness.until("message.posted").await;
}

#[tokio::test]
async fn an_append_that_failed_shows_nothing_and_the_same_command_goes_through_later() {
    let (mut harness, store) = gated().await;
    store.set(Gate::Lost);
    let problem = harness.does("c1", say("write")).await.expect_err("refused");
    assert_eq!(problem.code(), Code::StoreUnavailable);
    assert!(problem.0.retry_after_ms.is_some());
    store.set(Gate::Open);
    harness.does("c1", say("write")).await.expect("accepted");
    harness.until("run.state_changed").await;
    assert_eq!(harness.log().await, harness.seen);
}

#[tokio::test]
async fn an_append_whose_answer_was_lost_counts_once() {
    let (mut harness, store) = gated().await;
    store.set(Gate::Unanswered);
    let problem = harness.does("c1", say("write")).await.expect_err("no answer");
    assert_eq!(problem.code(), Code::StoreUnavailable);
    store.set(Gate::Open);
    let seq = harness.does("c1", say("write")).await.expect("the first answer");
    harness.find("the last event of the command", |event| event.seq == seq).await;
    let posted = harness.seen.iter().filter(|event| matches!(event.fact, Fact::MessagePosted { .. })).count();
    assert_eq!(posted, 1);
    harness.model(|model| model.held == 1).await;
}

#[tokio::test]
async fn events_of_an_append_in_doubt_are_shown_without_a_retry() {
    let (mut harness, store) = gated().await;
    store.set(Gate::Unanswered);
    harness.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    harness.until("message.started").await;
    harness.model(|model| model.held == 1).await;
}

#[tokio::test]
async fn after_an_append_without_an_answer_the_next_command_finds_what_the_log_holds() {
    // So long that only the command makes the task read the log.
    let (harness, store) = gated_with(OrchestratorSettings { store_retry_ms: 60_000, ..Default::default() }).await;
    store.set(Gate::Unanswered);
    harness.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    harness.does("c2", Command::Pause { run: harness.run().await }).await.expect("there is a run to pause");
}

#[tokio::test]
async fn an_append_that_comes_late_does_not_happen_any_more() {
    let (mut harness, store) = gated().await;
    store.set(Gate::Late);
    harness.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    // The command is rejected, so it appends nothing that the late append would conflict with; but the log is claimed
    // and read first.
    harness.does("c2", Command::Resume { run: RunId(1) }).await.expect_err("nothing is paused");
    // Otherwise the append would be in the log and acknowledged on a retry, but nobody would work on it.
    assert!(matches!(store.write_late().await, Err(AppendError::Fenced)));
    harness.does("c1", say("write")).await.expect("accepted");
    harness.model(|model| model.held == 1).await;
    harness.until("message.started").await;
}

#[tokio::test]
async fn a_late_append_has_no_effect_before_it_is_rejected() {
    // So long that only the next command makes the task read the log.
    let (harness, store) = gated_with(OrchestratorSettings { store_retry_ms: 60_000, ..Default::default() }).await;
    store.set(Gate::Late);
    harness.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    store.write_late().await.expect("is written after all");
    harness.does("c1", say("write")).await.expect("counts once");
    harness.model(|model| model.held == 1).await;
}

#[tokio::test]
async fn claims_whose_answers_were_lost_cost_no_turn() {
    let (mut harness, store) = gated().await;
    harness.does("c1", say("write")).await.expect("accepted");
    harness.model(|model| model.held == 1).await;
    store.set(Gate::Lost);
    store.lose_claims(3);
    harness.does("c2", say("@people hello")).await.expect_err("no answer");
    store.set(Gate::Open);
    while harness.does("c2", say("@people hello")).await.is_err() {}
    harness.demo.release();
    let completed = harness.until("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "it has the session still");
}

#[tokio::test]
async fn commands_queued_during_an_outage_fail_at_once() {
    let (harness, store) = gated().await;
    let first = held(&harness, &store).await;
    let before = *store.waiting.borrow();
    let mut waiting = [
        Box::pin(harness.does("c2", say("@people two"))),
        Box::pin(harness.does("c3", Command::Pause { run: RunId(1) })),
    ];
    waiting.iter_mut().for_each(|waits| assert!(waits.now_or_never().is_none(), "it waits"));
    store.set(Gate::Lost);
    store.permits.add_permits(1);
    assert_eq!(first.await.expect_err("away").code(), Code::StoreUnavailable);
    for told in waiting {
        assert_eq!(told.await.expect_err("away").code(), Code::StoreUnavailable);
    }
    assert_eq!(*store.waiting.borrow(), before, "each would have waited for the store in its turn");
}

#[tokio::test]
async fn a_command_that_changed_nothing_counts_once_too() {
    let harness = RunHarness::new(["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"]).await;
    harness.does("c1", say("write")).await.expect("accepted");
    let role = |role| Command::SetRole { participant: ParticipantId(uuid::Uuid::from_u128(2)), role };
    let (kind, name) = (ActorKind::User, "Bob".into());
    let participant = ParticipantId(uuid::Uuid::from_u128(2));
    harness.does("c2", Command::Invite { participant, kind, name, role: Role::Member }).await.expect("accepted");
    let first = harness.does("c3", role(Role::Member)).await.expect("is so already");
    harness.does("c4", role(Role::Viewer)).await.expect("accepted");
    assert_eq!(harness.does("c3", role(Role::Member)).await.expect("the first answer"), first);
    let changed =
        harness.log().await.into_iter().filter(|event| matches!(event.fact, Fact::ParticipantRoleChanged { .. }));
    assert_eq!(changed.count(), 1);
}

#[tokio::test]
async fn chat_leaves_room_for_the_stop_button() {
    let (harness, store) = gated_with(OrchestratorSettings { max_waiting_commands: 4, ..Default::default() }).await;
    let first = held(&harness, &store).await;
    let chat = |id| Box::pin(harness.does(id, say("@people more")));
    let mut chats = ["a", "b", "c"].map(chat);
    chats.iter_mut().for_each(|chat| assert!(chat.now_or_never().is_none(), "it waits"));
    assert_eq!(chat("d").await.expect_err("the rest is for controls").code(), Code::Busy);
    let mut stop = Box::pin(harness.does("stop", Command::Cancel { run: RunId(1), reason: None }));
    assert!((&mut stop).now_or_never().is_none(), "it waits, and is not refused");
    store.set(Gate::Open);
    store.permits.add_permits(1);
    first.await.expect("accepted");
    let refused = stop.await.expect_err("there is nothing to cancel");
    assert_ne!(refused.code(), Code::Busy);
}

#[tokio::test]
async fn a_command_that_the_state_has_forgotten_still_gets_its_recorded_result() {
    let harness = RunHarness::new(["demo-fast", "demo-fast", "demo-fast"]).await;
    let invite = Command::Invite {
        participant: ParticipantId(uuid::Uuid::from_u128(2)),
        kind: ActorKind::User,
        name: "Bob".into(),
        role: Role::Member,
    };
    let said = harness.does("c1", say("@people hello")).await.expect("accepted");
    let invited = harness.does("c2", invite.clone()).await.expect("accepted");
    for later in 0..State::RECEIPTS {
        harness.does(&format!("later{later}"), say("@people more")).await.expect("accepted");
    }
    assert_eq!(harness.does("c1", say("@people hello")).await.expect("the first answer"), said);
    assert_eq!(harness.does("c2", invite).await.expect("not that Bob is in already"), invited);
}

#[tokio::test]
async fn no_more_commands_wait_for_a_session_than_may() {
    let (harness, store) = gated_with(OrchestratorSettings { max_waiting_commands: 1, ..Default::default() }).await;
    let first = held(&harness, &store).await;
    let mut second = Box::pin(harness.does("c2", say("@people two")));
    assert!((&mut second).now_or_never().is_none(), "it waits in the mailbox");
    let third = soon(harness.does("c3", say("@people three"))).await.expect_err("there is no room");
    assert_eq!(third.code(), Code::Busy);
    store.set(Gate::Open);
    store.permits.add_permits(1);
    first.await.expect("accepted");
    second.await.expect("accepted");
}

#[tokio::test]
async fn no_more_sessions_are_live_than_may_be() {
    let (harness, _) = gated_with(OrchestratorSettings { max_live_sessions: 1, ..Default::default() }).await;
    let session = SessionId(uuid::Uuid::now_v7());
    let (title, settings) = ("One too many".into(), Settings::default());
    let create = Command::Create { title, team: team(["demo-fast"; 3]), settings };
    let problem = harness.node.submit(session, by("c1"), create).await.expect_err("there is no room");
    assert_eq!(problem.code(), Code::Busy);
}

#[tokio::test]
async fn a_models_answer_is_kept_until_the_store_takes_it() {
    let (mut harness, store) = gated().await;
    harness.does("c1", say("write")).await.expect("accepted");
    harness.model(|model| model.held == 1).await;
    store.set(Gate::Lost);
    let mut tries = store.waiting.subscribe();
    let before = *tries.borrow_and_update();
    harness.demo.release();
    tries.wait_for(|count| *count >= before + 2).await.expect("tried and tried again");
    store.set(Gate::Open);
    let completed = harness.until("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "the model was asked once");
}
