//! `brain`: a plan that people confirm, edit or reject, and a decision after each step.

use serde_json::json;

use super::harness::FlowHarness;

fn decisions(harness: &FlowHarness) -> Vec<String> {
    let outline = harness.outline().into_iter();
    outline.filter_map(|line| line.strip_prefix("decision.made ").map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_confirmed_plan_is_carried_out_step_by_step() {
    let mut harness = FlowHarness::start("brain-zh", "创建用户登录功能的测试用例").await;
    let gate = harness.wait_for_gate("plan").await;
    harness.vote(&gate, "approve", json!({})).await;
    let answer = harness.finish().await;
    assert!(answer.contains("| TC-01 |"), "the last step writes test cases: {answer}");
    let outline = [
        "run.started brain",
        "step.started brain",
        "plan.proposed 3 items",
        "gate.opened plan",
        "gate.decided approved",
        "step.started requirement",
        "plan.item_changed 1 in_progress",
        "plan.item_changed 1 completed",
        "step.started brain",
        "decision.made continue",
        "step.started knowledge",
        "plan.item_changed 2 in_progress",
        "tool.proposed document_search",
        "tool.checked allow",
        "tool.started",
        "tool.completed",
        "plan.item_changed 2 completed",
        "step.started brain",
        "decision.made continue",
        "step.started testcase",
        "plan.item_changed 3 in_progress",
        "plan.item_changed 3 completed",
        "step.started brain",
        "decision.made end",
        "plan.edited",
        "run.finished completed",
    ];
    assert_eq!(harness.outline(), outline);
    let plan = &harness.events("plan.proposed")[0]["plan"];
    assert_eq!((&plan["items"][1]["agent"], plan["risks"].as_array().map(Vec::len)), (&json!("knowledge"), Some(2)));
    assert_eq!(harness.events("decision.made")[0]["decision"]["agent"], "knowledge");
}

#[tokio::test]
async fn an_edited_plan_is_executed_as_edited() {
    let mut harness = FlowHarness::start("brain-en", "Test cases for the login page").await;
    let gate = harness.wait_for_gate("plan").await;
    let mut plan = harness.events("plan.proposed")[0]["plan"].clone();
    let mut wrong = plan.clone();
    wrong["items"][1]["agent"] = json!("designer");
    let vote = json!({ "gate": gate["id"], "choice": "approve", "edit": wrong });
    let refused = harness.send_command("vote", vote, Some(&gate["rev"])).await.expect("is refused");
    assert_eq!(refused["code"], "invalid_argument");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("item 2 is for designer")), "{refused}");
    let items = plan["items"].as_array_mut().expect("items");
    items.remove(1);
    items[0]["action"] = json!("Analyse the password rules<sep>and nothing else");
    harness.vote(&gate, "approve", json!({ "edit": plan })).await;
    harness.finish().await;
    let began: Vec<_> = harness.outline().into_iter().filter(|line| line.starts_with("step.started")).collect();
    let wanted = ["brain", "requirement", "brain", "testcase", "brain"].map(|agent| format!("step.started {agent}"));
    assert_eq!(began, wanted);
    let requests = harness.server.demo().requests();
    assert!(requests[1].last_text().is_some_and(|text| {
        text.contains("[step number=1 part=action]\n| Analyse the password rules; and nothing else")
    }));
    let revised = harness.events("gate.revised");
    assert_eq!((revised.len(), &revised[0]["rev"]), (1, &json!(2)));
}

#[tokio::test]
async fn a_rejected_plan_is_made_again_with_the_feedback() {
    let mut harness = FlowHarness::start("brain-en", "Test cases for the login page").await;
    let gate = harness.wait_for_gate("plan").await;
    harness.vote(&gate, "reject", json!({ "comment": "look at passkeys first" })).await;
    let gate = harness.wait_for_gate("plan").await;
    let second = &harness.events("plan.proposed")[1]["plan"];
    assert_eq!(
        (&second["rev"], &second["items"][0]["reason"]),
        (&json!(2), &json!("According to your feedback: look at passkeys first"))
    );
    let answered = json!({ "gate": gate["id"], "text": "and at recovery" });
    assert_eq!(harness.send_command("answer", answered, None).await, None);
    let gate = harness.wait_for_gate("plan").await;
    assert_eq!(gate["rev"], 3);
    harness.vote(&gate, "approve", json!({})).await;
    harness.finish().await;
}

#[tokio::test]
async fn steps_are_retried_and_skipped_as_the_planner_decides() {
    let mut harness = FlowHarness::start("brain-en", "Test cases for the login page; retry the first step").await;
    let gate = harness.wait_for_gate("plan").await;
    harness.vote(&gate, "approve", json!({})).await;
    harness.finish().await;
    assert_eq!(decisions(&harness), ["retry", "continue", "continue", "end"]);
    let first: Vec<_> = harness.outline().into_iter().filter(|line| line.starts_with("plan.item_changed 1")).collect();
    let states = ["in_progress", "completed", "not_started", "in_progress", "completed"];
    assert_eq!(first, states.map(|state| format!("plan.item_changed 1 {state}")));

    let mut harness = FlowHarness::start("brain-zh", "登录页面的测试用例，跳过资料检索").await;
    let gate = harness.wait_for_gate("plan").await;
    harness.vote(&gate, "approve", json!({})).await;
    harness.finish().await;
    assert_eq!(decisions(&harness), ["skip", "end"]);
    assert!(harness.outline().contains(&"plan.item_changed 2 skipped".to_owned()));
}
