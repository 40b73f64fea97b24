//! Tasks of agents in a run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::topology::{Topology, TopologyNode};
use crate::{AgentId, CallId, MessageId, StepId};

/// Purpose of an agent's turns in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Task {
    /// Reply to the message of the round.
    #[default]
    Reply,
    /// Choose the flow that the run continues with.
    Route,
    /// Make the plan, or continue it.
    Plan,
    /// Execute an item of the plan.
    Execute {
        /// Number of the item, from 1.
        number: u32,
        /// Index of the part, from 0, if the parts of the item are executed in parallel. Default 0.
        #[serde(default)]
        part: u32,
    },
    /// Evaluate the result of an item and decide what comes next.
    Decide,
    /// Write the final output from the results of the run, or the result of a node from those of its agents.
    Summarize,
    /// Report on a node that the agent's node monitors.
    Report {
        /// Number of the monitored node in the plan, from 1.
        number: u32,
    },
    /// Write the structured output that the caller of the run gave a schema for.
    Structure,
}

impl Task {
    /// Returns the node that a report is about.
    pub fn monitored(self, topology: &Topology) -> Option<&TopologyNode> {
        let Self::Report { number } = self else { return None };
        topology.nodes.get((number as usize).checked_sub(1)?)
    }

    /// Returns whether the task is a reply.
    pub fn is_reply(&self) -> bool {
        *self == Self::Reply
    }

    /// Returns the number and the part of the plan item that the task executes. `None` for other tasks.
    pub fn executed(self) -> Option<(u32, u32)> {
        match self {
            Self::Execute { number, part } => Some((number, part)),
            Self::Reply
            | Self::Route
            | Self::Plan
            | Self::Decide
            | Self::Summarize
            | Self::Report { .. }
            | Self::Structure => None,
        }
    }
}

/// A task with the agent that executes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assignment {
    /// Agent that executes the task.
    pub agent: AgentId,
    /// The task. Default: a reply.
    #[serde(default, skip_serializing_if = "Task::is_reply")]
    pub task: Task,
}

impl Assignment {
    /// Creates an assignment of this task to this agent.
    pub fn new(agent: &AgentId, task: Task) -> Self {
        Self { agent: agent.clone(), task }
    }
}

/// Result of a task that completed or failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    /// Task and agent.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// Step in which the task was completed.
    pub step: StepId,
    /// Message that completed the task. Absent if the task was a call without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Call that completed the task. Absent if a message did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// True if the task ended because its agent called tools in every turn of the task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_turns: bool,
    /// Text of the result, for flows that pass results on. Absent in other flows, and once no agent needs it any
    /// longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Arc<str>>,
    /// Failure of the last attempt, if the flow continues without the task. Absent if the task succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<TaskFailure>,
}

/// Failure of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFailure {
    /// Explanation and remedy.
    pub message: Arc<str>,
    /// True if the same request would fail again, so that the task is not retried.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub permanent: bool,
}
