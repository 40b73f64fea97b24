//! A plan: the steps that a run is to take, as an agent proposed and people confirmed them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentId, AgentRole, Team};

/// Where a step of a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun.
    #[default]
    NotStarted,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
    /// It cannot be done as things are.
    Blocked,
    /// Nobody does it.
    Skipped,
}

impl StepState {
    /// Whether nothing more comes of the step.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Blocked | Self::Skipped)
    }
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// Who is to do it; absent: whoever the flow has for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What is to be done. Parts between `<sep>` can be done side by side.
    pub action: Arc<str>,
    /// Why.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: Arc<str>,
    /// The tool that does it without a model; `user_input` asks people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Arc<str>>,
    /// What the tool is called with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Where it stands.
    #[serde(default)]
    pub state: StepState,
    /// What was noted when its state changed.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub note: Arc<str>,
    /// How often it was begun.
    #[serde(default)]
    pub tries: u32,
}

/// The plan of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Counted from 1; a confirmation names it.
    #[serde(default)]
    pub rev: u32,
    /// What it is called.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub title: Arc<str>,
    /// What is to be done, in order; numbered from 1.
    pub steps: Vec<PlanStep>,
    /// How long it takes, as its author thinks.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub estimated_time: Arc<str>,
    /// What may go wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Arc<str>>,
    /// People confirmed it.
    #[serde(default)]
    pub approved: bool,
    /// People want another one.
    #[serde(default)]
    pub rejected: bool,
    /// Its author says that the rest need not be done.
    #[serde(default)]
    pub finished: bool,
    /// No model made it: what one wrote could not be read as a plan.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
}

impl Plan {
    /// What separates parts of a step that are done side by side.
    pub const SEPARATOR: &str = "<sep>";
    /// Steps that a plan may have.
    pub const STEPS: usize = 100;

    /// The step with this number.
    pub fn step(&self, number: u32) -> Option<&PlanStep> {
        self.steps.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The same, to change it.
    pub fn step_mut(&mut self, number: u32) -> Option<&mut PlanStep> {
        self.steps.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// The next revision: the steps that are over stay where they are, so that the plan tells what has happened and a
    /// number means one step for ever; these follow. What was still open among those is left out, unless it is wanted.
    pub(super) fn succeed(known: Option<&Self>, mut next: Self) -> Self {
        let before = known.map_or(&[][..], |plan| &plan.steps);
        let kept = before.iter().rposition(|step| step.state.is_over()).map_or(0, |last| last + 1);
        let mut steps = before[..kept].to_vec();
        for open in steps.iter_mut().filter(|step| !step.state.is_over()) {
            match next.steps.iter().position(|wanted| wanted.action == open.action) {
                Some(at) => drop(next.steps.remove(at)),
                None => open.state = StepState::Skipped,
            }
        }
        steps.extend(next.steps);
        steps.truncate(Self::STEPS);
        Self { rev: known.map_or(0, |plan| plan.rev) + 1, steps, ..next }
    }

    /// Revision `rev`, as people want it: of theirs what is not over, behind what is. Errors: why nobody in the team could
    /// carry it out.
    pub(super) fn edited(&self, wanted: Self, rev: u32, team: &Team) -> Result<Self, String> {
        let fresh = |step: PlanStep| PlanStep { state: StepState::NotStarted, tries: 0, note: "".into(), ..step };
        // Only this plan says what is over: an editor that says it of another step would make that step vanish.
        let is_over =
            |step: &PlanStep| self.steps.iter().any(|known| known.state.is_over() && known.action == step.action);
        let open = wanted.steps.into_iter().filter(|step| !(step.state.is_over() && is_over(step)));
        let steps: Vec<PlanStep> = open.map(fresh).collect();
        can_be_done(&steps, team)?;
        // Whether it is confirmed, rejected or finished is not for its editor to say.
        let (title, risks, estimated_time) = (wanted.title, wanted.risks, wanted.estimated_time);
        let next = Self { title, steps, risks, estimated_time, ..Self::default() };
        Ok(Self { rev, ..Self::succeed(Some(self), next) })
    }

    /// The next revision, with these steps from the place `at` on.
    pub(super) fn with(self, at: usize, more: Vec<PlanStep>) -> Self {
        let mut steps = self.steps;
        steps.splice(at..at, more);
        steps.truncate(Self::STEPS);
        Self { rev: self.rev + 1, steps, ..self }
    }

    /// The first step that is under way or not begun, with its number.
    pub fn current(&self) -> Option<(u32, &PlanStep)> {
        (1..).zip(&self.steps).find(|(_, step)| !step.state.is_over())
    }

    /// What is decided on when people confirm it.
    pub fn digest(&self) -> Arc<str> {
        let words: Vec<_> = self
            .steps
            .iter()
            .map(|step| (&step.agent, &step.action, &step.reason, &step.tool, &step.arguments))
            .collect();
        super::call::digest(&serde_json::to_string(&words).unwrap_or_default())
    }
}

fn can_be_done(steps: &[PlanStep], team: &Team) -> Result<(), String> {
    if steps.is_empty() || steps.len() > Plan::STEPS {
        return Err(format!("a plan has 1 to {} steps", Plan::STEPS));
    }
    let executors: Vec<&str> = team.in_role(AgentRole::Executor).map(|agent| agent.id.as_str()).collect();
    for (number, step) in (1..).zip(steps) {
        if step.action.trim().is_empty() {
            return Err(format!("step {number} has no action; say what is to be done in it"));
        }
        if let Some(agent) = step.agent.as_ref().filter(|agent| !executors.contains(&agent.as_str())) {
            let names = executors.join(", ");
            return Err(format!(
                "step {number} is for {agent}, whom the team does not have for steps; there are {names}"
            ));
        }
    }
    Ok(())
}

impl PlanStep {
    /// What is done side by side.
    pub fn parts(&self) -> Vec<&str> {
        let parts: Vec<&str> =
            self.action.split(Plan::SEPARATOR).map(str::trim).filter(|part| !part.is_empty()).collect();
        if parts.is_empty() { vec![&self.action] } else { parts }
    }
}
