//! Tests that sessions take turns, that the limits per session apply, and that cancelled calls give up their places.

use futures_util::future::join_all;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::*;
use crate::kernel::CallGuard;
use crate::kernel::CallId;
use crate::tool::PythonMeter;
use crate::tool::{NoPeople, Stopwatch};

fn place(session: u128) -> CallContext {
    CallContext {
        session: SessionId(Uuid::from_u128(session)),
        team: "team".into(),
        agent: "A".parse().expect("a valid id"),
        call: CallId(1),
        code: vec![],
        knowledge: vec![],
        files: vec![],
        caused_by: None,
        python: PythonMeter::default(),
        people: Arc::new(NoPeople),
        watch: Stopwatch::default(),
        guard: CallGuard::default(),
    }
}

fn settings(max_running: usize, max_running_per_session: usize) -> QueueSettings {
    QueueSettings { max_running, max_running_per_session, ..QueueSettings::default() }
}

/// Returns the sessions in the order in which their calls got a slot. Each call releases its slot immediately.
async fn order(places: &CallQueue, sessions: &[u128]) -> Vec<u128> {
    let held = places.take(&place(999)).await.expect("a place is free");
    let (sender, mut started) = mpsc::unbounded_channel();
    let calls = sessions.iter().map(|session| {
        let sender = sender.clone();
        async move {
            let _taken = places.take(&place(*session)).await.expect("a place becomes free");
            sender.send(*session).expect("the receiver exists");
        }
    });
    tokio::join!(join_all(calls), async { drop(held) });
    drop(sender);
    let mut order = vec![];
    while let Some(session) = started.recv().await {
        order.push(session);
    }
    order
}

#[tokio::test]
async fn sessions_take_turns_however_many_calls_one_of_them_has() {
    let places = CallQueue::new(&settings(1, 1));
    assert_eq!(order(&places, &[1, 1, 1, 1, 2, 3, 2]).await, [1, 2, 3, 1, 2, 1, 1]);
    assert!(places.0.state.lock().sessions.is_empty(), "sessions without calls are removed");
}

#[tokio::test]
async fn no_session_holds_more_than_its_share() {
    let places = CallQueue::new(&settings(3, 2));
    let (one, two) = (place(1), place(2));
    let held = [places.take(&one).await, places.take(&one).await];
    let mut third = places.queue(one.session).expect("the queue has room");
    let other = places.take(&two).await.expect("one place is left");
    assert!(third.try_recv().is_err(), "its session already has two places");
    drop(held);
    assert!(third.try_recv().is_ok());
    drop(other);
}

#[tokio::test]
async fn a_session_waits_with_so_many_calls_and_others_are_not_kept_from_waiting() {
    let places = CallQueue::new(&QueueSettings { max_waiting_per_session: 2, ..settings(1, 1) });
    let held = places.take(&place(1)).await.expect("a place is free");
    let session = place(1).session;
    let waiting = [places.queue(session), places.queue(session)];
    assert!(waiting.iter().all(Option::is_some));
    let refused = places.take(&place(1)).await.err().expect("the queue is full");
    assert_eq!(refused.code, "tool_unavailable");
    assert!(refused.message.contains("2 calls of this tool already wait in this session"), "{}", refused.message);
    assert!(places.queue(place(2).session).is_some(), "another session can wait");
    drop(waiting);
    assert!(places.queue(session).is_some(), "cancelled calls no longer wait");
    drop(held);
}

#[tokio::test]
async fn a_place_that_nobody_waits_for_any_more_goes_to_the_next() {
    let places = CallQueue::new(&settings(1, 1));
    let held = places.take(&place(1)).await.expect("a place is free");
    let stopped: Vec<_> =
        (0..1000).map(|n| places.queue(place(2 + n % 3).session).expect("the queue has room")).take(99).collect();
    let mut last = places.queue(place(7).session).expect("the queue has room");
    drop(stopped);
    drop(held);
    assert!(last.try_recv().is_ok());
}
