//! Who did it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::{Agent, ParticipantId, Role};

/// What sort of being acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person.
    User,
    /// A program that takes part under a token of its own.
    Bot,
    /// A mind inside a run.
    Agent,
    /// The server itself.
    System,
}

/// Who did something, as the server knows it; never taken from a client (law 7).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Actor {
    /// What sort of being it is.
    pub kind: ActorKind,
    /// A participant's or an agent's id; `system` for the server.
    pub id: Arc<str>,
    /// The name that people read.
    pub name: Arc<str>,
    /// Came by a link and named themselves, so that the name may be somebody else's too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// A participant's role when it happened, as the session knew it; absent for agents, the server, and whoever was not in
    /// the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

impl Actor {
    /// The server itself.
    pub fn system() -> Self {
        Self { kind: ActorKind::System, id: "system".into(), name: "Roundtable".into(), guest: false, role: None }
    }

    /// A person or a bot.
    pub fn participant(id: ParticipantId, kind: ActorKind, name: &str) -> Self {
        Self { kind, id: id.to_string().into(), name: name.into(), guest: false, role: None }
    }

    /// An agent of the session's team.
    pub fn agent(agent: &Agent) -> Self {
        Self {
            kind: ActorKind::Agent,
            id: agent.id.as_str().into(),
            name: agent.name.clone(),
            guest: false,
            role: None,
        }
    }

    /// The participant behind it, where it is one.
    pub fn participant_id(&self) -> Option<ParticipantId> {
        matches!(self.kind, ActorKind::User | ActorKind::Bot).then(|| self.id.parse().ok()).flatten()
    }
}
