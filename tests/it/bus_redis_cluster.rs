//! The bus when the nodes of a Redis cluster change roles.

use roundtable::{
    bus::{BusSettings, BusStatus, InboxItem, Urgency},
    kernel::SessionId,
};
use tokio::time::timeout;
use uuid::Uuid;

use crate::{
    append_builders::session,
    bus_cluster::{PATIENCE, Wires, news, next, settled, text},
    bus_redis::{dropped, kill_connections, reconnections, until},
    redis::{listeners, raw},
    redis_cluster::{self, Cluster, FIRST, SECOND},
};

/// Short timeouts, so that changes are noticed soon.
fn alert() -> BusSettings {
    BusSettings {
        reply_ms: 10_000,
        connect_ms: 10_000,
        ping_ms: 50,
        retry_ms: 5,
        max_retry_ms: 40,
        ..BusSettings::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_that_moves_takes_its_followers_along_and_they_hear_of_the_gap() {
    let cluster = Cluster::start();
    let prefix = cluster.prefix(FIRST);
    let wires = Wires::among(cluster.urls(), prefix.clone(), 1);
    let (here, there) = (wires.join_with(&alert()).await, wires.join_with(&alert()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    cluster.move_to_second(&prefix);
    // Nothing was published and no connection ended, so only the former owner can have reported the loss.
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    // The publisher learns of the move with the next message, which is compensated by a loss.
    there.bus.publish(session, text("to the former owner"), Urgency::Now);
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    assert_eq!(dropped(&there), 1);
    there.bus.publish(session, text("again"), Urgency::Now);
    assert_eq!(news(&mut following).await, "again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_dies_is_followed_by_its_replica_even_where_the_url_names_the_dead_one() {
    let mut cluster = Cluster::start();
    let wires = Wires::among(vec![cluster.urls().swap_remove(FIRST)], cluster.prefix(FIRST), 1);
    let (here, there) = (wires.join_with(&alert()).await, wires.join_with(&alert()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    cluster.node(FIRST).kill();
    here.until(false).await;
    there.until(false).await;
    cluster.take_over();
    here.until(true).await;
    there.until(true).await;
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    there.bus.publish(session, text("back"), Urgency::Now);
    // One loss for the subscription, and one for messages that the publisher cannot know to have reached everybody.
    while next(&mut following).await != InboxItem::News(text("back")) {}
    let (id, asker) = (here.id, there.bus.clone());
    here.answer_all("here");
    assert_eq!(asker.ask(id, text("again"), PATIENCE).await.expect("answers"), "here again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_becomes_a_replica_is_left_by_all() {
    let cluster = Cluster::start();
    let wires = Wires::among(cluster.urls(), cluster.prefix(FIRST), 1);
    let (here, there) = (wires.join_with(&alert()).await, wires.join_with(&alert()).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    cluster.take_over();
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    // Both connections of both nodes move, although a replica would have accepted what they publish.
    until(|| reconnections(&here) >= 2 && reconnections(&there) >= 2).await;
    there.bus.publish(session, text("back"), Urgency::Now);
    while next(&mut following).await != InboxItem::News(text("back")) {}
    assert_eq!(dropped(&there), 0);
    let (id, asker) = (here.id, there.bus.clone());
    here.answer_all("here");
    assert_eq!(asker.ask(id, text("again"), PATIENCE).await.expect("answers"), "here again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_a_former_slot_owner_are_in_doubt() {
    let mut cluster = Cluster::start();
    let wires = Wires::among(cluster.urls(), cluster.prefix(FIRST), 1);
    // Does not check whether it still publishes to the owner.
    let unaware = BusSettings { ping_ms: 60_000, ..alert() };
    let (here, there) = (wires.join_with(&alert()).await, wires.join_with(&unaware).await);
    let session = session();
    let mut following = settled(here.bus.follow(session)).await;
    cluster.take_over();
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    there.bus.publish(session, text("by way of a replica"), Urgency::Now);
    assert_eq!(news(&mut following).await, "by way of a replica");
    kill_connections(cluster.node(FIRST), "normal");
    assert_eq!(next(&mut following).await, InboxItem::Lost);
    assert_eq!(dropped(&there), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_lane_does_not_notice_the_death_of_an_owner_of_another() {
    let mut cluster = Cluster::start();
    let wires = Wires::among(cluster.urls(), cluster.prefix(FIRST), 2);
    let (here, there) = (wires.join_with(&alert()).await, wires.join_with(&alert()).await);
    let sessions = [0, 1].map(|lane| SessionId(Uuid::from_u128(lane)));
    let mut of_first = settled(here.bus.follow(sessions[0])).await;
    let mut of_second = settled(here.bus.follow(sessions[1])).await;
    for (node, session) in [(FIRST, 0), (SECOND, 1)] {
        assert_eq!(listeners(&mut raw(&cluster.node(node).url()), &sessions[session].to_string()), 1);
    }
    cluster.node(SECOND).kill();
    here.until(false).await;
    cluster.node(FIRST).hear("Cluster state changed: fail");
    there.bus.publish(sessions[0], text("as before"), Urgency::Now);
    assert_eq!(news(&mut of_first).await, "as before");
    assert!(!here.bus.status().borrow().is_up(), "it is not whole");
    cluster.node(SECOND).begin();
    here.until(true).await;
    there.until(true).await;
    assert_eq!(next(&mut of_second).await, InboxItem::Lost);
    there.bus.publish(sessions[1], text("back"), Urgency::Now);
    while next(&mut of_second).await != InboxItem::News(text("back")) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_without_an_owner_of_the_slot_is_refused_in_words() {
    let server = redis_cluster::lonely();
    let member = Wires::of(server.url()).begin(&alert());
    let mut status = member.bus.status();
    let words = "no node of the Redis cluster serves slot";
    let refused = status.wait_for(|status| matches!(status, BusStatus::Down { reason, .. } if reason.contains(words)));
    timeout(PATIENCE, refused).await.expect("in time").expect("lives");
}
