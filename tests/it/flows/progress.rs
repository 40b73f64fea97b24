//! Progress of a call: shown to viewers, but not stored.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::tool::{CallContext, Output, Progress, Tool, ToolError, ToolSpec};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::harness::FlowHarness;

/// A tool that reports its progress a hundred times in a row, as soon as it is notified that somebody is watching.
struct ProgressTool(ToolSpec, Arc<Notify>);

#[async_trait]
impl Tool for ProgressTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn call(&self, at: &CallContext, _: Value) -> Result<Output, ToolError> {
        self.1.notified().await;
        for step in 1..=100 {
            at.people.progress(Progress {
                done: f64::from(step),
                total: Some(100.0),
                message: Some("é".repeat(500).into()),
                output: Some(format!("{}end", "é".repeat(5_000)).into()),
            });
        }
        Ok("counted".into())
    }
}

#[tokio::test]
async fn progress_is_shown_within_limits_and_not_logged() {
    let watched = Arc::new(Notify::new());
    let spec = ToolSpec::reading("count", "Counts.", json!({ "type": "object" }));
    let eager: Arc<dyn Tool> = Arc::new(ProgressTool(spec, watched.clone()));
    let mut harness =
        FlowHarness::start_with_tools(vec![eager], "assistant-en", "/tool count {}", json!({}), |_| {}).await;
    // Viewers that join after a signal do not receive it.
    harness.wait_for("tool.started").await;
    harness.say("@people I am here").await;
    watched.notify_one();
    assert!(harness.finish().await.contains("counted"));
    let signals = harness.signals("progress");
    assert_eq!(signals.len(), 1, "one of those that come at once: {signals:?}");
    let (call, data) = (&harness.events("tool.started")[0]["call"], &signals[0]);
    assert_eq!((&data["call"], &data["done"], &data["total"]), (call, &json!(1.0), &json!(100.0)));
    assert_eq!(data["message"].as_str().map(str::len), Some(256));
    let output = data["output"].as_str().expect("the end of it");
    assert!(output.len() <= 4_096 && output.ends_with("ééend"), "{output}");
    assert!(!harness.outline().iter().any(|line| line.contains("progress")));
}
