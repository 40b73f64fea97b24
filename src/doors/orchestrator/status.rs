//! State of a task, with the names that the specification defines.

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::gate::GateKind;
use crate::kernel::{Phase, View};

/// States of a task in the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TaskStatus {
    /// No run has started.
    Pending,
    /// The plan is being written.
    Planning,
    /// The plan waits for a confirmation.
    WaitingConfirmation,
    /// Agents execute the confirmed plan.
    Executing,
    /// The run completed.
    Completed,
    /// The run failed.
    Failed,
    /// The run was cancelled.
    Cancelled,
}

impl TaskStatus {
    pub(super) fn of(view: &View) -> Self {
        let Some(run) = &view.run else { return Self::Pending };
        let planned = run.plan.as_ref().is_some_and(|plan| plan.approved);
        match run.phase {
            Phase::Completed => Self::Completed,
            Phase::Failed => Self::Failed,
            Phase::Cancelled => Self::Cancelled,
            _ if view.gates.iter().any(|gate| gate.kind == GateKind::Plan) => Self::WaitingConfirmation,
            _ if planned => Self::Executing,
            _ => Self::Planning,
        }
    }

    /// Returns the event that the task waits for: `user_confirmation`, `user_input` or `agent_result`. Returns an empty
    /// string if the task waits for none.
    pub(super) fn waiting_for(view: &View) -> &'static str {
        match view.gates.iter().find(|gate| gate.holds_work()).map(|gate| gate.kind) {
            Some(GateKind::Plan) => "user_confirmation",
            Some(_) => "user_input",
            None if view.active_run().is_some() => "agent_result",
            None => "",
        }
    }
}
