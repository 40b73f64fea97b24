//! Persist, then publish; and the behaviour while the store is unavailable.

use std::pin::Pin;

use futures_util::FutureExt;
use roundtable::kernel::*;
use roundtable::orchestrator::OrchestratorSettings;
use roundtable::protocol::{Code, Problem};
use roundtable::store::AppendError;

use super::faulty_store::{AppendMode, FaultyStore, start_with_faulty_store, start_with_faulty_store_and_settings};
use super::harness::*;
use crate::server::with_timeout;

/// Sends a command whose append is held, as are all later appends. Returns the pending result.
async fn hold_append<'a>(
    harness: &'a RunHarness,
    store: &FaultyStore,
) -> Pin<Box<impl Future<Output = Result<u64, Problem>> + use<'a>>> {
    store.set_mode(AppendMode::Held);
    let mut appends = store.waiting.subscribe();
    let before = *appends.borrow_and_update();
    let mut first = Box::pin(harness.submit("c1", say("@people one")));
    tokio::select! {
        _ = &mut first => panic!("nothing is durable yet"),
        held = appends.wait_for(|count| *count > before) => drop(held.expect("an append waits")),
    }
    first
}

#[tokio::test]
async fn events_are_shown_only_after_they_are_durable() {
    let (mut harness, store) = start_with_faulty_store().await;
    harness.wait_for("participant.joined").await;
    store.set_mode(AppendMode::Held);
    let mut waiting = store.waiting.subscribe();
    let before = *waiting.borrow_and_update();
    let node = harness.node.clone();
    let session = harness.session;
    let answer = tokio::spawn(async move { node.submit(session, sender("c1"), say("write")).await });
    waiting.wait_for(|count| *count > before).await.expect("an append waits");
    while let Some(json) = harness.watch.next().now_or_never() {
        let text = String::from_utf8(json.expect("goes on").to_vec()).expect("text");
        assert!(!text.contains("\"event\""), "published before it was durable: {text}");
    }
    assert!(!answer.is_finished(), "acknowledged before it was durable");
    store.set_mode(AppendMode::Open);
    store.permits.add_permits(1);
    answer.await.expect("no panic").expect("accepted");
    harness.wait_for("message.posted").await;
}

#[tokio::test]
async fn a_failed_append_shows_nothing_and_its_command_can_be_retried() {
    let (mut harness, store) = start_with_faulty_store().await;
    store.set_mode(AppendMode::Lost);
    let problem = harness.submit("c1", say("write")).await.expect_err("refused");
    assert_eq!(problem.code(), Code::StoreUnavailable);
    assert!(problem.0.retry_after_ms.is_some());
    store.set_mode(AppendMode::Open);
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for("run.state_changed").await;
    assert_eq!(harness.log().await, harness.seen);
}

#[tokio::test]
async fn an_append_with_a_lost_answer_counts_once() {
    let (mut harness, store) = start_with_faulty_store().await;
    store.set_mode(AppendMode::Unanswered);
    let problem = harness.submit("c1", say("write")).await.expect_err("no answer");
    assert_eq!(problem.code(), Code::StoreUnavailable);
    store.set_mode(AppendMode::Open);
    let seq = harness.submit("c1", say("write")).await.expect("the first answer");
    harness.find("the last event of the command", |event| event.seq == seq).await;
    let posted = harness.seen.iter().filter(|event| matches!(event.fact, Fact::MessagePosted { .. })).count();
    assert_eq!(posted, 1);
    harness.wait_for_model(|model| model.held == 1).await;
}

#[tokio::test]
async fn events_of_an_append_in_doubt_are_shown_without_a_retry() {
    let (mut harness, store) = start_with_faulty_store().await;
    store.set_mode(AppendMode::Unanswered);
    harness.submit("c1", say("write")).await.expect_err("no answer");
    store.set_mode(AppendMode::Open);
    harness.wait_for("message.started").await;
    harness.wait_for_model(|model| model.held == 1).await;
}

#[tokio::test]
async fn after_a_lost_answer_the_next_command_reads_the_log() {
    // The retry interval is so long that only the command makes the task read the log.
    let (harness, store) =
        start_with_faulty_store_and_settings(OrchestratorSettings { store_retry_ms: 60_000, ..Default::default() })
            .await;
    store.set_mode(AppendMode::Unanswered);
    harness.submit("c1", say("write")).await.expect_err("no answer");
    store.set_mode(AppendMode::Open);
    harness.submit("c2", Command::Pause { run: harness.run().await }).await.expect("there is a run to pause");
}

#[tokio::test]
async fn a_late_append_is_fenced_after_the_next_command() {
    let (mut harness, store) = start_with_faulty_store().await;
    store.set_mode(AppendMode::Late);
    harness.submit("c1", say("write")).await.expect_err("no answer");
    store.set_mode(AppendMode::Open);
    // The command is rejected, so it appends nothing that the late append would conflict with; but first, the session
    // is claimed and the log is read.
    harness.submit("c2", Command::Resume { run: RunId(1) }).await.expect_err("nothing is paused");
    // Otherwise, the late append would be in the log and acknowledged on a retry, but nothing would work on it.
    assert!(matches!(store.write_late().await, Err(AppendError::Fenced)));
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.wait_for("message.started").await;
}

#[tokio::test]
async fn a_late_append_has_no_effect_before_it_is_rejected() {
    // The retry interval is so long that only the next command makes the task read the log.
    let (harness, store) =
        start_with_faulty_store_and_settings(OrchestratorSettings { store_retry_ms: 60_000, ..Default::default() })
            .await;
    store.set_mode(AppendMode::Late);
    harness.submit("c1", say("write")).await.expect_err("no answer");
    store.set_mode(AppendMode::Open);
    store.write_late().await.expect("is written after all");
    harness.submit("c1", say("write")).await.expect("counts once");
    harness.wait_for_model(|model| model.held == 1).await;
}

#[tokio::test]
async fn claims_with_lost_answers_do_not_stop_a_turn() {
    let (mut harness, store) = start_with_faulty_store().await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    store.set_mode(AppendMode::Lost);
    store.lose_claim_answers(3);
    harness.submit("c2", say("@people hello")).await.expect_err("no answer");
    store.set_mode(AppendMode::Open);
    while harness.submit("c2", say("@people hello")).await.is_err() {}
    harness.demo.release();
    let completed = harness.wait_for("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "it has the session still");
}

#[tokio::test]
async fn commands_queued_during_an_outage_fail_at_once() {
    let (harness, store) = start_with_faulty_store().await;
    let first = hold_append(&harness, &store).await;
    let before = *store.waiting.borrow();
    let mut waiting = [
        Box::pin(harness.submit("c2", say("@people two"))),
        Box::pin(harness.submit("c3", Command::Pause { run: RunId(1) })),
    ];
    waiting.iter_mut().for_each(|waits| assert!(waits.now_or_never().is_none(), "it waits"));
    store.set_mode(AppendMode::Lost);
    store.permits.add_permits(1);
    assert_eq!(first.await.expect_err("away").code(), Code::StoreUnavailable);
    for pending in waiting {
        assert_eq!(pending.await.expect_err("away").code(), Code::StoreUnavailable);
    }
    assert_eq!(*store.waiting.borrow(), before, "each would have waited for the store in its turn");
}

#[tokio::test]
async fn a_command_that_changed_nothing_counts_once_too() {
    let harness = RunHarness::new(["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    let role = |role| Command::SetRole { participant: ParticipantId(uuid::Uuid::from_u128(2)), role };
    let (kind, name) = (ActorKind::User, "Bob".into());
    let participant = ParticipantId(uuid::Uuid::from_u128(2));
    harness
        .submit("c2", Command::Invite { participant, kind, name, role: Role::Member, guest: false })
        .await
        .expect("accepted");
    let first = harness.submit("c3", role(Role::Member)).await.expect("is so already");
    harness.submit("c4", role(Role::Viewer)).await.expect("accepted");
    assert_eq!(harness.submit("c3", role(Role::Member)).await.expect("the first answer"), first);
    let changed =
        harness.log().await.into_iter().filter(|event| matches!(event.fact, Fact::ParticipantRoleChanged { .. }));
    assert_eq!(changed.count(), 1);
}

#[tokio::test]
async fn chat_leaves_room_for_the_stop_button() {
    let (harness, store) =
        start_with_faulty_store_and_settings(OrchestratorSettings { max_waiting_commands: 4, ..Default::default() })
            .await;
    let first = hold_append(&harness, &store).await;
    let chat = |id| Box::pin(harness.submit(id, say("@people more")));
    let mut chats = ["a", "b", "c"].map(chat);
    chats.iter_mut().for_each(|chat| assert!(chat.now_or_never().is_none(), "it waits"));
    assert_eq!(chat("d").await.expect_err("the rest is for controls").code(), Code::Busy);
    let mut stop = Box::pin(harness.submit("stop", Command::Cancel { run: RunId(1), reason: None }));
    assert!((&mut stop).now_or_never().is_none(), "it waits, and is not refused");
    store.set_mode(AppendMode::Open);
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
        guest: false,
    };
    let posted = harness.submit("c1", say("@people hello")).await.expect("accepted");
    let invited = harness.submit("c2", invite.clone()).await.expect("accepted");
    for later in 0..State::RECEIPTS {
        harness.submit(&format!("later{later}"), say("@people more")).await.expect("accepted");
    }
    assert_eq!(harness.submit("c1", say("@people hello")).await.expect("the first answer"), posted);
    assert_eq!(harness.submit("c2", invite).await.expect("not that Bob is in already"), invited);
}

#[tokio::test]
async fn waiting_commands_of_a_session_are_limited() {
    let (harness, store) =
        start_with_faulty_store_and_settings(OrchestratorSettings { max_waiting_commands: 1, ..Default::default() })
            .await;
    let first = hold_append(&harness, &store).await;
    let mut second = Box::pin(harness.submit("c2", say("@people two")));
    assert!((&mut second).now_or_never().is_none(), "it waits in the mailbox");
    let third = with_timeout(harness.submit("c3", say("@people three"))).await.expect_err("there is no room");
    assert_eq!(third.code(), Code::Busy);
    store.set_mode(AppendMode::Open);
    store.permits.add_permits(1);
    first.await.expect("accepted");
    second.await.expect("accepted");
}

#[tokio::test]
async fn live_sessions_are_limited() {
    let (harness, _) =
        start_with_faulty_store_and_settings(OrchestratorSettings { max_live_sessions: 1, ..Default::default() }).await;
    let session = SessionId(uuid::Uuid::now_v7());
    let (title, settings) = ("One too many".into(), Settings::default());
    let create = Command::Create { title, team: team(["demo-fast"; 3]), settings };
    let problem = harness.node.submit(session, sender("c1"), create).await.expect_err("there is no room");
    assert_eq!(problem.code(), Code::Busy);
}

#[tokio::test]
async fn the_response_of_a_model_is_kept_until_the_store_accepts_it() {
    let (mut harness, store) = start_with_faulty_store().await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    store.set_mode(AppendMode::Lost);
    let mut tries = store.waiting.subscribe();
    let before = *tries.borrow_and_update();
    harness.demo.release();
    tries.wait_for(|count| *count >= before + 2).await.expect("tried and tried again");
    store.set_mode(AppendMode::Open);
    let completed = harness.wait_for("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "the model was asked once");
}
