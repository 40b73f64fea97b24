//! A server that dies, hangs, lies and sends invalid data.

use std::sync::Arc;

use futures_util::{FutureExt, future::join_all};
use roundtable::kernel::{Agent, AgentRole};
use roundtable::tool::mcp::{McpServerRegistry, McpServerSettings, McpServerState};
use roundtable::tool::{Confinement, Tool, ToolSource, Toolbox};
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::{McpHarness, call_context, mcp_folder, misbehaving_settings};

/// Returns the tools of the harness, and an agent that may call them.
fn toolbox(harness: &McpHarness) -> (Toolbox, Agent) {
    let mut agent = Agent::new("helper".parse().expect("a name"), AgentRole::Worker);
    agent.tools = vec!["*".into()];
    (Toolbox::new(harness.servers.tools(), vec![]), agent)
}

#[tokio::test]
async fn a_server_that_died_during_a_call_is_restarted() {
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    let error = harness.call("die", json!({})).await.expect_err("dies");
    assert_eq!(error.code, "tool_unavailable");
    assert!(error.message.contains("not known"), "{}", error.message);
    harness.wait_for(|status| status.connected == 2).await;
    assert_eq!(harness.call("echo", json!({ "a": 1 })).await.as_deref(), Ok(r#"{"a":1}"#));
}

#[tokio::test]
async fn an_interrupted_call_is_cancelled_at_the_server() {
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    let hang = harness.tool("mcp_s_hang");
    {
        let (at, call) = (call_context(1), json!({}));
        let mut calling = hang.call(&at, call);
        // This call is sent before the next one, over the same pipe.
        assert!(calling.as_mut().now_or_never().is_none());
        assert_eq!(harness.call("echo", json!({})).await.as_deref(), Ok("{}"));
    }
    assert_eq!(harness.call("cancelled", json!({})).await.as_deref(), Ok("1"));
}

#[tokio::test]
async fn invalid_output_does_not_affect_other_calls() {
    let harness =
        McpHarness::start(McpServerSettings { max_message_bytes: 64 * 1024, ..misbehaving_settings("older") }).await;
    assert_eq!(harness.call("garbage", json!({})).await.as_deref(), Ok("after the garbage"));
    let error = harness.call("senseless", json!({})).await.expect_err("makes no sense");
    assert_eq!(error.code, "tool_failed");
    let error = harness.call("refuse", json!({})).await.expect_err("refuses");
    assert_eq!((error.code, error.message.ends_with("no such colour")), ("tool_failed", true));
    // Only this result is dropped, and its call gets the error.
    let huge = harness.call("huge", json!({})).await.expect_err("is too large");
    assert_eq!((huge.code, huge.message.contains("65536 bytes")), ("tool_result_too_large", true), "{}", huge.message);
    let others = (0..20).map(|n| harness.call("echo", json!({ "n": n })));
    for (n, answer) in join_all(others).await.into_iter().enumerate() {
        assert_eq!(answer, Ok(format!(r#"{{"n":{n}}}"#)));
    }
    assert_eq!(harness.servers.status()[0].condition, McpServerState::Ready);
}

#[tokio::test]
async fn all_pages_of_the_tool_list_and_its_changes_are_read() {
    for how in ["older", "newest"] {
        let harness = McpHarness::start(misbehaving_settings(how)).await;
        let names: Vec<String> = harness.servers.tools().iter().map(|tool| tool.spec().name.to_string()).collect();
        assert_eq!(names.len(), 14, "without those whose schema is none: {names:?}");
        let safe = names.iter().find(|name| name.contains("odd")).expect("is listed");
        assert!(safe.starts_with("mcp_s_odd_name_with_more_") && safe.len() <= 64, "{safe}");
        assert_eq!(harness.call(safe.trim_start_matches("mcp_s_"), json!({})).await.as_deref(), Ok("{}"));
        assert_eq!(harness.call("grow", json!({})).await.as_deref(), Ok("grown"));
        harness.wait_for(|status| status.tools == 15).await;
        assert_eq!(harness.call("grown", json!({})).await.as_deref(), Ok("{}"), "greeted the {how} way");
    }
}

#[tokio::test]
async fn a_busy_server_lists_its_tools_when_it_is_done() {
    let harness =
        McpHarness::start(McpServerSettings { start_seconds: 2, call_seconds: 4, ..misbehaving_settings("older") })
            .await;
    let before = harness.servers.status()[0].connected;
    let (toolbox, agent) = toolbox(&harness);
    let busy = toolbox.call(&agent, call_context(1), "mcp_s_busy", "{}").await;
    assert_eq!(busy.expect_err("hangs").code, "tool_timed_out", "it is not ended for a list in its own time");
    let status = harness.wait_for(|status| status.tools == 15).await;
    assert_eq!((status.condition, status.connected), (McpServerState::Ready, before));
}

#[tokio::test]
async fn tools_beyond_the_limit_are_left_out() {
    let harness = McpHarness::start(McpServerSettings { max_tools: 7, ..misbehaving_settings("older") }).await;
    assert_eq!(harness.servers.tools().len(), 7);
}

#[tokio::test]
async fn child_processes_end_with_the_server() {
    let harness = McpHarness::start(misbehaving_settings("older")).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let port = listener.local_addr().expect("has one").port();
    assert_eq!(harness.call("child", json!({ "port": port })).await.as_deref(), Ok("started"));
    let (mut child, _) = listener.accept().await.expect("connects");
    // First, only the server process dies: its child keeps the pipes open, and the call must not wait for the child.
    let error = harness.call("die", json!({})).await.expect_err("dies");
    assert_eq!(error.code, "tool_unavailable");
    let left = tokio::time::timeout(super::TIMEOUT, child.read(&mut [0])).await.expect("is ended");
    assert!(matches!(left, Ok(0) | Err(_)), "{left:?}");
    harness.wait_for(|status| status.connected == 2).await;
    assert_eq!(harness.call("child", json!({ "port": port })).await.as_deref(), Ok("started"));
    let (mut child, _) = listener.accept().await.expect("connects");
    harness.stopping.cancel();
    harness.servers.stop().await;
    let left = tokio::time::timeout(super::TIMEOUT, child.read(&mut [0])).await.expect("is ended");
    assert!(matches!(left, Ok(0) | Err(_)), "{left:?}");
}

#[tokio::test]
async fn a_missing_server_blocks_nobody() {
    let nowhere =
        McpServerSettings { command: "/no/such/program".into(), restart_ms: 10, ..McpServerSettings::default() };
    let harness = McpHarness::start_without_waiting(nowhere);
    let status = harness.wait_for(|status| matches!(status.condition, McpServerState::Away(_))).await;
    let expected = "its program \"/no/such/program\" was not found; install it";
    assert!(matches!(&status.condition, McpServerState::Away(why) if why.contains(expected)), "{status:?}");
    let ends = McpServerSettings {
        command: "sh".into(),
        args: vec!["-c".into(), "exit 7".into()],
        restart_ms: 10,
        ..McpServerSettings::default()
    };
    let harness = McpHarness::start_without_waiting(ends);
    let status = harness.wait_for(|status| matches!(status.condition, McpServerState::Away(_))).await;
    assert!(format!("{:?}", status.condition).contains("its program ended: exit status: 7"), "{status:?}");
    assert!(harness.servers.tools().is_empty());
    let harness =
        McpHarness::start_without_waiting(McpServerSettings { start_seconds: 1, ..misbehaving_settings("silent") });
    let status = harness.wait_for(|status| matches!(status.condition, McpServerState::Away(_))).await;
    assert!(format!("{:?}", status.condition).contains("timed out"), "{status:?}");
}

#[tokio::test]
async fn a_server_without_its_secret_is_refused_at_once() {
    let wanting = McpServerSettings {
        env_from: [("A".into(), "NO_SUCH_VARIABLE".into())].into(),
        ..misbehaving_settings("older")
    };
    let stopping = tokio_util::sync::CancellationToken::new();
    let settings = [("s".to_owned(), wanting)].into();
    let started = McpServerRegistry::start(&settings, mcp_folder().as_path(), &Confinement::Off, &stopping);
    assert_eq!(
        started.err().as_deref(),
        Some("tools.mcp.s: its environment variable NO_SUCH_VARIABLE is not set; set it")
    );
}

#[tokio::test]
async fn calls_beyond_the_bound_wait() {
    let harness =
        McpHarness::start(McpServerSettings { max_concurrent_calls: 1, ..misbehaving_settings("older") }).await;
    let hang: Arc<dyn Tool> = harness.tool("mcp_s_hang");
    let at = call_context(1);
    let mut first = hang.call(&at, json!({}));
    assert!(first.as_mut().now_or_never().is_none());
    let mut second = Box::pin(harness.call("echo", json!({})));
    assert!(second.as_mut().now_or_never().is_none());
    drop(first);
    assert_eq!(second.await.as_deref(), Ok("{}"));
}

#[tokio::test]
async fn the_timeout_of_a_call_does_not_include_its_wait_in_the_queue() {
    let harness = McpHarness::start(McpServerSettings {
        max_concurrent_calls: 1,
        call_seconds: 3,
        ..misbehaving_settings("older")
    })
    .await;
    let (toolbox, agent) = toolbox(&harness);
    let hang = toolbox.call(&agent, call_context(1), "mcp_s_hang", "{}");
    let wait = toolbox.call(&agent, call_context(2), "mcp_s_echo", "{}");
    // The order matters: the second call does not start its timeout before the first has used up its own.
    let (hung, waited) = tokio::join!(biased; hang, wait);
    assert_eq!(hung.expect_err("hangs").code, "tool_timed_out");
    assert_eq!(&*waited.expect("has its time").text, "{}");
}
