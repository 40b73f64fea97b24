//! The reference server over streamable HTTP.

use std::process::Stdio;
use std::sync::Arc;

use roundtable::kernel::{Inquiry, InquiryReply};
use roundtable::tool::mcp::{McpServerSettings, McpServerState};
use roundtable::tool::{People, ToolSource};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::{Table, everything, place_with};

/// A port that was free a moment ago, because the server does not accept port 0.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// Starts the server on this port, and waits until it listens.
async fn begin(port: u16) -> Child {
    let mut command = Command::new("node");
    command.arg(everything()).arg("streamableHttp").env("PORT", port.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("is piped")).lines();
    let first = lines.next_line().await.expect("reads").expect("says that it listens");
    assert!(first.contains("listening"), "{first}");
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    child
}

fn at(port: u16) -> McpServerSettings {
    let url = format!("http://127.0.0.1:{port}/mcp");
    McpServerSettings { url, restart_ms: 10, max_restart_ms: 100, check_seconds: 1, ..McpServerSettings::default() }
}

struct Red;

#[async_trait::async_trait]
impl People for Red {
    async fn ask(&self, question: Inquiry) -> InquiryReply {
        assert!(question.schema["properties"]["name"].is_object());
        InquiryReply::Accepted(json!({ "name": "Ada", "check": true }))
    }
}

#[tokio::test]
async fn its_tools_are_called_and_ask_over_http() {
    let port = free_port();
    let _server = begin(port).await;
    let table = Table::ready(at(port)).await;
    assert_eq!(table.call("echo", json!({ "message": "hi" })).await.as_deref(), Ok("Echo: hi"));
    table
        .until(|_| table.servers.tools().iter().any(|tool| tool.spec().name.ends_with("trigger-elicitation-request")))
        .await;
    let answer =
        table.call_at(&place_with(1, Arc::new(Red)), "trigger-elicitation-request", json!({})).await.expect("answers");
    assert!(answer.contains("Ada"), "{answer}");
    table.servers.stop().await;
}

#[tokio::test]
async fn a_server_that_was_restarted_is_there_again() {
    let port = free_port();
    let mut server = begin(port).await;
    let table = Table::ready(at(port)).await;
    server.kill().await.expect("ends");
    // The server is supervised even if no agent calls it.
    table.until(|status| matches!(status.condition, McpServerState::Away(_))).await;
    let error = table.call("echo", json!({ "message": "hi" })).await.expect_err("is away");
    assert_eq!(error.code, "tool_unavailable");
    let _server = begin(port).await;
    table.until(|status| status.condition == McpServerState::Ready).await;
    assert_eq!(table.call("echo", json!({ "message": "hi" })).await.as_deref(), Ok("Echo: hi"));
}

#[tokio::test]
async fn a_server_that_was_replaced_between_two_calls() {
    let port = free_port();
    let mut server = begin(port).await;
    let table = Table::ready(McpServerSettings { check_seconds: 3600, ..at(port) }).await;
    server.kill().await.expect("ends");
    let _server = begin(port).await;
    let error = table.call("echo", json!({ "message": "hi" })).await.expect_err("knows no such connection");
    assert_eq!(error.code, "tool_unavailable");
    assert!(!error.message.contains("not known"), "{}", error.message);
    table.until(|status| status.connected == 2).await;
    assert_eq!(table.call("echo", json!({ "message": "hi" })).await.as_deref(), Ok("Echo: hi"));
}
