//! `workflow`: the team's own steps, one after another.

use super::harness::FlowHarness;

#[tokio::test]
async fn the_steps_of_the_team_are_done_in_order() {
    let mut harness = FlowHarness::begin("workflow-en", "A rule for naming branches").await;
    let answer = harness.finished().await;
    assert!(answer.contains("Step 3, Check the result"), "{answer}");
    let story = [
        "run.started workflow",
        "plan.proposed 3 items",
        "step.started Analyst",
        "plan.item_changed 1 in_progress",
        "plan.item_changed 1 completed",
        "step.started Drafter",
        "plan.item_changed 2 in_progress",
        "plan.item_changed 2 completed",
        "step.started Checker",
        "plan.item_changed 3 in_progress",
        "plan.item_changed 3 completed",
        "run.finished completed",
    ];
    assert_eq!(harness.story(), story);
}

#[tokio::test]
async fn words_of_the_next_run_begin_with_the_first_step_again() {
    let mut harness = FlowHarness::begin("workflow-zh", "分支命名规则").await;
    harness.finished().await;
    assert_eq!(harness.does("say", serde_json::json!({ "text": "再写一份标签的规则" }), None).await, None);
    harness.until("run.started workflow").await;
    assert!(harness.finished().await.contains("步骤 3（"));
    assert_eq!(harness.all("plan.proposed").len(), 2);
}
