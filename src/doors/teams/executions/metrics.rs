//! `GET /api/v1/executions/{execution}/metrics`: time, tokens, cost and errors by node and agent.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::latest_message::LatestMessage;
use super::lookup;
use super::place::AgentPlace;
use crate::agent::teams::ExecutionId;
use crate::doors::teams::caller::TeamCaller;
use crate::doors::teams::error::TeamError;
use crate::http::{PathParameters, QueryParameters};
use crate::kernel::{AgentId, CallId, Event, Fact, MessageId, Team, Timestamp};
use crate::node::Node;
use crate::protocol::Problem;
use crate::telemetry::Exposition;

/// Query of metrics.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct MetricParameters {
    /// Format of the metrics. Default `json`.
    format: MetricFormat,
}

/// Format of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MetricFormat {
    /// JSON.
    #[default]
    Json,
    /// The text format of Prometheus.
    Prometheus,
}

/// Metrics of an execution.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExecutionMetrics {
    /// Id of the execution.
    execution_id: ExecutionId,
    /// Metrics of all agents together.
    total: Metrics,
    /// Metrics by node, in the order of the topology. Those of a node include its agents and its supervisor.
    nodes: Vec<NodeMetrics>,
    /// Metrics by agent, in the order of the team.
    agents: Vec<AgentMetrics>,
}

/// Metrics of a node.
#[derive(Debug, Serialize, JsonSchema)]
struct NodeMetrics {
    /// Id of the node.
    node_id: Arc<str>,
    #[serde(flatten)]
    metrics: Metrics,
}

/// Metrics of an agent or supervisor.
#[derive(Debug, Serialize, JsonSchema)]
struct AgentMetrics {
    /// Node of the agent, or null for the global supervisor.
    node_id: Option<Arc<str>>,
    /// Id of the agent in its node, or of the supervisor.
    agent_id: Arc<str>,
    #[serde(flatten)]
    metrics: Metrics,
}

/// Amount of work that one or more agents have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub(super) struct Metrics {
    /// Number of messages that models completed. In the log, those that only call tools or decide appear as tool calls
    /// and decisions.
    messages: u64,
    /// Number of tool calls that ended.
    tool_calls: u64,
    /// Number of errors: failed attempts, failed tool calls, and outputs that could not be read.
    errors: u64,
    /// Number of tokens that models read.
    input_tokens: u64,
    /// Number of tokens that models wrote.
    output_tokens: u64,
    /// Cost in millionths of the currency of the prices.
    cost_micros: u64,
    /// Milliseconds spent on writing messages, each counted from the start of its first attempt.
    model_ms: u64,
    /// Milliseconds spent on tool calls.
    tool_ms: u64,
}

/// Counts of the execution's events.
#[derive(Default)]
struct MetricCounter {
    agents: HashMap<AgentId, Metrics>,
    messages: HashMap<MessageId, Timestamp>,
    latest: LatestMessage,
    proposed: HashMap<CallId, AgentId>,
    calls: HashMap<CallId, Timestamp>,
}

pub(super) async fn metrics(
    State(node): State<Arc<Node>>,
    TeamCaller(who): TeamCaller,
    path: Result<PathParameters<String>, Problem>,
    parameters: Result<QueryParameters<MetricParameters>, Problem>,
) -> Result<Response, TeamError> {
    let listing = lookup::execution(&node, &who, &path?.0).await?;
    let format = parameters?.0.format;
    let (mut projection, state) = lookup::projection(&node, &listing).await?;
    let (mut counter, mut lines) = (MetricCounter::default(), vec![]);
    lookup::read_events(&node, listing.id, |event| {
        projection.take_event(event, &mut lines);
        lines.clear();
        counter.count(event);
        projection.end().is_none()
    })
    .await?;
    let metrics = counter.metrics(listing.id, &state.view().team);
    Ok(match format {
        MetricFormat::Json => Json(metrics).into_response(),
        MetricFormat::Prometheus => {
            let headers = [(header::CONTENT_TYPE, Exposition::Text.content_type())];
            (headers, metrics.prometheus()?).into_response()
        }
    })
}

impl MetricCounter {
    fn of(&mut self, agent: &AgentId) -> &mut Metrics {
        self.agents.entry(agent.clone()).or_default()
    }

    fn count(&mut self, event: &Event) {
        match &event.fact {
            Fact::MessageStarted { message, .. } => _ = self.messages.entry(*message).or_insert(event.at),
            Fact::MessageCompleted { message, agent, .. } => {
                let took = since(self.messages.remove(message), event.at);
                let metrics = self.of(agent);
                metrics.messages += 1;
                metrics.model_ms += took;
                self.latest.set(*message, agent);
            }
            Fact::OutputRejected { message, .. } => {
                if let Some(agent) = self.latest.take_author(*message) {
                    self.of(&agent).errors += 1;
                }
            }
            Fact::MessageAborted { message, agent, .. } => {
                let took = since(self.messages.remove(message), event.at);
                self.of(agent).model_ms += took;
            }
            Fact::AttemptFailed { agent, .. } => self.of(agent).errors += 1,
            Fact::ToolProposed { call, agent, .. } => drop(self.proposed.insert(*call, agent.clone())),
            Fact::ToolStarted { call, .. } => _ = self.calls.entry(*call).or_insert(event.at),
            Fact::ToolCompleted { call, .. } => self.called(*call, event.at, 0),
            Fact::ToolFailed { call, .. } => self.called(*call, event.at, 1),
            Fact::UsageRecorded { agent, input_tokens, output_tokens, cost_micros, .. } => {
                let metrics = self.of(agent);
                metrics.input_tokens += input_tokens;
                metrics.output_tokens += output_tokens;
                metrics.cost_micros += cost_micros;
            }
            // Other facts are not work of an agent.
            _ => {}
        }
    }

    fn called(&mut self, call: CallId, at: Timestamp, errors: u64) {
        let took = since(self.calls.remove(&call), at);
        let Some(agent) = self.proposed.remove(&call) else { return };
        let metrics = self.of(&agent);
        metrics.tool_calls += 1;
        metrics.errors += errors;
        metrics.tool_ms += took;
    }

    fn metrics(&self, execution_id: ExecutionId, team: &Team) -> ExecutionMetrics {
        let places = AgentPlace::all(team);
        let topology = team.topology.iter().flat_map(|topology| &topology.nodes);
        let mut nodes: Vec<NodeMetrics> =
            topology.map(|node| NodeMetrics { node_id: node.id.clone(), metrics: Metrics::default() }).collect();
        let (mut total, mut agents) = (Metrics::default(), vec![]);
        for agent in &team.agents {
            let metrics = self.agents.get(&agent.id).copied().unwrap_or_default();
            let place = places.get(&agent.id);
            let node_id = place.and_then(AgentPlace::node);
            total.add(&metrics);
            if let Some(node) = nodes.iter_mut().find(|node| Some(&node.node_id) == node_id.as_ref()) {
                node.metrics.add(&metrics);
            }
            let agent_id = place.and_then(AgentPlace::agent).unwrap_or_else(|| agent.id.as_str().into());
            agents.push(AgentMetrics { node_id, agent_id, metrics });
        }
        ExecutionMetrics { execution_id, total, nodes, agents }
    }
}

fn since(start: Option<Timestamp>, end: Timestamp) -> u64 {
    start.map_or(0, |start| end.millis().saturating_sub(start.millis()))
}

impl Metrics {
    fn add(&mut self, other: &Self) {
        self.messages += other.messages;
        self.tool_calls += other.tool_calls;
        self.errors += other.errors;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cost_micros += other.cost_micros;
        self.model_ms += other.model_ms;
        self.tool_ms += other.tool_ms;
    }
}

impl ExecutionMetrics {
    /// Returns the metrics of the agents in the text format of Prometheus.
    fn prometheus(&self) -> Result<String, Problem> {
        type Labels = [(&'static str, String); 3];
        type Value = fn(&Metrics) -> u64;
        let metrics: [(&str, &str, Value); 8] = [
            ("messages", "Completed messages", |metrics| metrics.messages),
            ("tool_calls", "Ended tool calls", |metrics| metrics.tool_calls),
            ("errors", "Failed attempts and calls, and outputs that could not be read", |metrics| metrics.errors),
            ("input_tokens", "Tokens that models read", |metrics| metrics.input_tokens),
            ("output_tokens", "Tokens that models wrote", |metrics| metrics.output_tokens),
            ("cost_micros", "Cost in millionths of the currency of the prices", |metrics| metrics.cost_micros),
            ("model_milliseconds", "Time during which messages were written", |metrics| metrics.model_ms),
            ("tool_milliseconds", "Time during which tool calls were made", |metrics| metrics.tool_ms),
        ];
        let mut registry = Registry::with_prefix("roundtable_execution");
        for (name, about, value) in metrics {
            let family = Family::<Labels, Gauge>::default();
            for agent in &self.agents {
                let node = agent.node_id.as_deref().unwrap_or_default().to_owned();
                let execution = self.execution_id.to_string();
                let labels = [("execution", execution), ("node", node), ("agent", agent.agent_id.to_string())];
                family.get_or_create(&labels).set(i64::try_from(value(&agent.metrics)).unwrap_or(i64::MAX));
            }
            registry.register(name, about, family);
        }
        let mut text = String::new();
        encode(&mut text, &registry).map_err(Problem::internal)?;
        Ok(Exposition::Text.write(text))
    }
}
