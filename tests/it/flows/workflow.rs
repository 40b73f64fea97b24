//! `workflow`: the team's own steps, one after another.

use super::harness::FlowHarness;

#[tokio::test]
async fn the_steps_of_the_team_run_in_order() {
    let mut harness = FlowHarness::start("workflow-en", "A rule for naming branches").await;
    let answer = harness.finish().await;
    assert!(answer.contains("Step 3, Check the result"), "{answer}");
    let outline = [
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
    assert_eq!(harness.outline(), outline);
}

#[tokio::test]
async fn the_next_run_starts_at_the_first_step() {
    let mut harness = FlowHarness::start("workflow-zh", "分支命名规则").await;
    harness.finish().await;
    assert_eq!(harness.send_command("say", serde_json::json!({ "text": "再写一份标签的规则" }), None).await, None);
    harness.wait_for("run.started workflow").await;
    assert!(harness.finish().await.contains("步骤 3（"));
    assert_eq!(harness.events("plan.proposed").len(), 2);
}
