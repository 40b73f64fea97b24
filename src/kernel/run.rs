//! One execution of a flow, as the fold of its events knows it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use serde_json::Value;

use super::call::{Call, Exchange};
use super::judgement::{Action, Judgement};
use super::plan::Plan;
use super::{
    ActorKind, AgentId, Assignment, CallId, ControlVerb, Done, MessageId, ParticipantId, RunId, StepError, StepId,
    Target, Task, Timestamp,
};

/// Where a run stands: follows from its work and its gates, and is written down where it changes.
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
    /// What for.
    #[serde(default, skip_serializing_if = "Task::is_reply")]
    pub task: Task,
    /// Which turn of this task it is, from 1: a turn that calls tools is followed by another one.
    #[serde(default = "first")]
    pub turn: u32,
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

fn first() -> u32 {
    1
}

impl Item {
    /// The task and who does it.
    pub fn assignment(&self) -> Assignment {
        Assignment::new(&self.agent, self.task)
    }
}

/// An answer that could not be read as what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rejected {
    /// What it was for.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// The answer.
    pub message: MessageId,
    /// What is wrong with it.
    pub reason: Arc<str>,
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
    /// Messages of people and agents in it, but for those that called tools.
    pub messages: u32,
    /// Steps so far.
    #[serde(default)]
    pub steps: u32,
    /// Tasks that are done, in the order in which they were begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<Done>,
    /// Turns that called tools, with the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchanges: Vec<Exchange>,
    /// Answers of the tasks under way that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<Rejected>,
    /// The plan that it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// What was decided last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judgement: Option<Judgement>,
    /// The flow that a router chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Arc<str>>,
    /// What it has found, where that has a shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
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
    /// One that has just begun.
    pub fn new(id: RunId, flow: Arc<str>, input: MessageId, to: Vec<Target>) -> Self {
        Self {
            id,
            flow,
            started_at: Timestamp::default(),
            started_by: None,
            input,
            phase: Phase::Pending,
            round: Round { to, input: Some(input), ..Round::default() },
            rounds: 1,
            step: None,
            items: vec![],
            messages: 0,
            steps: 0,
            done: vec![],
            exchanges: vec![],
            rejected: vec![],
            plan: None,
            judgement: None,
            route: None,
            output: None,
            controls: vec![],
            paused: false,
            error: None,
            answer: None,
        }
    }

    /// The item that ends in `message`.
    pub fn item(&self, message: MessageId) -> Option<&Item> {
        self.items.iter().find(|item| item.message == message)
    }

    /// The call with this id.
    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.exchanges.iter().flat_map(|exchange| &exchange.calls).find(|call| call.id == id)
    }

    /// The exchange that this call is part of.
    pub fn exchange_of(&self, id: CallId) -> Option<&Exchange> {
        self.exchanges.iter().find(|exchange| exchange.calls.iter().any(|call| call.id == id))
    }

    /// Calls that were sent and have no result yet.
    pub fn started(&self) -> impl Iterator<Item = &Call> {
        let calls = self.exchanges.iter().flat_map(|exchange| &exchange.calls);
        calls.filter(|call| call.state == super::call::CallState::Started)
    }

    /// Whether agents are at work, or wait for their tools. In a run that failed nobody reads the results any more.
    pub fn is_busy(&self) -> bool {
        let unread = |exchange: &Exchange| exchange.closed || self.error.is_some() && exchange.is_over();
        !self.items.is_empty() || !self.exchanges.iter().all(unread)
    }

    /// The exchanges of a task that is not done yet, also of a step that was stopped; those of one that was done before and
    /// is done anew are not among them.
    pub fn exchanges_of(&self, assignment: &Assignment) -> impl Iterator<Item = &Exchange> {
        let before = self.done.iter().rev().find(|done| done.assignment == *assignment).map(|done| done.step);
        let assignment = assignment.clone();
        self.exchanges.iter().filter(move |exchange| exchange.assignment == assignment && Some(exchange.step) > before)
    }

    /// The task that was done last, but for the choice of the flow.
    pub fn last_done(&self) -> Option<&Done> {
        self.done.iter().rev().find(|done| done.assignment.task != Task::Route)
    }

    /// The step of the plan that was done last.
    pub fn last_executed(&self) -> Option<u32> {
        self.done.iter().rev().find_map(|done| match done.assignment.task {
            Task::Execute { number, .. } => Some(number),
            _ => None,
        })
    }

    /// What was decided last, for whoever does this step of the plan. Whom and what a step that is done again takes is
    /// nothing for the next one: it comes where the step has been tried as often as it may.
    pub fn guidance(&self, number: u32) -> Option<&Judgement> {
        let about = |judged: &&Judgement| judged.action != Action::Retry || self.last_executed() == Some(number);
        self.judgement.as_ref().filter(about)
    }

    /// Whether this agent has answered in the run.
    pub fn has_replied(&self, agent: &AgentId) -> bool {
        self.done.iter().any(|done| done.assignment.task.is_reply() && done.assignment.agent == *agent)
    }

    /// Whether somebody's interrupt or cancel is on its way: nothing new may start.
    pub fn stopping(&self) -> bool {
        self.controls.iter().any(|control| matches!(control.verb, ControlVerb::Interrupt | ControlVerb::Cancel))
    }
}
