//! `react`: tools, the gates of calls, and questions to people.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::tool::{CallContext, Output, Tool, ToolError, ToolSpec};
use serde_json::{Value, json};

use super::harness::{EchoTool, FlowHarness};

#[tokio::test]
async fn a_tool_is_called_and_the_answer_uses_what_it_says() {
    let mut harness = FlowHarness::start("assistant-en", "What is in there?\n/tool code_list {\"path\":\"src\"}").await;
    let answer = harness.finish().await;
    assert!(answer.contains(r#"code_list heard {"path":"src"}"#), "{answer}");
    let outline = [
        "run.started react",
        "step.started Assistant",
        "tool.proposed code_list",
        "tool.checked allow",
        "tool.started",
        "tool.completed",
        "run.finished completed",
    ];
    assert_eq!(harness.outline(), outline);
}

#[tokio::test]
async fn a_named_tool_is_called_in_chinese_too() {
    let mut harness = FlowHarness::start("assistant-zh", "请用 code_search 查找登录的代码").await;
    let answer = harness.finish().await;
    assert!(answer.contains("`code_search` 的结果") && answer.contains("code_search heard"), "{answer}");
}

#[tokio::test]
async fn a_question_in_plain_text_needs_no_tool() {
    let mut harness = FlowHarness::start("assistant-en", "Why is the sky blue?").await;
    assert!(harness.finish().await.contains("sky"));
    assert_eq!(harness.outline(), ["run.started react", "step.started Assistant", "run.finished completed"]);
}

#[tokio::test]
async fn calls_of_one_turn_run_in_parallel_and_are_read_together() {
    let text = "/tool code_list {}\n/tool code_search {\"pattern\":\"x\"}";
    let mut harness = FlowHarness::start("assistant-en", text).await;
    let answer = harness.finish().await;
    assert!(answer.contains("code_list heard") && answer.contains("code_search heard"), "{answer}");
    assert_eq!(harness.server.demo().requests().len(), 2);
}

#[tokio::test]
async fn calls_with_side_effects_need_approval() {
    let text = "/tool push {\"branch\":\"main\"}";
    for (choice, more, expected) in [
        ("approve", json!({}), r#"push heard {"branch":"main"}"#),
        ("approve", json!({ "edit": { "branch": "test" } }), r#"push heard {"branch":"test"}"#),
        ("reject", json!({ "comment": "not on a Friday" }), "people did not allow it: not on a Friday"),
    ] {
        let mut harness = FlowHarness::start("assistant-en", text).await;
        let gate = harness.wait_for_gate("tool").await;
        assert_eq!((&gate["allow"][0], &gate["schema"]["required"]), (&json!("approve"), &json!(["branch"])));
        harness.vote(&gate, choice, more).await;
        let answer = harness.finish().await;
        assert!(answer.contains(expected), "{answer}");
    }
    let mut harness = FlowHarness::start("assistant-en", text).await;
    let gate = harness.wait_for_gate("tool").await;
    let wrong = json!({ "gate": gate["id"], "choice": "approve", "edit": { "branch": "" } });
    let refused = harness.send_command("vote", wrong, Some(&gate["rev"])).await.expect("is refused");
    assert_eq!(refused["code"], "invalid_argument", "{refused}");
    harness.answer(&gate, json!("it is pushed already")).await;
    assert!(harness.finish().await.contains("it is pushed already"));
    assert!(harness.events("tool.started").is_empty(), "words stand for the result");
}

#[tokio::test]
async fn agents_can_ask_several_questions_at_once_as_text_and_as_forms() {
    let form = r#"{"question":"How many?","schema":{"type":"integer","minimum":1}}"#;
    let request = format!("/tool ask_people {{\"question\":\"Which one?\"}}\n/tool ask_people {form}");
    let mut harness = FlowHarness::start("assistant-en", &request).await;
    let (which, many) = (harness.wait_for_gate("question").await, harness.wait_for_gate("question").await);
    assert_eq!((&which["prompt"], &many["prompt"]), (&json!("Which one?"), &json!("How many?")));
    let none = json!({ "gate": many["id"], "value": 0 });
    assert!(harness.send_command("answer", none, None).await.is_some(), "the form wants at least one");
    harness.answer(&many, json!(3)).await;
    harness.answer(&which, json!("the blue one")).await;
    let answer = harness.finish().await;
    assert!(answer.contains("the blue one") && answer.contains("\n3\n"), "{answer}");
    // The agent reads who gave each answer.
    let read = harness.prompts("[answer from=user id=").pop().expect("the results");
    let quoted = |text: &str| format!(" role=owner name=\"Ann\"]\n| {text}");
    assert!(read.contains(&quoted("the blue one")) && read.contains(&quoted("3")), "{read}");
}

/// A tool that panics.
struct PanickingTool(ToolSpec);

#[async_trait]
impl Tool for PanickingTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, _: &CallContext, _: Value) -> Result<Output, ToolError> {
        panic!("a mistake in the tool")
    }
}

#[tokio::test]
async fn a_panic_of_a_tool_fails_only_its_own_call() {
    let broken = Arc::new(PanickingTool(ToolSpec::reading("broken", "Panics.", json!({ "type": "object" }))));
    let text = "/tool broken {}\n/tool code_list {}";
    let tools: Vec<Arc<dyn Tool>> = vec![broken, EchoTool::reading("code_list")];
    let mut harness = FlowHarness::start_with_tools(tools, "assistant-en", text, json!({}), |_| {}).await;
    let answer = harness.finish().await;
    assert!(answer.contains("code_list heard"), "{answer}");
    let failed = harness.events("tool.failed");
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["error"]["code"], "internal");
    assert!(!failed[0]["error"]["message"].to_string().contains("a mistake"), "what went wrong is for the log");
}
