//! A node that disappears in the middle of a run: the run continues elsewhere.

use roundtable::kernel::*;
use roundtable::orchestrator::OrchestratorSettings;

use super::harness::*;
use crate::fresh_database::FreshDatabase;

#[tokio::test]
async fn a_restart_in_mid_turn_resumes_the_run() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=20&tag=once", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.restart().await;
    harness
        .find("the second attempt", |event| {
            matches!(event.fact, Fact::MessageStarted { attempt: 2, recovered: true, .. })
        })
        .await;
    harness.wait_for_model(|model| model.held == 1 && model.dropped == 1).await;
    harness.demo.release();
    harness.wait_for("gate.opened").await;
    harness.submit("c2", say("approve")).await.expect("accepted");
    harness.wait_for("run.finished").await;
    assert_eq!(harness.log().await, harness.seen, "gapless over the restart");
    let phases: Vec<_> = harness.event_names().into_iter().filter(|name| name == "run.state_changed").collect();
    assert!(phases.len() >= 3, "executing, recovering, executing, waiting");
}

#[tokio::test]
async fn an_acknowledged_command_counts_once_across_a_restart() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"]).await;
    let first = harness.submit("c1", say("write")).await.expect("accepted");
    assert_eq!(harness.submit("c1", say("write")).await.expect("the first answer"), first);
    harness.restart().await;
    assert_eq!(harness.submit("c1", say("something else")).await.expect("the first answer"), first);
    let posted = harness.log().await.iter().filter(|event| matches!(event.fact, Fact::MessagePosted { .. })).count();
    assert_eq!(posted, 1);
}

#[tokio::test]
async fn a_node_that_lost_the_session_writes_nothing_more() {
    let harness = RunHarness::new(["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"]).await;
    harness.submit("c1", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    // Another node takes over the session while the first node still believes that it owns the session.
    let (_, other) = build_node(&harness.store, &harness.demo, OrchestratorSettings::default());
    other.start(None).await.expect("starts");
    harness.wait_for_model(|model| model.held == 2).await;
    harness.demo.release();
    harness.wait_for_model(|model| model.requests >= 3).await;
    let log = harness.log().await;
    let completions = log.iter().filter_map(|event| match &event.fact {
        Fact::MessageCompleted { message, attempt, .. } => Some((*message, *attempt)),
        _ => None,
    });
    for (_, attempt) in completions.take(1) {
        assert_eq!(attempt, 2, "the first node's answer is dropped");
    }
    other.shutdown().await;
}

#[tokio::test]
async fn a_node_that_takes_a_session_back_shows_what_was_written_elsewhere() {
    let mut harness = RunHarness::new(["demo-fast", "demo-fast", "demo-fast"]).await;
    let (_, other) = build_node(&harness.store, &harness.demo, OrchestratorSettings::default());
    other.submit(harness.session, sender("c1"), say("@people from elsewhere")).await.expect("accepted");
    let seq = harness.submit("c2", say("@people from here")).await.expect("taken back");
    harness.find("the last event of the command", |event| event.seq == seq).await;
    assert_eq!(harness.log().await, harness.seen, "no gap where the other node wrote");
    other.shutdown().await;
}

#[tokio::test]
async fn a_state_is_restored_from_the_snapshot_and_later_events() {
    let fresh = FreshDatabase::sqlite().await;
    let store = fresh.open().await.events;
    let bounds = OrchestratorSettings { snapshot_interval_events: 3, ..OrchestratorSettings::default() };
    let harness = RunHarness::on(fresh, store, ["demo-fast"; 3], bounds).await;
    harness.submit("c1", say("@people one")).await.expect("accepted");
    let kept = loop {
        match harness.store.snapshot(harness.session).await.expect("reads") {
            Some((seq, _)) => break seq,
            None => tokio::task::yield_now().await,
        }
    };
    assert!(harness.submit("c2", say("@people two")).await.expect("accepted") > kept);
    let (_, other) = build_node(&harness.store, &harness.demo, OrchestratorSettings::default());
    let [here, there] = [&harness.node, &other].map(|node| node.state(harness.session));
    assert_eq!(there.await.expect("read from the store"), here.await.expect("a state"));
}

#[tokio::test]
async fn a_sleeping_session_wakes_for_a_command() {
    let harness = RunHarness::new(["demo-fast", "demo-fast", "demo-fast"]).await;
    let asleep = harness.node.state(harness.session).await.expect("a state");
    harness.node.shutdown().await;
    let (_, fresh) = build_node(&harness.store, &harness.demo, OrchestratorSettings::default());
    assert!(fresh.is_empty());
    assert_eq!(*fresh.state(harness.session).await.expect("read from the store"), *asleep);
    assert!(fresh.is_empty(), "looking wakes nobody");
    fresh.submit(harness.session, sender("c9"), say("@people hello")).await.expect("accepted");
    assert_eq!(fresh.len(), 1);
}

#[tokio::test]
async fn an_unknown_session_id_wakes_nothing() {
    let harness = RunHarness::new(["demo-fast", "demo-fast", "demo-fast"]).await;
    let unknown = SessionId(uuid::Uuid::from_u128(77));
    let problem = harness.node.submit(unknown, sender("c1"), say("hello")).await.expect_err("refused");
    assert_eq!(problem.code(), roundtable::protocol::Code::UnknownSession);
    assert_eq!(harness.node.len(), 1);
}
