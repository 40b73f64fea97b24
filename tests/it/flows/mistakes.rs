//! Models that do not follow their instructions: each mistake is an event with a code, and the run continues.

use roundtable::demo_model::Mistake;
use serde_json::json;

use super::harness::FlowHarness;

#[tokio::test]
async fn a_plan_that_is_no_json_is_asked_for_again() {
    let mut harness = FlowHarness::wrong("brain-en", "Test cases for login", Mistake::Shape, 2).await;
    let gate = harness.gate("plan").await;
    let story = [
        "run.started brain",
        "step.started brain",
        "output.rejected true",
        "output.rejected true",
        "plan.proposed 3 items",
    ];
    assert_eq!(harness.story()[..5], story);
    assert!(harness.all("plan.proposed")[0]["plan"]["fallback"].is_null());
    let asked = harness.server.demo().requests();
    let again = asked[1].last_words().expect("words");
    assert!(again.contains("[notice] Your last answer cannot be used") && again.contains("no JSON object"), "{again}");
    harness.vote(&gate, "approve", json!({})).await;
    harness.finished().await;
}

#[tokio::test]
async fn an_irreparable_output_gets_a_recorded_default() {
    let mut harness = FlowHarness::wrong("brain-en", "Test cases for login", Mistake::Shape, 0).await;
    let gate = harness.gate("plan").await;
    let plan = harness.all("plan.proposed")[0]["plan"].clone();
    assert_eq!((&plan["fallback"], &plan["items"][0]["action"]), (&json!(true), &json!("Test cases for login")));
    harness.vote(&gate, "approve", json!({})).await;
    harness.finished().await;
    let rejected: Vec<_> = harness.all("output.rejected").into_iter().map(|data| &data["again"]).collect();
    let one_task = [json!(true), json!(true), json!(false)];
    assert_eq!(rejected, one_task.iter().chain(&one_task).collect::<Vec<_>>());
    let decision = &harness.all("decision.made")[0]["decision"];
    assert_eq!((&decision["action"], &decision["fallback"]), (&json!("continue"), &json!(true)));
}

#[tokio::test]
async fn an_investigation_and_a_choice_have_their_defaults_too() {
    let mut harness = FlowHarness::wrong("investigator-en", "Why does login fail?", Mistake::Shape, 0).await;
    harness.finished().await;
    assert_eq!(harness.all("plan.proposed")[0]["plan"]["fallback"], true);
    assert!(harness.all("output.produced")[0]["output"]["root_cause"].as_str().is_some_and(|words| !words.is_empty()));

    let mut harness = FlowHarness::wrong("router-en", "What time is it?", Mistake::Shape, 0).await;
    harness.finished().await;
    let decision = &harness.all("decision.made")[0]["decision"];
    assert_eq!((&decision["flow"], &decision["fallback"]), (&json!("react"), &json!(true)));
}

#[tokio::test]
async fn an_unknown_tool_and_broken_arguments_fail_and_the_agent_goes_on() {
    for (mistake, name, code) in
        [(Mistake::Tool, "no_such_tool", "unknown_tool"), (Mistake::Arguments, "plan", "arguments_invalid")]
    {
        let mut harness = FlowHarness::wrong("assistant-en", "Why is the sky blue?", mistake, 1).await;
        let answer = harness.finished().await;
        assert!(answer.contains(code), "{answer}");
        let story = [
            "run.started react".to_owned(),
            "step.started Assistant".into(),
            format!("tool.proposed {name}"),
            format!("tool.failed {code}"),
            "run.finished completed".into(),
        ];
        assert_eq!(harness.story(), story);
    }
}

#[tokio::test]
async fn a_planner_whose_call_failed_makes_its_plan_in_the_next_turn() {
    let mut harness = FlowHarness::wrong("solver-en", "Compare two ways", Mistake::Arguments, 1).await;
    harness.finished().await;
    let story = harness.story();
    let begun = [
        "run.started plan_solve",
        "step.started Planner",
        "tool.proposed plan",
        "tool.failed arguments_invalid",
        "tool.proposed plan",
        "plan.proposed 3 items",
    ];
    assert_eq!(story[..6], begun);
}

#[tokio::test]
async fn a_model_that_calls_tools_for_ever_is_stopped_by_the_limit_of_turns() {
    let mut harness = FlowHarness::wrong("assistant-en", "/tool code_list {}", Mistake::Endless, 0).await;
    harness.finished().await;
    let proposed = harness.all("tool.proposed");
    assert_eq!(proposed.len(), 3, "three turns for the task");
    assert_eq!(harness.server.demo().requests().len(), 3);
    let story = harness.story();
    assert_eq!(story[story.len() - 2..], ["tool.failed too_many_turns", "run.finished turn_limit"]);
    let last = harness.all("message.completed").pop().expect("a message");
    assert_eq!((&last["calls"], &last["out_of_turns"]), (&json!(1), &json!(true)));
}
