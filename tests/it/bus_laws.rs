//! The laws of `Bus`, on every kind of bus.

use std::{
    collections::HashSet,
    sync::atomic::Ordering::Relaxed,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use roundtable::bus::{BusRequestError, BusSettings, InboxItem, Urgency};
use roundtable::node_id::NodeId;
use tokio::time::timeout;

use crate::{
    append_builders::new_session_id,
    bus_cluster::{BusHarness, TIMEOUT, next, next_message, on_all_buses, text, wait_until_active},
};

on_all_buses! {
    messages_arrive_in_the_order_of_their_publisher,
    a_node_does_not_receive_its_own_messages,
    a_subscriber_receives_only_its_session,
    every_subscriber_of_a_node_gets_a_loss_and_then_all_messages,
    a_subscription_starts_with_a_loss,
    a_slow_subscriber_gets_one_loss_and_then_new_messages,
    an_oversized_message_becomes_a_loss,
    a_dropped_subscription_leaves_nothing_behind,
    a_request_is_answered_by_its_target_node,
    concurrent_requests_get_their_own_replies,
    a_request_to_an_absent_node_fails,
    an_unanswered_request_times_out,
    requests_beyond_the_limit_are_refused,
    oversized_requests_and_replies_are_rejected,
    a_node_can_subscribe_to_a_thousand_sessions,
}

/// Longer than any reply takes.
const SOON: Duration = Duration::from_secs(10);

async fn messages_arrive_in_the_order_of_their_publisher(harness: BusHarness) {
    let (one, other, here) = (harness.join().await, harness.join().await, harness.join().await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    let publish_all = |from: &'static str, bus: std::sync::Arc<dyn roundtable::bus::Bus>| {
        tokio::spawn(async move {
            for number in 0..500 {
                let urgency = if number % 7 == 0 { Urgency::Now } else { Urgency::Soon };
                bus.publish(session, text(format!("{from} {number}")), urgency);
                tokio::task::yield_now().await;
            }
        })
    };
    let publishing = [publish_all("one", one.bus.clone()), publish_all("other", other.bus.clone())];
    let mut received = [0, 0];
    while received != [500, 500] {
        let message = next_message(&mut subscription).await;
        let (from, number) = message.split_once(' ').expect("has two words");
        let so_far = &mut received[usize::from(from == "other")];
        assert_eq!(number, so_far.to_string(), "of {from}");
        *so_far += 1;
    }
    join_all(publishing).await;
    assert_eq!(one.bus.traffic().published.load(Relaxed), 500);
    assert_eq!(here.bus.traffic().received.load(Relaxed), 1000);
}

async fn a_node_does_not_receive_its_own_messages(harness: BusHarness) {
    let (here, there) = (harness.join().await, harness.join().await);
    let session = new_session_id();
    let mut own = wait_until_active(here.bus.follow(session)).await;
    let mut witness = wait_until_active(there.bus.follow(session)).await;
    here.bus.publish(session, text("mine"), Urgency::Now);
    assert_eq!(next_message(&mut witness).await, "mine");
    // A message that has reached the witness has reached all of its receivers.
    there.bus.publish(session, text("theirs"), Urgency::Now);
    assert_eq!(next_message(&mut own).await, "theirs");
}

async fn a_subscriber_receives_only_its_session(harness: BusHarness) {
    let (here, there) = (harness.join().await, harness.join().await);
    let (this, that) = (new_session_id(), new_session_id());
    let mut of_this = wait_until_active(here.bus.follow(this)).await;
    let mut of_that = wait_until_active(here.bus.follow(that)).await;
    there.bus.publish(that, text("that"), Urgency::Now);
    there.bus.publish(new_session_id(), text("nobody's"), Urgency::Now);
    there.bus.publish(this, text("this"), Urgency::Now);
    assert_eq!(next_message(&mut of_this).await, "this");
    assert_eq!(next_message(&mut of_that).await, "that");
}

async fn every_subscriber_of_a_node_gets_a_loss_and_then_all_messages(harness: BusHarness) {
    let (here, there) = (harness.join().await, harness.join().await);
    let session = new_session_id();
    let mut first = wait_until_active(here.bus.follow(session)).await;
    there.bus.publish(session, text("1"), Urgency::Now);
    assert_eq!(next_message(&mut first).await, "1");
    let mut second = wait_until_active(here.bus.follow(session)).await;
    there.bus.publish(session, text("2"), Urgency::Now);
    assert_eq!((next_message(&mut first).await, next_message(&mut second).await), ("2".into(), "2".into()));
    drop(first);
    there.bus.publish(session, text("3"), Urgency::Now);
    assert_eq!(next_message(&mut second).await, "3");
}

async fn a_subscription_starts_with_a_loss(harness: BusHarness) {
    let (here, there) = (harness.join().await, harness.join().await);
    for round in 0..50 {
        let session = new_session_id();
        let mut subscription = here.bus.follow(session);
        there.bus.publish(session, text("early"), Urgency::Now);
        // The early message can arrive or be lost. In both cases, the loss is reported first, and only once.
        assert_eq!(next(&mut subscription).await, InboxItem::Lost, "in round {round}");
        there.bus.publish(session, text("late"), Urgency::Now);
        let received = next_message(&mut subscription).await;
        let received = if received == "early" { next_message(&mut subscription).await } else { received };
        assert_eq!(received, "late");
    }
    // The same applies if the subscription of a former follower still exists or is being removed.
    let session = new_session_id();
    for round in 0..200 {
        let mut subscription = here.bus.follow(session);
        there.bus.publish(session, text("for the former one"), Urgency::Now);
        if round % 3 == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(next(&mut subscription).await, InboxItem::Lost, "in round {round}");
        there.bus.publish(session, text("for the former one"), Urgency::Now);
    }
}

async fn a_slow_subscriber_gets_one_loss_and_then_new_messages(harness: BusHarness) {
    let small = BusSettings { max_follower_bytes: 4096, ..BusSettings::default() };
    let (here, there) = (harness.join_with(&small).await, harness.join().await);
    let session = new_session_id();
    let mut slow = wait_until_active(here.bus.follow(session)).await;
    let mut quick = wait_until_active(here.bus.follow(session)).await;
    for number in 0..100 {
        there.bus.publish(session, text(format!("{number} {}", "x".repeat(200))), Urgency::Now);
        assert!(next_message(&mut quick).await.starts_with(&number.to_string()), "who keeps up loses nothing");
    }
    assert_eq!(next(&mut slow).await, InboxItem::Lost);
    let mut numbers = vec![];
    while numbers.last() != Some(&99) {
        let message = next_message(&mut slow).await;
        numbers.push(message.split(' ').next().and_then(|word| word.parse().ok()).expect("is a number"));
    }
    assert!((1..=16).contains(&numbers.len()), "{} of them waited within 4 KiB", numbers.len());
    assert!(numbers.is_sorted_by(|a, b| a + 1 == *b), "{numbers:?}");
    assert!(here.bus.traffic().lost.load(Relaxed) > 2, "losses are counted");
}

async fn an_oversized_message_becomes_a_loss(harness: BusHarness) {
    let small = BusSettings { max_message_bytes: 1024, ..BusSettings::default() };
    let (here, there) = (harness.join().await, harness.join_with(&small).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    there.bus.publish(session, text("x".repeat(1024)), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await.len(), 1024);
    there.bus.publish(session, text("x".repeat(1025)), Urgency::Soon);
    there.bus.publish(session, text("after"), Urgency::Now);
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    assert_eq!(next_message(&mut subscription).await, "after");
    assert_eq!(there.bus.traffic().dropped.load(Relaxed), 1);
    assert_eq!(there.bus.traffic().published.load(Relaxed), 2);
}

async fn a_dropped_subscription_leaves_nothing_behind(harness: BusHarness) {
    let (here, there, witness) = (harness.join().await, harness.join().await, harness.join().await);
    let session = new_session_id();
    let mut witnessed = wait_until_active(witness.bus.follow(session)).await;
    drop(wait_until_active(here.bus.follow(session)).await);
    harness.wait_for_followers(session, 1).await;
    there.bus.publish(session, text("unheard"), Urgency::Now);
    assert_eq!(next_message(&mut witnessed).await, "unheard");
    assert_eq!(here.bus.traffic().received.load(Relaxed), 0);
    let mut again = wait_until_active(here.bus.follow(session)).await;
    there.bus.publish(session, text("heard"), Urgency::Now);
    assert_eq!(next_message(&mut again).await, "heard");
    // Subscribe and unsubscribe faster than a server can process the changes.
    for _ in 0..100 {
        drop(again);
        again = here.bus.follow(session);
    }
    let mut again = wait_until_active(again).await;
    there.bus.publish(session, text("still"), Urgency::Now);
    assert_eq!(next_message(&mut again).await, "still");
}

async fn a_request_is_answered_by_its_target_node(harness: BusHarness) {
    let (mut requester, one, other) = (harness.join().await, harness.join().await, harness.join().await);
    let (first, second) = (one.id, other.id);
    one.reply_to_all("one");
    other.reply_to_all("other");
    let ask = |node, content: &'static str| requester.bus.ask(node, text(content), SOON);
    assert_eq!(ask(first, "hears").await.expect("answers"), "one hears");
    assert_eq!(ask(second, "hears").await.expect("answers"), "other hears");
    assert!(requester.requests.try_recv().is_err(), "the asker was not asked");
    // A node can send a request to itself, as to any other node.
    let (id, bus) = (requester.id, requester.bus.clone());
    requester.reply_to_all("itself");
    assert_eq!(bus.ask(id, text("hears"), SOON).await.expect("answers"), "itself hears");
}

async fn concurrent_requests_get_their_own_replies(harness: BusHarness) {
    let (requester, other, mut replier) = (harness.join().await, harness.join().await, harness.join().await);
    let (id, from) = (replier.id, [requester.id, other.id]);
    let pending = (0..100).map(|number| {
        let bus = [&requester, &other][number % 2].bus.clone();
        tokio::spawn(async move { (number, bus.ask(id, text(number.to_string()), SOON).await) })
    });
    let pending: Vec<_> = pending.collect();
    let mut questions = vec![];
    while questions.len() < 100 {
        questions.push(timeout(TIMEOUT, replier.requests.recv()).await.expect("is asked").expect("is there"));
    }
    // Reply in reverse order.
    for question in questions.into_iter().rev() {
        let number: usize = std::str::from_utf8(&question.content).expect("is text").parse().expect("is a number");
        assert_eq!(question.from, from[number % 2]);
        question.reply(text(format!("answer {number}")));
    }
    for answer in join_all(pending).await {
        let (number, answer) = answer.expect("ends");
        assert_eq!(answer.expect("answers"), format!("answer {number}"));
    }
}

async fn a_request_to_an_absent_node_fails(harness: BusHarness) {
    let (requester, dropped, closed) = (harness.join().await, harness.join().await, harness.join().await);
    let began = Instant::now();
    assert_eq!(requester.bus.ask(NodeId::fresh(), text("?"), TIMEOUT).await, Err(BusRequestError::Absent));
    drop(closed.requests);
    assert_eq!(requester.bus.ask(closed.id, text("?"), TIMEOUT).await, Err(BusRequestError::Absent));
    let id = dropped.id;
    drop(dropped);
    harness.wait_until_gone(id).await;
    assert_eq!(requester.bus.ask(id, text("?"), TIMEOUT).await, Err(BusRequestError::Absent));
    assert!(began.elapsed() < TIMEOUT, "and that is known at once");
}

async fn an_unanswered_request_times_out(harness: BusHarness) {
    let (requester, mut replier) = (harness.join().await, harness.join().await);
    let began = Instant::now();
    let within = Duration::from_millis(50);
    let (answer, question) = tokio::join!(requester.bus.ask(replier.id, text("?"), within), replier.requests.recv());
    assert_eq!(answer, Err(BusRequestError::Late));
    assert!((within..TIMEOUT).contains(&began.elapsed()));
    // The late reply is ignored, and the next request gets its own reply.
    question.expect("is there").reply(text("late"));
    drop(requester.bus.ask(replier.id, text("abandoned"), SOON));
    let (answer, ()) = tokio::join!(requester.bus.ask(replier.id, text("again"), SOON), async {
        let question = replier.requests.recv().await.expect("is there");
        assert_eq!(question.content, "again");
        question.reply(text("in time"));
    });
    assert_eq!(answer.expect("answers"), "in time");
}

async fn requests_beyond_the_limit_are_refused(harness: BusHarness) {
    let small = BusSettings { max_requests: 2, ..BusSettings::default() };
    // The limit of the receiving node applies.
    let (requester, replier) = (harness.join().await, harness.join_with(&small).await);
    let ask = || requester.bus.ask(replier.id, text("?"), Duration::from_millis(200));
    let mut answers = join_all([ask(), ask(), ask(), ask()]).await;
    answers.sort_by_key(|answer| *answer == Err(BusRequestError::Busy));
    assert_eq!(
        answers,
        [BusRequestError::Late, BusRequestError::Late, BusRequestError::Busy, BusRequestError::Busy].map(Err)
    );
    // The limit of the sending node applies as well.
    let (requester, replier) = (harness.join_with(&small).await, harness.join().await);
    let ask = || requester.bus.ask(replier.id, text("?"), Duration::from_millis(200));
    let answers = join_all([ask(), ask(), ask()]).await;
    assert_eq!(answers, [BusRequestError::Late, BusRequestError::Late, BusRequestError::Busy].map(Err));
    assert_eq!(ask().await, Err(BusRequestError::Late), "what has ended makes room");
}

async fn oversized_requests_and_replies_are_rejected(harness: BusHarness) {
    let small = BusSettings { max_message_bytes: 1024, ..BusSettings::default() };
    let (requester, replier) = (harness.join_with(&small).await, harness.join_with(&small).await);
    let id = replier.id;
    replier.reply_to_all("with this:");
    let ask = |bytes| requester.bus.ask(id, text("x".repeat(bytes)), SOON);
    assert_eq!(ask(1025).await, Err(BusRequestError::TooLarge));
    assert_eq!(ask(1024).await, Err(BusRequestError::TooLarge));
    assert_eq!(ask(1000).await.expect("answers").len(), 1011);
}

async fn a_node_can_subscribe_to_a_thousand_sessions(harness: BusHarness) {
    let (here, there) = (harness.join().await, harness.join().await);
    let sessions: Vec<_> = (0..1000).map(|_| new_session_id()).collect();
    let mut subscriptions = join_all(sessions.iter().map(|&session| wait_until_active(here.bus.follow(session)))).await;
    for session in &sessions {
        there.bus.publish(*session, text(session.to_string()), Urgency::Soon);
    }
    let mut received = HashSet::new();
    for subscription in &mut subscriptions {
        received.insert(next_message(subscription).await);
    }
    assert_eq!(received.len(), 1000);
    drop(subscriptions);
    for session in sessions {
        harness.wait_for_followers(session, 0).await;
    }
}
