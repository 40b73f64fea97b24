//! Where a task stands, in the document's words.

use serde::Serialize;

use crate::kernel::gate::GateKind;
use crate::kernel::{Phase, View};

/// The document's states of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Pending,
    Planning,
    WaitingConfirmation,
    Executing,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
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

    /// What the task waits for.
    pub(super) fn waiting_for(view: &View) -> &'static str {
        match view.gates.first().map(|gate| gate.kind) {
            Some(GateKind::Plan) => "user_confirmation",
            Some(_) => "user_input",
            None if view.active_run().is_some() => "agent_result",
            None => "",
        }
    }
}
