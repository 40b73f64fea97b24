//! Persist, then publish; and what happens while the store is away.

use std::sync::Arc;

use futures_util::FutureExt;
use roundtable::kernel::*;
use roundtable::protocol::Code;

use super::bench::*;
use super::gated::{Gate, Gated};
use crate::fresh::Fresh;

async fn gated() -> (Bench, Arc<Gated>) {
    let fresh = Fresh::sqlite().await;
    let gated = Gated::new(fresh.open().await.events);
    let bench = Bench::on(fresh, gated.clone(), ["demo-fast?hold=5", "demo-fast", "demo-fast"]).await;
    (bench, gated)
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
