//! The bus when its Redis fails, freezes or is misconfigured.

use std::{
    sync::atomic::Ordering::Relaxed,
    time::{Duration, Instant},
};

use roundtable::bus::{self, BusRequestError, BusSettings, BusStatus, InboxItem, Urgency};
use roundtable::node_id::NodeId;

use crate::{
    append_builders::session,
    bus_cluster::{Member, PATIENCE, Wires, news, next, settled, text},
    redis::{self, Server},
};

/// Notices soon that a server does not answer, and never waits long for it.
fn impatient() -> BusSettings {
    BusSettings { reply_ms: 150, ping_ms: 50, connect_ms: 150, retry_ms: 5, max_retry_ms: 40, ..BusSettings::default() }
}

/// Waits for a server that does not answer for longer than any test takes.
fn patient() -> BusSettings {
    BusSettings { reply_ms: 60_000, ..impatient() }
}

pub fn reconnections(member: &Member) -> u64 {
    member.bus.traffic().reconnections.load(Relaxed)
}

pub fn dropped(member: &Member) -> u64 {
    member.bus.traffic().dropped.load(Relaxed)
}

#[tokio::test]
async fn nodes_on_different_redis_databases_do_not_meet() {
    // Messages would get through, but the counts of the rate limits would not be shared.
    let place = |url| bus::redis::join(NodeId::fresh(), url, &BusSettings::default()).expect("a URL").place;
    let first = place("redis://127.0.0.1:1");
    assert_eq!(first, place("redis://127.0.0.1:1/0"));
    assert_ne!(first, place("redis://127.0.0.1:1/1"));
}

/// Waits until the condition holds.
pub async fn until(so: impl Fn() -> bool) {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < PATIENCE);
        tokio::task::yield_now().await;
    }
}

pub fn kill_connections(server: &Server, kind: &str) -> u64 {
    let mut raw = redis::raw(&server.url());
    let kill = ::redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg(kind).arg("SKIPME").arg("yes").to_owned();
    kill.query(&mut raw).expect("kills")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_that_was_cut_is_made_again_and_says_that_news_was_lost() {
    let server = Server::start(&[]);
    let wires = Wires::of(server.url());
    let (here, there) = (wires.join_with(&impatient()).await, wires.join_with(&impatient()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    for round in 1..=5 {
        assert_eq!(kill_connections(&server, "pubsub"), 2);
        assert_eq!(next(&mut following).await, InboxItem::Lost, "in round {round}");
        there.bus.publish(session, text("again"), Urgency::Now);
        assert_eq!(news(&mut following).await, "again");
        here.until(true).await;
        assert_eq!(reconnections(&here), round);
        there.until(true).await;
    }
    assert_eq!(dropped(&there), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn news_that_its_publisher_could_not_send_is_made_up_for_by_a_loss() {
    let server = Server::start(&[]);
    let wires = Wires::of(server.url());
    // Only the publisher's connection is cut, so followers learn of it only from the publisher.
    let (here, there) = (wires.join_with(&impatient()).await, wires.join_with(&impatient()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    let mut status = there.bus.status();
    assert_eq!(kill_connections(&server, "normal"), 2);
    status.changed().await.expect("lives");
    let mut sent = 0;
    while dropped(&there) == 0 {
        // The connection may be restored between two iterations; then it is cut again.
        there.bus.publish(session, text(sent.to_string()), Urgency::Now);
        sent += 1;
        kill_connections(&server, "normal");
        tokio::task::yield_now().await;
    }
    there.until(true).await;
    there.bus.publish(session, text("last"), Urgency::Now);
    let (mut losses, mut last) = (0, String::new());
    while last != "last" {
        match next(&mut following).await {
            InboxItem::Lost => losses += 1,
            InboxItem::News(news) => last = String::from_utf8(news.to_vec()).expect("is text"),
        }
    }
    assert!(losses > 0, "of {sent}, {} were dropped and nobody was told", dropped(&there));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_dies_and_comes_back_is_found_again() {
    let mut server = Server::start(&[]);
    let wires = Wires::of(server.url());
    let (here, there) = (wires.join_with(&impatient()).await, wires.join_with(&impatient()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    for _ in 0..3 {
        server.kill();
        here.until(false).await;
        there.until(false).await;
        let before = dropped(&there);
        for number in 0..1000 {
            there.bus.publish(session, text(number.to_string()), Urgency::Soon);
        }
        // One side of the bus may notice before the other.
        until(|| dropped(&there) - before == 1000).await;
        assert_eq!(there.bus.ask(here.id, text("?"), PATIENCE).await, Err(BusRequestError::Down));
        server.begin();
        here.until(true).await;
        there.until(true).await;
        assert_eq!(next(&mut following).await, InboxItem::Lost);
        there.bus.publish(session, text("back"), Urgency::Now);
        // One loss for the subscription, and possibly one for messages that could not be sent.
        while next(&mut following).await != InboxItem::News(text("back")) {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redis_that_stands_still_keeps_nobody_waiting_and_is_noticed() {
    let mut server = Server::start(&[]);
    let wires = Wires::of(server.url());
    let (here, there) = (wires.join_with(&impatient()).await, wires.join_with(&impatient()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    server.freeze();
    let began = Instant::now();
    let asking = there.bus.clone();
    let asked = tokio::spawn(async move { asking.ask(here.id, text("?"), PATIENCE).await });
    for number in 0..20_000 {
        there.bus.publish(session, text(format!("{number} {}", "x".repeat(100))), Urgency::Now);
    }
    assert!(began.elapsed() < Duration::from_secs(5), "publishing took {:?}", began.elapsed());
    there.until(false).await;
    here.until(false).await;
    assert!(began.elapsed() < Duration::from_secs(5), "noticing took {:?}", began.elapsed());
    let BusStatus::Down { reason, .. } = there.bus.status().borrow().clone() else { panic!("is down") };
    assert!(reason.contains("Redis"), "{reason}");
    assert_eq!(asked.await.expect("ends"), Err(BusRequestError::Down));
    server.thaw();
    here.until(true).await;
    there.until(true).await;
    there.bus.publish(session, text("back"), Urgency::Now);
    let (mut lost, mut numbers) = (false, vec![]);
    loop {
        match next(&mut following).await {
            InboxItem::Lost => lost = true,
            InboxItem::News(news) if news == "back" => break,
            InboxItem::News(news) => {
                let news = String::from_utf8(news.to_vec()).expect("is text");
                numbers.push(news.split(' ').next().and_then(|word| word.parse::<u32>().ok()).expect("is a number"));
            }
        }
    }
    assert!(lost && numbers.is_sorted(), "{numbers:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_outbox_is_bounded_and_its_loss_is_reported() {
    let mut server = Server::start(&[]);
    let wires = Wires::of(server.url());
    let small = BusSettings { max_queue_bytes: 1 << 20, max_message_bytes: 64 << 10, ..patient() };
    let (here, there) = (wires.join_with(&patient()).await, wires.join_with(&small).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    server.freeze();
    for _ in 0..1000 {
        there.bus.publish(session, text("x".repeat(60_000)), Urgency::Now);
    }
    there.bus.publish(session, text("last"), Urgency::Now);
    assert!(dropped(&there) > 900, "{} of 60 MB are dropped", dropped(&there));
    server.thaw();
    // No connection was lost, but the followers are still told.
    let mut lost = false;
    loop {
        match next(&mut following).await {
            InboxItem::Lost => lost = true,
            InboxItem::News(news) if news == "last" => break,
            InboxItem::News(_) => {}
        }
    }
    assert!(lost);
    assert_eq!((reconnections(&here), reconnections(&there)), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delayable_messages_share_a_write_with_urgent_ones() {
    let server = Server::start(&[]);
    let wires = Wires::of(server.url());
    // A minute, so that nothing in this test is sent because its delay has passed.
    let (here, there) =
        (wires.join().await, wires.join_with(&BusSettings { batch_delay_ms: 60_000, ..patient() }).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    let mut raw = redis::raw(&server.url());
    let mut counts = || -> String { ::redis::cmd("INFO").arg("commandstats").query(&mut raw).expect("counts") };
    there.bus.publish(session, text("alone"), Urgency::Soon);
    assert_eq!(news(&mut following).await, "alone");
    for number in 0..99 {
        there.bus.publish(session, text(number.to_string()), Urgency::Soon);
        assert!(counts().contains("cmdstat_publish:calls=1,"), "{number} does not wait");
    }
    there.bus.publish(session, text("99"), Urgency::Now);
    for number in 0..100 {
        assert_eq!(news(&mut following).await, number.to_string());
    }
    let counts = counts();
    assert!(counts.contains("cmdstat_publish:calls=2,"), "{counts}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pending_requests_fail_at_once_when_the_connection_breaks() {
    let server = Server::start(&[]);
    let wires = Wires::of(server.url());
    let (asker, mut asked) = (wires.join_with(&impatient()).await, wires.join_with(&impatient()).await);
    let (answer, question) = tokio::join!(asker.bus.ask(asked.id, text("?"), 2 * PATIENCE), async {
        let question = asked.requests.recv().await;
        kill_connections(&server, "pubsub");
        question
    });
    assert_eq!(answer, Err(BusRequestError::Down));
    drop(question);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_started_before_redis_works_once_redis_starts() {
    let mut server = Server::not_yet(&[]);
    let wires = Wires::of(server.url());
    let (here, there) = (wires.begin(&impatient()), wires.begin(&impatient()));
    let session = session();
    let mut following = here.bus.follow(session);
    here.until(false).await;
    assert_eq!(here.bus.ask(there.id, text("?"), PATIENCE).await, Err(BusRequestError::Down));
    server.begin();
    here.until(true).await;
    there.until(true).await;
    following = settled(following).await;
    there.bus.publish(session, text("here"), Urgency::Now);
    assert_eq!(news(&mut following).await, "here");
    let raw = &mut redis::raw(&server.url());
    ::redis::cmd("FLUSHALL").exec(raw).expect("flushes");
    there.bus.publish(session, text("still"), Urgency::Now);
    assert_eq!(news(&mut following).await, "still");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_installations_on_one_redis_do_not_hear_each_other() {
    let (wires, others) = (Wires::redis().await, Wires::redis().await);
    let (here, there) = (wires.join().await, wires.join().await);
    let (other, another) = (others.join().await, others.join().await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    let mut elsewhere = settled(another.bus.follow(session)).await;
    other.bus.publish(session, text("of others"), Urgency::Now);
    assert_eq!(news(&mut elsewhere).await, "of others");
    assert_eq!(other.bus.ask(here.id, text("?"), PATIENCE).await, Err(BusRequestError::Absent));
    there.bus.publish(session, text("ours"), Urgency::Now);
    assert_eq!(news(&mut following).await, "ours");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_messages_count_as_lost() {
    let wires = Wires::redis().await;
    let (here, there) = (wires.join().await, wires.join().await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    let Wires::Redis { urls, prefix, .. } = &wires else { panic!("is Redis") };
    let mut raw = redis::raw(&urls[0]);
    for strange in [&b""[..], b"\x02of another version", b"\x01short"] {
        ::redis::cmd("PUBLISH").arg(format!("{{{prefix}}}:{session}")).arg(strange).exec(&mut raw).expect("publishes");
        assert_eq!(next(&mut following).await, InboxItem::Lost);
    }
    there.bus.publish(session, text("understood"), Urgency::Now);
    assert_eq!(news(&mut following).await, "understood");
}
