//! The outline of a document that matches the schema.

use std::borrow::Cow;
use std::sync::Arc;

use super::document::{AgentDocument, EdgeDocument, NodeDocument, SupervisorOptions, TeamDocument};
use super::limits;
use super::outline::{AgentOutline, EdgeOutline, NodeOutline, TeamOutline};
use crate::kernel::Temperature;
use crate::kernel::topology::Topology;

impl TeamDocument {
    /// Returns whether every list is short enough that the checks read all of its items. The checks read only the
    /// beginning of a longer list.
    pub(super) fn is_bounded(&self) -> bool {
        let topology = &self.topology;
        let has_few_tools = |options: &SupervisorOptions| options.tools.len() <= limits::MAX_TOOLS;
        let is_node_bounded = |node: &NodeDocument| {
            node.agents.len() <= Topology::MAX_AGENTS
                && node.agents.iter().all(|agent| agent.tools.len() <= limits::MAX_TOOLS)
                && has_few_tools(&node.supervisor_config.options)
        };
        topology.nodes.len() <= Topology::MAX_NODES
            && topology.edges.len() <= limits::MAX_EDGES
            && self.starters.len() <= limits::MAX_TOOLS
            && has_few_tools(&topology.global_supervisor.options)
            && topology.nodes.iter().all(is_node_bounded)
    }
}

impl<'a> TeamOutline<'a> {
    /// Returns the outline of a document. It is the same as the outline of the document's JSON.
    pub(super) fn of_valid(document: &'a TeamDocument) -> Self {
        let topology = &document.topology;
        let global = &topology.global_supervisor;
        let parts = (&global.model_provider, &global.model_id, &global.system_prompt);
        Self {
            name: Some(&document.team_name),
            description: Some(&document.description),
            slug: document.slug.as_deref(),
            starters: texts(&document.starters),
            timeout_seconds: Some(document.timeout_seconds.into()),
            max_iterations: Some(document.max_iterations.into()),
            strategy: Some(global.coordination_strategy),
            allow_isolated_nodes: topology.allow_isolated_nodes,
            nodes: Some(topology.nodes.iter().map(node_outline).collect()),
            edges: topology.edges.iter().map(edge_outline).collect(),
            global_supervisor: Some(supervisor_outline(parts, &global.options)),
        }
    }
}

fn node_outline(node: &NodeDocument) -> NodeOutline<'_> {
    let supervisor = &node.supervisor_config;
    let parts = (&supervisor.model_provider, &supervisor.model_id, &supervisor.system_prompt);
    NodeOutline {
        id: Some(&node.node_id),
        name: Some(&node.node_name),
        kind: Some(&node.node_type),
        attributes: Some(&node.attributes),
        agents: Some(node.agents.iter().map(agent_outline).collect()),
        supervisor: Some(supervisor_outline(parts, &supervisor.options)),
    }
}

fn agent_outline(agent: &AgentDocument) -> AgentOutline<'_> {
    AgentOutline {
        id: Some(&agent.agent_id),
        name: Some(&agent.agent_name),
        title: Some(&agent.title),
        prompt: Some(&agent.system_prompt),
        template: agent.user_prompt_template.as_deref(),
        provider: Some(&agent.model_provider),
        model: Some(&agent.model_id),
        tools: texts(&agent.tools),
        permissions: Cow::Borrowed(&agent.permissions),
        temperature: agent.temperature.map(Temperature::value),
        max_tokens: agent.max_tokens.map(|number| number.get().into()),
        priority: Some(agent.priority.into()),
    }
}

fn supervisor_outline<'a>(
    (provider, model, prompt): (&'a Arc<str>, &'a Arc<str>, &'a Arc<str>),
    options: &'a SupervisorOptions,
) -> AgentOutline<'a> {
    AgentOutline {
        name: options.name.as_deref(),
        title: options.title.as_deref(),
        prompt: Some(prompt),
        provider: Some(provider),
        model: Some(model),
        tools: texts(&options.tools),
        permissions: Cow::Borrowed(&options.permissions),
        temperature: options.temperature.map(Temperature::value),
        max_tokens: options.max_tokens.map(|number| number.get().into()),
        ..AgentOutline::default()
    }
}

fn edge_outline(edge: &EdgeDocument) -> EdgeOutline<'_> {
    EdgeOutline {
        source: Some(&edge.source_node_id),
        target: Some(&edge.target_node_id),
        relation: Some(edge.relation_type),
        attributes: Some(&edge.attributes),
    }
}

fn texts(list: &[Arc<str>]) -> Vec<&str> {
    list.iter().map(|text| &**text).collect()
}
