//! Results of an execution: what each node wrote, and the summary of the global supervisor.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kernel::Team;
use crate::kernel::plan::PlanItemState;

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
    /// Result of the node, or the reason why it has none; empty while it works. For a node that was stopped, the texts
    /// that its agents had written by then, each preceded by the agent's id.
    pub(super) output: Arc<str>,
}

/// Result of an execution.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub(in crate::doors::teams) struct ExecutionResult {
    /// Answer of the global supervisor; empty before it is written.
    pub(super) summary: Arc<str>,
    /// Results of the nodes, in the order of the topology.
    pub(super) node_results: Vec<NodeResult>,
}

impl ExecutionResult {
    /// Returns the result before any node has started.
    pub(super) fn empty(team: &Team) -> Self {
        let nodes = team.topology.iter().flat_map(|topology| &topology.nodes);
        let pending =
            nodes.map(|node| NodeResult { node_id: node.id.clone(), status: NodeStatus::Pending, output: "".into() });
        Self { summary: "".into(), node_results: pending.collect() }
    }
}

/// Texts of agents in nodes that work, for the result of an execution that is stopped.
#[derive(Default)]
pub(super) struct UnfinishedWork(HashMap<Arc<str>, Vec<WrittenText>>);

struct WrittenText {
    agent: Arc<str>,
    text: Arc<str>,
}

impl UnfinishedWork {
    /// Adds a text of an agent of a node.
    pub(super) fn add(&mut self, node: Arc<str>, agent: Arc<str>, text: Arc<str>) {
        self.0.entry(node).or_default().push(WrittenText { agent, text });
    }

    /// Returns the texts of a node as one, and forgets them.
    pub(super) fn take(&mut self, node: &str) -> Arc<str> {
        let texts = self.0.remove(node).unwrap_or_default();
        let texts: Vec<_> = texts.iter().map(|written| format!("{}:\n{}", written.agent, written.text)).collect();
        texts.join("\n\n").into()
    }
}
