//! Persist, then publish; and what happens while the store is away.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use roundtable::kernel::*;
use roundtable::orchestrator::OrchestratorSettings;
use roundtable::protocol::{Code, Problem};
use roundtable::store::AppendError;

use super::bench::*;
use super::gated::{Gate, Gated};
use crate::fresh::Fresh;
use crate::server::soon;

async fn gated() -> (Bench, Arc<Gated>) {
    gated_with(OrchestratorSettings::default()).await
}

async fn gated_with(bounds: OrchestratorSettings) -> (Bench, Arc<Gated>) {
    let fresh = Fresh::sqlite().await;
    let gated = Gated::new(fresh.open().await.events);
    let bench = Bench::on(fresh, gated.clone(), ["demo-fast?hold=5", "demo-fast", "demo-fast"], bounds).await;
    (bench, gated)
}

/// A command whose append waits, as all do that come behind it.
async fn held<'a>(bench: &'a Bench, store: &Gated) -> Pin<Box<impl Future<Output = Result<u64, Problem>> + use<'a>>> {
    store.set(Gate::Held);
    let mut appends = store.waiting.subscribe();
    let before = *appends.borrow_and_update();
    let mut first = Box::pin(bench.does("c1", say("@people one")));
    tokio::select! {
        _ = &mut first => panic!("nothing is durable yet"),
        held = appends.wait_for(|count| *count > before) => drop(held.expect("an append waits")),
    }
    first
}

#[tokio::test]
async fn nobody_sees_an_event_before_it_is_durable() {
    let (mut bench, store) = gated().await;
    bench.until("participant.joined").await;
    store.set(Gate::Held);
    let mut waiting = store.waiting.subscribe();
    let before = *waiting.borrow_and_update();
    let node = bench.node.clone();
    let session = bench.session;
    let answer = tokio::spawn(async move { node.submit(session, by("c1"), say("write")).await });
    waiting.wait_for(|count| *count > before).await.expect("an append waits");
    while let Some(json) = bench.watch.next().now_or_never() {
        let text = String::from_utf8(json.expect("goes on").to_vec()).expect("text");
        assert!(!text.contains("\"event\""), "published before it was durable: {text}");
    }
    assert!(!answer.is_finished(), "acknowledged before it was durable");
    store.set(Gate::Open);
    store.permits.add_permits(1);
    answer.await.expect("no panic").expect("accepted");
    bench.until("message.posted").await;
}

#[tokio::test]
async fn an_append_that_failed_shows_nothing_and_the_same_command_goes_through_later() {
    let (mut bench, store) = gated().await;
    store.set(Gate::Lost);
    let problem = bench.does("c1", say("write")).await.expect_err("refused");
    assert_eq!(problem.code(), Code::StoreUnavailable);
    assert!(problem.0.retry_after_ms.is_some());
    store.set(Gate::Open);
    bench.does("c1", say("write")).await.expect("accepted");
    bench.until("run.state_changed").await;
    assert_eq!(bench.log().await, bench.seen);
}

#[tokio::test]
async fn an_append_whose_answer_was_lost_counts_once() {
    let (mut bench, store) = gated().await;
    store.set(Gate::Unanswered);
    let problem = bench.does("c1", say("write")).await.expect_err("no answer");
    assert_eq!(problem.code(), Code::StoreUnavailable);
    store.set(Gate::Open);
    let seq = bench.does("c1", say("write")).await.expect("the first answer");
    bench.find("the last event of the command", |event| event.seq == seq).await;
    let posted = bench.seen.iter().filter(|event| matches!(event.fact, Fact::MessagePosted { .. })).count();
    assert_eq!(posted, 1);
    bench.model(|model| model.held == 1).await;
}

#[tokio::test]
async fn what_an_append_without_an_answer_wrote_is_shown_though_nobody_asks_again() {
    let (mut bench, store) = gated().await;
    store.set(Gate::Unanswered);
    bench.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    bench.until("message.started").await;
    bench.model(|model| model.held == 1).await;
}

#[tokio::test]
async fn after_an_append_without_an_answer_the_next_command_finds_what_the_log_holds() {
    // So long that the log is looked at for the command's sake.
    let (bench, store) = gated_with(OrchestratorSettings { store_retry_ms: 60_000, ..Default::default() }).await;
    store.set(Gate::Unanswered);
    bench.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    bench.does("c2", Command::Pause { run: bench.run().await }).await.expect("there is a run to pause");
}

#[tokio::test]
async fn an_append_that_comes_late_does_not_happen_any_more() {
    let (mut bench, store) = gated().await;
    store.set(Gate::Late);
    bench.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    bench.does("c2", say("@people hello")).await.expect("the log is looked at first");
    // Else it would be in the log, acknowledged when it is sent again, and nobody would work on it.
    assert!(matches!(store.write_late().await, Err(AppendError::Fenced | AppendError::Conflict { .. })));
    bench.does("c1", say("write")).await.expect("accepted");
    bench.model(|model| model.held == 1).await;
    bench.until("message.started").await;
}

#[tokio::test]
async fn nobody_acts_on_a_late_append_before_it_is_refused() {
    // So long that nothing but the next command looks at the log.
    let (bench, store) = gated_with(OrchestratorSettings { store_retry_ms: 60_000, ..Default::default() }).await;
    store.set(Gate::Late);
    bench.does("c1", say("write")).await.expect_err("no answer");
    store.set(Gate::Open);
    store.write_late().await.expect("is written after all");
    bench.does("c1", say("write")).await.expect("counts once");
    bench.model(|model| model.held == 1).await;
}

#[tokio::test]
async fn claims_whose_answers_were_lost_cost_no_turn() {
    let (mut bench, store) = gated().await;
    bench.does("c1", say("write")).await.expect("accepted");
    bench.model(|model| model.held == 1).await;
    store.set(Gate::Lost);
    store.lose_claims(3);
    bench.does("c2", say("@people hello")).await.expect_err("no answer");
    store.set(Gate::Open);
    while bench.does("c2", say("@people hello")).await.is_err() {}
    bench.demo.release();
    let completed = bench.until("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "it has the session still");
}

#[tokio::test]
async fn what_waited_while_the_store_was_away_is_told_at_once() {
    let (bench, store) = gated().await;
    let first = held(&bench, &store).await;
    let before = *store.waiting.borrow();
    let mut waiting =
        [Box::pin(bench.does("c2", say("@people two"))), Box::pin(bench.does("c3", Command::Pause { run: RunId(1) }))];
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
    let bench = Bench::new(["demo-fast?hold=5", "demo-fast", "demo-fast"]).await;
    bench.does("c1", say("write")).await.expect("accepted");
    let role = |role| Command::SetRole { participant: ParticipantId(uuid::Uuid::from_u128(2)), role };
    let (kind, name) = (ActorKind::User, "Bob".into());
    let participant = ParticipantId(uuid::Uuid::from_u128(2));
    bench.does("c2", Command::Invite { participant, kind, name, role: Role::Member }).await.expect("accepted");
    let first = bench.does("c3", role(Role::Member)).await.expect("is so already");
    bench.does("c4", role(Role::Viewer)).await.expect("accepted");
    assert_eq!(bench.does("c3", role(Role::Member)).await.expect("the first answer"), first);
    let changed =
        bench.log().await.into_iter().filter(|event| matches!(event.fact, Fact::ParticipantRoleChanged { .. }));
    assert_eq!(changed.count(), 1);
}

#[tokio::test]
async fn chat_leaves_room_for_the_stop_button() {
    let (bench, store) = gated_with(OrchestratorSettings { max_waiting_commands: 4, ..Default::default() }).await;
    let first = held(&bench, &store).await;
    let chat = |id| Box::pin(bench.does(id, say("@people more")));
    let mut chats = ["a", "b", "c"].map(chat);
    chats.iter_mut().for_each(|chat| assert!(chat.now_or_never().is_none(), "it waits"));
    assert_eq!(chat("d").await.expect_err("the rest is for controls").code(), Code::Busy);
    let mut stop = Box::pin(bench.does("stop", Command::Cancel { run: RunId(1), reason: None }));
    assert!((&mut stop).now_or_never().is_none(), "it waits, and is not refused");
    store.set(Gate::Open);
    store.permits.add_permits(1);
    first.await.expect("accepted");
    let refused = stop.await.expect_err("there is nothing to cancel");
    assert_ne!(refused.code(), Code::Busy);
}

#[tokio::test]
async fn a_command_that_the_state_has_forgotten_still_gets_its_first_answer() {
    let bench = Bench::new(["demo-fast", "demo-fast", "demo-fast"]).await;
    let invite = Command::Invite {
        participant: ParticipantId(uuid::Uuid::from_u128(2)),
        kind: ActorKind::User,
        name: "Bob".into(),
        role: Role::Member,
    };
    let said = bench.does("c1", say("@people hello")).await.expect("accepted");
    let invited = bench.does("c2", invite.clone()).await.expect("accepted");
    for later in 0..State::RECEIPTS {
        bench.does(&format!("later{later}"), say("@people more")).await.expect("accepted");
    }
    assert_eq!(bench.does("c1", say("@people hello")).await.expect("the first answer"), said);
    assert_eq!(bench.does("c2", invite).await.expect("not that Bob is in already"), invited);
}

#[tokio::test]
async fn no_more_commands_wait_for_a_session_than_may() {
    let (bench, store) = gated_with(OrchestratorSettings { max_waiting_commands: 1, ..Default::default() }).await;
    let first = held(&bench, &store).await;
    let mut second = Box::pin(bench.does("c2", say("@people two")));
    assert!((&mut second).now_or_never().is_none(), "it waits in the mailbox");
    let third = soon(bench.does("c3", say("@people three"))).await.expect_err("there is no room");
    assert_eq!(third.code(), Code::Busy);
    store.set(Gate::Open);
    store.permits.add_permits(1);
    first.await.expect("accepted");
    second.await.expect("accepted");
}

#[tokio::test]
async fn no_more_sessions_are_live_than_may_be() {
    let (bench, _) = gated_with(OrchestratorSettings { max_live_sessions: 1, ..Default::default() }).await;
    let session = SessionId(uuid::Uuid::now_v7());
    let (title, settings) = ("One too many".into(), Settings::default());
    let create = Command::Create { title, team: team(["demo-fast"; 3]), settings };
    let problem = bench.node.submit(session, by("c1"), create).await.expect_err("there is no room");
    assert_eq!(problem.code(), Code::Busy);
}

#[tokio::test]
async fn a_models_answer_is_kept_until_the_store_takes_it() {
    let (mut bench, store) = gated().await;
    bench.does("c1", say("write")).await.expect("accepted");
    bench.model(|model| model.held == 1).await;
    store.set(Gate::Lost);
    let mut tries = store.waiting.subscribe();
    let before = *tries.borrow_and_update();
    bench.demo.release();
    tries.wait_for(|count| *count >= before + 2).await.expect("tried and tried again");
    store.set(Gate::Open);
    let completed = bench.until("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "the model was asked once");
}
