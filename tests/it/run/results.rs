//! Results of agents that work in parallel.

use roundtable::kernel::*;
use roundtable::orchestrator::OrchestratorSettings;
use uuid::Uuid;

use super::faulty_store::{AppendMode, FaultyStore};
use super::harness::*;
use super::ordered_viewer::OrderedViewer;
use crate::fresh_database::FreshDatabase;
use crate::kernel::topology;

const AGENTS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Returns a team with one node, whose agents write once the model is released.
fn team() -> Team {
    let mut team = topology::team(&[("n", "round_robin", &AGENTS)], &[], "parallel");
    for agent in &mut team.agents {
        let is_held = agent.role == AgentRole::Worker;
        agent.model = Some(if is_held { "demo/demo-fast?hold_after_tokens=1" } else { "demo/demo-fast" }.into());
    }
    team
}

#[tokio::test]
async fn results_that_come_during_an_append_share_the_next_one() {
    let fresh = FreshDatabase::sqlite().await;
    let store = FaultyStore::new(fresh.open().await.events);
    let harness = RunHarness::on(fresh, store.clone(), ["demo-fast"; 3], OrchestratorSettings::default()).await;
    let session = SessionId(Uuid::now_v7());
    let create = Command::Create { title: "Results".into(), team: team(), settings: Settings::of("topology") };
    harness.node.submit(session, sender("create"), create).await.expect("created");
    let mut viewer = OrderedViewer::new(harness.feeds.open(session).await.expect("opens").watch(0));
    harness.node.submit(session, sender("say"), say("look")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == AGENTS.len() as u64).await;

    let completed = harness.demo.counters().borrow().completed;
    let before = *store.waiting.borrow();
    store.set_mode(AppendMode::Held);
    harness.demo.release();
    harness.wait_for_model(|model| model.completed == completed + AGENTS.len() as u64 && model.open == 0).await;
    let first = store.waiting.subscribe().wait_for(|count| *count > before).await.map(|count| *count);
    // The other responses arrive while the append of the first one is held.
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*store.waiting.borrow(), first.expect("the first result waits"));
    store.set_mode(AppendMode::Open);
    store.permits.add_permits(1);
    viewer.wait_for("run.finished").await;
    // The appends are those of the first result, of the other results unless they share an append with it, of the
    // node's supervisor, and of the global supervisor.
    let appends = *store.waiting.borrow() - before;
    assert!((3..=6).contains(&appends), "{appends} appends");

    let log = read_log(&*store.inner, session).await;
    let worked = |event: &Event| match &event.fact {
        Fact::MessageCompleted { agent, .. } => agent.as_str().strip_prefix("n/").map(ToOwned::to_owned),
        _ => None,
    };
    let mut workers: Vec<String> = log.iter().filter_map(worked).collect();
    workers.sort();
    assert_eq!(workers, AGENTS, "every result once");
    assert_eq!(viewer.seen, log, "viewers see the log");
}
