//! `plan_solve`: a plan through the planner's tool, executors in parallel, and a summary.

use super::harness::FlowHarness;

#[tokio::test]
async fn a_plan_is_executed_in_parallel_and_summarized() {
    let mut harness = FlowHarness::start("solver-en", "Compare three ways to keep sessions").await;
    let answer = harness.finish().await;
    assert!(answer.contains("| 1 | Step 1") && answer.contains("| 3 | Step 3"), "{answer}");
    let outline = [
        "run.started plan_solve",
        "step.started Planner",
        "tool.proposed plan",
        "plan.proposed 3 items",
        "tool.completed",
        "step.started Executor",
        "plan.item_changed 1 in_progress",
        "plan.item_changed 1 completed",
        "step.started Planner",
        "tool.proposed plan",
        "plan.item_changed 1 completed",
        "tool.completed",
        "step.started Executor + Second_Executor",
        "plan.item_changed 2 in_progress",
        "plan.item_changed 2 completed",
        "step.started Planner",
        "tool.proposed plan",
        "plan.item_changed 2 completed",
        "tool.completed",
        "step.started Executor",
        "plan.item_changed 3 in_progress",
        "plan.item_changed 3 completed",
        "step.started Planner",
        "tool.proposed plan",
        "tool.proposed plan",
        "plan.item_changed 3 completed",
        "tool.completed",
        "plan.edited",
        "tool.completed",
        "step.started Summarizer",
        "run.finished completed",
    ];
    assert_eq!(harness.outline(), outline);
    let requests = harness.server.demo().requests();
    let stale = requests.iter().filter(|request| request.messages.iter().any(|message| message["role"] == "tool"));
    assert_eq!(stale.count(), 0, "what a planner called in an earlier step is the plan now, and no news");
}

#[tokio::test]
async fn executors_use_tools_in_chinese() {
    let mut harness =
        FlowHarness::start("solver-zh", "整理登录模块的已知问题\n/tool code_search {\"pattern\":\"login\"}").await;
    let answer = harness.finish().await;
    assert!(answer.contains("「整理登录模块的已知问题」的结论"), "{answer}");
    let proposed: Vec<_> =
        harness.outline().into_iter().filter(|line| line.starts_with("tool.proposed code")).collect();
    assert_eq!(proposed, ["tool.proposed code_search"]);
    let outputs = harness.events("tool.completed");
    assert!(outputs.iter().any(|data| data["output"] == r#"code_search heard {"pattern":"login"}"#), "{outputs:?}");
    // Later agents read the tool's output, not only the executor's version of it.
    let found = "from=tool name=\"code_search\" arguments={\"pattern\":\"login\"}]\n\
                 | code_search heard {\"pattern\":\"login\"}";
    let summary = harness.prompts("[notice] 请根据以上全部结果").pop().expect("is asked for");
    assert!(summary.contains(&format!("[result step=1 for=Executor source=web source=tool {found}")), "{summary}");
    let later = harness.prompts("[notice] 请完成步骤 3").pop().expect("is asked for");
    assert!(later.contains(found), "{later}");
}
