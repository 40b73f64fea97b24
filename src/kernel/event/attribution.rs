//! Run and author of facts.

use crate::kernel::{AgentId, Fact, RunId};

/// Author of a fact.
pub(in crate::kernel) enum Author<'a> {
    /// An agent wrote it.
    Agent(&'a AgentId),
    /// The server controls it.
    Server,
    /// The sender of the command.
    Sender,
}

impl Fact {
    /// Returns the run that the fact names; `None` if it names none.
    pub fn run(&self) -> Option<RunId> {
        use Fact::*;
        match self {
            RunStarted { run, .. }
            | RunStateChanged { run, .. }
            | RunFinished { run, .. }
            | RunFailed { run, .. }
            | RunCancelled { run, .. }
            | MessageConsumed { run, .. }
            | MessageStarted { run, .. }
            | MessageCompleted { run, .. }
            | MessageAborted { run, .. }
            | StepStarted { run, .. }
            | StepCompleted { run, .. }
            | StepSkipped { run, .. }
            | AttemptFailed { run, .. }
            | ToolProposed { run, .. }
            | ToolJudged { run, .. }
            | ToolStarted { run, .. }
            | ToolCompleted { run, .. }
            | ToolFailed { run, .. }
            | ToolUncertain { run, .. }
            | PlanProposed { run, .. }
            | PlanEdited { run, .. }
            | PlanStepChanged { run, .. }
            | DecisionMade { run, .. }
            | OutputProduced { run, .. }
            | OutputRejected { run, .. }
            | ControlRequested { run, .. }
            | ControlAcknowledged { run, .. }
            | ControlEffective { run, .. }
            | UsageRecorded { run, .. } => Some(*run),
            GateOpened { gate } => Some(gate.run),
            _ => None,
        }
    }

    /// Returns whether the fact belongs to the current run without naming it: messages, files and votes.
    pub(in crate::kernel) fn is_spoken(&self) -> bool {
        use Fact::*;
        matches!(
            self,
            MessagePosted { .. }
                | FileAdded { .. }
                | FileRemoved { .. }
                | MessageRouted { .. }
                | MessageWithdrawn { .. }
                | GateVoted { .. }
                | GateRevised { .. }
                | GateDecided { .. }
                | GateExpired { .. }
                | GateClosed { .. }
        )
    }

    pub(in crate::kernel) fn author(&self) -> Author<'_> {
        use Fact::*;
        match self {
            MessageStarted { agent, .. }
            | MessageCompleted { agent, .. }
            | MessageAborted { agent, .. }
            | ToolProposed { agent, .. }
            | FileAdded { agent: Some(agent), .. }
            | DecisionMade { agent, .. } => Author::Agent(agent),
            RunStateChanged { .. }
            | RunFinished { .. }
            | RunFailed { .. }
            | StepStarted { .. }
            | StepCompleted { .. }
            | StepSkipped { .. }
            | AttemptFailed { .. }
            | ToolJudged { .. }
            | ToolStarted { .. }
            | ToolCompleted { .. }
            | ToolFailed { .. }
            | ToolUncertain { .. }
            | PlanProposed { .. }
            | PlanStepChanged { .. }
            | OutputProduced { .. }
            | OutputRejected { .. }
            | GateOpened { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | MessageConsumed { .. }
            | ControlAcknowledged { .. }
            | ControlEffective { .. }
            | UsageRecorded { .. } => Author::Server,
            _ => Author::Sender,
        }
    }
}
