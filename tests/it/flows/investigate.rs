//! `investigate`: tools and questions as steps of a plan, then findings.

use serde_json::json;

use super::bench::Bench;

#[tokio::test]
async fn an_investigation_looks_asks_and_concludes() {
    let mut bench = Bench::begin("investigator-en", "Why does login fail after midnight?").await;
    let gate = bench.gate("question").await;
    assert_eq!((&gate["prompt"], &gate["allow"]), (&json!("Which version ran when it happened?"), &json!(["respond"])));
    bench.answer(&gate, json!("version 1.2")).await;
    let answer = bench.finished().await;
    assert!(answer.contains("root_cause"), "{answer}");
    let story = [
        "run.started investigate",
        "step.started Investigator",
        "plan.proposed 1 steps",
        "step.started Investigator",
        "plan.step_changed 1 in_progress",
        "tool.proposed code_list",
        "tool.judged allow",
        "tool.started",
        "tool.completed",
        "plan.step_changed 1 completed",
        "step.started Investigator",
        "decision.made continue",
        "plan.edited",
        "step.started Investigator",
        "plan.step_changed 2 in_progress",
        "tool.proposed code_search",
        "tool.judged allow",
        "tool.started",
        "tool.completed",
        "plan.step_changed 2 completed",
        "step.started Investigator",
        "decision.made request_input",
        "plan.edited",
        "step.started Investigator",
        "plan.step_changed 3 in_progress",
        "tool.proposed user_input",
        "gate.opened question",
        "gate.decided responded",
        "tool.completed",
        "plan.step_changed 3 completed",
        "step.started Investigator",
        "decision.made synthesize",
        "plan.edited",
        "step.started Investigator",
        "output.produced",
        "run.finished completed",
    ];
    assert_eq!(bench.story(), story);
    let output = &bench.all("output.produced")[0]["output"];
    let summary = output["summary"].as_str().expect("a summary");
    assert!(summary.contains("code_search") && summary.contains("version 1.2"), "{summary}");
    assert_eq!(output["suggestions"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn nobody_is_asked_where_people_say_so() {
    let mut bench = Bench::begin("investigator-zh", "登录为什么在午夜之后失败？不要提问").await;
    bench.finished().await;
    assert!(bench.all("gate.opened").is_empty());
    assert!(
        bench.all("output.produced")[0]["output"]["root_cause"].as_str().is_some_and(|cause| cause.contains("登录"))
    );
}
