//! `topology`: nodes work layer by layer, and their results go up and along the edges.

use std::collections::BTreeSet;

use serde_json::json;

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
    // Each node reads the results of the nodes before it, and the final output is based on all of them.
    let last = harness.prompts("You are global-supervisor").pop().expect("a prompt");
    for node in ["gateway", "orders", "database"] {
        assert!(last.contains(&format!("node={node}")), "{node}: {last}");
    }
    let database = harness.prompts("You are database/queries").pop().expect("a prompt");
    assert!(database.contains("from=agent id=orders-supervisor node=orders"), "{database}");
    let orders = harness.prompts("You are database/capacity").pop().expect("a prompt");
    assert!(orders.contains("from=agent id=\"database/queries\""), "{orders}");
}

#[tokio::test]
async fn a_monitor_reads_the_decisions_calls_and_state_of_the_node_that_it_reports_on() {
    let team = include_str!("../../../src/agent/teams/incident-en.toml");
    let edge = "[[topology.edges]]\nsource = \"database\"\ntarget = \"gateway\"\nrelation = \"monitors\"\n";
    // The first agent with tools is the one that reads the traffic at the gateway.
    let team = format!("{}\n{edge}", team.replacen("tools = [", "tool_choice = \"required\"\ntools = [", 1));
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("incident-en.toml"), team).expect("writes");
    let message = "Checkout is slow since 14:00. Why?";
    let mut harness = FlowHarness::start_with_settings("incident-en", message, json!({}), |config| {
        config.teams.folder = Some(folder.path().to_owned());
    })
    .await;
    harness.finish().await;
    let report = harness.prompts("Your node monitors the node below").pop().expect("a prompt");
    let parts = [
        "[node_event decision from=agent id=global-supervisor action=delegate to=gateway-supervisor]",
        "[node_event decision from=agent id=gateway-supervisor action=delegate to=\"gateway/traffic\"",
        "[node_event call from=agent id=\"gateway/traffic\" tool=\"code_list\" outcome=completed]\n| {",
        "[result from=agent id=\"gateway/traffic\"]",
        "[result from=agent id=gateway-supervisor node=gateway]",
        "[node_event state node=gateway state=completed]",
    ];
    let places = parts.map(|part| report.find(part).unwrap_or_else(|| panic!("{part}: {report}")));
    assert!(places.is_sorted(), "in the order of the log: {places:?} {report}");
}
