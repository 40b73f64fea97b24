//! Runs: passes of a team through its flow, as the fold of their events.

pub(super) mod control;
pub(super) mod due;
pub(super) mod lost_requests;
pub(super) mod node_activity;
mod output_repair;
pub mod output_shape;
pub(super) mod reason;
pub(super) mod recover;
pub(super) mod step;
pub(super) mod task;
pub(super) mod turn;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use serde_json::Value;

use super::call::{Call, ToolRound};
use super::plan::Plan;
use super::plan::planner_decision::{PlannerAction, PlannerDecision};
use super::schema::violation::SchemaViolation;
use super::{
    ActorKind, AgentId, Assignment, AttemptError, CallId, ControlVerb, MessageId, MessageRequest, ParticipantId, RunId,
    StepId, Target, Task, TaskResult, Timestamp, TurnBound,
};

/// Phase of a run. It follows from the run's work and gates, and is recorded when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The run has started, and nothing is in progress.
    #[default]
    Pending,
    /// Agents make a plan.
    Planning,
    /// The run waits for people at a gate.
    Waiting,
    /// Agents work.
    Executing,
    /// A participant paused the run.
    Paused,
    /// Work continues after a restart or the loss of a node.
    Recovering,
    /// The run ended successfully.
    Completed,
    /// The run failed.
    Failed,
    /// A participant ended the run.
    Cancelled,
}

impl Phase {
    /// Returns whether the run has ended.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A message that an agent is writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningMessage {
    /// Id of the message. Example: `m_42`.
    pub message: MessageId,
    /// Step of the message.
    pub step: StepId,
    /// Agent that writes the message.
    pub agent: AgentId,
    /// Purpose of the turn. Default: a reply.
    #[serde(default, skip_serializing_if = "Task::is_reply")]
    pub task: Task,
    /// Ordinal of the turn in its task, from 1. A turn that calls tools is followed by another one.
    #[serde(default = "first")]
    pub turn: u32,
    /// Current attempt, from 1. Results of earlier attempts are discarded.
    pub attempt: u32,
    /// Number of failed attempts.
    pub failures: u32,
    /// Time at which the current attempt started.
    pub started_at: Timestamp,
    /// Upper bound on the usage of the current attempt. Absent without a budget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<TurnBound>,
    /// Time of the next attempt. While it is set, nothing is running for the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Reason why a quota of the server holds the next attempt. Absent if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Arc<str>>,
    /// True if the attempt continues work after a restart.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

fn first() -> u32 {
    1
}

impl RunningMessage {
    /// Returns the task of the message with its agent.
    pub fn assignment(&self) -> Assignment {
        Assignment::new(&self.agent, self.task)
    }
}

/// Decision of a supervisor about its agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Delegation {
    /// Supervisor that decided.
    pub by: AgentId,
    /// The decision.
    pub decision: PlannerDecision,
    /// Number of tasks of the supervisor's agents that had ended by then. The decision is open until another of their
    /// tasks ends.
    #[serde(default)]
    pub ended: u32,
}

/// Model output that does not have the required structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectedOutput {
    /// Agent and task of the output.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// Message that contains the output.
    pub message: MessageId,
    /// Error in the output, for its author.
    pub reason: Arc<str>,
    /// Violations of the caller's schema, at most 20. Empty for other structures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<SchemaViolation>,
}

/// Part of a run that handles one request. The input of the run, feedback, or an approval starts a round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Recipients of the round's message. Empty: the whole flow.
    pub to: Vec<Target>,
    /// True if people approved, so that the final output is due.
    pub approved: bool,
    /// Message that the round works on. Absent if a vote without a comment started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<MessageId>,
    /// Agents whose turn in this round is over.
    pub done_agents: Vec<AgentId>,
    /// True if a participant interrupted the round, so that people are asked before it continues.
    pub interrupted: bool,
    /// Message that came with the interrupt. It takes the place of the people's answer. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupt_message: Option<MessageId>,
    /// Last message that an agent completed in the round. Absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<MessageId>,
}

/// A control of the run that was requested and is not effective yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Control {
    /// Seq of the `control.requested` event.
    pub id: u64,
    /// Kind of control.
    pub verb: ControlVerb,
    /// Reason that the participant gave. Absent if they gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
    /// Message that came with an interrupt. Absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// True if the orchestrator has started executing it.
    pub acknowledged: bool,
}

/// One pass of a team through its flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Id of the run. Example: `r_12`.
    pub id: RunId,
    /// Flow of the run. Example: `review`.
    pub flow: Arc<str>,
    /// Time at which the run started.
    pub started_at: Timestamp,
    /// Participant whose message the run works on, with their kind. The usage of the run counts as theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<(ParticipantId, ActorKind)>,
    /// Participants who started the run, or whose messages reached its agents outside of gates. Where duties are
    /// separated, they cannot approve anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directed_by: Vec<ParticipantId>,
    /// Message that the run started with.
    pub input: MessageId,
    /// Data that a program sent with the message that started the run. Absent if there is none or it was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<MessageRequest>>,
    /// Phase after the last event.
    pub phase: Phase,
    /// Current round.
    pub round: Round,
    /// Number of rounds so far, including the current one.
    pub rounds: u32,
    /// Running step. Absent between steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepId>,
    /// Messages that the agents of the running step are writing, including those that wait for a retry.
    pub running: Vec<RunningMessage>,
    /// Number of messages of people and agents in the run, or in the round if the flow works in rounds. Messages that
    /// called tools do not count.
    pub messages: u32,
    /// Number of steps so far, in the run or in the round.
    #[serde(default)]
    pub steps: u32,
    /// Results of completed tasks, in the order in which the tasks were started. A run of the `structure` flow also has
    /// those of the run before it, if that run had supervisors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_results: Vec<TaskResult>,
    /// Run whose results a run of the `structure` flow works on. Absent for other flows. Example: `r_12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_of: Option<RunId>,
    /// Turns that called tools, with the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_rounds: Vec<ToolRound>,
    /// Outputs of the current tasks that could not be read. The last one stays if the run fails because of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected_outputs: Vec<RejectedOutput>,
    /// Plan that the run follows. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Last decision of an agent. Absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<PlannerDecision>,
    /// Last decision of each supervisor about its agents. Empty without supervisors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delegations: Vec<Delegation>,
    /// Flow that a router chose. Absent without a router.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Arc<str>>,
    /// Structured result. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Controls that are not effective yet.
    pub controls: Vec<Control>,
    /// True if a participant paused the run.
    pub paused: bool,
    /// Error that ended the run, or that will end it. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptError>,
    /// Time at which the run fails if it is not over. Absent without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Message with the result. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_message: Option<MessageId>,
}

impl Run {
    /// Creates a run that has just started.
    pub fn new(id: RunId, flow: Arc<str>, input: MessageId, to: Vec<Target>) -> Self {
        Self {
            id,
            flow,
            started_at: Timestamp::default(),
            started_by: None,
            directed_by: vec![],
            input,
            request: None,
            phase: Phase::Pending,
            round: Round { to, input: Some(input), ..Round::default() },
            rounds: 1,
            step: None,
            running: vec![],
            messages: 0,
            steps: 0,
            task_results: vec![],
            results_of: None,
            tool_rounds: vec![],
            rejected_outputs: vec![],
            plan: None,
            decision: None,
            delegations: vec![],
            route: None,
            output: None,
            controls: vec![],
            paused: false,
            error: None,
            deadline: None,
            final_message: None,
        }
    }

    /// Returns whether an agent has written a result of its work.
    pub fn has_results(&self) -> bool {
        self.task_results.iter().any(|done| {
            let is_work = match done.assignment.task {
                Task::Execute { .. } | Task::Summarize => true,
                Task::Reply | Task::Report { .. } | Task::Route | Task::Plan | Task::Decide | Task::Structure => false,
            };
            is_work && done.failure.is_none()
        })
    }

    /// Returns the running message with this id.
    pub fn running_message(&self, message: MessageId) -> Option<&RunningMessage> {
        self.running.iter().find(|running| running.message == message)
    }

    /// Returns the call with this id.
    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.tool_rounds.iter().flat_map(|round| &round.calls).find(|call| call.id == id)
    }

    /// Returns the turn that made this call.
    pub fn tool_round_of(&self, id: CallId) -> Option<&ToolRound> {
        self.tool_rounds.iter().find(|round| round.calls.iter().any(|call| call.id == id))
    }

    /// Returns the calls that were sent and have no result yet.
    pub fn started(&self) -> impl Iterator<Item = &Call> {
        let calls = self.tool_rounds.iter().flat_map(|round| &round.calls);
        calls.filter(|call| call.state == crate::call::CallState::Started)
    }

    /// Returns whether agents work or wait for calls. After the run has failed, results are not awaited, because nobody
    /// would read them.
    pub fn is_busy(&self) -> bool {
        let unread = |round: &ToolRound| round.closed || self.error.is_some() && round.is_over();
        !self.running.is_empty() || !self.tool_rounds.iter().all(unread)
    }

    /// Returns the turns with calls of a task that is in progress, including those of a step that was stopped. Turns of
    /// an earlier, completed execution of the same task are left out.
    pub fn tool_rounds_of(&self, assignment: &Assignment) -> impl Iterator<Item = &ToolRound> {
        let (ended, assignment) = (self.last_end(assignment), assignment.clone());
        self.tool_rounds.iter().filter(move |round| round.assignment == assignment && round.seq() > ended)
    }

    /// Returns the position in the log of the last execution of a task that has ended: the seq at which its last
    /// message or, without one, its step began. Returns `None` if no execution has ended. One step can contain several
    /// executions.
    pub fn last_end(&self, assignment: &Assignment) -> Option<u64> {
        let last = self.task_results.iter().rev().find(|done| done.assignment == *assignment);
        last.map(|done| done.message.map_or(done.step.0, |message| message.0))
    }

    /// Returns the last completed task, except the choice of a flow and structured output, which are not part of the
    /// flow's work.
    pub fn last_done(&self) -> Option<&TaskResult> {
        let of_flow = |done: &&TaskResult| !matches!(done.assignment.task, Task::Route | Task::Structure);
        self.task_results.iter().rev().find(of_flow)
    }

    /// Returns the number of the plan item that was executed last.
    pub fn last_executed(&self) -> Option<u32> {
        self.task_results.iter().rev().find_map(|done| Some(done.assignment.task.executed()?.0))
    }

    /// Returns the last decision, if it concerns this item of the plan. The agent and the instruction of a `retry` do
    /// not apply to the next item, which follows if the item can no longer be retried.
    pub fn guidance(&self, number: u32) -> Option<&PlannerDecision> {
        let about = |decision: &&PlannerDecision| {
            decision.action != PlannerAction::Retry || self.last_executed() == Some(number)
        };
        self.decision.as_ref().filter(about)
    }

    /// Returns whether this agent has replied in the run.
    pub fn has_replied(&self, agent: &AgentId) -> bool {
        self.task_results.iter().any(|done| done.assignment.task.is_reply() && done.assignment.agent == *agent)
    }

    /// Returns whether an interrupt or a cancel is in progress, so that nothing new starts.
    pub fn stopping(&self) -> bool {
        self.controls.iter().any(|control| control.verb.stops_work())
    }
}
