//! `topology`: nodes work layer by layer, and their results go up and along the edges.

use std::collections::BTreeSet;

use super::harness::FlowHarness;

#[tokio::test]
async fn nodes_pass_on_their_results_and_the_global_supervisor_concludes() {
    let mut harness = FlowHarness::start("incident-en", "Checkout is slow since 14:00. Why?").await;
    let answer = harness.finish().await;
    assert!(!answer.trim().is_empty());
    let done: Vec<(u64, &str)> = harness
        .events("plan.item_changed")
        .into_iter()
        .filter_map(|change| Some((change["number"].as_u64()?, change["state"].as_str()?)))
        .collect();
    let expected: Vec<(u64, &str)> =
        (1..=3).flat_map(|number| [(number, "in_progress"), (number, "completed")]).collect();
    assert_eq!(done, expected, "one layer after another");
    let wrote: BTreeSet<&str> =
        harness.events("message.completed").into_iter().filter_map(|message| message["agent"].as_str()).collect();
    for agent in ["gateway/traffic", "gateway/changes", "database/queries", "database/capacity", "orders-supervisor"] {
        assert!(wrote.contains(agent), "{agent}: {wrote:?}");
    }
    assert!(wrote.iter().any(|agent| agent.starts_with("orders/")), "the supervisor picked an agent: {wrote:?}");
    for decision in harness.events("decision.made") {
        let decision = &decision["decision"];
        assert!(
            decision["reason"] != "" && !decision["reason"].is_null() || decision["fallback"] == true,
            "{decision}"
        );
    }
    // Each node reads the results of the nodes before it, and the answer is made from all of them.
    let last = harness.prompts("You are global-supervisor").pop().expect("a prompt");
    for node in ["gateway", "orders", "database"] {
        assert!(last.contains(&format!("node={node}")), "{node}: {last}");
    }
    let database = harness.prompts("You are database/queries").pop().expect("a prompt");
    assert!(database.contains("from=agent id=orders-supervisor node=orders"), "{database}");
    let orders = harness.prompts("You are database/capacity").pop().expect("a prompt");
    assert!(orders.contains("from=agent id=\"database/queries\""), "{orders}");
}
