//! A command with its sender and time.

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
        /// Id of the command. Makes repeating the command harmless.
        id: CommandId,
        /// Role that the server gives the participant in every session. It applies if it gives more rights than the
        /// role in the session. `None` if the server gives none. Administrators have `owner`.
        granted_role: Option<Role>,
        /// Highest role in which the sender can act. `None` unless they use a token that is limited to a role.
        max_role: Option<Role>,
    },
    /// The orchestrator, with the result of work that an event requested.
    Orchestrator {
        /// Seq of the event that requested the work. `None` if no event did, for example if only time has passed.
        cause: Option<u64>,
    },
}
