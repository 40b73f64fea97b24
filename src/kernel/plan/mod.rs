//! Plans: the steps of a run, as an agent proposed them and people confirmed them.

pub mod planner_decision;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentId, AgentRole, Team};

/// State of a plan step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanItemState {
    /// The step has not started, or is to be repeated.
    #[default]
    NotStarted,
    /// The step is in progress.
    InProgress,
    /// The step is done.
    Completed,
    /// The step cannot be done under the current circumstances.
    Blocked,
    /// The step was deliberately left out.
    Skipped,
}

impl PlanItemState {
    /// Returns whether the state is final.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Blocked | Self::Skipped)
    }
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlanItem {
    /// Agent that executes the step. Absent if the flow decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Task of the step. Parts separated by `<sep>` can be executed in parallel.
    pub action: Arc<str>,
    /// Reason for the step. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Arc<str>,
    /// Tool that executes the step without a model; `user_input` asks people. Absent if an agent executes the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Arc<str>>,
    /// Arguments for the tool. Absent without a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// State of the step.
    #[serde(default)]
    pub state: PlanItemState,
    /// Note about the last change of state. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub note: Arc<str>,
    /// Number of times that the step was started.
    #[serde(default)]
    pub tries: u32,
}

/// Plan of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Revision, from 1. A confirmation names it.
    #[serde(default)]
    pub rev: u32,
    /// Title of the plan. Can be empty.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub title: Arc<str>,
    /// Steps in order, numbered from 1. At most 100.
    pub steps: Vec<PlanItem>,
    /// Duration that the author estimates, as free text. Can be empty. Example: `2 hours`.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub estimated_time: Arc<str>,
    /// Risks that the author sees. Can be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Arc<str>>,
    /// True if people confirmed the plan.
    #[serde(default)]
    pub approved: bool,
    /// True if people want another plan.
    #[serde(default)]
    pub rejected: bool,
    /// True if the author says that the remaining steps are not needed.
    #[serde(default)]
    pub finished: bool,
    /// True if a model's output could not be read, so that the server made a fallback plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
}

impl Plan {
    /// Separator of parts of a step that can be executed in parallel.
    pub const SEPARATOR: &str = "<sep>";
    /// Maximum steps of a plan.
    pub const STEPS: usize = 100;

    /// Returns the step with this number, from 1.
    pub fn step(&self, number: u32) -> Option<&PlanItem> {
        self.steps.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the step with this number, from 1, for modification.
    pub fn step_mut(&mut self, number: u32) -> Option<&mut PlanItem> {
        self.steps.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// Returns the next revision. Steps that are over keep their place, so that the plan shows what has happened and a
    /// number always means the same step. The new steps follow. Open steps before the last finished one are skipped,
    /// unless the new steps contain them.
    pub(super) fn succeed(known: Option<&Self>, mut next: Self) -> Self {
        let before = known.map_or(&[][..], |plan| &plan.steps);
        let kept = before.iter().rposition(|step| step.state.is_over()).map_or(0, |last| last + 1);
        let mut steps = before[..kept].to_vec();
        for open in steps.iter_mut().filter(|step| !step.state.is_over()) {
            match next.steps.iter().position(|wanted| wanted.action == open.action) {
                Some(at) => drop(next.steps.remove(at)),
                None => open.state = PlanItemState::Skipped,
            }
        }
        steps.extend(next.steps);
        steps.truncate(Self::STEPS);
        Self { rev: known.map_or(0, |plan| plan.rev) + 1, steps, ..next }
    }

    /// Returns revision `rev` with the steps of an editor: finished steps of this plan, followed by the editor's open
    /// steps. The error says why the team cannot execute them.
    pub(super) fn edited(&self, wanted: Self, rev: u32, team: &Team) -> Result<Self, String> {
        let fresh = |step: PlanItem| PlanItem { state: PlanItemState::NotStarted, tries: 0, note: "".into(), ..step };
        // Only this plan determines which steps are finished. If the editor could mark others as finished, those would
        // disappear.
        let is_over =
            |step: &PlanItem| self.steps.iter().any(|known| known.state.is_over() && known.action == step.action);
        let open = wanted.steps.into_iter().filter(|step| !(step.state.is_over() && is_over(step)));
        let steps: Vec<PlanItem> = open.map(fresh).collect();
        can_be_done(&steps, team)?;
        // An editor cannot change whether the plan is confirmed, rejected or finished.
        let (title, risks, estimated_time) = (wanted.title, wanted.risks, wanted.estimated_time);
        let next = Self { title, steps, risks, estimated_time, ..Self::default() };
        Ok(Self { rev, ..Self::succeed(Some(self), next) })
    }

    /// Returns the next revision, with additional steps at index `at`.
    pub(super) fn with(self, at: usize, more: Vec<PlanItem>) -> Self {
        let mut steps = self.steps;
        steps.splice(at..at, more);
        steps.truncate(Self::STEPS);
        Self { rev: self.rev + 1, steps, ..self }
    }

    /// Returns the first step that is not finished, with its number.
    pub fn current(&self) -> Option<(u32, &PlanItem)> {
        (1..).zip(&self.steps).find(|(_, step)| !step.state.is_over())
    }

    /// Returns the BLAKE3 hash, in hexadecimal, of the parts that people confirm.
    pub fn digest(&self) -> Arc<str> {
        let words: Vec<_> = self
            .steps
            .iter()
            .map(|step| (&step.agent, &step.action, &step.reason, &step.tool, &step.arguments))
            .collect();
        crate::kernel::call::digest(&serde_json::to_string(&words).expect("a plan serialises: its keys are strings"))
    }
}

fn can_be_done(steps: &[PlanItem], team: &Team) -> Result<(), String> {
    if steps.is_empty() || steps.len() > Plan::STEPS {
        return Err(format!("a plan has 1 to {} steps; add or remove some", Plan::STEPS));
    }
    let executors: Vec<&str> = team.in_role(AgentRole::Executor).map(|agent| agent.id.as_str()).collect();
    for (number, step) in (1..).zip(steps) {
        if step.action.trim().is_empty() {
            return Err(format!("step {number} has no action; describe what to do"));
        }
        if let Some(agent) = step.agent.as_ref().filter(|agent| !executors.contains(&agent.as_str())) {
            let names = executors.join(", ");
            return Err(format!(
                "step {number} is for {agent}, which is not an executor of the team; use one of {names}"
            ));
        }
    }
    Ok(())
}

impl PlanItem {
    /// Returns the parts of the step that can be executed in parallel.
    pub fn parts(&self) -> Vec<&str> {
        let parts: Vec<&str> =
            self.action.split(Plan::SEPARATOR).map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { vec![&self.action] } else { parts }
    }
}
