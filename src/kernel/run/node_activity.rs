//! Events of monitored nodes, for the supervisors that report on these nodes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::plan::planner_decision::{PlannerAction, PlannerDecision};
use crate::{AgentId, AttemptError, CallId, truncate_shared};

/// Event of a monitored node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeEvent {
    /// An agent proposed a call. The run contains the call with its outcome.
    Call(CallId),
    /// A supervisor decided about the node or its agents.
    Decision {
        /// Supervisor that decided.
        by: AgentId,
        /// The decision.
        action: PlannerAction,
        /// Agents that get the task.
        agents: Vec<AgentId>,
        /// Reason for the decision. Truncated to [`NodeEvents::MAX_TEXT_BYTES`].
        reason: Arc<str>,
        /// True if the supervisor's output could not be read, so that the fallback was used.
        fallback: bool,
    },
    /// An attempt at a turn failed.
    Failure {
        /// Agent of the turn.
        agent: AgentId,
        /// Ordinal of the attempt, from 1.
        attempt: u32,
        /// Code of the error.
        code: Arc<str>,
        /// Explanation of the error. Truncated to [`NodeEvents::MAX_TEXT_BYTES`].
        message: Arc<str>,
        /// True if another attempt at the same turn follows.
        is_retried: bool,
    },
    /// An agent of the node completed its task, or failed for good. The run contains the result.
    Result(AgentId),
}

impl NodeEvent {
    /// Creates the event for a decision.
    pub fn decision(by: &AgentId, agents: Vec<AgentId>, decision: &PlannerDecision) -> Self {
        let reason = truncate_shared(&decision.reason, NodeEvents::MAX_TEXT_BYTES);
        Self::Decision { by: by.clone(), action: decision.action, agents, reason, fallback: decision.fallback }
    }

    /// Creates the event for a failed attempt.
    pub fn failure(agent: &AgentId, attempt: u32, error: &AttemptError, is_retried: bool) -> Self {
        let message = truncate_shared(&error.message, NodeEvents::MAX_TEXT_BYTES);
        Self::Failure { agent: agent.clone(), attempt, code: error.code.clone(), message, is_retried }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Call(_) | Self::Result(_) => 0,
            Self::Decision { reason, agents, .. } => {
                reason.len() + agents.iter().map(|agent| agent.as_str().len()).sum::<usize>()
            }
            Self::Failure { code, message, .. } => code.len() + message.len(),
        }
    }
}

/// The newest events of a node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeEvents {
    /// Events in the order of the log.
    events: VecDeque<NodeEvent>,
    /// Number of older events that were removed.
    removed: u64,
}

impl NodeEvents {
    /// Maximum number of bytes in a reason or an explanation. Longer ones keep their start and end; the line with the
    /// number of omitted bytes is not counted.
    pub const MAX_TEXT_BYTES: usize = 1024;
    /// Maximum number of bytes of all events, each counted with [`Self::ENTRY_BYTES`]. Beyond it, the oldest are
    /// removed.
    pub const MAX_BYTES: usize = 32 * 1024;
    /// Bytes counted for each event in addition to its text, so that the number of short ones is bounded.
    const ENTRY_BYTES: usize = 128;

    /// Returns the events in the order of the log.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &NodeEvent> {
        self.events.iter()
    }

    /// Returns the number of older events that were removed.
    pub fn removed(&self) -> u64 {
        self.removed
    }

    fn add(&mut self, event: NodeEvent) {
        self.events.push_back(event);
        let counted = |event: &NodeEvent| event.bytes() + Self::ENTRY_BYTES;
        let mut bytes: usize = self.events.iter().map(counted).sum();
        while bytes > Self::MAX_BYTES {
            bytes -= self.events.pop_front().as_ref().map_or(bytes, counted);
            self.removed += 1;
        }
    }
}

/// Events of all monitored nodes of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodeActivity {
    /// Events, keyed by node id. Shared, because every decision of the kernel copies the state.
    nodes: BTreeMap<Arc<str>, Arc<NodeEvents>>,
}

impl NodeActivity {
    /// Returns the events of a node. `None` if it has none, or is not monitored.
    pub fn of(&self, node: &str) -> Option<&NodeEvents> {
        self.nodes.get(node).map(|events| &**events)
    }

    /// Adds an event of a node.
    pub fn add(&mut self, node: &Arc<str>, event: NodeEvent) {
        Arc::make_mut(self.nodes.entry(node.clone()).or_default()).add(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_the_oldest_of_many_events_are_removed() {
        let (node, agent): (Arc<str>, AgentId) = ("db".into(), "db/locks".parse().expect("an id"));
        let mut activity = NodeActivity::default();
        let error = |text: String| AttemptError { code: "e".into(), message: text.into() };
        activity.add(&node, NodeEvent::Call(CallId(1)));
        activity.add(&node, NodeEvent::failure(&agent, 1, &error("长".repeat(10_000)), true));
        let events = activity.of("db").expect("events");
        let Some(NodeEvent::Failure { message, .. }) = events.events().last() else { panic!("{events:?}") };
        assert!(message.len() < NodeEvents::MAX_TEXT_BYTES + 64 && message.contains("bytes left out"), "{message}");
        assert_eq!(events.removed(), 0);
        for number in 2..1_000 {
            activity.add(&node, NodeEvent::failure(&agent, number, &error("x".repeat(900)), true));
        }
        let events = activity.of("db").expect("events");
        let bytes: usize = events.events().map(NodeEvent::bytes).sum();
        let number = events.events().count() as u64;
        assert!(bytes <= NodeEvents::MAX_BYTES && number > 20, "{bytes} bytes in {number} events");
        assert_eq!(events.removed() + number, 1_000);
        assert!(!events.events().any(|event| *event == NodeEvent::Call(CallId(1))), "the oldest is removed");
        (2..10_000).for_each(|call| activity.add(&node, NodeEvent::Call(CallId(call))));
        assert!(activity.of("db").expect("events").events().count() <= 256);
        assert_eq!(activity.of("web"), None);
    }
}
