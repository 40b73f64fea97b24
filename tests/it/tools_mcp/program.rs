//! The reference server as a program.

use roundtable::tool::mcp::McpServerSettings;
use roundtable::tool::{SideEffect, ToolSource};
use serde_json::json;

use super::{McpHarness, node_settings, reference_server};

#[tokio::test]
async fn tools_are_listed_and_called() {
    let harness = McpHarness::start(node_settings(reference_server(), &[])).await;
    let echo = harness.tool("mcp_s_echo");
    assert_eq!(echo.spec().schema["properties"]["message"]["type"], "string");
    assert_eq!((echo.spec().effect, echo.spec().idempotent), (SideEffect::World, false));
    assert!(!echo.spec().description.is_empty());
    assert_eq!(harness.call("echo", json!({ "message": "你好" })).await.as_deref(), Ok("Echo: 你好"));
    let sum = harness.call("get-sum", json!({ "a": 2, "b": 40 })).await.expect("adds");
    assert!(sum.contains("42"), "{sum}");
    let weather = harness.call("get-structured-content", json!({ "location": "Chicago" })).await.expect("answers");
    let weather: serde_json::Value = serde_json::from_str(&weather).expect("the structured form, said once");
    assert_eq!(weather["humidity"], 82);
    let image = harness.call("get-tiny-image", json!({})).await.expect("answers");
    assert!(image.contains("[image, image/png, ") && image.len() < 1000, "{image}");
    let links = harness.call("get-resource-links", json!({ "count": 2 })).await.expect("answers");
    assert!(links.contains("[Text Resource 1 at ") || links.contains(" at demo://"), "{links}");
    harness.servers.stop().await;
}

#[tokio::test]
async fn wrong_arguments_are_an_error_of_the_server() {
    let harness = McpHarness::start(node_settings(reference_server(), &[])).await;
    let error = harness.call("get-sum", json!({ "a": "two" })).await.expect_err("refuses");
    assert_eq!(error.code, "tool_failed");
    assert!(error.message.contains("the MCP server s failed: "), "{}", error.message);
}

#[tokio::test]
async fn a_server_gets_only_its_configured_environment() {
    let mut settings = node_settings(reference_server(), &[]);
    settings.env = [("GIVEN".to_owned(), "open".to_owned())].into();
    settings.env_from = [("SECRET".to_owned(), "PATH".to_owned())].into();
    let harness = McpHarness::start(settings).await;
    let env = harness.call("get-env", json!({})).await.expect("answers");
    let env: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&env).expect("an object");
    assert_eq!((env["GIVEN"].as_str(), env["SECRET"].as_str()), (Some("open"), env["PATH"].as_str()));
    let expected = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "GIVEN", "SECRET"];
    let others: Vec<&String> = env.keys().filter(|name| !expected.contains(&name.as_str())).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[tokio::test]
async fn only_tools_that_the_operator_allows_are_offered() {
    let settings = McpServerSettings {
        only: vec!["echo".into(), "get-sum".into()],
        trust_hints: true,
        call_seconds: 7,
        ..node_settings(reference_server(), &[])
    };
    let harness = McpHarness::start(settings).await;
    let mut names: Vec<String> = harness.servers.tools().iter().map(|tool| tool.spec().name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["mcp_s_echo", "mcp_s_get-sum"]);
    assert_eq!(harness.tool("mcp_s_echo").spec().time.as_secs(), 7);
    assert_eq!(harness.tool("mcp_s_echo").spec().effect, SideEffect::None);
}
