//! Sender and time of a command.

use super::Command;
use crate::{Actor, CommandId, Role, Timestamp};

/// A command with its sender and time, as the server knows them.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// Time at which the server accepted the command; never earlier than the last event of the log.
    pub at: Timestamp,
    /// Sender of the command.
    pub by: CommandSender,
    /// The command itself.
    pub command: Command,
}

/// Sender of a command, as the server knows it.
#[derive(Debug, Clone)]
pub enum CommandSender {
    /// A person or a bot, through any endpoint.
    Participant {
        /// The participant.
        actor: Actor,
        /// Id of the command; makes a repetition harmless.
        id: CommandId,
        /// Role that the server gives the participant where the session gives none. Administrators have `owner`.
        granted_role: Option<Role>,
        /// Highest role in which the sender can act, if they use a limited token.
        max_role: Option<Role>,
    },
    /// The orchestrator, with the result of work that the event `cause` requested.
    Orchestrator {
        /// Seq of that event. Absent if only time has passed.
        cause: Option<u64>,
    },
}
