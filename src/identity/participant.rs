//! Participants of the server, and their server roles.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{SecretHash, TokenScope};
use crate::kernel::{Actor, ActorKind, CommandId, CommandSender, ParticipantId, Role};

/// Person or bot that the server knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// Id, the same in every session.
    pub id: ParticipantId,
    /// Kind: a person or a bot.
    pub kind: ActorKind,
    /// Name that people see.
    pub name: Arc<str>,
    /// Rights on the server as a whole, within the scope.
    pub server_role: ServerRole,
    /// Role that their groups grant in every session. Administrators have `owner` without it.
    pub session_role: Option<Role>,
    /// Limits of the credential with which they act. `None` if it has none, or if they do not act now, for example in a
    /// list.
    pub scope: Option<Arc<TokenScope>>,
    /// Token with which they act, or with which their browser signed in. `None` if there is none, or if they do not act
    /// now.
    pub token: Option<SecretHash>,
}

impl Participant {
    /// Creates a participant with a new id.
    pub fn new(kind: ActorKind, name: impl Into<Arc<str>>, server_role: ServerRole) -> Self {
        Self {
            id: ParticipantId(Uuid::now_v7()),
            kind,
            name: name.into(),
            server_role,
            session_role: None,
            scope: None,
            token: None,
        }
    }

    /// Returns the actor that the server records for their commands. A bot is not marked as a guest, because the
    /// creator of its token chose its name.
    pub fn actor(&self) -> Actor {
        let guest = self.server_role == ServerRole::Guest && self.kind == ActorKind::User;
        Actor { guest, ..Actor::participant(self.id, self.kind, &self.name) }
    }

    /// Returns the sender of a command with this id, in the form that the kernel uses.
    pub fn sends(&self, id: CommandId) -> CommandSender {
        let max_role = self.scope.as_ref().and_then(|scope| scope.max_role);
        CommandSender::Participant { actor: self.actor(), id, granted_role: self.granted_role(), max_role }
    }

    /// Returns the role that they have in every session, even in sessions that do not list them, or `None` if there is
    /// no such role.
    pub fn granted_role(&self) -> Option<Role> {
        self.server_role.role().or(self.session_role)
    }

    /// Returns their role in a session that lists them as `listed`: the higher of `listed` and the granted role, within
    /// the scope of their token.
    pub fn role(&self, listed: Option<Role>) -> Option<Role> {
        let role = match (self.granted_role(), listed) {
            (Some(granted), Some(listed)) if listed.covers(granted) => Some(listed),
            (granted, listed) => granted.or(listed),
        };
        role.map(|role| self.scope.as_ref().map_or(role, |scope| scope.limited_role(role)))
    }
}

/// Rights of a participant on the server as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerRole {
    /// Administrator: sees every session with the rights of an owner, creates sessions, and manages participants.
    Admin,
    /// Creates sessions, and sees those that they are in.
    Member,
    /// Sees only the sessions that they were invited to.
    Guest,
}

impl ServerRole {
    /// Returns the role that the server role grants in every session, or `None` if it grants none.
    pub fn role(self) -> Option<Role> {
        matches!(self, Self::Admin).then_some(Role::Owner)
    }

    /// Returns whether this role has more rights than the other one.
    pub fn is_above(self, other: Self) -> bool {
        (self as u8) < other as u8
    }

    /// Returns the name in the store, on the wire and on the command line, for example `member`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Guest => "guest",
        }
    }

    /// Parses a name that [`Self::as_str`] returns.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Admin, Self::Member, Self::Guest].into_iter().find(|server_role| server_role.as_str() == word)
    }
}
