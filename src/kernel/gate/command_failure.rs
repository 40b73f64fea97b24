//! Reasons why a command that the owners approved was not carried out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Rejection;

/// Reason why an approved command was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandFailure {
    /// The participant who asked is no longer in the session or is disabled, or their role can no longer ask for this;
    /// or the participant to add was disabled or renamed.
    NotAllowed,
    /// The run, step or message that the command names has ended, or another run is in progress.
    TargetOver,
    /// The run is already in that state, or the same control is in progress.
    NothingToDo,
    /// Too many messages are waiting for the run.
    InboxFull,
    /// The command no longer fits the session, for example because a file was removed.
    Invalid,
}

impl CommandFailure {
    /// Returns the reason for a rejection. Every rejection is listed, so that a new one must be given a reason
    /// explicitly.
    pub(super) fn of(rejection: &Rejection) -> Self {
        use Rejection::*;
        match rejection {
            NotAMember | Forbidden { .. } | BeyondToken { .. } | NeedsApproval { .. } | UnknownSession => {
                Self::NotAllowed
            }
            NoRun | OtherRun { .. } | TargetOver(_) | UnknownTarget(_) => Self::TargetOver,
            RunActive | NothingRunning | AlreadyPaused | NotPaused | AlreadyRequested => Self::NothingToDo,
            InboxFull { .. } => Self::InboxFull,
            SessionClosed
            | Invalid(_)
            | UnknownGate(_)
            | UnknownPermission(_)
            | UnknownSuggestion
            | UnknownThread(_)
            | CommentsFull { .. }
            | AlreadyDecided { .. }
            | GateClosed(_)
            | GateExpired(_)
            | AlreadyAsked
            | StaleRevision { .. }
            | OldFileVersion { .. }
            | UnnamedRevision { .. }
            | InBatch { .. }
            | CommentRequired
            | NotWaiting
            | NotTheAuthor
            | TooManyAsked { .. }
            | UnknownParticipant
            | NobodyKnocks
            | TooManyKnocks
            | LastOwner
            | UnknownMessage(_)
            | UnknownFile(_)
            | UnknownFileName(_)
            | FilesFull(_)
            | SessionFull => Self::Invalid,
        }
    }
}
