//! Run and author of facts. Every fact is listed, so that each new fact must be attributed explicitly.

use crate::{AgentId, Fact, RunId};

/// Author of a fact.
pub(crate) enum Author<'a> {
    /// The agent that wrote the fact.
    Agent(&'a AgentId),
    /// The server, for facts that it controls.
    Server,
    /// The sender of the command.
    Sender,
}

/// Run that a fact belongs to.
pub(crate) enum RunOfFact {
    /// The fact names its run.
    Named(RunId),
    /// The fact belongs to the active run, if there is one. Examples: messages, files and votes.
    Active,
    /// The fact belongs to the session as a whole.
    None,
}

impl Fact {
    /// Returns the run that the fact names; `None` if it names none.
    pub fn run(&self) -> Option<RunId> {
        match self.run_of_fact() {
            RunOfFact::Named(run) => Some(run),
            RunOfFact::Active | RunOfFact::None => None,
        }
    }

    pub(crate) fn run_of_fact(&self) -> RunOfFact {
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
            | ToolChecked { run, .. }
            | ToolStarted { run, .. }
            | ToolCompleted { run, .. }
            | ToolFailed { run, .. }
            | ToolUncertain { run, .. }
            | PlanProposed { run, .. }
            | PlanEdited { run, .. }
            | PlanItemChanged { run, .. }
            | DecisionMade { run, .. }
            | OutputProduced { run, .. }
            | OutputRejected { run, .. }
            | ControlRequested { run, .. }
            | ControlAcknowledged { run, .. }
            | ControlEffective { run, .. }
            | UsageRecorded { run, .. } => RunOfFact::Named(*run),
            GateOpened { gate } => gate.run.map_or(RunOfFact::None, RunOfFact::Named),
            MessagePosted { .. }
            | MessageRouted { .. }
            | MessageWithdrawn { .. }
            | FileAdded { .. }
            | FileRemoved { .. }
            | GateVoted { .. }
            | GateVoteWithdrawn { .. }
            | GateCommented { .. }
            | GateThreadChanged { .. }
            | GateEscalated { .. }
            | GateRevised { .. }
            | GateDecided { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | PermissionGranted { .. } => RunOfFact::Active,
            SessionCreated { .. }
            | SessionUpdated { .. }
            | SessionClosed { .. }
            | SessionRedacted { .. }
            | ParticipantJoined { .. }
            | ParticipantRenamed { .. }
            | ParticipantKnocked { .. }
            | ParticipantRefused { .. }
            | ParticipantLeft { .. }
            | ParticipantRoleChanged { .. }
            | ParticipantRedacted { .. }
            | MessageRedacted { .. }
            | FileRedacted { .. }
            | VotesDelegated { .. }
            | PermissionRevoked { .. } => RunOfFact::None,
        }
    }

    pub(crate) fn author(&self) -> Author<'_> {
        use Fact::*;
        match self {
            MessageStarted { agent, .. }
            | MessageCompleted { agent, .. }
            | MessageAborted { agent, .. }
            | ToolProposed { agent, .. }
            | FileAdded { agent: Some(agent), .. }
            | DecisionMade { agent, .. } => Author::Agent(agent),
            // The participant who asks the owners opens the gate about the command.
            GateOpened { gate } if gate.command.is_some() => Author::Sender,
            GateOpened { .. }
            | RunStateChanged { .. }
            | RunFinished { .. }
            | RunFailed { .. }
            | StepStarted { .. }
            | StepCompleted { .. }
            | StepSkipped { .. }
            | AttemptFailed { .. }
            | ToolChecked { .. }
            | ToolStarted { .. }
            | ToolCompleted { .. }
            | ToolFailed { .. }
            | ToolUncertain { .. }
            | PlanProposed { .. }
            | PlanItemChanged { .. }
            | OutputProduced { .. }
            | OutputRejected { .. }
            | GateEscalated { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | MessageConsumed { .. }
            | ControlAcknowledged { .. }
            | ControlEffective { .. }
            | PermissionRevoked { expired: true, .. }
            | UsageRecorded { .. } => Author::Server,
            SessionCreated { .. }
            | SessionUpdated { .. }
            | SessionClosed { .. }
            | SessionRedacted { .. }
            | ParticipantJoined { .. }
            | ParticipantRenamed { .. }
            | ParticipantKnocked { .. }
            | ParticipantRefused { .. }
            | ParticipantLeft { .. }
            | ParticipantRoleChanged { .. }
            | ParticipantRedacted { .. }
            | RunStarted { .. }
            | RunCancelled { .. }
            | MessagePosted { .. }
            | MessageRouted { .. }
            | MessageWithdrawn { .. }
            | MessageRedacted { .. }
            | FileAdded { agent: None, .. }
            | FileRemoved { .. }
            | FileRedacted { .. }
            | PlanEdited { .. }
            | GateVoted { .. }
            | GateVoteWithdrawn { .. }
            | GateCommented { .. }
            | GateThreadChanged { .. }
            | VotesDelegated { .. }
            | GateRevised { .. }
            | GateDecided { .. }
            | PermissionGranted { .. }
            | PermissionRevoked { expired: false, .. }
            | ControlRequested { .. } => Author::Sender,
        }
    }
}
