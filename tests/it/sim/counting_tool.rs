//! A tool whose executions are counted, and the responses of the simulated models for each flow.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use roundtable::agent::{ModelMessage, ToolCall, TurnRequest};
use roundtable::kernel::{Agent, AgentRole, Budget, CallId, FixedStep, SessionId, Team, TeamOrigin};
use roundtable::tool::{CallContext, Output, SideEffect, Tool, ToolError, ToolSpec};
use serde_json::{Value, json};
use servers::random::Random;
use uuid::Uuid;

use super::faulty_links::NodeFaults;
use super::pause::pause;
use crate::kernel::topology;
use crate::run::harness::team;

/// Effects of tools: the call and its arguments.
pub(super) type ToolExecutions = Arc<Mutex<Vec<(SessionId, CallId, Value)>>>;

/// A tool whose effect must not happen twice.
pub(super) struct CountingPutTool {
    spec: ToolSpec,
    pub(super) faults: Arc<NodeFaults>,
    pub(super) executions: ToolExecutions,
}

impl CountingPutTool {
    pub(super) fn new(faults: Arc<NodeFaults>, executions: ToolExecutions) -> Self {
        let schema = json!({ "type": "object", "required": ["n"], "properties": { "n": { "type": "integer" } } });
        // The risk is medium, so that rules about the tool can be learned.
        let reading = ToolSpec::reading("put", "Puts.", schema);
        let spec = ToolSpec { effect: SideEffect::World, can_undo: true, idempotent: false, ..reading };
        Self { spec, faults, executions }
    }
}

#[async_trait]
impl Tool for CountingPutTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, at: &CallContext, arguments: Value) -> Result<Output, ToolError> {
        pause(self.faults.below(20)).await;
        self.faults.alive().await;
        self.executions.lock().push((at.session, at.call, arguments));
        pause(self.faults.below(20)).await;
        self.faults.alive().await;
        match self.faults.one_in(10) {
            true => Err(ToolError::new("tool_failed", "it fell over")),
            false => Ok("put".into()),
        }
    }
}

/// Returns a team with a random flow. People are asked about some of its calls.
pub(super) fn any_team(dice: &mut Random) -> Team {
    use AgentRole::{Executor, Planner, Router, Summarizer, Worker};
    let (flow, roles): (&str, &[(&str, AgentRole)]) = match dice.below(10) {
        0 => ("react", &[("W", Worker), ("V", Worker)]),
        1 => ("comprehensive", &[("W", Worker), ("S", Summarizer)]),
        2 => ("workflow", &[("W", Worker), ("V", Worker)]),
        3 => ("router", &[("R", Router), ("W", Worker), ("P", Planner), ("E", Executor), ("S", Summarizer)]),
        4 => ("plan_solve", &[("P", Planner), ("E", Executor), ("F", Executor), ("S", Summarizer)]),
        5 => ("brain", &[("P", Planner), ("A", Executor), ("B", Executor)]),
        6 => ("investigate", &[("P", Planner)]),
        7 => return stored_team(dice),
        _ => return team(["a", "b", "c"]),
    };
    let permission = *dice.pick(&["allow", "ask"]);
    let agent =
        |(name, role): &(&str, AgentRole)| with_tools(Agent::new(name.parse().expect("an id"), *role), permission);
    let step = |name: &str| FixedStep { agent: name.parse().expect("an id"), action: "do".into() };
    let steps = if flow == "workflow" { vec![step("W"), step("V")] } else { vec![] };
    Team { flow: flow.into(), agents: roles.iter().map(agent).collect(), steps, ..team(["a", "b", "c"]) }
}

/// Returns no budget, a budget that a few turns use up, or one that every lost turn brings closer to its end.
pub(super) fn any_budget(dice: &mut Random) -> Option<Budget> {
    let max_tokens = match dice.below(4) {
        0 => Some(20 + dice.below(200)),
        1 => Some(10_000 + dice.below(50_000)),
        _ => None,
    };
    max_tokens.map(|max_tokens| match dice.below(3) {
        0 => Budget { max_cost_micros: Some(max_tokens), max_turn_cost_micros: 10_000, ..Budget::default() },
        _ => Budget { max_tokens: Some(max_tokens), max_turn_tokens: 10_000, ..Budget::default() },
    })
}

/// Returns a stored team whose nodes use different strategies. Its first run is an execution.
fn stored_team(dice: &mut Random) -> Team {
    let strategy = *dice.pick(&["hierarchical", "parallel", "sequential"]);
    let how = *dice.pick(&["calls", "depends_on", "monitors", "integrates"]);
    let permission = *dice.pick(&["allow", "ask"]);
    let nodes: &[(&str, &str, &[&str])] =
        &[("a", "round_robin", &["x", "y"]), ("b", "priority", &["x:1", "y:2"]), ("c", "adaptive", &["x", "y"])];
    let mut team = topology::team(nodes, &[("a", "data_flow", "c"), ("b", how, "a")], strategy);
    team.topology.as_mut().expect("a topology").max_iterations = 3;
    let works = |agent: &Agent| agent.role == AgentRole::Worker;
    let tools = |agent: Agent| if works(&agent) { with_tools(agent, permission) } else { agent };
    team.agents = team.agents.into_iter().map(tools).collect();
    Team { origin: Some(TeamOrigin { team: Uuid::from_u128(7), version: 3 }), ..team }
}

/// Returns the agent with access to all tools. The permission applies to the tool with effects.
fn with_tools(agent: Agent, permission: &str) -> Agent {
    let rule = json!({ "tool": "put", "permission": permission });
    Agent { tools: vec!["*".into()], permissions: vec![serde_json::from_value(rule).expect("a rule")], ..agent }
}

/// Returns the response of a model, sometimes an invalid one.
pub(super) fn answer(request: &TurnRequest, dice: &mut Random) -> (Option<String>, Vec<ToolCall>) {
    let call = |name: &str, arguments: Value| ToolCall {
        id: "1".into(),
        name: name.into(),
        arguments: arguments.to_string().into(),
    };
    if dice.below(15) == 0 {
        return (Some("{nonsense".into()), vec![call("fly", json!({}))]);
    }
    let offered = |name: &str| request.tools.iter().any(|tool| &*tool.name == name);
    let called = request.messages.iter().any(|message| matches!(message, ModelMessage::Tool { .. }));
    match &request.response_format {
        Some(format) => (Some(structured_output(&format.name, &format.schema, dice).to_string()), vec![]),
        None if called => (None, vec![]),
        // Only a planner of the `plan_solve` flow has the `plan` tool and a task without a text of its own.
        None if offered("plan") && dice.below(2) == 0 => {
            let steps = json!({ "command": "create", "items": ["a<sep>b<sep>c", "d"] });
            let commands = [steps, json!({ "command": "mark_item", "item_index": 0 }), json!({ "command": "finish" })];
            (None, vec![call("plan", dice.pick(&commands).clone())])
        }
        None if offered("ask_people") && dice.below(6) == 0 => {
            (None, vec![call("ask_people", json!({ "question": "Which?" }))])
        }
        None if offered("put") && dice.below(3) > 0 => {
            let calls = (0..=dice.below(3)).map(|n| call("put", json!({ "n": n })));
            (None, calls.collect())
        }
        None => (None, vec![]),
    }
}

fn structured_output(name: &str, schema: &Value, dice: &mut Random) -> Value {
    let investigates = schema["properties"].get("next_steps").is_some();
    let put = json!({ "action": "put", "tool_name": "put", "tool_params": { "n": 1 } });
    let ask = json!({ "action": "request_input", "question": "Which?" });
    let go_on = json!({ "action": "continue", "next_steps": [put.clone(), put] });
    match (name, investigates) {
        ("plan", true) => dice.pick(&[go_on, ask]).clone(),
        ("plan", false) => json!({ "steps": [{ "agent": "A", "action": "a" }, { "agent": "B", "action": "b" }] }),
        ("decision", true) => {
            let end = json!({ "action": "synthesize" });
            dice.pick(&[end.clone(), end, go_on, ask, json!({ "action": "adjust_plan" })]).clone()
        }
        ("decision", false) => {
            let action = *dice.pick(&["continue", "continue", "retry", "skip", "end"]);
            json!({ "next_action": action, "reason": "so" })
        }
        ("delegation", _) => {
            let agents = schema["properties"]["next_agent"]["enum"].as_array().expect("agents");
            let (action, agent) = (*dice.pick(&["delegate", "delegate", "end"]), dice.pick(agents));
            json!({ "next_action": action, "next_agent": agent, "reason": "so" })
        }
        ("output", _) => dice.pick(&[json!({ "note": "so" }), json!({ "note": 1 }), json!({})]).clone(),
        ("route", _) => json!({ "flow": dice.pick(&["react", "plan_solve"]) }),
        _ => json!({ "root_cause": "rust", "suggestions": [] }),
    }
}
