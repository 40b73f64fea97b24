//! Actors: the authors of events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::{Agent, ParticipantId, Role};

/// Kind of actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    /// A person.
    User,
    /// A program that takes part with its own token.
    Bot,
    /// An agent in a run.
    Agent,
    /// The server.
    System,
}

/// Author of an event, as the server knows them; never taken from a client (law 7).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Actor {
    /// Kind of actor.
    pub kind: ActorKind,
    /// Id of the participant or agent; `system` for the server. Example: `TestCase_Generator`.
    pub id: Arc<str>,
    /// Display name at the time of the event. Example: `Ann`.
    pub name: Arc<str>,
    /// True for guests, such as people who joined through a link and chose their own name. Such a name can be the same
    /// as another participant's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// Role of a participant at the time of the event, in the session or on the server, whichever gives more rights,
    /// but at most the role to which their token is limited. Absent for agents, for the server, and for participants
    /// without a role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

impl Actor {
    /// Returns the server as an actor.
    pub fn system() -> Self {
        Self { kind: ActorKind::System, id: "system".into(), name: "Roundtable".into(), guest: false, role: None }
    }

    /// Returns a person or a bot as an actor.
    pub fn participant(id: ParticipantId, kind: ActorKind, name: &str) -> Self {
        Self { kind, id: id.to_string().into(), name: name.into(), guest: false, role: None }
    }

    /// Returns an agent of the session's team as an actor.
    pub fn agent(agent: &Agent) -> Self {
        Self {
            kind: ActorKind::Agent,
            id: agent.id.as_str().into(),
            name: agent.name.clone(),
            guest: false,
            role: None,
        }
    }

    /// Returns the participant's id; `None` for agents and the server.
    pub fn participant_id(&self) -> Option<ParticipantId> {
        matches!(self.kind, ActorKind::User | ActorKind::Bot).then(|| self.id.parse().ok()).flatten()
    }
}
