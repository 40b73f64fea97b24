//! Description of this server: version, model, teams and limits.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::auth::Caller;
use crate::agent::{Currency, ModelSource};
use crate::kernel::{Agent, AgentId, AgentRole, Language, Team};
use crate::node::Node;
use crate::protocol::{Limits, VERSION};

/// Description of this server.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AboutResponse {
    /// Name of the program, always `roundtable`.
    name: &'static str,
    /// Version of the program, for example `0.1.0`.
    version: &'static str,
    /// Version of the wire protocol, for example 1.
    protocol: u32,
    /// URL under which people reach the server, without a slash at the end.
    public_url: String,
    /// Model that responds by default.
    model: ModelSource,
    /// Currency of all costs.
    currency: Currency,
    /// Teams that a new session can use.
    teams: Vec<TeamSummary>,
    /// Names of the code bases that the caller can add to sessions.
    code: Vec<Arc<str>>,
    /// Limits that clients must keep to.
    limits: Limits,
}

/// Team that a new session can use, without its prompts.
#[derive(Debug, Serialize, JsonSchema)]
struct TeamSummary {
    /// Name of the team, for example `testcase-en`.
    name: Arc<str>,
    /// Title for people.
    title: Arc<str>,
    /// Name of its flow, for example `review`.
    flow: Arc<str>,
    /// Language of its agents.
    language: Language,
    /// Example messages with which people can start.
    starters: Vec<Arc<str>>,
    /// Agents of the team.
    agents: Vec<AgentSummary>,
}

/// Agent of a team.
#[derive(Debug, Serialize, JsonSchema)]
struct AgentSummary {
    /// Id of the agent.
    id: AgentId,
    /// Name of the agent, for mentions.
    name: Arc<str>,
    /// Role of the agent in the flow.
    role: AgentRole,
    /// Title for people.
    title: Arc<str>,
}

impl From<&Team> for TeamSummary {
    fn from(team: &Team) -> Self {
        let Team { name, title, flow, language, starters, agents, .. } = team.clone();
        let member = |Agent { id, name, role, title, .. }: Agent| AgentSummary { id, name, role, title };
        Self { name, title, flow, language, starters, agents: agents.into_iter().map(member).collect() }
    }
}

pub(super) async fn about(State(node): State<Arc<Node>>, Caller(who): Caller) -> Json<AboutResponse> {
    Json(AboutResponse {
        name: "roundtable",
        version: env!("CARGO_PKG_VERSION"),
        protocol: VERSION,
        public_url: node.hosts.public_url().to_owned(),
        model: node.model.clone(),
        currency: node.config.providers.currency.clone(),
        teams: node.teams.iter().map(|team| TeamSummary::from(&**team)).collect(),
        code: node.config.tools.code.readable(&who).collect(),
        limits: node.config.socket.limits(),
    })
}
