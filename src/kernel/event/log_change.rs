//! Changes to messages and members, for parts of the server that track these without the whole state.

use crate::{Fact, LeaveReason, MessageId, ParticipantId, Role};

/// Change that a fact makes to the messages or members of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogChange {
    /// A message changed.
    Message(MessageId, MessageChange),
    /// A membership changed.
    Member(ParticipantId, MemberChange),
    /// The messages and members are the same as before. Texts and names might have changed.
    None,
}

/// Change of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageChange {
    /// A participant posted the message.
    Posted,
    /// An agent started this attempt at the message, counted from 1.
    Started(u32),
    /// The message ended and is final.
    Ended,
    /// The author withdrew the message.
    Withdrawn,
}

/// Change of one membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberChange {
    /// The participant joined with this role.
    Joined(Role),
    /// The member has this role now.
    RoleChanged(Role),
    /// The participant left.
    Left(LeaveReason),
}

impl Fact {
    /// Returns the change to messages or members. Every fact is listed, so that a change made by a new fact is not
    /// missed.
    pub fn log_change(&self) -> LogChange {
        use Fact::*;
        match self {
            MessagePosted { message, .. } => LogChange::Message(*message, MessageChange::Posted),
            MessageStarted { message, attempt, .. } => LogChange::Message(*message, MessageChange::Started(*attempt)),
            MessageCompleted { message, .. } | MessageAborted { message, .. } => {
                LogChange::Message(*message, MessageChange::Ended)
            }
            MessageWithdrawn { message } => LogChange::Message(*message, MessageChange::Withdrawn),
            ParticipantJoined { participant, role, .. } => LogChange::Member(*participant, MemberChange::Joined(*role)),
            ParticipantRoleChanged { participant, role } => {
                LogChange::Member(*participant, MemberChange::RoleChanged(*role))
            }
            ParticipantLeft { participant, reason } => LogChange::Member(*participant, MemberChange::Left(*reason)),
            SessionCreated { .. }
            | SessionUpdated { .. }
            | SessionClosed { .. }
            | SessionRedacted { .. }
            | ParticipantRenamed { .. }
            | ParticipantKnocked { .. }
            | ParticipantRefused { .. }
            | ParticipantRedacted { .. }
            | RunStarted { .. }
            | RunStateChanged { .. }
            | RunFinished { .. }
            | RunFailed { .. }
            | RunCancelled { .. }
            | MessageRouted { .. }
            | MessageConsumed { .. }
            | MessageRedacted { .. }
            | StepStarted { .. }
            | StepCompleted { .. }
            | StepSkipped { .. }
            | AttemptFailed { .. }
            | FileAdded { .. }
            | FileRemoved { .. }
            | FileRedacted { .. }
            | ToolProposed { .. }
            | ToolChecked { .. }
            | ToolStarted { .. }
            | ToolCompleted { .. }
            | ToolFailed { .. }
            | ToolUncertain { .. }
            | PlanProposed { .. }
            | PlanEdited { .. }
            | PlanItemChanged { .. }
            | DecisionMade { .. }
            | OutputProduced { .. }
            | OutputRejected { .. }
            | GateOpened { .. }
            | GateVoted { .. }
            | GateVoteWithdrawn { .. }
            | GateCommented { .. }
            | GateThreadChanged { .. }
            | GateEscalated { .. }
            | VotesDelegated { .. }
            | GateRevised { .. }
            | GateDecided { .. }
            | GateExpired { .. }
            | GateClosed { .. }
            | PermissionGranted { .. }
            | PermissionRevoked { .. }
            | ControlRequested { .. }
            | ControlAcknowledged { .. }
            | ControlEffective { .. }
            | UsageRecorded { .. } => LogChange::None,
        }
    }
}
