//! One execution of a flow, as the fold of its events knows it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActorKind, AgentId, ControlVerb, MessageId, ParticipantId, RunId, StepError, StepId, Target, Timestamp};

/// Where a run stands. Derived, never set: see [`Run::phase`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Begun, and nothing has started yet.
    #[default]
    Pending,
    /// Agents make a plan.
    Planning,
    /// An open gate blocks it.
    Waiting,
    /// Agents work.
    Executing,
    /// Somebody paused it.
    Paused,
    /// It takes up work that a restart or a lost node left behind.
    Recovering,
    /// It ended well.
    Completed,
    /// It could not go on.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

impl Phase {
    /// Whether the run is over.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A message that an agent is writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// The id of the message that will end it.
    pub message: MessageId,
    /// Its step.
    pub step: StepId,
    /// Who writes.
    pub agent: AgentId,
    /// Counted from 1; a result of an earlier attempt is dropped.
    pub attempt: u32,
    /// Attempts of it that failed.
    pub failures: u32,
    /// When this attempt began.
    pub started_at: Timestamp,
    /// When it is tried again; while set, nothing runs for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// The attempt takes up work that a restart left behind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// What the flow has been asked to do next; set by the run's input, by feedback and by approval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Whom the words are for; empty: the whole flow.
    pub to: Vec<Target>,
    /// People approved: the final answer is due.
    pub approved: bool,
    /// The message that the round works on; absent where a vote without words began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<MessageId>,
    /// Agents whose turn in this round is over.
    pub done: Vec<AgentId>,
    /// Somebody interrupted it: people are asked before it goes on.
    pub interrupted: bool,
    /// The words that came with the interrupt: they are the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<MessageId>,
    /// The last message that an agent completed in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<MessageId>,
}

/// An act on the run that is requested and not yet effective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// The seq of its `control.requested`.
    pub id: u64,
    /// What is to be done.
    pub verb: ControlVerb,
    /// The reason given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
    /// The words that came with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The orchestrator has begun with it.
    pub acknowledged: bool,
}

/// One execution of a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// Its flow.
    pub flow: Arc<str>,
    /// When it began.
    pub started_at: Timestamp,
    /// The participant whose words it works on, and what sort they are: their usage it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<(ParticipantId, ActorKind)>,
    /// The words that it began with.
    pub input: MessageId,
    /// Where it stood after the last event; recorded in `run.state_changed`.
    pub phase: Phase,
    /// What the flow is asked to do now.
    pub round: Round,
    /// Rounds so far.
    pub rounds: u32,
    /// The running step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// The agents of the running step that are not done yet in it, with those who write now.
    pub items: Vec<Item>,
    /// Messages of people and agents in it.
    pub messages: u32,
    /// Acts that are not yet effective.
    pub controls: Vec<Control>,
    /// Somebody paused it.
    pub paused: bool,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
    /// Its final answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<MessageId>,
}

impl Run {
    /// The item that ends in `message`.
    pub fn item(&self, message: MessageId) -> Option<&Item> {
        self.items.iter().find(|item| item.message == message)
    }

    /// Whether somebody's interrupt or cancel is on its way: nothing new may start.
    pub fn stopping(&self) -> bool {
        self.controls.iter().any(|control| matches!(control.verb, ControlVerb::Interrupt | ControlVerb::Cancel))
    }
}
