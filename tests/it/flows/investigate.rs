//! `investigate`: tools and questions as steps of a plan, then findings.

use serde_json::json;

use super::harness::FlowHarness;

#[tokio::test]
async fn an_investigation_searches_asks_and_concludes() {
    let mut harness = FlowHarness::start("investigator-en", "Why does login fail after midnight?").await;
    let gate = harness.wait_for_gate("question").await;
    assert_eq!((&gate["prompt"], &gate["allow"]), (&json!("Which version ran when it happened?"), &json!(["respond"])));
    harness.answer(&gate, json!("version 1.2")).await;
    let answer = harness.finish().await;
    assert!(answer.contains("root_cause"), "{answer}");
    let outline = [
        "run.started investigate",
        "step.started Investigator",
        "plan.proposed 2 items",
        "step.started Investigator",
        "plan.item_changed 1 in_progress",
        "tool.proposed code_list",
        "tool.checked allow",
        "tool.started",
        "tool.completed",
        "plan.item_changed 1 completed",
        "step.started Investigator",
        "decision.made continue",
        "step.started Investigator",
        "plan.item_changed 2 in_progress",
        "tool.proposed code_search",
        "tool.checked allow",
        "tool.started",
        "tool.completed",
        "plan.item_changed 2 completed",
        "step.started Investigator",
        "decision.made request_input",
        "plan.edited",
        "step.started Investigator",
        "plan.item_changed 3 in_progress",
        "tool.proposed user_input",
        "gate.opened question",
        "gate.decided responded",
        "tool.completed",
        "plan.item_changed 3 completed",
        "step.started Investigator",
        "decision.made synthesize",
        "plan.edited",
        "step.started Investigator",
        "output.produced",
        "run.finished completed",
    ];
    assert_eq!(harness.outline(), outline);
    let output = &harness.events("output.produced")[0]["output"];
    let summary = output["summary"].as_str().expect("a summary");
    assert!(summary.contains("code_search") && summary.contains("version 1.2"), "{summary}");
    assert_eq!(output["suggestions"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn an_investigation_replans_the_remaining_steps() {
    let text = "Why does login fail after midnight? Adjust the plan, without asking";
    let mut harness = FlowHarness::start("investigator-en", text).await;
    harness.finish().await;
    let outline = harness.outline();
    let from = outline.iter().position(|line| line == "decision.made adjust_plan").expect("adjusts");
    let after = [
        "decision.made adjust_plan",
        "step.started Investigator",
        "plan.proposed 2 items",
        "step.started Investigator",
        "plan.item_changed 2 in_progress",
        "tool.proposed code_search",
    ];
    assert_eq!(outline[from..from + after.len()], after);
    let plan = &harness.events("plan.proposed")[1]["plan"];
    let states: Vec<_> = plan["items"].as_array().expect("items").iter().map(|item| &item["state"]).collect();
    assert_eq!((states, &plan["rev"]), (vec![&json!("completed"), &json!("not_started")], &json!(2)));
}

#[tokio::test]
async fn no_question_is_asked_if_people_disabled_it() {
    let mut harness = FlowHarness::start("investigator-zh", "登录为什么在午夜之后失败？不要提问").await;
    harness.finish().await;
    assert!(harness.events("gate.opened").is_empty());
    assert!(
        harness.events("output.produced")[0]["output"]["root_cause"]
            .as_str()
            .is_some_and(|cause| cause.contains("登录"))
    );
}
