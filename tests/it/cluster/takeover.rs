//! Takeover of sessions after a node dies, stops or is cut off.

use std::sync::Arc;

use roundtable::kernel::*;
use roundtable::orchestrator::ClusterSettings;
use roundtable::store::Fence;

use super::harness::{ClusterHarness, ClusterNode, fast_settings};
use crate::fresh_database::{FreshDatabase, laws};
use crate::run::faulty_store::{AppendMode, FaultyStore};
use crate::run::harness::say;

laws! {
    a_run_of_a_dead_node_continues_on_another_node,
    a_node_that_stops_hands_its_sessions_over_at_once,
    a_command_takes_over_the_session_of_a_dead_node,
    a_session_with_an_unanswered_claim_is_served,
    a_session_that_was_not_released_is_served_again,
    another_node_takes_over_a_session_that_its_claimer_cannot_serve,
    a_takeover_without_a_reply_starts_the_session_once,
    a_late_claim_does_not_stop_the_run,
    a_node_that_sleeps_during_a_reclaim_does_not_disturb_the_next_owner,
    a_node_with_an_unanswered_append_does_not_disturb_the_next_owner,
    a_response_that_completes_without_a_lease_is_kept_until_the_renewal,
    takeovers_beyond_one_batch_continue_without_a_pause,
    a_run_continues_after_its_task_panicked,
}

async fn a_run_of_a_dead_node_continues_on_another_node(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = cluster.start_held_run(&one).await;
    let mut viewer = one.open_viewer(session).await;
    cluster.expire_lease(&one).await;
    let two = cluster.add_node(fast_settings()).await;
    // The viewer watches on the node that lost the session, because the node's sockets stay open while another node
    // writes.
    let again = |event: &Event| matches!(event.fact, Fact::MessageStarted { attempt: 2, recovered: true, .. });
    viewer.find("the second attempt", again).await;
    cluster.wait_for_model(|model| model.held == 2).await;
    assert_eq!(cluster.owner(session).await, Some(two.me.node));
    // The first node's turn continues until something tells it to stop.
    cluster.wait_for_model(|model| model.held + model.dropped == 2).await;
    cluster.demo.release();
    viewer.wait_for("gate.opened").await;
    one.submit(session, "c2", say("approve")).await.expect("is brought to the new owner");
    viewer.wait_for("run.finished").await;
    cluster.assert_sees_whole_log(&mut viewer, session).await;
    let log = viewer.seen;
    let started = log.iter().filter(|event| matches!(event.fact, Fact::MessageStarted { attempt: 1, .. })).count();
    let completed = log.iter().filter(|event| matches!(event.fact, Fact::MessageCompleted { .. })).count();
    assert_eq!(started, completed, "no answer counts twice");
}

async fn a_node_that_stops_hands_its_sessions_over_at_once(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = cluster.start_held_run(&one).await;
    let quiet = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    let mut viewer = two.open_viewer(session).await;
    one.session_registry.shutdown().await;
    // The leases in this test last for ten minutes.
    cluster.wait_for_model(|model| model.dropped == 1 && model.held == 1).await;
    cluster.demo.release();
    viewer.wait_for("gate.opened").await;
    assert_eq!(cluster.owner(session).await, Some(two.me.node));
    // The stopping node forwards commands to the session's new owner, and accepts none itself.
    one.submit(session, "c2", say("@people hello")).await.expect("is brought to the new owner");
    let refused = one.submit(quiet, "c3", say("write")).await.expect_err("is nobody's any more");
    assert_eq!(refused.code(), roundtable::protocol::Code::ShuttingDown);
    cluster.assert_sees_whole_log(&mut viewer, session).await;
}

async fn a_command_takes_over_the_session_of_a_dead_node(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    one.submit(session, "c1", say("write")).await.expect("accepted");
    one.open_viewer(session).await.wait_for("gate.opened").await;
    cluster.expire_lease(&one).await;
    // The session waits for people, so no node takes it over until the first command.
    two.submit(session, "c2", say("approve")).await.expect("accepted");
    two.open_viewer(session).await.wait_for("run.finished").await;
    let refused =
        one.submit(session, "c3", Command::Pause { run: RunId(1) }).await.expect_err("is brought to the new owner");
    assert_eq!(refused.code(), roundtable::protocol::Code::TargetOver);
    assert_eq!(cluster.owner(session).await, Some(two.me.node));
}

/// A run on a node whose appends and claims can be lost, in the middle of a turn.
struct TakeoverHarness {
    cluster: ClusterHarness,
    faulty_store: Arc<FaultyStore>,
    one: ClusterNode,
    session: SessionId,
}

async fn start(fresh: FreshDatabase) -> TakeoverHarness {
    let faulty_store = FaultyStore::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node_with_store(fast_settings(), faulty_store.clone()).await;
    let session = cluster.start_held_run(&one).await;
    TakeoverHarness { cluster, faulty_store, one, session }
}

async fn a_response_that_completes_without_a_lease_is_kept_until_the_renewal(fresh: FreshDatabase) {
    let TakeoverHarness { cluster, faulty_store, one, session } = start(fresh).await;
    let mut viewer = one.open_viewer(session).await;
    cluster.expire_lease(&one).await;
    let mut fenced = faulty_store.fenced.subscribe();
    cluster.demo.release();
    fenced.wait_for(|count| *count > 0).await.expect("is not written");
    // No other node has taken the session over, as after a database outage.
    cluster.renew_lease(&one).await;
    let completed = viewer.wait_for("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "the model was asked once");
}

async fn takeovers_beyond_one_batch_continue_without_a_pause(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    for _ in 0..5 {
        cluster.start_held_run(&one).await;
    }
    cluster.expire_lease(&one).await;
    let _two = cluster.add_node(ClusterSettings { takeover_ms: 60_000, max_takeovers: 2, ..fast_settings() }).await;
    cluster.wait_for_model(|model| model.held == 10).await;
}

async fn a_run_continues_after_its_task_panicked(fresh: FreshDatabase) {
    let TakeoverHarness { cluster, faulty_store, one, session } = start(fresh).await;
    faulty_store.set_mode(AppendMode::Panicking);
    let mut tries = faulty_store.waiting.subscribe();
    tries.mark_unchanged();
    tokio::select! {
        _ = one.submit(session, "c2", say("@people hello")) => panic!("nobody answers"),
        tried = tries.changed() => tried.expect("is tried"),
    }
    faulty_store.set_mode(AppendMode::Open);
    // No other node can own the session while this one is alive, and no further command arrives.
    cluster.wait_for_model(|model| model.dropped == 1 && model.held == 1).await;
    cluster.demo.release();
    one.open_viewer(session).await.wait_for("gate.opened").await;
}

async fn a_node_with_an_unanswered_append_does_not_disturb_the_next_owner(fresh: FreshDatabase) {
    let TakeoverHarness { cluster, faulty_store, one, session } = start(fresh).await;
    // The node sleeps past its lease, and wakes up with an append in flight that gets no reply.
    cluster.expire_lease(&one).await;
    let two = cluster.add_node(fast_settings()).await;
    cluster.wait_for_model(|model| model.held == 2).await;
    faulty_store.set_mode(AppendMode::Lost);
    one.submit(session, "c2", say("@people hello")).await.expect_err("is not answered");
    // The node reads the log, finds another owner's events in it, and stops serving the session.
    cluster.wait_for_model(|model| model.dropped == 1).await;
    cluster.demo.release();
    let mut viewer = two.open_viewer(session).await;
    viewer.wait_for("gate.opened").await;
    let requests = cluster.demo.counters().borrow().requests;
    assert_eq!(requests, 3, "the lost turn, the same taken up by one node, the review");
}

async fn a_session_with_an_unanswered_claim_is_served(fresh: FreshDatabase) {
    check_takeover_despite(fresh, |faulty_store| faulty_store.lose_claim_answers(1)).await;
}

async fn a_session_that_was_not_released_is_served_again(fresh: FreshDatabase) {
    check_takeover_despite(fresh, FaultyStore::fail_one_read_and_release).await;
}

async fn another_node_takes_over_a_session_that_its_claimer_cannot_serve(fresh: FreshDatabase) {
    let faulty_store = FaultyStore::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = cluster.start_held_run(&one).await;
    faulty_store.set_mode(AppendMode::Lost);
    let two = cluster
        .add_node_with_store(ClusterSettings { takeover_ms: 60_000, ..fast_settings() }, faulty_store.clone())
        .await;
    cluster.expire_lease(&one).await;
    two.submit(session, "c2", Command::Pause { run: RunId(1) }).await.expect_err("it can write nothing");
    let three = cluster.add_node(fast_settings()).await;
    cluster.wait_for_model(|model| model.held == 2).await;
    assert_eq!(cluster.owner(session).await, Some(three.me.node));
}

async fn a_takeover_without_a_reply_starts_the_session_once(fresh: FreshDatabase) {
    let faulty_store = FaultyStore::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = cluster.start_held_run(&one).await;
    faulty_store.set_mode(AppendMode::Unanswered);
    let mut tries = faulty_store.waiting.subscribe();
    cluster.expire_lease(&one).await;
    let two = cluster.add_node_with_store(fast_settings(), faulty_store.clone()).await;
    tries.changed().await.expect("is tried");
    faulty_store.set_mode(AppendMode::Open);
    cluster.wait_for_model(|model| model.held + model.dropped == 2).await;
    cluster.demo.release();
    two.open_viewer(session).await.wait_for("gate.opened").await;
    let requests = cluster.demo.counters().borrow().requests;
    assert_eq!(requests, 3, "the lost turn, the same taken up once, the review");
}

async fn a_late_claim_does_not_stop_the_run(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = cluster.start_held_run(&one).await;
    let seen = Fence(0);
    cluster
        .store
        .claim_after(session, Some(one.me.node), seen)
        .await
        .expect_err("it was given up, and another one followed");
    cluster.demo.release();
    one.open_viewer(session).await.wait_for("gate.opened").await;
}

async fn check_takeover_despite(fresh: FreshDatabase, inject_fault: impl FnOnce(&FaultyStore)) {
    let faulty_store = FaultyStore::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.add_node(fast_settings()).await;
    let session = cluster.start_held_run(&one).await;
    // The session moves to this node only because of a command.
    let two = cluster
        .add_node_with_store(ClusterSettings { takeover_ms: 60_000, ..fast_settings() }, faulty_store.clone())
        .await;
    cluster.expire_lease(&one).await;
    inject_fault(&faulty_store);
    // The command is either refused, or it waits for the next attempt and takes effect.
    if let Err(refused) = two.submit(session, "c2", Command::Pause { run: RunId(1) }).await {
        assert_eq!(refused.code(), roundtable::protocol::Code::StoreUnavailable);
    }
    // No other node can take over, and no further command arrives.
    cluster.wait_for_model(|model| model.held == 2).await;
}

async fn a_node_that_sleeps_during_a_reclaim_does_not_disturb_the_next_owner(fresh: FreshDatabase) {
    let TakeoverHarness { cluster, faulty_store, one, session } = start(fresh).await;
    faulty_store.set_mode(AppendMode::Lost);
    faulty_store.hold_claims();
    let mut waiting = faulty_store.waiting.subscribe();
    let before = *waiting.borrow_and_update();
    one.submit(session, "c2", say("@people hello")).await.expect_err("is not answered");
    waiting.wait_for(|count| *count == before + 2).await.expect("the append, and the claim");
    cluster.expire_lease(&one).await;
    let _two = cluster.add_node(fast_settings()).await;
    cluster.wait_for_model(|model| model.held == 2).await;
    faulty_store.permits.add_permits(1);
    cluster.wait_for_model(|model| model.dropped == 1).await;
    cluster.demo.release();
    let mut viewer = one.open_viewer(session).await;
    viewer.wait_for("gate.opened").await;
    let requests = cluster.demo.counters().borrow().requests;
    assert_eq!(requests, 3, "the lost turn, the same taken up by one node, the review");
}
