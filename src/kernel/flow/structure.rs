//! Structured output of a run: one more task after the work of any flow, if the message of the run includes a schema.
//! The `structure` flow consists of this task alone and works on the results of the session's earlier runs.

use super::{Flow, FlowAction};
use crate::{AgentRole, Assignment, AttemptError, MessageId, Run, Task, Team, View};

/// Name of the `structure` flow. A session starts it by name, whatever the flow of its team.
pub const STRUCTURE: &str = "structure";

/// The `structure` flow.
pub(super) struct Structure;

impl Flow for Structure {
    fn next(&self, _: &View, run: &Run) -> FlowAction {
        let done = run.task_results.iter().rev().find(|done| done.assignment.task == Task::Structure);
        FlowAction::Finish { final_message: done.and_then(|done| done.message) }
    }

    fn check(&self, _: &Team) -> Result<(), String> {
        Err("flow structure works on the results of other flows; choose another flow for the team".into())
    }
}

/// State of the structured output of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StructuredOutputState {
    /// An agent must write the output.
    Due(Assignment),
    /// The output is written.
    Done,
    /// No output matched the schema.
    Failed(AttemptError),
}

/// Returns the state of the structured output of a run whose flow has no further work; `None` if none was requested.
pub(crate) fn structured_output_state(view: &View, run: &Run) -> Option<StructuredOutputState> {
    run.request.as_ref()?.output_schema.as_ref()?;
    // After further work, for example on feedback, earlier output is out of date.
    let Some(last) = run.task_results.last().filter(|done| done.assignment.task == Task::Structure) else {
        return Some(match writer(&view.team) {
            Some(agent) => StructuredOutputState::Due(Assignment::new(&agent.id, Task::Structure)),
            None => StructuredOutputState::Failed(AttemptError {
                code: "no_agent".into(),
                message: "the team has no agent; add one to the team".into(),
            }),
        });
    };
    let rejected = run.rejected_outputs.iter().find(|rejected| Some(rejected.message) == last.message);
    Some(rejected.map_or(StructuredOutputState::Done, |rejected| {
        StructuredOutputState::Failed(generation_failed(run, rejected.message))
    }))
}

/// Returns the agent that writes structured output: one that knows the results of all others.
fn writer(team: &Team) -> Option<&crate::Agent> {
    let in_role = |role| team.in_role(role).next();
    team.global_supervisor()
        .or_else(|| in_role(AgentRole::Summarizer))
        .or_else(|| in_role(AgentRole::Planner))
        .or(team.agents.first())
}

/// Returns the error of a run without valid structured output. Its message quotes nothing that the agent wrote, because
/// a redaction erases such text only in the agent's own events.
fn generation_failed(run: &Run, message: MessageId) -> AttemptError {
    let attempts = run.rejected_outputs.iter().filter(|rejected| rejected.assignment.task == Task::Structure).count();
    let attempts = if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
    AttemptError {
        code: "schema_generation_failed".into(),
        message: format!(
            "no output matched the schema after {attempts}; output.rejected of message {message} says what is wrong with \
             the last one; simplify the schema, or start again"
        )
        .into(),
    }
}
