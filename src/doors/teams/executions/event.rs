//! Events of an execution, as its stream and its log show them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::result::{ExecutionResult, NodeStatus};
use crate::agent::teams::{ExecutionId, ExecutionStatus, TeamId};
use crate::kernel::{GateId, Timestamp};
use crate::openapi::any_json;

/// Event of an execution.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct ExecutionEvent {
    /// Team that is executed.
    pub(super) team_id: TeamId,
    /// Id of the execution.
    pub(super) execution_id: ExecutionId,
    /// Time of the event.
    pub(super) timestamp: Timestamp,
    /// Id of the node that the event belongs to. Absent for events that belong to no node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node_id: Option<Arc<str>>,
    /// Id of the supervisor that the event belongs to: `global-supervisor`, or that of a node, such as
    /// `gateway-supervisor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) supervisor_id: Option<Arc<str>>,
    /// Id that the agent of the event has in its node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent_id: Option<Arc<str>>,
    /// Fields of this kind of event.
    #[serde(flatten)]
    pub(super) kind: ExecutionEventKind,
}

/// Kind of an event, with its own fields.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum ExecutionEventKind {
    /// The execution started.
    ExecutionStart {
        /// Time at which the run started.
        started_at: Timestamp,
    },
    /// The global supervisor wrote a message.
    GlobalSupervisorMessage(ExecutionMessage),
    /// The global supervisor gave the task to nodes.
    GlobalSupervisorDecision(ExecutionDecision),
    /// The supervisor of a node wrote a message.
    NodeSupervisorMessage(ExecutionMessage),
    /// The supervisor of a node gave the task to agents.
    NodeSupervisorDecision(ExecutionDecision),
    /// An agent wrote a message.
    AgentMessage(ExecutionMessage),
    /// A tool call of an agent ended.
    ToolCall {
        /// Name of the tool.
        tool: Arc<str>,
        /// Arguments of the call.
        #[schemars(schema_with = "any_json")]
        input: Value,
        /// Result of the call, or `{"error": …}` if it failed.
        #[schemars(schema_with = "any_json")]
        output: Value,
    },
    /// A node is done.
    NodeComplete {
        /// Outcome of the node.
        status: NodeStatus,
        /// Result of the node, or the reason why there is none.
        result: Arc<str>,
    },
    /// The execution is complete.
    ExecutionComplete {
        /// Always `success`.
        status: ExecutionStatus,
        /// Duration of the execution, in milliseconds.
        duration_ms: u64,
        /// Result of the execution.
        result: ExecutionResult,
    },
    /// An attempt of an agent failed, the output of an agent could not be read, or the execution failed, timed out or
    /// was cancelled.
    ExecutionError {
        /// Error code, such as `EXECUTION_TIMEOUT` or `MODEL_UNAVAILABLE`.
        error_code: Arc<str>,
        /// Explanation for people.
        error_message: Arc<str>,
        /// True if the execution ended with this error. The stream ends then.
        fatal: bool,
        /// Status of the execution, if it ended: `failed`, `timeout` or `cancelled`.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<ExecutionStatus>,
        /// Duration of the execution in milliseconds, if it ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
        /// Results so far, if the execution ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        partial_result: Option<ExecutionResult>,
    },
    /// Sign that the stream is alive. Sent every 30 seconds, unless `teams.heartbeat_seconds` has a different value.
    Heartbeat,
}

/// Message of an agent or supervisor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct ExecutionMessage {
    /// Text of the message.
    pub(super) message: Arc<str>,
    /// Id of the question that people have to answer in the session. Absent for other messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gate_id: Option<GateId>,
    /// Id of the monitored node that the message reports on. Absent for other messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reports_on: Option<Arc<str>>,
    /// True if the message ended early, for example because the execution was stopped. Absent for other messages.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) aborted: bool,
}

/// Decision of a supervisor.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct ExecutionDecision {
    /// The decision with its reason, for people.
    pub(super) decision: Arc<str>,
    /// Ids of the recipients of the task: supervisors of nodes, or agents of the node. They are the same as
    /// `supervisor_id` or `agent_id` in the recipients' events.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) delegates: Vec<Arc<str>>,
}

impl ExecutionEvent {
    /// Returns the agent or supervisor of the event.
    pub(super) fn author(&self) -> Option<&str> {
        self.agent_id.as_deref().or(self.supervisor_id.as_deref())
    }
}

impl ExecutionEventKind {
    /// Names of events in a log. A log contains no heartbeats.
    pub(super) const NAMES: [&str; 10] = [
        "execution_start",
        "global_supervisor_message",
        "global_supervisor_decision",
        "node_supervisor_message",
        "node_supervisor_decision",
        "agent_message",
        "tool_call",
        "node_complete",
        "execution_complete",
        "execution_error",
    ];

    /// Returns the name of the event.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::ExecutionStart { .. } => "execution_start",
            Self::GlobalSupervisorMessage(_) => "global_supervisor_message",
            Self::GlobalSupervisorDecision(_) => "global_supervisor_decision",
            Self::NodeSupervisorMessage(_) => "node_supervisor_message",
            Self::NodeSupervisorDecision(_) => "node_supervisor_decision",
            Self::AgentMessage(_) => "agent_message",
            Self::ToolCall { .. } => "tool_call",
            Self::NodeComplete { .. } => "node_complete",
            Self::ExecutionComplete { .. } => "execution_complete",
            Self::ExecutionError { .. } => "execution_error",
            Self::Heartbeat => "heartbeat",
        }
    }

    /// Returns the text of the event, for a log.
    pub(super) fn text(&self) -> Arc<str> {
        match self {
            Self::GlobalSupervisorMessage(detail)
            | Self::NodeSupervisorMessage(detail)
            | Self::AgentMessage(detail) => detail.message.clone(),
            Self::GlobalSupervisorDecision(decided) | Self::NodeSupervisorDecision(decided) => decided.decision.clone(),
            Self::ToolCall { tool, .. } => tool.clone(),
            Self::NodeComplete { result, .. } => result.clone(),
            Self::ExecutionComplete { result, .. } => result.summary.clone(),
            Self::ExecutionError { error_message, .. } => error_message.clone(),
            Self::ExecutionStart { .. } | Self::Heartbeat => "".into(),
        }
    }
}
