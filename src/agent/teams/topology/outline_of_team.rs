//! The outline of a team file.

use std::borrow::Cow;

use super::outline::{AgentOutline, EdgeOutline, NodeOutline, TeamOutline};
use super::placement::Placement;
use crate::kernel::topology::Topology;
use crate::kernel::{Agent, Team};

impl<'a> TeamOutline<'a> {
    /// Returns the outline of a team with this topology. Models are absent, because the server checks them at startup.
    pub(super) fn of_team(team: &'a Team, topology: &'a Topology, placement: &Placement<'a>) -> Self {
        let nodes = topology.nodes.iter().zip(&placement.nodes).map(|(node, placed)| NodeOutline {
            id: Some(&node.id),
            name: Some(&node.name),
            kind: Some(&node.kind),
            attributes: Some(&node.attributes),
            agents: Some(placed.agents.iter().map(|(id, agent)| agent_outline(agent, Some(id))).collect()),
            supervisor: placed.supervisor.map(|agent| agent_outline(agent, None)),
        });
        let edges = topology.edges.iter().map(|edge| EdgeOutline {
            source: Some(&edge.source),
            target: Some(&edge.target),
            relation: Some(edge.relation),
            attributes: Some(&edge.attributes),
        });
        Self {
            name: Some(&team.title),
            description: Some(&topology.description),
            timeout_seconds: Some(topology.timeout_seconds.into()),
            max_iterations: Some(topology.max_iterations.into()),
            strategy: Some(topology.strategy),
            allow_isolated_nodes: topology.allow_isolated_nodes,
            nodes: Some(nodes.collect()),
            edges: edges.collect(),
            global_supervisor: placement.global_supervisor.map(|agent| agent_outline(agent, None)),
            // The checks that apply to every team file cover these fields.
            slug: None,
            starters: vec![],
        }
    }
}

/// Returns the outline of an agent, without its call rules, because the checks that apply to every team file cover
/// them.
fn agent_outline<'a>(agent: &'a Agent, id: Option<&'a str>) -> AgentOutline<'a> {
    AgentOutline {
        id,
        name: Some(&agent.name),
        title: Some(&agent.title),
        prompt: Some(&agent.prompt),
        template: agent.prompt_template.as_deref(),
        provider: None,
        model: None,
        tools: agent.tools.iter().map(|tool| &**tool).collect(),
        permissions: Cow::Borrowed(&[]),
        temperature: agent.temperature.map(crate::kernel::Temperature::value),
        max_tokens: agent.max_tokens.map(|number| f64::from(number.get())),
        priority: Some(agent.priority.into()),
    }
}
