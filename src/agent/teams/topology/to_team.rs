//! Converts the document to the kernel's team.

use std::sync::Arc;

use super::document::{AgentDocument, NodeDocument, SupervisorOptions, TeamDocument};
use super::slug::slug;
use crate::kernel::topology::{Edge, Topology, TopologyNode};
use crate::kernel::{Agent, AgentId, AgentRole, IdError, Language, Team};

/// Flow of teams with a topology.
pub const FLOW: &str = "topology";

impl TeamDocument {
    /// Returns the team that sessions use.
    ///
    /// # Errors
    /// Fails if an id is invalid, which the checks of a document rule out.
    pub fn to_team(&self) -> Result<Team, IdError> {
        let topology = &self.topology;
        let mut agents = vec![];
        for node in &topology.nodes {
            for agent in &node.agents {
                agents.push(node_agent(node, agent)?);
            }
            let supervisor = &node.supervisor_config;
            let id = format!("{}{}", node.node_id, Topology::SUPERVISOR_SUFFIX);
            let model = (&*supervisor.model_provider, &*supervisor.model_id);
            let agent = supervisor_agent(&id, model, &supervisor.system_prompt, &supervisor.options)?;
            agents.push(Agent { node: Some(node.node_id.clone()), ..agent });
        }
        let supervisor = &topology.global_supervisor;
        let model = (&*supervisor.model_provider, &*supervisor.model_id);
        let id = Topology::GLOBAL_SUPERVISOR;
        agents.push(supervisor_agent(id, model, &supervisor.system_prompt, &supervisor.options)?);
        let node = |node: &NodeDocument| TopologyNode {
            id: node.node_id.clone(),
            name: node.node_name.clone(),
            kind: node.node_type.clone(),
            attributes: node.attributes.clone(),
            strategy: node.supervisor_config.coordination_strategy,
        };
        let edges = topology.edges.iter().map(|edge| Edge {
            source: edge.source_node_id.clone(),
            target: edge.target_node_id.clone(),
            relation: edge.relation_type,
            attributes: edge.attributes.clone(),
        });
        Ok(Team {
            name: self.slug.clone().unwrap_or_else(|| slug(&self.team_name).into()),
            title: self.team_name.clone(),
            flow: FLOW.into(),
            language: self.language.unwrap_or_else(|| self.text_language()),
            starters: self.starters.clone(),
            agents,
            steps: vec![],
            topology: Some(Box::new(Topology {
                strategy: topology.global_supervisor.coordination_strategy,
                nodes: topology.nodes.iter().map(node).collect(),
                edges: edges.collect(),
                allow_isolated_nodes: topology.allow_isolated_nodes,
                max_iterations: self.max_iterations,
                timeout_seconds: self.timeout_seconds,
                description: self.description.clone(),
            })),
            origin: None,
        })
    }

    /// Returns the language of the team's texts.
    pub(super) fn text_language(&self) -> Language {
        let topology = &self.topology;
        let nodes = topology.nodes.iter().flat_map(|node| {
            let prompts = node.agents.iter().map(|agent| &agent.system_prompt);
            prompts.chain([&node.node_name, &node.supervisor_config.system_prompt])
        });
        let mut texts =
            [&self.team_name, &self.description, &topology.global_supervisor.system_prompt].into_iter().chain(nodes);
        let is_chinese = |text: &Arc<str>| Language::of_text(text) == Language::Zh;
        if texts.any(is_chinese) { Language::Zh } else { Language::En }
    }
}

fn node_agent(node: &NodeDocument, agent: &AgentDocument) -> Result<Agent, IdError> {
    let id: AgentId = format!("{}{}{}", node.node_id, Topology::AGENT_SEPARATOR, agent.agent_id).parse()?;
    Ok(Agent {
        name: agent.agent_name.clone(),
        title: agent.title.clone(),
        prompt: agent.system_prompt.clone(),
        prompt_template: agent.user_prompt_template.clone(),
        node: Some(node.node_id.clone()),
        priority: agent.priority,
        model: Some(model_text(&agent.model_provider, &agent.model_id)),
        temperature: agent.temperature,
        max_tokens: agent.max_tokens,
        tools: agent.tools.clone(),
        tool_choice: agent.tool_choice,
        permissions: agent.permissions.clone(),
        ..Agent::new(id, AgentRole::Worker)
    })
}

fn supervisor_agent(
    id: &str,
    (provider, model): (&str, &str),
    prompt: &Arc<str>,
    options: &SupervisorOptions,
) -> Result<Agent, IdError> {
    let agent = Agent::new(id.parse()?, AgentRole::Supervisor);
    Ok(Agent {
        name: options.name.clone().unwrap_or_else(|| id.into()),
        title: options.title.clone().unwrap_or_else(|| "".into()),
        prompt: prompt.clone(),
        model: Some(model_text(provider, model)),
        temperature: options.temperature,
        max_tokens: options.max_tokens,
        tools: options.tools.clone(),
        tool_choice: options.tool_choice,
        permissions: options.permissions.clone(),
        ..agent
    })
}

fn model_text(provider: &str, model: &str) -> Arc<str> {
    format!("{provider}/{model}").into()
}
