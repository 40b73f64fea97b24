//! `comprehensive`: all tools, then a summary.

use super::harness::FlowHarness;

#[tokio::test]
async fn tool_results_are_summarized() {
    for (team, text) in [
        (
            "comprehensive-en",
            "Find everything about sessions\n/tool code_list {}\n/tool code_search {\"pattern\":\"s\"}",
        ),
        ("comprehensive-zh", "查清会话的全部内容\n/tool code_list {}\n/tool code_search {\"pattern\":\"s\"}"),
    ] {
        let mut harness = FlowHarness::start(team, text).await;
        let answer = harness.finish().await;
        assert!(answer.contains("| – |"), "the researcher's words stand in the summary: {answer}");
        let task = ["[notice] Write the final answer", "[notice] 请根据以上全部结果"];
        let summary = task.iter().flat_map(|task| harness.prompts(task)).next().expect("is asked for");
        for tool in ["code_list", "code_search"] {
            let found = format!("[result for=Researcher source=web source=tool from=tool name=\"{tool}\" arguments=");
            assert!(summary.contains(&found) && summary.contains(&format!("\n| {tool} heard ")), "{summary}");
        }
        let outline = harness.outline();
        assert_eq!(
            outline[..4],
            [
                "run.started comprehensive",
                "step.started Researcher",
                "tool.proposed code_list",
                "tool.proposed code_search"
            ]
        );
        let end = ["step.started Summarizer", "tool.proposed report", "tool.checked allow", "tool.started"];
        assert_eq!(outline[outline.len() - 6..outline.len() - 2], end);
        assert_eq!(outline[outline.len() - 2..], ["tool.completed", "run.finished completed"]);
        let files = harness.events("file.added");
        let kinds: Vec<&str> = files.iter().filter_map(|file| file["media_type"].as_str()).collect();
        assert_eq!(kinds, ["text/markdown", "text/html"], "the answer is to be saved, too: {files:?}");
        assert_eq!(files[0]["agent"], "Summarizer");
        assert_eq!(harness.events("tool.completed").last().expect("one")["files"][0], files[0]["file"]);
    }
}
