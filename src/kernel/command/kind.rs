//! Kind of a command: which sessions accept it, and how urgent it is.

use super::Command;

/// Kind of a command, by the sessions that accept it and by its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandKind {
    /// Creates the session, so it must not exist yet.
    Creation,
    /// A control, which must be accepted no matter how many messages are queued.
    Control,
    /// A redaction. A closed session also accepts it, because unwanted content can be discovered later.
    Redaction,
    /// A title that might have been requested while the session was open. `title::apply_title` discards a title that
    /// arrives after the session was closed.
    Title,
    /// Brings a participant into the session, or asks to join it.
    Entry,
    /// Any other command.
    Ordinary,
}

impl Command {
    /// Returns the kind of the command. Every command is listed, so that no control waits behind messages.
    pub fn kind(&self) -> CommandKind {
        use Command::*;
        match self {
            Create { .. } => CommandKind::Creation,
            Vote { .. }
            | VoteBatch { .. }
            | WithdrawVote { .. }
            | WithdrawCommand { .. }
            | ResolveComment { .. }
            | DeleteComment { .. }
            | Answer { .. }
            | RevokePermission { .. }
            | Pause { .. }
            | Resume { .. }
            | Interrupt { .. }
            | Cancel { .. } => CommandKind::Control,
            Redact { .. } => CommandKind::Redaction,
            TitleMade { .. } => CommandKind::Title,
            Enter { .. } | Knock { .. } | Invite { .. } => CommandKind::Entry,
            Rename { .. }
            | Admit { .. }
            | Refuse { .. }
            | Leave
            | Say { .. }
            | Withdraw { .. }
            | Start { .. }
            | Comment { .. }
            | DelegateVotes { .. }
            | ProposeRule { .. }
            | SetRole { .. }
            | Remove { .. }
            | Set { .. }
            | AddFile { .. }
            | RemoveFile { .. }
            | RestoreFile { .. }
            | Close { .. }
            | TurnCompleted { .. }
            | CallChecked { .. }
            | CallEnded { .. }
            | OpenInquiry { .. }
            | WithdrawInquiry { .. }
            | TurnFailed { .. }
            | Acknowledge { .. }
            | Stopped { .. }
            | DeadlineReached
            | Recover { .. } => CommandKind::Ordinary,
        }
    }

    /// Returns whether the command is a control.
    pub fn is_control(&self) -> bool {
        self.kind() == CommandKind::Control
    }
}
