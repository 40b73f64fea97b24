//! `router`: an agent chooses the flow that fits the task.

use super::harness::FlowHarness;

#[tokio::test]
async fn a_short_question_goes_to_one_agent() {
    let mut harness = FlowHarness::begin("router-en", "What time is it?").await;
    harness.finished().await;
    let story = [
        "run.started router",
        "step.started Router",
        "decision.made route",
        "step.started Assistant",
        "run.finished completed",
    ];
    assert_eq!(harness.story(), story);
    assert_eq!(harness.all("decision.made")[0]["decision"]["flow"], "react");
}

#[tokio::test]
async fn a_large_task_gets_a_plan() {
    let words = "请比较三种会话存储方案的优缺点，给出迁移计划、风险和回滚办法，并说明理由";
    let mut harness = FlowHarness::begin("router-zh", words).await;
    assert!(harness.finished().await.contains("结论"));
    assert_eq!(harness.all("decision.made")[0]["decision"]["flow"], "plan_solve");
    let story = harness.story();
    assert_eq!(story[3..5], ["step.started Planner", "tool.proposed plan"], "{story:#?}");
    assert_eq!(story[story.len() - 2..], ["step.started Summarizer", "run.finished completed"]);
}
