//! Reasons for the decisions that a strategy's rules make for a supervisor, in the team's language.

use std::sync::Arc;

use super::graph::Graph;
use super::node::NodeProgress;
use super::progress::TaskState;
use crate::Language;
use crate::topology::{GlobalStrategy, NodeStrategy};

/// Writer of reasons in one language.
pub(super) struct Reasons {
    language: Language,
}

impl Reasons {
    pub(super) fn of(language: Language) -> Self {
        Self { language }
    }

    fn text(&self, zh: String, en: String) -> Arc<str> {
        match self.language {
            Language::Zh => zh.into(),
            Language::En => en.into(),
        }
    }

    /// Returns the reason why these nodes begin.
    pub(super) fn dispatch(&self, strategy: GlobalStrategy, graph: &Graph, nodes: &[usize]) -> Arc<str> {
        match strategy {
            GlobalStrategy::Hierarchical => {
                let layers = graph.layers();
                let (layer, all) = (nodes.first().map_or(0, |node| layers[*node]), layers.iter().max().unwrap_or(&0));
                self.text(
                    format!("第 {layer} 层（共 {all} 层）的节点可以开始"),
                    format!("layer {layer} of {all} can begin"),
                )
            }
            GlobalStrategy::Parallel => {
                self.text("这些节点不必等待其他节点".into(), "these nodes wait for no other node".into())
            }
            GlobalStrategy::Sequential => {
                let order = graph.order();
                let place = nodes.first().and_then(|node| order.iter().position(|known| known == node));
                let (place, all) = (place.map_or(0, |at| at + 1), order.len());
                self.text(
                    format!("按拓扑顺序轮到第 {place} 个节点（共 {all} 个）"),
                    format!("node {place} of {all} in topological order"),
                )
            }
        }
    }

    /// Returns the reason why these agents of a node begin.
    pub(super) fn assign(&self, strategy: NodeStrategy, work: &NodeProgress, agents: &[usize]) -> Arc<str> {
        let again = agents.iter().any(|at| work.states[*at] == TaskState::Retry);
        match strategy {
            _ if again => self.text("上一次尝试失败，重试".into(), "the last attempt failed; retry".into()),
            NodeStrategy::RoundRobin => self.text("每个智能体各执行一次".into(), "each agent gets one turn".into()),
            NodeStrategy::Priority => {
                let priority = agents.first().map_or(0, |at| work.agents[*at].priority);
                self.text(
                    format!("在尚未执行的智能体中优先级最高（{priority}）"),
                    format!("highest priority of those that have not worked ({priority})"),
                )
            }
            NodeStrategy::Adaptive => self.text("由主管选择".into(), "picked by the supervisor".into()),
        }
    }

    pub(super) fn all_failed(&self) -> Arc<str> {
        self.text("该节点的所有智能体都失败了".into(), "all agents of the node failed".into())
    }

    pub(super) fn supervisor_failed(&self) -> Arc<str> {
        self.text("该节点的主管未能给出结果".into(), "the node's supervisor failed to write a result".into())
    }

    pub(super) fn needs(&self, node: &str) -> Arc<str> {
        self.text(format!("所依赖的节点 {node} 没有结果"), format!("node {node}, which it depends on, has no result"))
    }
}
