//! Tests the timeout, arguments, queue and output limit of calls to any tool.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::json;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::*;
use crate::kernel::{AgentRole, CallId, SessionId};
use crate::tool::{NoPeople, QueueSettings, Stopwatch, ToolError, call_queue::CallQueue};

/// A tool that takes the requested number of seconds and runs one call at a time.
struct SlowTool {
    spec: ToolSpec,
    places: CallQueue,
    ended: AtomicUsize,
}

#[async_trait]
impl Tool for SlowTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        let _place = self.places.take(at).await?;
        sleep(Duration::from_secs(arguments["seconds"].as_u64().unwrap_or_default())).await;
        self.ended.fetch_add(1, Ordering::SeqCst);
        match arguments["says"].as_u64() {
            Some(long) => Err(ToolError::new("tool_failed", "x".repeat(long as usize))),
            None => Ok("y".repeat(1_000).into()),
        }
    }
}

fn slow() -> Arc<SlowTool> {
    slow_as(ToolSpec::reading("slow", "", json!({})))
}

fn slow_as(spec: ToolSpec) -> Arc<SlowTool> {
    let spec = ToolSpec { time: Duration::from_secs(10), output_bytes: 100, ..spec };
    Arc::new(SlowTool { spec, places: CallQueue::new(&QueueSettings::of(1)), ended: AtomicUsize::new(0) })
}

async fn call(slow: &Arc<SlowTool>, arguments: Value) -> Result<CallOutput, ToolError> {
    let toolbox = Toolbox::new(vec![slow.clone()], vec![]);
    let mut agent = Agent::new("A".parse().expect("a valid id"), AgentRole::Worker);
    agent.tools = vec!["*".into()];
    toolbox.call(&agent, place(), "slow", &arguments.to_string()).await
}

fn place() -> CallContext {
    CallContext {
        session: SessionId(Uuid::from_u128(1)),
        team: "team".into(),
        agent: "A".parse().expect("a valid id"),
        call: CallId(1),
        code: vec![],
        knowledge: vec![],
        files: vec![],
        caused_by: None,
        python: crate::tool::PythonMeter::default(),
        people: Arc::new(NoPeople),
        watch: Stopwatch::default(),
        guard: CallGuard::default(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_longer_than_its_time_is_stopped() {
    let (slow, began) = (slow(), Instant::now());
    let error = call(&slow, json!({ "seconds": 11 })).await.expect_err("the call times out");
    assert_eq!((error.code, began.elapsed()), ("tool_timed_out", Duration::from_secs(10)));
    assert!(error.message.contains("slow timed out after 10 s"), "{}", error.message);
    assert!(call(&slow, json!({ "seconds": 9 })).await.is_ok(), "its place is free");
    assert_eq!(slow.ended.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn of_a_call_that_changes_something_it_is_said_that_it_may_have_done_so() {
    let reading = call(&slow(), json!({ "seconds": 11 })).await.expect_err("the call times out").message;
    let changing = slow_as(ToolSpec { idempotent: false, ..ToolSpec::reading("slow", "", json!({})) });
    let changing = call(&changing, json!({ "seconds": 11 })).await.expect_err("the call times out").message;
    assert_eq!(&*reading, "slow timed out after 10 s");
    assert_eq!(*changing, format!("{reading}; it is not known whether the call took effect"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_changed_after_its_call_was_allowed_gets_no_arguments_that_it_does_not_take() {
    let slow = slow_as(ToolSpec::reading("slow", "", json!({ "required": ["account"] })));
    let error = call(&slow, json!({ "seconds": 1 })).await.expect_err("the schema requires another argument");
    assert_eq!((error.code, slow.ended.load(Ordering::SeqCst)), ("arguments_invalid", 0));
    assert!(error.message.contains("slow no longer accepts") && error.message.contains("account"), "{}", error.message);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_would_arrive_as_others_are_not_sent() {
    let slow = slow();
    let toolbox = Toolbox::new(vec![slow.clone()], vec![]);
    let mut agent = Agent::new("A".parse().expect("a valid id"), AgentRole::Worker);
    agent.tools = vec!["*".into()];
    for arguments in [r#"{"n":123456789012345678901234567890}"#, r#"{"seconds":1,"seconds":2}"#] {
        let error = toolbox.call(&agent, place(), "slow", arguments).await.expect_err("the value would change");
        assert_eq!((error.code, slow.ended.load(Ordering::SeqCst)), ("arguments_invalid", 0), "{arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_of_calls_that_wait_for_a_place_begins_when_they_have_it() {
    let (slow, began) = (slow(), Instant::now());
    let calls = join_all((0..8).map(|_| call(&slow, json!({ "seconds": 8 })))).await;
    assert!(calls.iter().all(Result::is_ok), "{calls:?}");
    assert_eq!(began.elapsed(), Duration::from_secs(64));
}

#[tokio::test(start_paused = true)]
async fn a_call_does_not_wait_for_a_place_for_ever() {
    let (slow, began) = (slow(), Instant::now());
    let held = slow.places.take(&place()).await.expect("a place is free");
    let error = call(&slow, json!({ "seconds": 1 })).await.expect_err("the call never starts");
    assert_eq!((error.code, began.elapsed()), ("tool_unavailable", Duration::from_secs(600)));
    assert!(error.message.contains("the call did not start"), "{}", error.message);
    drop(held);
    assert!(call(&slow, json!({ "seconds": 1 })).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn of_long_words_both_ends_are_read() {
    let brought = call(&slow(), json!({})).await.expect("the call succeeds").text;
    assert!(brought.len() < 160 && brought.contains("901 bytes left out"), "{brought}");
    let error = call(&slow(), json!({ "says": 1_000 })).await.expect_err("the call fails").message;
    assert!(error.len() < 160 && error.contains("901 bytes left out"), "{error}");
}
