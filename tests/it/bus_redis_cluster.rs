//! The bus when the nodes of a Redis cluster change roles.

use roundtable::{
    bus::{BusSettings, BusStatus, InboxItem, Urgency},
    kernel::SessionId,
};
use tokio::time::timeout;
use uuid::Uuid;

use crate::{
    append_builders::new_session_id,
    bus_cluster::{BusHarness, TIMEOUT, next, next_message, text, wait_until_active},
    bus_redis::{count_dropped, count_reconnections, kill_connections, wait_until},
    redis::{listeners, raw},
    redis_cluster::{self, Cluster, FIRST, SECOND},
};

/// Settings with short intervals, so that changes are detected quickly.
fn fast_detection() -> BusSettings {
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
async fn subscribers_follow_a_moved_slot_and_get_a_loss() {
    let cluster = Cluster::start();
    let prefix = cluster.prefix(FIRST);
    let harness = BusHarness::on_redis_cluster(cluster.urls(), prefix.clone(), 1);
    let (here, there) = (harness.join_with(&fast_detection()).await, harness.join_with(&fast_detection()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    cluster.move_to_second(&prefix);
    // Nothing was published and no connection ended, so only the former owner can have reported the loss.
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    // The publisher learns of the move when it sends the next message, which is dropped and reported as a loss.
    there.bus.publish(session, text("to the former owner"), Urgency::Now);
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    assert_eq!(count_dropped(&there), 1);
    there.bus.publish(session, text("again"), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await, "again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_takes_over_even_if_the_url_names_the_dead_owner() {
    let mut cluster = Cluster::start();
    let harness = BusHarness::on_redis_cluster(vec![cluster.urls().swap_remove(FIRST)], cluster.prefix(FIRST), 1);
    let (here, there) = (harness.join_with(&fast_detection()).await, harness.join_with(&fast_detection()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    cluster.node(FIRST).kill();
    here.wait_for_status(false).await;
    there.wait_for_status(false).await;
    cluster.take_over();
    here.wait_for_status(true).await;
    there.wait_for_status(true).await;
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    there.bus.publish(session, text("back"), Urgency::Now);
    // One loss for the subscription, and one for messages whose delivery the publisher cannot confirm.
    while next(&mut subscription).await != InboxItem::Message(text("back")) {}
    let (id, requester) = (here.id, there.bus.clone());
    here.reply_to_all("here");
    assert_eq!(requester.ask(id, text("again"), TIMEOUT).await.expect("answers"), "here again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_leave_an_owner_that_becomes_a_replica() {
    let cluster = Cluster::start();
    let harness = BusHarness::on_redis_cluster(cluster.urls(), cluster.prefix(FIRST), 1);
    let (here, there) = (harness.join_with(&fast_detection()).await, harness.join_with(&fast_detection()).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    cluster.take_over();
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    // Both connections of both nodes move, although a replica would have accepted their messages.
    wait_until(|| count_reconnections(&here) >= 2 && count_reconnections(&there) >= 2).await;
    there.bus.publish(session, text("back"), Urgency::Now);
    while next(&mut subscription).await != InboxItem::Message(text("back")) {}
    assert_eq!(count_dropped(&there), 0);
    let (id, requester) = (here.id, there.bus.clone());
    here.reply_to_all("here");
    assert_eq!(requester.ask(id, text("again"), TIMEOUT).await.expect("answers"), "here again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_a_former_slot_owner_are_in_doubt() {
    let mut cluster = Cluster::start();
    let harness = BusHarness::on_redis_cluster(cluster.urls(), cluster.prefix(FIRST), 1);
    // With these settings, a node does not check whether it still publishes to the owner.
    let unaware = BusSettings { ping_ms: 60_000, ..fast_detection() };
    let (here, there) = (harness.join_with(&fast_detection()).await, harness.join_with(&unaware).await);
    let session = new_session_id();
    let mut subscription = wait_until_active(here.bus.follow(session)).await;
    cluster.take_over();
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    there.bus.publish(session, text("by way of a replica"), Urgency::Now);
    assert_eq!(next_message(&mut subscription).await, "by way of a replica");
    kill_connections(cluster.node(FIRST), "normal");
    assert_eq!(next(&mut subscription).await, InboxItem::Lost);
    assert_eq!(count_dropped(&there), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_lane_does_not_notice_the_death_of_an_owner_of_another() {
    let mut cluster = Cluster::start();
    let harness = BusHarness::on_redis_cluster(cluster.urls(), cluster.prefix(FIRST), 2);
    let (here, there) = (harness.join_with(&fast_detection()).await, harness.join_with(&fast_detection()).await);
    let sessions = [0, 1].map(|lane| SessionId(Uuid::from_u128(lane)));
    let mut of_first = wait_until_active(here.bus.follow(sessions[0])).await;
    let mut of_second = wait_until_active(here.bus.follow(sessions[1])).await;
    for (node, session) in [(FIRST, 0), (SECOND, 1)] {
        assert_eq!(listeners(&mut raw(&cluster.node(node).url()), &sessions[session].to_string()), 1);
    }
    cluster.node(SECOND).kill();
    here.wait_for_status(false).await;
    cluster.node(FIRST).wait_for_log("Cluster state changed: fail");
    there.bus.publish(sessions[0], text("as before"), Urgency::Now);
    assert_eq!(next_message(&mut of_first).await, "as before");
    assert!(!here.bus.status().borrow().is_up(), "it is not whole");
    cluster.node(SECOND).launch();
    here.wait_for_status(true).await;
    there.wait_for_status(true).await;
    assert_eq!(next(&mut of_second).await, InboxItem::Lost);
    there.bus.publish(sessions[1], text("back"), Urgency::Now);
    while next(&mut of_second).await != InboxItem::Message(text("back")) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_without_an_owner_of_the_slot_is_refused_with_a_reason() {
    let server = redis_cluster::standalone_node();
    let member = BusHarness::on_redis(server.url()).add_node(&fast_detection());
    let mut status = member.bus.status();
    let text = "no node of the Redis cluster serves slot";
    let refused = status.wait_for(|status| matches!(status, BusStatus::Down { reason, .. } if reason.contains(text)));
    timeout(TIMEOUT, refused).await.expect("in time").expect("lives");
}
