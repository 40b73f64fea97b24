//! A reasoned choice of an agent about how the run goes on.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AgentId;
use super::plan::PlanStep;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The next step of the plan.
    Continue,
    /// The same step again.
    Retry,
    /// The next step but one: the next is left out.
    Skip,
    /// Nothing more.
    End,
    /// People are asked something.
    RequestInput,
    /// The final answer.
    Synthesize,
    /// A new plan.
    AdjustPlan,
    /// Another flow.
    Route,
}

/// What an agent decided, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// What comes next.
    pub action: Action,
    /// What it makes of the last result.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub analysis: Arc<str>,
    /// Why it goes on like this.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Arc<str>,
    /// Who does the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What they are told.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub instruction: Arc<str>,
    /// Steps that are added to the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// The flow that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Arc<str>>,
    /// Nobody decided it: what the agent wrote could not be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
}

impl Judgement {
    /// This and no more.
    pub fn bare(action: Action) -> Self {
        let empty = || "".into();
        let (analysis, reason, instruction) = (empty(), empty(), empty());
        Self { action, analysis, reason, agent: None, instruction, steps: vec![], flow: None, fallback: false }
    }
}
