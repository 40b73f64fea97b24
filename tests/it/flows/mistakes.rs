//! Models that do not follow their instructions: each mistake leads to an event with a code, and the run continues.

use roundtable::demo_model::Mistake;
use serde_json::json;

use super::harness::FlowHarness;

#[tokio::test]
async fn a_plan_that_is_not_json_is_requested_again() {
    let mut harness = FlowHarness::start_with_mistake("brain-en", "Test cases for login", Mistake::Shape, 2).await;
    let gate = harness.wait_for_gate("plan").await;
    let outline = [
        "run.started brain",
        "step.started brain",
        "output.rejected true",
        "output.rejected true",
        "plan.proposed 3 items",
    ];
    assert_eq!(harness.outline()[..5], outline);
    assert!(harness.events("plan.proposed")[0]["plan"]["fallback"].is_null());
    let requests = harness.server.demo().requests();
    let again = requests[1].last_text().expect("text");
    assert!(again.contains("[notice] Your last answer cannot be used") && again.contains("no JSON object"), "{again}");
    harness.vote(&gate, "approve", json!({})).await;
    harness.finish().await;
}

#[tokio::test]
async fn an_irreparable_output_gets_a_recorded_default() {
    let mut harness = FlowHarness::start_with_mistake("brain-en", "Test cases for login", Mistake::Shape, 0).await;
    let gate = harness.wait_for_gate("plan").await;
    let plan = harness.events("plan.proposed")[0]["plan"].clone();
    assert_eq!((&plan["fallback"], &plan["items"][0]["action"]), (&json!(true), &json!("Test cases for login")));
    harness.vote(&gate, "approve", json!({})).await;
    harness.finish().await;
    let rejected: Vec<_> = harness.events("output.rejected").into_iter().map(|data| &data["again"]).collect();
    let one_task = [json!(true), json!(true), json!(false)];
    assert_eq!(rejected, one_task.iter().chain(&one_task).collect::<Vec<_>>());
    let decision = &harness.events("decision.made")[0]["decision"];
    assert_eq!((&decision["action"], &decision["fallback"]), (&json!("continue"), &json!(true)));
}

#[tokio::test]
async fn an_investigation_and_a_route_have_defaults_too() {
    let mut harness =
        FlowHarness::start_with_mistake("investigator-en", "Why does login fail?", Mistake::Shape, 0).await;
    harness.finish().await;
    assert_eq!(harness.events("plan.proposed")[0]["plan"]["fallback"], true);
    assert!(harness.events("output.produced")[0]["output"]["root_cause"].as_str().is_some_and(|text| !text.is_empty()));

    let mut harness = FlowHarness::start_with_mistake("router-en", "What time is it?", Mistake::Shape, 0).await;
    harness.finish().await;
    let decision = &harness.events("decision.made")[0]["decision"];
    assert_eq!((&decision["flow"], &decision["fallback"]), (&json!("react"), &json!(true)));
}

#[tokio::test]
async fn an_unknown_tool_and_invalid_arguments_fail_and_the_agent_continues() {
    for (mistake, name, code) in
        [(Mistake::Tool, "no_such_tool", "unknown_tool"), (Mistake::Arguments, "plan", "arguments_invalid")]
    {
        let mut harness = FlowHarness::start_with_mistake("assistant-en", "Why is the sky blue?", mistake, 1).await;
        let answer = harness.finish().await;
        assert!(answer.contains(code), "{answer}");
        let outline = [
            "run.started react".to_owned(),
            "step.started Assistant".into(),
            format!("tool.proposed {name}"),
            format!("tool.failed {code}"),
            "run.finished completed".into(),
        ];
        assert_eq!(harness.outline(), outline);
    }
}

#[tokio::test]
async fn a_planner_whose_call_failed_makes_its_plan_in_the_next_turn() {
    let mut harness = FlowHarness::start_with_mistake("solver-en", "Compare two ways", Mistake::Arguments, 1).await;
    harness.finish().await;
    let outline = harness.outline();
    let expected = [
        "run.started plan_solve",
        "step.started Planner",
        "tool.proposed plan",
        "tool.failed arguments_invalid",
        "tool.proposed plan",
        "plan.proposed 3 items",
    ];
    assert_eq!(outline[..6], expected);
}

#[tokio::test]
async fn endless_tool_calls_are_stopped_by_the_turn_limit() {
    let mut harness = FlowHarness::start_with_mistake("assistant-en", "/tool code_list {}", Mistake::Endless, 0).await;
    harness.finish().await;
    let proposed = harness.events("tool.proposed");
    assert_eq!(proposed.len(), 3, "three turns for the task");
    assert_eq!(harness.server.demo().requests().len(), 3);
    let outline = harness.outline();
    assert_eq!(outline[outline.len() - 2..], ["tool.failed too_many_turns", "run.finished turn_limit"]);
    let last = harness.events("message.completed").pop().expect("a message");
    assert_eq!((&last["calls"], &last["out_of_turns"]), (&json!(1), &json!(true)));
}
