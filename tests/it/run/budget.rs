//! A budget across a restart: the requests of the lost node count, and people decide on the other node.

use roundtable::kernel::gate::{Choice, GateKind};
use roundtable::kernel::*;
use roundtable::orchestrator::OrchestratorSettings;
use roundtable::quotas::{QuotaSettings, Quotas};
use roundtable::tool::Toolbox;
use serde_json::json;

use super::faulty_store::{AppendMode, FaultyStore};
use super::harness::*;
use crate::fresh_database::FreshDatabase;

#[tokio::test]
async fn a_budget_survives_a_restart() {
    let mut harness = RunHarness::new(["demo-fast?hold_after_tokens=20&tag=budget", "demo-fast", "demo-fast"]).await;
    let settings = json!({ "budget": { "max_tokens": 10_000, "max_turn_tokens": 10_000 } }).as_object().cloned();
    harness.submit("c1", Command::Set { title: Some("Ours".into()), settings }).await.expect("accepted");
    harness.submit("c2", say("write")).await.expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.restart().await;
    let opened = harness.find("the gate", |event| matches!(event.fact, Fact::GateOpened { .. })).await;
    let Fact::GateOpened { gate } = opened.fact else { panic!("is a gate") };
    assert_eq!(gate.kind, GateKind::Budget);
    let usage = harness.log().await.into_iter().find_map(|event| match event.fact {
        Fact::UsageRecorded { input_tokens, estimated, .. } => Some((input_tokens, estimated)),
        _ => None,
    });
    assert_eq!(usage, Some((10_000, true)), "the lost request counts its bound");
    harness.wait_for_model(|model| model.requests == 1 && model.dropped == 1).await;

    // A second restart neither counts nor asks again.
    harness.restart().await;
    let (gate, rev, choice) = (gate.id, gate.rev, Choice::Approve);
    harness
        .submit("c3", Command::Vote { gate, rev, choice, comment: None, edit: None, standing: None })
        .await
        .expect("accepted");
    harness.wait_for_model(|model| model.held == 1).await;
    harness.demo.release();
    harness.wait_for("message.completed").await;
    let log = harness.log().await;
    let count = |wanted: fn(&Fact) -> bool| log.iter().filter(|event| wanted(&event.fact)).count();
    assert_eq!(count(|fact| matches!(fact, Fact::GateOpened { gate } if gate.kind == GateKind::Budget)), 1);
    assert_eq!(count(|fact| matches!(fact, Fact::UsageRecorded { input_tokens: 10_000, .. })), 1);
}

#[tokio::test]
async fn after_a_session_is_claimed_again_its_requests_are_reserved_with_the_new_fence() {
    let fresh = FreshDatabase::sqlite().await;
    let stores = fresh.open().await;
    let store = FaultyStore::new(stores.events.clone());
    let settings = QuotaSettings { max_session_month_tokens: Some(1_000_000), ..QuotaSettings::default() };
    let toolbox = Toolbox::default().with_quotas(Quotas::new(stores.quotas.clone(), settings));
    let models = ["demo-fast?hold_after_tokens=5", "demo-fast", "demo-fast"];
    let bounds = OrchestratorSettings::default();
    let mut harness = RunHarness::with_toolbox(fresh, store.clone(), models, bounds, toolbox).await;
    store.set_mode(AppendMode::Unanswered);
    harness.submit("c1", say("write")).await.expect_err("no answer");
    store.set_mode(AppendMode::Open);
    harness.wait_for("message.started").await;
    harness.wait_for_model(|model| model.held == 1).await;
    let fence = stores.events.ownership(harness.session).await.expect("answers").fence;
    let reserved = stores.quotas.lose_requests(harness.session, fence).await.expect("answers");
    assert_eq!(reserved.iter().filter(|reserved| reserved.request.attempt == 1).count(), 1);
}
