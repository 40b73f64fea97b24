//! `router`: an agent chooses the flow that fits the task.

use super::harness::FlowHarness;

#[tokio::test]
async fn a_short_question_goes_to_one_agent() {
    let mut harness = FlowHarness::start("router-en", "What time is it?").await;
    harness.finish().await;
    let outline = [
        "run.started router",
        "step.started Router",
        "decision.made route",
        "step.started Assistant",
        "run.finished completed",
    ];
    assert_eq!(harness.outline(), outline);
    assert_eq!(harness.events("decision.made")[0]["decision"]["flow"], "react");
}

#[tokio::test]
async fn a_large_task_gets_a_plan() {
    let text = "请比较三种会话存储方案的优缺点，给出迁移计划、风险和回滚办法，并说明理由";
    let mut harness = FlowHarness::start("router-zh", text).await;
    assert!(harness.finish().await.contains("结论"));
    assert_eq!(harness.events("decision.made")[0]["decision"]["flow"], "plan_solve");
    let outline = harness.outline();
    assert_eq!(outline[3..5], ["step.started Planner", "tool.proposed plan"], "{outline:#?}");
    assert_eq!(outline[outline.len() - 2..], ["step.started Summarizer", "run.finished completed"]);
}
