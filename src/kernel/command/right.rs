//! Rights that commands require.

use super::Command;
use crate::Right;

/// Right that a command requires of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandRight {
    /// No right. The server or the orchestrator creates the command, or the command creates the session or concerns
    /// only the sender's own participation or request.
    Nothing,
    /// This right.
    Right(Right),
    /// This right, or `ask` access to it, because withdrawing one's own request needs no approval.
    RightOrAsking(Right),
    /// One of the `say`, `steer` and `answer` rights, depending on the message's recipients: people, agents, or agents
    /// at a gate.
    Message,
    /// The `approve` right, unless the sender is a bot at a gate that counts the votes of bots. A vote with an edit
    /// also requires the `edit` right.
    Vote,
}

impl Command {
    /// Returns the right that the command requires. Every command is listed, so that none is open to everyone by
    /// mistake.
    pub fn right(&self) -> CommandRight {
        use Command::*;
        match self {
            Create { .. }
            | Enter { .. }
            | Knock { .. }
            | Rename { .. }
            | Leave
            | WithdrawCommand { .. }
            | TurnCompleted { .. }
            | CallChecked { .. }
            | CallEnded { .. }
            | OpenInquiry { .. }
            | WithdrawInquiry { .. }
            | TurnFailed { .. }
            | Acknowledge { .. }
            | Stopped { .. }
            | TitleMade { .. }
            | DeadlineReached
            | Recover { .. } => CommandRight::Nothing,
            Say { .. } => CommandRight::Message,
            Vote { .. } | VoteBatch { .. } | WithdrawVote { .. } => CommandRight::Vote,
            AddFile { .. } | RemoveFile { .. } | RestoreFile { .. } => CommandRight::Right(Right::Say),
            Start { .. } => CommandRight::Right(Right::Steer),
            Withdraw { .. } => CommandRight::RightOrAsking(Right::Steer),
            Answer { .. } | Comment { .. } | ResolveComment { .. } | DeleteComment { .. } => {
                CommandRight::Right(Right::Answer)
            }
            DelegateVotes { .. } | RevokePermission { .. } | ProposeRule { .. } => CommandRight::Right(Right::Approve),
            Pause { .. } | Resume { .. } | Interrupt { .. } | Cancel { .. } => CommandRight::Right(Right::Interrupt),
            Invite { .. } => CommandRight::Right(Right::Invite),
            Admit { .. }
            | Refuse { .. }
            | SetRole { .. }
            | Remove { .. }
            | Set { .. }
            | Redact { .. }
            | Close { .. } => CommandRight::Right(Right::Manage),
        }
    }
}
