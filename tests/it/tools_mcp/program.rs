//! The reference server as a program.

use roundtable::tool::mcp::McpServerSettings;
use roundtable::tool::{SideEffect, ToolSource};
use serde_json::json;

use super::{Table, everything, node};

#[tokio::test]
async fn its_tools_are_listed_and_called() {
    let table = Table::ready(node(everything(), &[])).await;
    let echo = table.tool("mcp_s_echo");
    assert_eq!(echo.spec().schema["properties"]["message"]["type"], "string");
    assert_eq!((echo.spec().effect, echo.spec().idempotent), (SideEffect::World, false));
    assert!(!echo.spec().description.is_empty());
    assert_eq!(table.call("echo", json!({ "message": "你好" })).await.as_deref(), Ok("Echo: 你好"));
    let sum = table.call("get-sum", json!({ "a": 2, "b": 40 })).await.expect("adds");
    assert!(sum.contains("42"), "{sum}");
    let weather = table.call("get-structured-content", json!({ "location": "Chicago" })).await.expect("answers");
    let weather: serde_json::Value = serde_json::from_str(&weather).expect("the structured form, said once");
    assert_eq!(weather["humidity"], 82);
    let image = table.call("get-tiny-image", json!({})).await.expect("answers");
    assert!(image.contains("[image, image/png, ") && image.len() < 1000, "{image}");
    let links = table.call("get-resource-links", json!({ "count": 2 })).await.expect("answers");
    assert!(links.contains("[Text Resource 1 at ") || links.contains(" at demo://"), "{links}");
    table.servers.stop().await;
}

#[tokio::test]
async fn wrong_arguments_are_its_error() {
    let table = Table::ready(node(everything(), &[])).await;
    let error = table.call("get-sum", json!({ "a": "two" })).await.expect_err("refuses");
    assert_eq!(error.code, "tool_failed");
    assert!(error.message.contains("the MCP server s failed: "), "{}", error.message);
}

#[tokio::test]
async fn it_has_no_more_of_the_environment_than_it_was_given() {
    let mut settings = node(everything(), &[]);
    settings.env = [("GIVEN".to_owned(), "open".to_owned())].into();
    settings.env_from = [("SECRET".to_owned(), "PATH".to_owned())].into();
    let table = Table::ready(settings).await;
    let env = table.call("get-env", json!({})).await.expect("answers");
    let env: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&env).expect("an object");
    assert_eq!((env["GIVEN"].as_str(), env["SECRET"].as_str()), (Some("open"), env["PATH"].as_str()));
    let expected = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "GIVEN", "SECRET"];
    let others: Vec<&String> = env.keys().filter(|name| !expected.contains(&name.as_str())).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[tokio::test]
async fn only_the_tools_that_the_operator_wants() {
    let settings = McpServerSettings {
        only: vec!["echo".into(), "get-sum".into()],
        trust_hints: true,
        call_seconds: 7,
        ..node(everything(), &[])
    };
    let table = Table::ready(settings).await;
    let mut names: Vec<String> = table.servers.tools().iter().map(|tool| tool.spec().name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["mcp_s_echo", "mcp_s_get-sum"]);
    assert_eq!(table.tool("mcp_s_echo").spec().time.as_secs(), 7);
    assert_eq!(table.tool("mcp_s_echo").spec().effect, SideEffect::None);
}
