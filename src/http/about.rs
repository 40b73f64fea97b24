//! What this server is and offers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::auth::Signed;
use crate::agent::{Currency, ModelSource};
use crate::kernel::{Agent, AgentId, AgentRole, Language, Team};
use crate::node::Node;
use crate::protocol::{Limits, VERSION};

#[derive(Debug, Serialize)]
pub(super) struct About {
    name: &'static str,
    version: &'static str,
    protocol: u32,
    public_url: String,
    model: ModelSource,
    /// That of all costs.
    currency: Currency,
    teams: Vec<Offered>,
    code: Vec<Arc<str>>,
    limits: Limits,
}

/// A team to choose from: its prompts are its own.
#[derive(Debug, Serialize)]
struct Offered {
    name: Arc<str>,
    title: Arc<str>,
    flow: Arc<str>,
    language: Language,
    starters: Vec<Arc<str>>,
    agents: Vec<Member>,
}

#[derive(Debug, Serialize)]
struct Member {
    id: AgentId,
    name: Arc<str>,
    role: AgentRole,
    title: Arc<str>,
}

impl From<&Team> for Offered {
    fn from(team: &Team) -> Self {
        let Team { name, title, flow, language, starters, agents, .. } = team.clone();
        let member = |Agent { id, name, role, title, .. }: Agent| Member { id, name, role, title };
        Self { name, title, flow, language, starters, agents: agents.into_iter().map(member).collect() }
    }
}

pub(super) async fn about(State(node): State<Arc<Node>>, Signed(who): Signed) -> Json<About> {
    Json(About {
        name: "roundtable",
        version: env!("CARGO_PKG_VERSION"),
        protocol: VERSION,
        public_url: node.hosts.public_url().to_owned(),
        model: node.model.clone(),
        currency: node.config.providers.currency.clone(),
        teams: node.teams.iter().map(|team| Offered::from(&**team)).collect(),
        code: node.config.tools.code.readable(&who).collect(),
        limits: node.config.socket.limits(),
    })
}
