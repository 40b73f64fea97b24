//! The reference server over streamable HTTP.

use std::process::Stdio;
use std::sync::Arc;

use roundtable::kernel::{Inquiry, InquiryReply};
use roundtable::telemetry::error_causes;
use roundtable::tool::mcp::{McpServerSettings, McpServerState};
use roundtable::tool::{People, ToolSource};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::{McpHarness, call_context_with, reference_server};

/// Returns a port that was free a moment ago, because the server does not accept port 0.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// Starts the server on this port, and waits until it listens.
async fn start_server(port: u16) -> Child {
    let mut command = Command::new("node");
    command.arg(reference_server()).arg("streamableHttp").env("PORT", port.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("is piped")).lines();
    let first = lines.next_line().await.expect("reads").expect("says that it listens");
    assert!(first.contains("listening"), "{first}");
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    child
}

fn settings_at(port: u16) -> McpServerSettings {
    let url = format!("http://127.0.0.1:{port}/mcp");
    McpServerSettings { url, restart_ms: 10, max_restart_ms: 100, check_seconds: 1, ..McpServerSettings::default() }
}

struct AnsweringPeople;

#[async_trait::async_trait]
impl People for AnsweringPeople {
    async fn ask(&self, question: Inquiry) -> InquiryReply {
        assert!(question.schema["properties"]["name"].is_object());
        InquiryReply::Accepted(json!({ "name": "Ada", "check": true }))
    }
}

#[tokio::test]
async fn tools_are_called_and_can_ask_over_http() {
    let port = free_port();
    let _server = start_server(port).await;
    let harness = McpHarness::start(settings_at(port)).await;
    assert_eq!(harness.call("echo", json!({ "message": "hi" })).await.as_deref(), Ok("Echo: hi"));
    harness
        .wait_for(|_| {
            harness.servers.tools().iter().any(|tool| tool.spec().name.ends_with("trigger-elicitation-request"))
        })
        .await;
    let answer = harness
        .call_at(&call_context_with(1, Arc::new(AnsweringPeople)), "trigger-elicitation-request", json!({}))
        .await
        .expect("answers");
    assert!(answer.contains("Ada"), "{answer}");
    harness.servers.stop().await;
}

#[tokio::test]
async fn a_restarted_server_is_reconnected() {
    let port = free_port();
    let mut server = start_server(port).await;
    let harness = McpHarness::start(settings_at(port)).await;
    server.kill().await.expect("ends");
    // The server is supervised even if no agent calls it.
    harness.wait_for(|status| matches!(status.condition, McpServerState::Away(_))).await;
    let error = harness.call("echo", json!({ "message": "hi" })).await.expect_err("is away");
    assert_eq!(error.code, "tool_unavailable");
    let _server = start_server(port).await;
    harness.wait_for(|status| status.condition == McpServerState::Ready).await;
    assert_eq!(harness.call("echo", json!({ "message": "hi" })).await.as_deref(), Ok("Echo: hi"));
}

#[tokio::test]
async fn a_server_that_was_replaced_between_two_calls_is_used() {
    let port = free_port();
    let mut server = start_server(port).await;
    let harness = McpHarness::start(McpServerSettings { check_seconds: 3600, ..settings_at(port) }).await;
    server.kill().await.expect("ends");
    let _server = start_server(port).await;
    let error = harness.call("echo", json!({ "message": "hi" })).await.expect_err("knows no such connection");
    assert_eq!(error.code, "tool_unavailable");
    assert!(!error.message.contains("not known"), "{}", error.message);
    harness.wait_for(|status| status.connected == 2).await;
    assert_eq!(harness.call("echo", json!({ "message": "hi" })).await.as_deref(), Ok("Echo: hi"));
}

#[tokio::test]
async fn the_causes_of_a_failed_call_are_kept_without_the_address() {
    let port = free_port();
    let mut server = start_server(port).await;
    let settings = settings_at(port);
    let harness = McpHarness::start(McpServerSettings {
        url: format!("{}?token=planted-query", settings.url),
        headers: [("x-key".to_owned(), "planted-header".to_owned())].into(),
        check_seconds: 3600,
        ..settings
    })
    .await;
    server.kill().await.expect("ends");
    let error = harness.call("echo", json!({ "message": "hi" })).await.expect_err("is away");
    assert!(!error.message.contains("refused"), "people do not see the cause: {}", error.message);
    let causes = error_causes(&error).expect("causes");
    // A connection that was kept alive for the next request can also break while it is in use.
    assert!(causes.contains("os error") || causes.contains("closed"), "{causes}");
    harness.wait_for(|status| matches!(&status.condition, McpServerState::Away(why) if why.contains("refused"))).await;
    let later = harness.call("echo", json!({ "message": "hi" })).await.expect_err("is still away");
    let reason = error_causes(&later).expect("the reason why the server is away");
    assert!(reason.contains("Connection refused"), "{reason}");
    for text in [causes, reason, error.message, later.message] {
        assert!(!text.contains("planted") && !text.contains("127.0.0.1"), "{text}");
    }
}
