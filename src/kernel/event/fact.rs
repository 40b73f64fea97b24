//! Facts: the named content of events.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::call::Permission;
use crate::kernel::gate::{Choice, Gate, Outcome};
use crate::kernel::plan::planner_decision::PlannerDecision;
use crate::kernel::plan::{Plan, PlanItemState};
use crate::kernel::run::control::ControlVerb;
use crate::kernel::{
    AbortReason, ActorKind, AgentId, AttemptError, CallId, FileId, FinishReason, GateId, LeaveReason, MessageId, Mode,
    ParticipantId, Phase, RelayRole, Role, RunId, Settings, StepId, Target, Task, Team, Timestamp, UnresolvedMention,
};

/// Content of an event, by name. The set is small and closed; clients ignore names and fields that they do not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data")]
#[allow(missing_docs, reason = "each field carries the name that docs/protocol.md explains")]
pub enum Fact {
    /// The session was created, with its whole team and settings. Always seq 1.
    #[serde(rename = "session.created")]
    SessionCreated { title: Arc<str>, team: Team, settings: Settings },
    /// The title or the settings changed; `settings` is complete, `changed` names the settings that differ from before.
    #[serde(rename = "session.updated")]
    SessionUpdated {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Settings>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<Arc<str>>,
    },
    /// The session was closed and accepts no further commands.
    #[serde(rename = "session.closed")]
    SessionClosed { reason: Arc<str> },
    /// All content of the session was erased. It accepts no further commands.
    #[serde(rename = "session.redacted")]
    SessionRedacted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// A person or bot joined the session with this role.
    #[serde(rename = "participant.joined")]
    ParticipantJoined {
        participant: ParticipantId,
        kind: ActorKind,
        name: Arc<str>,
        role: Role,
        /// True if the name resembles an agent's, or a differently spelled name of another participant.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lookalike: bool,
    },
    /// A person or bot changed their name from `from` to `name`.
    #[serde(rename = "participant.renamed")]
    ParticipantRenamed { participant: ParticipantId, from: Arc<str>, name: Arc<str> },
    /// A person or bot asks to join with this role.
    #[serde(rename = "participant.knocked")]
    ParticipantKnocked { participant: ParticipantId, kind: ActorKind, name: Arc<str>, role: Role },
    /// An owner refused a request to join. Admitting one records `participant.joined` instead.
    #[serde(rename = "participant.refused")]
    ParticipantRefused { participant: ParticipantId },
    /// A person or bot left the session or was removed.
    #[serde(rename = "participant.left")]
    ParticipantLeft { participant: ParticipantId, reason: LeaveReason },
    /// The role of a participant changed to `role`.
    #[serde(rename = "participant.role_changed")]
    ParticipantRoleChanged { participant: ParticipantId, role: Role },
    /// The name of a participant was erased; with `content`, also their messages and files.
    #[serde(rename = "participant.redacted")]
    ParticipantRedacted {
        participant: ParticipantId,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        content: bool,
    },
    /// A flow began to work on the message `input`, which is addressed to `to`.
    #[serde(rename = "run.started")]
    RunStarted { run: RunId, flow: Arc<str>, input: MessageId, to: Vec<Target> },
    /// The phase of the run changed. It is derived from the outstanding work and the gates.
    #[serde(rename = "run.state_changed")]
    RunStateChanged { run: RunId, from: Phase, to: Phase },
    /// The run ended successfully; `final_message` is the message with its result.
    #[serde(rename = "run.finished")]
    RunFinished {
        run: RunId,
        reason: FinishReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        final_message: Option<MessageId>,
    },
    /// The run failed with this error.
    #[serde(rename = "run.failed")]
    RunFailed { run: RunId, error: AttemptError },
    /// A participant ended the run.
    #[serde(rename = "run.cancelled")]
    RunCancelled { run: RunId, reason: Arc<str> },
    /// A person or bot posted a message, with the ids of its files.
    #[serde(rename = "message.posted")]
    MessagePosted {
        message: MessageId,
        text: Arc<str>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
        /// Role in which the text was said elsewhere, if the sender relays it. Example: `assistant`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relays: Option<RelayRole>,
    },
    /// Recipients of a message; the receipt of its mentions.
    #[serde(rename = "message.routed")]
    MessageRouted {
        message: MessageId,
        to: Vec<Target>,
        reason: crate::kernel::message::mention::RouteReason,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unresolved: Vec<UnresolvedMention>,
        /// Delivery mode of a message that waits for a busy run. Absent if it does not wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting: Option<Mode>,
    },
    /// The author withdrew the message before it was consumed.
    #[serde(rename = "message.withdrawn")]
    MessageWithdrawn { message: MessageId },
    /// A waiting message entered the run: the step `step`, or, without a step, as the input of a new round.
    #[serde(rename = "message.consumed")]
    MessageConsumed {
        message: MessageId,
        run: RunId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
    },
    /// An agent began to write the item `message` (attempt 1), or began it again with a higher attempt.
    #[serde(rename = "message.started")]
    MessageStarted {
        message: MessageId,
        run: RunId,
        step: StepId,
        agent: AgentId,
        /// Purpose of the turn. Default: a reply.
        #[serde(default, skip_serializing_if = "Task::is_reply")]
        task: Task,
        attempt: u32,
        /// True if the attempt continues work after a restart or the loss of a node.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        recovered: bool,
    },
    /// The item is complete; `text` replaces all of its deltas.
    #[serde(rename = "message.completed")]
    MessageCompleted {
        message: MessageId,
        run: RunId,
        step: StepId,
        agent: AgentId,
        attempt: u32,
        text: Arc<str>,
        /// Number of tool calls in the message; as many `tool.proposed` follow. Default 0.
        #[serde(default, skip_serializing_if = "crate::kernel::message::is_zero")]
        calls: u32,
        /// True if the agent used all turns of its task: the calls fail, and the task ends with this text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        out_of_turns: bool,
        /// True if the model stopped at its token limit, so the text is incomplete.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    },
    /// The item ended early; `text` is what had been written by then.
    #[serde(rename = "message.aborted")]
    MessageAborted {
        message: MessageId,
        run: RunId,
        step: StepId,
        agent: AgentId,
        attempt: u32,
        text: Arc<str>,
        reason: AbortReason,
    },
    /// A message was erased, with everything its author made with it: calls, a plan, a decision, findings.
    #[serde(rename = "message.redacted")]
    MessageRedacted {
        message: MessageId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// A step began; these agents work in it in parallel.
    #[serde(rename = "step.started")]
    StepStarted { step: StepId, run: RunId, agents: Vec<AgentId> },
    /// All agents of the step are done.
    #[serde(rename = "step.completed")]
    StepCompleted { step: StepId, run: RunId },
    /// The step was stopped before all of its agents were done.
    #[serde(rename = "step.skipped")]
    StepSkipped { step: StepId, run: RunId, reason: AbortReason },
    /// One attempt of the item failed. The next one starts at `retry_at`; without it, this was the last one.
    #[serde(rename = "attempt.failed")]
    AttemptFailed {
        step: StepId,
        run: RunId,
        message: MessageId,
        agent: AgentId,
        attempt: u32,
        error: AttemptError,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
    },
    /// A file, or a new version of one, was added to the session.
    #[serde(rename = "file.added")]
    FileAdded {
        file: FileId,
        name: Arc<str>,
        /// Version of this name, from 1, without gaps.
        version: u32,
        /// Media type that the server detected. Example: `text/markdown`.
        media_type: Arc<str>,
        bytes: u64,
        /// BLAKE3 hash of the content, in hexadecimal.
        digest: Arc<str>,
        /// Agent that made the file. Absent if a participant added it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentId>,
        /// Tool call that made the file. Absent if a participant added it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
    },
    /// A participant removed a file from the list; `restore_file` restores any version of it.
    #[serde(rename = "file.removed")]
    FileRemoved {
        /// Newest version of the file.
        file: FileId,
        name: Arc<str>,
    },
    /// The content of one version of a file was erased.
    #[serde(rename = "file.redacted")]
    FileRedacted {
        file: FileId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// An agent proposes a tool call.
    #[serde(rename = "tool.proposed")]
    ToolProposed {
        call: CallId,
        run: RunId,
        step: StepId,
        /// Message that contains the call. Absent if the call is an item of the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        agent: AgentId,
        #[serde(default, skip_serializing_if = "Task::is_reply")]
        task: Task,
        name: Arc<str>,
        /// Arguments as the model wrote them. Not necessarily valid JSON.
        arguments: Arc<str>,
    },
    /// The rules decided whether the call is allowed, needs approval, or is denied.
    #[serde(rename = "tool.judged")]
    ToolJudged { call: CallId, run: RunId, permission: Permission, idempotent: bool },
    /// The call was sent, with exactly the arguments of revision `rev`; `digest` is their BLAKE3 hash.
    #[serde(rename = "tool.started")]
    ToolStarted { call: CallId, run: RunId, attempt: u32, rev: u32, digest: Arc<str> },
    /// The call has a result.
    #[serde(rename = "tool.completed")]
    ToolCompleted {
        call: CallId,
        run: RunId,
        attempt: u32,
        output: Arc<str>,
        /// Files that the call made. The log contains their `file.added` already.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// The call failed and will never have a result.
    #[serde(rename = "tool.failed")]
    ToolFailed { call: CallId, run: RunId, attempt: u32, error: AttemptError },
    /// The call was sent and its result was lost, for example in a crash.
    #[serde(rename = "tool.uncertain")]
    ToolUncertain { call: CallId, run: RunId, attempt: u32 },
    /// An agent made a plan, or a new version of it.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        run: RunId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        plan: Plan,
    },
    /// The plan was edited: it has a new revision.
    #[serde(rename = "plan.edited")]
    PlanEdited { run: RunId, plan: Plan },
    /// The state of a plan item changed.
    #[serde(rename = "plan.item_changed")]
    PlanItemChanged {
        run: RunId,
        /// Number of the item in the plan, from 1.
        number: u32,
        state: PlanItemState,
        #[serde(default, skip_serializing_if = "str::is_empty")]
        note: Arc<str>,
    },
    /// An agent decided how the run continues.
    #[serde(rename = "decision.made")]
    DecisionMade { run: RunId, message: MessageId, agent: AgentId, decision: PlannerDecision },
    /// The run produced structured output.
    #[serde(rename = "output.produced")]
    OutputProduced { run: RunId, message: MessageId, output: serde_json::Value },
    /// A model's output does not have the requested structure.
    #[serde(rename = "output.rejected")]
    OutputRejected {
        run: RunId,
        message: MessageId,
        reason: Arc<str>,
        /// True if the agent is asked again. If false, the flow continues with its fallback.
        again: bool,
    },
    /// The run waits for people.
    #[serde(rename = "gate.opened")]
    GateOpened { gate: Gate },
    /// A participant voted; their later vote replaces this one.
    #[serde(rename = "gate.voted")]
    GateVoted {
        gate: GateId,
        rev: u32,
        choice: Choice,
        /// Role with which the vote counts. Example: `member`.
        role: Role,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<Arc<str>>,
        /// Message that contains the voter's text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// The subject of a gate was edited: earlier votes are void.
    #[serde(rename = "gate.revised")]
    GateRevised {
        gate: GateId,
        rev: u32,
        digest: Arc<str>,
        /// Arguments of the call after the edit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Arc<str>>,
        /// Plan after the edit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<Plan>,
        /// New expiry time of the gate. Absent if it did not change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline: Option<Timestamp>,
    },
    /// The outcome of a gate is final. `message` is the text that decided it, if there is one.
    #[serde(rename = "gate.decided")]
    GateDecided {
        gate: GateId,
        rev: u32,
        outcome: Outcome,
        votes: Vec<crate::kernel::gate::Vote>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Agents that continue with the feedback. Empty: the flow decides.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Target>,
    },
    /// The time of a gate ran out before a decision.
    #[serde(rename = "gate.expired")]
    GateExpired { gate: GateId },
    /// A gate was closed without a decision, because nothing waits for it any more.
    #[serde(rename = "gate.closed")]
    GateClosed { gate: GateId },
    /// A participant controls the run; `control` identifies this request in the two later phases.
    #[serde(rename = "control.requested")]
    ControlRequested {
        control: u64,
        run: RunId,
        verb: ControlVerb,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
        /// Message that came with an interrupt; the run continues with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// The orchestrator has begun to execute the control.
    #[serde(rename = "control.acknowledged")]
    ControlAcknowledged { control: u64, run: RunId, verb: ControlVerb },
    /// The control is complete: nothing that it was to stop is still running.
    #[serde(rename = "control.effective")]
    ControlEffective { control: u64, run: RunId, verb: ControlVerb },
    /// Tokens and cost of one attempt of a turn.
    #[serde(rename = "usage.recorded")]
    UsageRecorded {
        message: MessageId,
        run: RunId,
        agent: AgentId,
        /// Participant whose message the run works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        participant: Option<ParticipantId>,
        model: Arc<str>,
        input_tokens: u64,
        output_tokens: u64,
        /// True if the server estimated the numbers, because the provider reported none.
        estimated: bool,
        /// Cost in millionths of the configured currency; 0 without a configured price. Example: 1500.
        cost_micros: u64,
    },
}
