//! Description of this server: version, models, tools, teams and limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::auth::Caller;
use crate::agent::{Currency, ModelSource, Prices};
use crate::config::RightsTemplate;
use crate::kernel::{Agent, AgentId, AgentRole, Language, RightRule, Team};
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
    /// URL at which people reach the server, without a trailing slash.
    public_url: String,
    /// Model that responds by default.
    model: ModelSource,
    /// Providers that the agents of a team can use, in alphabetical order.
    providers: Vec<ProviderSummary>,
    /// Models that a session can use for all of its agents, in alphabetical order: the listed ones and the default.
    models: Vec<ModelSummary>,
    /// Names of the tools that agents can call now, in alphabetical order. Tools of MCP servers can appear and
    /// disappear.
    tools: Vec<Arc<str>>,
    /// Currency of all costs.
    currency: Currency,
    /// Teams that a new session can use.
    teams: Vec<TeamSummary>,
    /// Templates of rights for sessions, in alphabetical order.
    rights_templates: Vec<RightsTemplateSummary>,
    /// Names of the code bases that the caller can add to sessions.
    code: Vec<Arc<str>>,
    /// Limits that clients must respect.
    limits: Limits,
}

/// Provider of models, without its URL and keys.
#[derive(Debug, Serialize, JsonSchema)]
struct ProviderSummary {
    /// Name of the provider, for example `openai`.
    name: Arc<str>,
    /// Listed models, in alphabetical order. Empty if the provider accepts the name of any model.
    models: Vec<Arc<str>>,
}

/// Model that a session can use for all of its agents.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelSummary {
    /// Name of the model, in the form `provider/model`, for example `openai/gpt-4o-mini`.
    name: Arc<str>,
    /// Prices of the model. If absent, its usage costs nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    prices: Option<Prices>,
}

/// Team that a new session can use, without its prompts.
#[derive(Debug, Serialize, JsonSchema)]
struct TeamSummary {
    /// Name of the team, for example `testcase-en`.
    name: Arc<str>,
    /// Title for people.
    title: Arc<str>,
    /// Name of the team's flow, for example `review`.
    flow: Arc<str>,
    /// Language of the agents.
    language: Language,
    /// Example messages that people can start with.
    starters: Vec<Arc<str>>,
    /// Agents of the team.
    agents: Vec<AgentSummary>,
}

/// Template of rights for sessions.
#[derive(Debug, Serialize, JsonSchema)]
struct RightsTemplateSummary {
    /// Name of the template, for example `review`.
    name: Arc<str>,
    /// Title for people.
    title: Arc<str>,
    /// Rights that a session with the template has, as in its `rights` setting.
    rights: Vec<RightRule>,
    /// True for the template of new sessions whose creator chooses none.
    default: bool,
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
    let references = node.references();
    let provider = |(name, models): (&Arc<str>, &BTreeSet<Arc<str>>)| ProviderSummary {
        name: name.clone(),
        models: models.iter().cloned().collect(),
    };
    let model = |(name, prices): (&Arc<str>, &Option<Prices>)| ModelSummary { name: name.clone(), prices: *prices };
    let default = node.config.sessions.rights_template.as_ref();
    let template = |(name, template): (&String, &RightsTemplate)| RightsTemplateSummary {
        name: name.as_str().into(),
        title: template.title.as_deref().unwrap_or(name).into(),
        rights: template.rights.clone(),
        default: default == Some(name),
    };
    Json(AboutResponse {
        name: "roundtable",
        version: env!("CARGO_PKG_VERSION"),
        protocol: VERSION,
        public_url: node.hosts.public_url().to_owned(),
        model: node.model.clone(),
        providers: references.providers().iter().map(provider).collect(),
        models: node.models.prices().iter().map(model).collect(),
        tools: references.tools().iter().cloned().collect(),
        currency: node.config.providers.currency.clone(),
        teams: node.teams.iter().map(|team| TeamSummary::from(&**team)).collect(),
        rights_templates: node.config.rights_templates.iter().map(template).collect(),
        code: node.config.tools.code.readable(&who).collect(),
        limits: node.config.socket.limits(),
    })
}
