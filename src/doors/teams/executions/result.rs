//! Results of an execution: the output of each node, and the summary of the global supervisor.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Team;
use crate::kernel::plan::PlanItemState;
use crate::kernel::truncate_middle;

/// Outcome of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::doors::teams) enum NodeStatus {
    /// The node has not started.
    Pending,
    /// The node works.
    Running,
    /// The node has a result.
    Success,
    /// All agents of the node failed, or its supervisor did.
    Failed,
    /// A node that it depends on has no result.
    Skipped,
}

impl NodeStatus {
    pub(super) fn of(state: PlanItemState) -> Self {
        match state {
            PlanItemState::NotStarted => Self::Pending,
            PlanItemState::InProgress => Self::Running,
            PlanItemState::Completed => Self::Success,
            PlanItemState::Blocked => Self::Failed,
            PlanItemState::Skipped => Self::Skipped,
        }
    }
}

/// Result of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(in crate::doors::teams) struct NodeResult {
    /// Id of the node.
    pub(super) node_id: Arc<str>,
    /// Outcome of the node.
    pub(super) status: NodeStatus,
    /// Result of the node, or the reason why there is none. Empty while the node works, and if it was stopped.
    pub(super) output: Arc<str>,
    /// Latest texts of the agents of a node that failed or was stopped, each preceded by the agent's id. Absent if
    /// there are none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) partial_output: Arc<str>,
}

/// Result of an execution.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub(in crate::doors::teams) struct ExecutionResult {
    /// Summary by the global supervisor. Empty until it is written.
    pub(super) summary: Arc<str>,
    /// Results of the nodes, in the order of the topology.
    pub(super) node_results: Vec<NodeResult>,
}

impl ExecutionResult {
    /// Returns the result before any node has started.
    pub(super) fn empty(team: &Team) -> Self {
        let nodes = team.topology.iter().flat_map(|topology| &topology.nodes);
        let pending = nodes.map(|node| NodeResult {
            node_id: node.id.clone(),
            status: NodeStatus::Pending,
            output: "".into(),
            partial_output: "".into(),
        });
        Self { summary: "".into(), node_results: pending.collect() }
    }
}

/// Maximum number of bytes of an agent's text in `partial_output`. The middle of a longer text is left out.
const MAX_UNFINISHED_BYTES: usize = 8 << 10;

/// Latest text of each agent in nodes that work, for results of nodes that fail or are stopped.
#[derive(Default)]
pub(super) struct UnfinishedWork(HashMap<Arc<str>, BTreeMap<Arc<str>, Arc<str>>>);

impl UnfinishedWork {
    /// Sets the latest text of an agent of a node. The text of a repeated task replaces that of its stopped attempt.
    pub(super) fn set(&mut self, node: &Arc<str>, agent: &Arc<str>, text: &Arc<str>) {
        self.0.entry(node.clone()).or_default().insert(agent.clone(), text.clone());
    }

    /// Removes the texts of a node and returns them as one string, each preceded by its agent's id.
    pub(super) fn take(&mut self, node: &str) -> Arc<str> {
        let texts = self.0.remove(node).unwrap_or_default();
        let texts =
            texts.iter().map(|(agent, text)| format!("{agent}:\n{}", truncate_middle(text, MAX_UNFINISHED_BYTES)));
        texts.collect::<Vec<_>>().join("\n\n").into()
    }
}
