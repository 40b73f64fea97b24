//! Converts the kernel's team to the document.

use std::sync::Arc;

use super::catalog::ReferenceCatalog;
use super::document::{
    AgentDocument, EdgeDocument, GlobalSupervisorDocument, NodeDocument, NodeSupervisorDocument, SupervisorOptions,
    TeamDocument, TopologyDocument,
};
use super::placement::{NodeAgents, Placement, PlacementError};
use super::slug::slug;
use crate::kernel::topology::TopologyNode;
use crate::kernel::{Agent, Team};

impl TeamDocument {
    /// Returns the document of a team. Agents that do not name a model get the server's default model.
    ///
    /// # Errors
    /// Fails if the team has no topology, or has agents without a place in it.
    pub(super) fn from_team(team: &Team, catalog: &ReferenceCatalog) -> Result<Self, Vec<PlacementError>> {
        let topology = team.topology.as_ref().ok_or_else(|| {
            let message = "The team has no topology; add one".to_owned();
            vec![PlacementError { agent: None, message }]
        })?;
        let placement = Placement::new(team, topology);
        let Placement { nodes, global_supervisor: Some(global), errors } = placement else {
            return Err(placement.errors);
        };
        if !errors.is_empty() {
            return Err(errors);
        }
        let nodes = topology.nodes.iter().zip(nodes).filter_map(|(node, agents)| node_document(node, &agents, catalog));
        let edges = topology.edges.iter().map(|edge| EdgeDocument {
            source_node_id: edge.source.clone(),
            target_node_id: edge.target.clone(),
            relation_type: edge.relation,
            attributes: edge.attributes.clone(),
        });
        let (model_provider, model_id) = catalog.split_model(global.model.as_deref());
        let document = Self {
            topology: TopologyDocument {
                nodes: nodes.collect(),
                edges: edges.collect(),
                global_supervisor: GlobalSupervisorDocument {
                    model_provider,
                    model_id,
                    system_prompt: global.prompt.clone(),
                    coordination_strategy: topology.strategy,
                    options: options(global),
                },
                allow_isolated_nodes: topology.allow_isolated_nodes,
            },
            team_name: team.title.clone(),
            description: topology.description.clone(),
            timeout_seconds: topology.timeout_seconds,
            max_iterations: topology.max_iterations,
            language: None,
            slug: Some(team.name.clone()).filter(|name| **name != *slug(&team.title)),
            starters: team.starters.clone(),
        };
        let language = Some(team.language).filter(|language| *language != document.text_language());
        Ok(Self { language, ..document })
    }
}

fn node_document(node: &TopologyNode, placed: &NodeAgents<'_>, catalog: &ReferenceCatalog) -> Option<NodeDocument> {
    let supervisor = placed.supervisor?;
    let (model_provider, model_id) = catalog.split_model(supervisor.model.as_deref());
    Some(NodeDocument {
        node_id: node.id.clone(),
        node_name: node.name.clone(),
        node_type: node.kind.clone(),
        attributes: node.attributes.clone(),
        agents: placed.agents.iter().map(|(id, agent)| agent_document(id, agent, catalog)).collect(),
        supervisor_config: NodeSupervisorDocument {
            model_provider,
            model_id,
            system_prompt: supervisor.prompt.clone(),
            coordination_strategy: node.strategy,
            options: options(supervisor),
        },
    })
}

fn agent_document(id: &str, agent: &Agent, catalog: &ReferenceCatalog) -> AgentDocument {
    let (model_provider, model_id) = catalog.split_model(agent.model.as_deref());
    AgentDocument {
        agent_id: id.into(),
        agent_name: agent.name.clone(),
        model_provider,
        model_id,
        system_prompt: agent.prompt.clone(),
        user_prompt_template: agent.prompt_template.clone(),
        tools: agent.tools.clone(),
        temperature: agent.temperature,
        max_tokens: agent.max_tokens,
        priority: agent.priority,
        title: agent.title.clone(),
        tool_choice: agent.tool_choice,
        permissions: agent.permissions.clone(),
    }
}

fn options(agent: &Agent) -> SupervisorOptions {
    let some = |text: &Arc<str>| Some(text.clone()).filter(|text| !text.is_empty());
    SupervisorOptions {
        name: some(&agent.name).filter(|name| **name != *agent.id.as_str()),
        title: some(&agent.title),
        tools: agent.tools.clone(),
        tool_choice: agent.tool_choice,
        permissions: agent.permissions.clone(),
        temperature: agent.temperature,
        max_tokens: agent.max_tokens,
    }
}
