//! The bus when its Redis fails, freezes or is misconfigured.

use std::{
    sync::atomic::Ordering::Relaxed,
    time::{Duration, Instant},
};

use roundtable::bus::{self, BusRequestError, BusSettings, BusStatus, InboxItem, Urgency};
use roundtable::node_id::NodeId;

use crate::{
    append_builders::new_session_id,
    bus_cluster::{BusHarness, BusNode, TIMEOUT, next, next_message, text, wait_until_active},
    redis::{self, Server},
};

/// Settings that quickly detect an unresponsive server and never wait long for it.
fn fast_timeouts() -> BusSettings {
    BusSettings { reply_ms: 150, ping_ms: 50, connect_ms: 150, retry_ms: 5, max_retry_ms: 40, ..BusSettings::default() }
}

/// Settings that wait for an unresponsive server longer than any test takes.
fn long_timeouts() -> BusSettings {
    BusSettings { reply_ms: 60_000, ..fast_timeouts() }
}

pub fn count_reconnections(member: &BusNode) -> u64 {
    member.bus.traffic().reconnections.load(Relaxed)
}

pub fn count_dropped(member: &BusNode) -> u64 {
    member.bus.traffic().dropped.load(Relaxed)
}

#[tokio::test]
async fn nodes_on_different_redis_databases_are_told_apart() {
    // Messages would get through, but the counts of the rate limits would not be shared.
    let place = |url| bus::redis::join(NodeId::fresh(), url, &BusSettings::default()).expect("a URL").place;
    let first = place("redis://127.0.0.1:1");
    assert_eq!(first, place("redis://127.0.0.1:1/0"));
    assert_ne!(first, place("redis://127.0.0.1:1/1"));
}

/// Waits until the condition holds.
pub async fn wait_until(so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < TIMEOUT);
        tokio::task::yield_now().await;
    }
}

pub fn kill_connections(server: &Server, kind: &str) -> u64 {
    let mut raw = redis::raw(&server.url());
    let kill = ::redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg(kind).arg("SKIPME").arg("yes").to_owned();
    kill.query(&mut raw).expect("kills")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_subscription_is_restored_with_a_loss() {
    let server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    let (here, there) = (harness.join_with(&fast_timeouts()).await, harness.join_with(&fast_timeouts()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    for round in 1..=5 {
        assert_eq!(kill_connections(&server, "pubsub"), 2);
        assert_eq!(next(&mut subscription).await, InboxItem::Lost, "in round {round}");
        there.bus.publish(session, text("again"), Urgency::Now);
        assert_eq!(next_message(&mut subscription).await, "again");
        here.wait_for_status(true).await;
        assert_eq!(count_reconnections(&here), round);
        there.wait_for_status(true).await;
    }
    assert_eq!(count_dropped(&there), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_could_not_be_published_becomes_a_loss() {
    let server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    // Only the publisher's connection is cut, so followers learn of the loss only from the publisher.
    let (here, there) = (harness.join_with(&fast_timeouts()).await, harness.join_with(&fast_timeouts()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    let mut status = there.bus.status();
    assert_eq!(kill_connections(&server, "normal"), 2);
    status.changed().await.expect("lives");
    let mut sent = 0;
    while count_dropped(&there) == 0 {
        // The connection can be restored between two iterations, so it is cut again in each of them.
        there.bus.publish(session, text(sent.to_string()), Urgency::Now);
        sent += 1;
        kill_connections(&server, "normal");
        tokio::task::yield_now().await;
    }
    there.wait_for_status(true).await;
    there.bus.publish(session, text("last"), Urgency::Now);
    let (mut losses, mut last) = (0, String::new());
    while last != "last" {
        match next(&mut subscription).await {
            InboxItem::Lost => losses += 1,
            InboxItem::Message(message) => last = String::from_utf8(message.to_vec()).expect("is text"),
        }
    }
    assert!(losses > 0, "of {sent}, {} were dropped and nobody was told", count_dropped(&there));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bus_reconnects_after_a_redis_restart() {
    let mut server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    let (here, there) = (harness.join_with(&fast_timeouts()).await, harness.join_with(&fast_timeouts()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    for _ in 0..3 {
        server.kill();
        here.wait_for_status(false).await;
        there.wait_for_status(false).await;
        let before = count_dropped(&there);
        for number in 0..1000 {
            there.bus.publish(session, text(number.to_string()), Urgency::Soon);
        }
        // One side of the bus can notice the failure before the other.
        wait_until(|| count_dropped(&there) - before == 1000).await;
        assert_eq!(there.bus.ask(here.id, text("?"), TIMEOUT).await, Err(BusRequestError::Down));
        server.launch();
        here.wait_for_status(true).await;
        there.wait_for_status(true).await;
        assert_eq!(next(&mut subscription).await, InboxItem::Lost);
        there.bus.publish(session, text("back"), Urgency::Now);
        // One loss for the subscription, and possibly one for messages that could not be sent.
        while next(&mut subscription).await != InboxItem::Message(text("back")) {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_redis_is_detected_and_blocks_nobody() {
    let mut server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    let (here, there) = (harness.join_with(&fast_timeouts()).await, harness.join_with(&fast_timeouts()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    server.freeze();
    let began = Instant::now();
    let bus = there.bus.clone();
    let reply = tokio::spawn(async move { bus.ask(here.id, text("?"), TIMEOUT).await });
    for number in 0..20_000 {
        there.bus.publish(session, text(format!("{number} {}", "x".repeat(100))), Urgency::Now);
    }
    assert!(began.elapsed() < Duration::from_secs(5), "publishing took {:?}", began.elapsed());
    there.wait_for_status(false).await;
    here.wait_for_status(false).await;
    assert!(began.elapsed() < Duration::from_secs(5), "noticing took {:?}", began.elapsed());
    let BusStatus::Down { reason, .. } = there.bus.status().borrow().clone() else { panic!("is down") };
    assert!(reason.contains("Redis"), "{reason}");
    assert_eq!(reply.await.expect("ends"), Err(BusRequestError::Down));
    server.thaw();
    here.wait_for_status(true).await;
    there.wait_for_status(true).await;
    there.bus.publish(session, text("back"), Urgency::Now);
    let (mut lost, mut numbers) = (false, vec![]);
    loop {
        match next(&mut subscription).await {
            InboxItem::Lost => lost = true,
            InboxItem::Message(message) if message == "back" => break,
            InboxItem::Message(message) => {
                let message = String::from_utf8(message.to_vec()).expect("is text");
                numbers.push(message.split(' ').next().and_then(|word| word.parse::<u32>().ok()).expect("is a number"));
            }
        }
    }
    assert!(lost && numbers.is_sorted(), "{numbers:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_outbox_is_bounded_and_its_loss_is_reported() {
    let mut server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    let small = BusSettings { max_queue_bytes: 1 << 20, max_message_bytes: 64 << 10, ..long_timeouts() };
    let (here, there) = (harness.join_with(&long_timeouts()).await, harness.join_with(&small).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    server.freeze();
    for _ in 0..1000 {
        there.bus.publish(session, text("x".repeat(60_000)), Urgency::Now);
    }
    there.bus.publish(session, text("last"), Urgency::Now);
    assert!(count_dropped(&there) > 900, "{} of 60 MB are dropped", count_dropped(&there));
    server.thaw();
    // No connection was lost, but the followers still learn of the loss.
    let mut lost = false;
    loop {
        match next(&mut subscription).await {
            InboxItem::Lost => lost = true,
            InboxItem::Message(message) if message == "last" => break,
            InboxItem::Message(_) => {}
        }
    }
    assert!(lost);
    assert_eq!((count_reconnections(&here), count_reconnections(&there)), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delayable_messages_share_a_write_with_urgent_ones() {
    let server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    // The delay is a minute, so that no message in this test is sent because its delay has passed.
    let (here, there) =
        (harness.join().await, harness.join_with(&BusSettings { batch_delay_ms: 60_000, ..long_timeouts() }).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    let mut raw = redis::raw(&server.url());
    let mut counts = || -> String { ::redis::cmd("INFO").arg("commandstats").query(&mut raw).expect("counts") };
    there.bus.publish(session, text("alone"), Urgency::Soon);
    assert_eq!(next_message(&mut subscription).await, "alone");
    for number in 0..99 {
        there.bus.publish(session, text(number.to_string()), Urgency::Soon);
        assert!(counts().contains("cmdstat_publish:calls=1,"), "{number} does not wait");
    }
    there.bus.publish(session, text("99"), Urgency::Now);
    for number in 0..100 {
        assert_eq!(next_message(&mut subscription).await, number.to_string());
    }
    let counts = counts();
    assert!(counts.contains("cmdstat_publish:calls=2,"), "{counts}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pending_requests_fail_at_once_when_the_connection_breaks() {
    let server = Server::start(&[]);
    let harness = BusHarness::on_redis(server.url());
    let (requester, mut replier) =
        (harness.join_with(&fast_timeouts()).await, harness.join_with(&fast_timeouts()).await);
    let (answer, question) = tokio::join!(requester.bus.ask(replier.id, text("?"), 2 * TIMEOUT), async {
        let question = replier.requests.recv().await;
        kill_connections(&server, "pubsub");
        question
    });
    assert_eq!(answer, Err(BusRequestError::Down));
    drop(question);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_started_before_redis_works_once_redis_starts() {
    let mut server = Server::stopped(&[]);
    let harness = BusHarness::on_redis(server.url());
    let (here, there) = (harness.add_node(&fast_timeouts()), harness.add_node(&fast_timeouts()));
    let session = new_session_id();
    let mut subscription = here.bus.follow(session);
    here.wait_for_status(false).await;
    assert_eq!(here.bus.ask(there.id, text("?"), TIMEOUT).await, Err(BusRequestError::Down));
    server.launch();
    here.wait_for_status(true).await;
    there.wait_for_status(true).await;
    subscription = wait_until_active(subscription).await;
    there.bus.publish(session, text("here"), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await, "here");
    let raw = &mut redis::raw(&server.url());
    ::redis::cmd("FLUSHALL").exec(raw).expect("flushes");
    there.bus.publish(session, text("still"), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await, "still");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_installations_on_one_redis_are_isolated() {
    let (harness, others) = (BusHarness::redis().await, BusHarness::redis().await);
    let (here, there) = (harness.join().await, harness.join().await);
    let (other, another) = (others.join().await, others.join().await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    let mut elsewhere = wait_until_active(another.bus.follow(session)).await;
    other.bus.publish(session, text("of others"), Urgency::Now);
    assert_eq!(next_message(&mut elsewhere).await, "of others");
    assert_eq!(other.bus.ask(here.id, text("?"), TIMEOUT).await, Err(BusRequestError::Absent));
    there.bus.publish(session, text("ours"), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await, "ours");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_messages_count_as_lost() {
    let harness = BusHarness::redis().await;
    let (here, there) = (harness.join().await, harness.join().await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    let BusHarness::Redis { urls, prefix, .. } = &harness else { panic!("is Redis") };
    let mut raw = redis::raw(&urls[0]);
    for strange in [&b""[..], b"\x02of another version", b"\x01short"] {
        ::redis::cmd("PUBLISH").arg(format!("{{{prefix}}}:{session}")).arg(strange).exec(&mut raw).expect("publishes");
        assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    }
    there.bus.publish(session, text("understood"), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await, "understood");
}
