//! Takeover of sessions after a node dies, stops or is cut off.

use std::sync::Arc;

use roundtable::kernel::*;
use roundtable::orchestrator::ClusterSettings;
use roundtable::store::Fence;

use super::harness::{ClusterHarness, ClusterNode, quick};
use crate::fresh_database::{Fresh, laws};
use crate::run::gated::{Gate, Gated};
use crate::run::harness::say;

laws! {
    a_dead_nodes_run_goes_on_elsewhere_and_it_writes_nothing_more,
    a_node_that_stops_hands_its_sessions_over_at_once,
    a_command_takes_the_session_of_a_dead_node_over,
    a_claim_in_doubt_is_served,
    a_session_that_was_not_released_is_served_again,
    another_node_takes_over_a_session_that_its_claimer_cannot_serve,
    a_takeover_without_a_reply_starts_the_session_once,
    a_claim_that_comes_late_leaves_the_run_to_its_task,
    a_node_that_sleeps_while_it_claims_again_leaves_the_work_of_the_next_owner_alone,
    a_node_in_doubt_leaves_the_work_of_the_next_owner_alone,
    an_answer_that_ends_while_the_lease_is_over_is_kept_until_it_is_renewed,
    more_than_one_look_takes_up_is_taken_up_without_a_pause,
    a_run_whose_task_panicked_goes_on,
}

async fn a_dead_nodes_run_goes_on_elsewhere_and_it_writes_nothing_more(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let session = cluster.in_mid_turn(&one).await;
    let mut eye = one.eye(session).await;
    cluster.let_die(&one).await;
    let two = cluster.node(quick()).await;
    // Watched by a viewer on the node that lost the session: its sockets stay open while another node writes.
    let again = |event: &Event| matches!(event.fact, Fact::MessageStarted { attempt: 2, recovered: true, .. });
    eye.find("the second attempt", again).await;
    cluster.model(|model| model.held == 2).await;
    assert_eq!(cluster.owner(session).await, Some(two.me.node));
    // The first node's turn continues until something tells it to stop.
    cluster.model(|model| model.held + model.dropped == 2).await;
    cluster.demo.release();
    eye.until("gate.opened").await;
    one.does(session, "c2", say("approve")).await.expect("is brought to the new owner");
    eye.until("run.finished").await;
    cluster.is_whole(&mut eye, session).await;
    let log = eye.seen;
    let begun = log.iter().filter(|event| matches!(event.fact, Fact::MessageStarted { attempt: 1, .. })).count();
    let completed = log.iter().filter(|event| matches!(event.fact, Fact::MessageCompleted { .. })).count();
    assert_eq!(begun, completed, "no answer counts twice");
}

async fn a_node_that_stops_hands_its_sessions_over_at_once(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = cluster.in_mid_turn(&one).await;
    let quiet = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    let mut eye = two.eye(session).await;
    one.session_registry.shutdown().await;
    // The leases in this test last for ten minutes.
    cluster.model(|model| model.dropped == 1 && model.held == 1).await;
    cluster.demo.release();
    eye.until("gate.opened").await;
    assert_eq!(cluster.owner(session).await, Some(two.me.node));
    // The stopping node forwards commands to their new owner, and accepts none itself.
    one.does(session, "c2", say("@people hello")).await.expect("is brought to the new owner");
    let refused = one.does(quiet, "c3", say("write")).await.expect_err("is nobody's any more");
    assert_eq!(refused.code(), roundtable::protocol::Code::ShuttingDown);
    cluster.is_whole(&mut eye, session).await;
}

async fn a_command_takes_the_session_of_a_dead_node_over(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    one.does(session, "c1", say("write")).await.expect("accepted");
    one.eye(session).await.until("gate.opened").await;
    cluster.let_die(&one).await;
    // The session waits for people, so no node adopts it until the first command.
    two.does(session, "c2", say("approve")).await.expect("accepted");
    two.eye(session).await.until("run.finished").await;
    let refused =
        one.does(session, "c3", Command::Pause { run: RunId(1) }).await.expect_err("is brought to the new owner");
    assert_eq!(refused.code(), roundtable::protocol::Code::TargetOver);
    assert_eq!(cluster.owner(session).await, Some(two.me.node));
}

/// A run on a node whose appends and claims can be lost, in the middle of a turn.
struct Begun {
    cluster: ClusterHarness,
    gated: Arc<Gated>,
    one: ClusterNode,
    session: SessionId,
}

async fn begun(fresh: Fresh) -> Begun {
    let gated = Gated::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node_on(quick(), gated.clone()).await;
    let session = cluster.in_mid_turn(&one).await;
    Begun { cluster, gated, one, session }
}

async fn an_answer_that_ends_while_the_lease_is_over_is_kept_until_it_is_renewed(fresh: Fresh) {
    let Begun { cluster, gated, one, session } = begun(fresh).await;
    let mut eye = one.eye(session).await;
    cluster.let_die(&one).await;
    let mut fenced = gated.fenced.subscribe();
    cluster.demo.release();
    fenced.wait_for(|count| *count > 0).await.expect("is not written");
    // No other node has taken the session, as after a database outage.
    cluster.let_live(&one).await;
    let completed = eye.until("message.completed").await;
    assert!(matches!(completed.fact, Fact::MessageCompleted { attempt: 1, .. }), "the model was asked once");
}

async fn more_than_one_look_takes_up_is_taken_up_without_a_pause(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    for _ in 0..5 {
        cluster.in_mid_turn(&one).await;
    }
    cluster.let_die(&one).await;
    let _two = cluster.node(ClusterSettings { takeover_ms: 60_000, max_takeovers: 2, ..quick() }).await;
    cluster.model(|model| model.held == 10).await;
}

async fn a_run_whose_task_panicked_goes_on(fresh: Fresh) {
    let Begun { cluster, gated, one, session } = begun(fresh).await;
    gated.set(Gate::Broken);
    let mut tries = gated.waiting.subscribe();
    tries.mark_unchanged();
    tokio::select! {
        _ = one.does(session, "c2", say("@people hello")) => panic!("nobody answers"),
        tried = tries.changed() => tried.expect("is tried"),
    }
    gated.set(Gate::Open);
    // No other node may own the session while this one lives, and no further command arrives.
    cluster.model(|model| model.dropped == 1 && model.held == 1).await;
    cluster.demo.release();
    one.eye(session).await.until("gate.opened").await;
}

async fn a_node_in_doubt_leaves_the_work_of_the_next_owner_alone(fresh: Fresh) {
    let Begun { cluster, gated, one, session } = begun(fresh).await;
    // The node sleeps past its lease, and wakes with an append in flight that gets no answer.
    cluster.let_die(&one).await;
    let two = cluster.node(quick()).await;
    cluster.model(|model| model.held == 2).await;
    gated.set(Gate::Lost);
    one.does(session, "c2", say("@people hello")).await.expect_err("is not answered");
    // The node reads the log, finds another owner's events in it, and gives up.
    cluster.model(|model| model.dropped == 1).await;
    cluster.demo.release();
    let mut eye = two.eye(session).await;
    eye.until("gate.opened").await;
    let requests = cluster.demo.counters().borrow().requests;
    assert_eq!(requests, 3, "the lost turn, the same taken up by one node, the review");
}

async fn a_claim_in_doubt_is_served(fresh: Fresh) {
    taken_up_though(fresh, |gated| gated.lose_claims(1)).await;
}

async fn a_session_that_was_not_released_is_served_again(fresh: Fresh) {
    taken_up_though(fresh, Gated::lose_a_read_and_a_release).await;
}

async fn another_node_takes_over_a_session_that_its_claimer_cannot_serve(fresh: Fresh) {
    let gated = Gated::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let session = cluster.in_mid_turn(&one).await;
    gated.set(Gate::Lost);
    let two = cluster.node_on(ClusterSettings { takeover_ms: 60_000, ..quick() }, gated.clone()).await;
    cluster.let_die(&one).await;
    two.does(session, "c2", Command::Pause { run: RunId(1) }).await.expect_err("it can write nothing");
    let three = cluster.node(quick()).await;
    cluster.model(|model| model.held == 2).await;
    assert_eq!(cluster.owner(session).await, Some(three.me.node));
}

async fn a_takeover_without_a_reply_starts_the_session_once(fresh: Fresh) {
    let gated = Gated::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let session = cluster.in_mid_turn(&one).await;
    gated.set(Gate::Unanswered);
    let mut tries = gated.waiting.subscribe();
    cluster.let_die(&one).await;
    let two = cluster.node_on(quick(), gated.clone()).await;
    tries.changed().await.expect("is tried");
    gated.set(Gate::Open);
    cluster.model(|model| model.held + model.dropped == 2).await;
    cluster.demo.release();
    two.eye(session).await.until("gate.opened").await;
    let requests = cluster.demo.counters().borrow().requests;
    assert_eq!(requests, 3, "the lost turn, the same taken up once, the review");
}

async fn a_claim_that_comes_late_leaves_the_run_to_its_task(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let session = cluster.in_mid_turn(&one).await;
    let seen = Fence(0);
    cluster
        .store
        .claim_after(session, Some(one.me.node), seen)
        .await
        .expect_err("it was given up, and another one followed");
    cluster.demo.release();
    one.eye(session).await.until("gate.opened").await;
}

async fn taken_up_though(fresh: Fresh, goes_wrong: impl FnOnce(&Gated)) {
    let gated = Gated::new(fresh.open().await.events);
    let cluster = ClusterHarness::on(fresh).await;
    let one = cluster.node(quick()).await;
    let session = cluster.in_mid_turn(&one).await;
    // The session moves there only because of a command.
    let two = cluster.node_on(ClusterSettings { takeover_ms: 60_000, ..quick() }, gated.clone()).await;
    cluster.let_die(&one).await;
    goes_wrong(&gated);
    // A command that arrives just after that is refused waits for the next attempt, and counts.
    if let Err(refused) = two.does(session, "c2", Command::Pause { run: RunId(1) }).await {
        assert_eq!(refused.code(), roundtable::protocol::Code::StoreUnavailable);
    }
    // No other node can take over, and no further command arrives.
    cluster.model(|model| model.held == 2).await;
}

async fn a_node_that_sleeps_while_it_claims_again_leaves_the_work_of_the_next_owner_alone(fresh: Fresh) {
    let Begun { cluster, gated, one, session } = begun(fresh).await;
    gated.set(Gate::Lost);
    gated.hold_claims();
    let mut waiting = gated.waiting.subscribe();
    let before = *waiting.borrow_and_update();
    one.does(session, "c2", say("@people hello")).await.expect_err("is not answered");
    waiting.wait_for(|count| *count == before + 2).await.expect("the append, and the claim");
    cluster.let_die(&one).await;
    let _two = cluster.node(quick()).await;
    cluster.model(|model| model.held == 2).await;
    gated.permits.add_permits(1);
    cluster.model(|model| model.dropped == 1).await;
    cluster.demo.release();
    let mut eye = one.eye(session).await;
    eye.until("gate.opened").await;
    let requests = cluster.demo.counters().borrow().requests;
    assert_eq!(requests, 3, "the lost turn, the same taken up by one node, the review");
}
