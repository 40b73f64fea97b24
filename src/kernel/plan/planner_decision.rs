//! Decisions of agents about how the run continues.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanItem;
use crate::AgentId;

/// Next action of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlannerAction {
    /// Execute the next item of the plan.
    Continue,
    /// Execute the same item again.
    Retry,
    /// Skip the next item of the plan.
    Skip,
    /// End the plan.
    End,
    /// Ask people a question.
    RequestInput,
    /// Write the final output.
    Synthesize,
    /// Make a new plan.
    AdjustPlan,
    /// Continue with another flow.
    Route,
    /// Give the task to these agents.
    Delegate,
}

impl PlannerAction {
    /// Returns the name of the action on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Retry => "retry",
            Self::Skip => "skip",
            Self::End => "end",
            Self::RequestInput => "request_input",
            Self::Synthesize => "synthesize",
            Self::AdjustPlan => "adjust_plan",
            Self::Route => "route",
            Self::Delegate => "delegate",
        }
    }
}

/// Decision of an agent, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlannerDecision {
    /// Next action.
    pub action: PlannerAction,
    /// The agent's evaluation of the last result. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub analysis: Arc<str>,
    /// Reason for the decision. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Arc<str>,
    /// Agent that executes the next item. Absent if the plan or the flow decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Instruction for that agent. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub instruction: Arc<str>,
    /// Items that are added to the plan. Can be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<PlanItem>,
    /// Agents that get the task, for the `delegate` action. Can be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// Flow that was chosen, for the `route` action. Example: `react`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Arc<str>>,
    /// True if the agent's output could not be read, so that the fallback was used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
}

impl PlannerDecision {
    /// Creates a decision with this action and nothing else.
    pub fn bare(action: PlannerAction) -> Self {
        let empty = || "".into();
        let (analysis, reason, instruction) = (empty(), empty(), empty());
        let (agent, items, agents, flow) = (None, vec![], vec![], None);
        Self { action, analysis, reason, agent, instruction, items, agents, flow, fallback: false }
    }

    /// Creates the decision to give the task to these agents.
    pub fn delegate(agents: Vec<AgentId>, reason: Arc<str>) -> Self {
        Self { agents, reason, ..Self::bare(PlannerAction::Delegate) }
    }
}
