//! Summary of a document: the values that are shown in lists and that determine the status of the team.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::catalog::{ModelStatus, ReferenceCatalog};
use super::document::TeamDocument;
use super::limits;
use crate::kernel::first_chars;

/// Size of a topology.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TopologySummary {
    /// Number of nodes.
    pub node_count: usize,
    /// Number of agents, without supervisors.
    pub agent_count: usize,
    /// Number of edges.
    pub edge_count: usize,
}

/// Models and tools that a team refers to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TeamReferences {
    models: BTreeSet<(Arc<str>, Arc<str>)>,
    tools: BTreeSet<Arc<str>>,
}

impl TeamDocument {
    /// Returns the size of the topology.
    pub fn summary(&self) -> TopologySummary {
        let nodes = &self.topology.nodes;
        TopologySummary {
            node_count: nodes.len(),
            agent_count: nodes.iter().map(|node| node.agents.len()).sum(),
            edge_count: self.topology.edges.len(),
        }
    }

    /// Returns the models and tools that the team refers to.
    pub fn references(&self) -> TeamReferences {
        let mut references = TeamReferences::default();
        let mut add = |provider: &Arc<str>, model: &Arc<str>, tools: &[Arc<str>]| {
            let model = (provider.clone(), model.clone());
            if !references.models.contains(&model) {
                references.models.insert(model);
            }
            references.tools.extend(tools.iter().cloned());
        };
        let global = &self.topology.global_supervisor;
        add(&global.model_provider, &global.model_id, &global.options.tools);
        for node in &self.topology.nodes {
            let supervisor = &node.supervisor_config;
            add(&supervisor.model_provider, &supervisor.model_id, &supervisor.options.tools);
            for agent in &node.agents {
                add(&agent.model_provider, &agent.model_id, &agent.tools);
            }
        }
        references
    }
}

impl TeamReferences {
    /// Returns whether everything that the team refers to exists.
    pub fn are_known(&self, catalog: &ReferenceCatalog) -> bool {
        self.find_missing(catalog).next().is_none()
    }

    /// Returns the names of the providers, models and tools that do not exist, in the form that the report of a check
    /// uses.
    pub fn missing(&self, catalog: &ReferenceCatalog) -> Vec<Arc<str>> {
        let names: BTreeSet<&Arc<str>> = self.find_missing(catalog).collect();
        names
            .into_iter()
            .take(limits::MAX_ERRORS)
            .map(|name| first_chars(name, limits::MAX_SHOWN_CHARS).into())
            .collect()
    }

    fn find_missing(&self, catalog: &ReferenceCatalog) -> impl Iterator<Item = &Arc<str>> {
        let models = self.models.iter().filter_map(|(provider, model)| match catalog.model_status(provider, model) {
            ModelStatus::Known => None,
            ModelStatus::UnknownProvider => Some(provider),
            ModelStatus::UnknownModel => Some(model),
        });
        models.chain(self.tools.iter().filter(|tool| !catalog.has_tool(tool)))
    }
}
