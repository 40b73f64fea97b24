//! Events of monitored nodes, on which the reports about these nodes are based.

use std::collections::BTreeSet;

use roundtable::kernel::call::{CallSourceKind, CallState, Permission, Risk};
use roundtable::kernel::*;
use serde_json::json;

use super::harness::{KernelHarness, OWNER, say};
use super::scripted_runner::tool_call;
use super::topology::team;

/// Starts a run in which the node `m` monitors the node `a`, whose supervisor picks the next agent.
fn start_run(edges: &[(&str, &str, &str)]) -> KernelHarness {
    let nodes: &[(&str, &str, &[&str])] = &[("a", "adaptive", &["x"]), ("m", "round_robin", &["y"])];
    let settings = Settings { max_retries: 1, max_attempts: 2, ..Settings::of("topology") };
    let mut harness = KernelHarness::with(team(nodes, edges, "parallel"), settings);
    harness.ok(OWNER, say("find the fault"));
    complete(&mut harness, "global-supervisor", "look", vec![]);
    harness
}

fn running_message(harness: &KernelHarness, agent: &str) -> RunningMessage {
    let run = harness.state.view().active_run().expect("a run");
    run.running.iter().find(|running| running.agent.as_str() == agent).expect("the agent writes").clone()
}

fn complete(harness: &mut KernelHarness, agent: &str, text: &str, calls: Vec<ProposedCall>) {
    let RunningMessage { message, attempt, .. } = running_message(harness, agent);
    let usage = Usage { model: "m".into(), input_tokens: 1, output_tokens: 1, estimated: false, cost_micros: 0 };
    let text = text.into();
    harness.submit_as_orchestrator(Command::TurnCompleted {
        message,
        attempt,
        text,
        calls,
        usage,
        truncated: false,
        output_file: None,
    });
}

fn decide(harness: &mut KernelHarness, action: &str, reason: &str) {
    let decision = json!({ "next_action": action, "next_agent": "a/x", "reason": reason, "instruction": "look" });
    complete(harness, "a-supervisor", &decision.to_string(), vec![]);
}

/// Checks the proposed call and ends it.
fn end_call(harness: &mut KernelHarness, permission: Permission, result: Result<CallOutput, AttemptError>) {
    let run = harness.state.view().active_run().expect("a run");
    let proposed = run.tool_rounds.iter().flat_map(|round| &round.calls).find(|call| call.state == CallState::Proposed);
    let call = proposed.expect("a proposed call").id;
    let check = CallCheck::Known {
        permission,
        idempotent: true,
        risk: Risk::Low,
        reads_only: true,
        result_sources: BTreeSet::from([CallSourceKind::Web]),
        schema: json!({}),
    };
    harness.submit_as_orchestrator(Command::CallChecked { call, check });
    if permission == Permission::Allow {
        harness.submit_as_orchestrator(Command::CallEnded { call, attempt: 1, result });
    }
}

/// Fails the turn of an agent, and starts the next attempt if there is one.
fn fail(harness: &mut KernelHarness, agent: &str, message: &str) {
    let running = running_message(harness, agent);
    let error = AttemptError { code: "model_unavailable".into(), message: message.into() };
    let left = PartialMessage { message: running.message, text: "".into(), usage: None };
    let (attempt, retry_in_ms) = (running.attempt, Some(1_000));
    harness.submit_as_orchestrator(Command::TurnFailed { attempt, error, retry_in_ms, left });
    if let Some(due) = harness.state.next_due() {
        harness.now = due.millis();
        harness.submit_as_orchestrator(Command::DeadlineReached);
    }
}

/// Returns the events of the node `a`, each as text.
fn events(harness: &KernelHarness) -> Vec<String> {
    let view = harness.state.view();
    let call = |id: CallId| view.run.as_ref().and_then(|run| run.call(id)).expect("a call");
    let text = |event: &NodeEvent| match event {
        NodeEvent::Call(id) => format!("call {} {:?}", call(*id).name, call(*id).state),
        NodeEvent::Decision { by, action, agents, reason, .. } => {
            let agents: Vec<&str> = agents.iter().map(AgentId::as_str).collect();
            format!("{by} {} {}: {reason}", action.as_str(), agents.join(" "))
        }
        NodeEvent::Failure { agent, attempt, message, is_retried, .. } => {
            format!("{agent} failed {attempt} {is_retried}: {message}")
        }
        NodeEvent::Result(agent) => format!("result of {agent}"),
    };
    view.node_activity.of("a").map(|known| known.events().map(text).collect()).unwrap_or_default()
}

#[test]
fn everything_that_a_monitored_node_does_is_recorded_in_order() {
    let mut harness = start_run(&[("m", "monitors", "a")]);
    complete(&mut harness, "m/y", "ready", vec![tool_call("watch", json!({}))]);
    end_call(&mut harness, Permission::Allow, Ok("quiet".into()));
    complete(&mut harness, "m/y", "ready", vec![]);
    complete(&mut harness, "m-supervisor", "watching", vec![]);
    decide(&mut harness, "delegate", "begin with the logs");
    complete(&mut harness, "a/x", "", vec![tool_call("read", json!({ "path": "log" }))]);
    end_call(&mut harness, Permission::Allow, Err(AttemptError { code: "gone".into(), message: "no log".into() }));
    complete(&mut harness, "a/x", "", vec![tool_call("delete", json!({}))]);
    end_call(&mut harness, Permission::Deny, Ok("".into()));
    fail(&mut harness, "a/x", "busy");
    complete(&mut harness, "a/x", "no log", vec![]);
    decide(&mut harness, "end", "nothing left to read");
    fail(&mut harness, "a-supervisor", "slow");
    complete(&mut harness, "a-supervisor", "unknown cause", vec![]);
    let expected = [
        "global-supervisor delegate a-supervisor: these nodes wait for no other node",
        "a-supervisor delegate a/x: begin with the logs",
        "call read Failed",
        "call delete Failed",
        "a/x failed 1 true: busy",
        "result of a/x",
        "a-supervisor end : nothing left to read",
        "a-supervisor failed 1 true: slow",
    ];
    assert_eq!(events(&harness), expected);
    let view = harness.state.view();
    assert_eq!(view.node_activity.of("m"), None, "nobody monitors it");
    assert_eq!(running_message(&harness, "m-supervisor").task, Task::Report { number: 1 });
    // The report covers only the monitored node's own work.
    complete(&mut harness, "m-supervisor", "", vec![tool_call("watch", json!({}))]);
    assert_eq!(events(&harness), expected);
    let restored = harness.state.snapshot().restore().expect("by this kernel");
    assert_eq!(restored, harness.state);
    end_call(&mut harness, Permission::Allow, Ok("quiet".into()));
    complete(&mut harness, "m-supervisor", "a found no log", vec![]);
    complete(&mut harness, "global-supervisor", "no cause", vec![]);
    assert_eq!((harness.phase(), events(&harness).len()), (Phase::Completed, 0), "nobody reads them any longer");
}

#[test]
fn a_task_that_failed_for_good_shares_its_calls_and_their_sources() {
    let mut harness = start_run(&[("m", "monitors", "a")]);
    decide(&mut harness, "delegate", "begin");
    complete(&mut harness, "a/x", "", vec![tool_call("search", json!({}))]);
    end_call(&mut harness, Permission::Allow, Ok("from the web".into()));
    let report = Assignment::new(&"m-supervisor".parse().expect("an id"), Task::Report { number: 1 });
    assert!(!harness.state.view().sources.of(&report).kinds.contains(&CallSourceKind::Web));
    fail(&mut harness, "a/x", "down");
    fail(&mut harness, "a/x", "down for good");
    assert_eq!(events(&harness)[2..], ["call search Completed", "a/x failed 1 true: down", "result of a/x"]);
    let sources = harness.state.view().sources.of(&report);
    assert!(sources.kinds.contains(&CallSourceKind::Web), "the report reads arguments that the web could have caused");
}

#[test]
fn nodes_that_nobody_monitors_leave_no_events() {
    let mut harness = start_run(&[("a", "calls", "m")]);
    decide(&mut harness, "delegate", "begin");
    complete(&mut harness, "a/x", "", vec![tool_call("search", json!({}))]);
    assert_eq!(harness.state.view().node_activity, NodeActivity::default());
}
