//! `workflow`: the team's own steps, one after the other.

use super::bench::Bench;

#[tokio::test]
async fn the_steps_of_the_team_are_done_in_order() {
    let mut bench = Bench::begin("workflow-en", "A rule for naming branches").await;
    let answer = bench.finished().await;
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
    assert_eq!(bench.story(), story);
}

#[tokio::test]
async fn words_of_the_next_run_begin_with_the_first_step_again() {
    let mut bench = Bench::begin("workflow-zh", "分支命名规则").await;
    bench.finished().await;
    assert_eq!(bench.does("say", serde_json::json!({ "text": "再写一份标签的规则" }), None).await, None);
    bench.until("run.started workflow").await;
    assert!(bench.finished().await.contains("步骤 3（"));
    assert_eq!(bench.all("plan.proposed").len(), 2);
}
