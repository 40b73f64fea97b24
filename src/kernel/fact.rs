//! Facts: what an event says, by name.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::Permission;
use super::control::ControlVerb;
use super::gate::{Choice, Gate, Outcome};
use super::judgement::Judgement;
use super::plan::{Plan, StepState};
use super::{
    AbortReason, ActorKind, AgentId, CallId, FileId, FinishReason, GateId, LeaveReason, MessageId, Mode, ParticipantId,
    Phase, Relay, Role, RunId, Settings, StepError, StepId, Target, Task, Team, Timestamp, Unresolved,
};

/// What happened, by name. The set is small and closed; clients ignore names and fields that they do not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data")]
#[allow(missing_docs, reason = "each field carries the name that docs/protocol.md explains")]
pub enum Fact {
    /// The session exists; always seq 1.
    #[serde(rename = "session.created")]
    SessionCreated { title: Arc<str>, team: Team, settings: Settings },
    /// Its title or settings changed.
    #[serde(rename = "session.updated")]
    SessionUpdated {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Settings>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<Arc<str>>,
    },
    /// It takes no further commands.
    #[serde(rename = "session.closed")]
    SessionClosed { reason: Arc<str> },
    /// All that was written in it was erased, and it takes no further commands.
    #[serde(rename = "session.redacted")]
    SessionRedacted {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// A person or bot came in.
    #[serde(rename = "participant.joined")]
    ParticipantJoined {
        participant: ParticipantId,
        kind: ActorKind,
        name: Arc<str>,
        role: Role,
        /// The name looks like that of an agent, or of somebody in the session who spells it differently.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lookalike: bool,
    },
    /// A person or bot goes by another name in the session from now on.
    #[serde(rename = "participant.renamed")]
    ParticipantRenamed { participant: ParticipantId, from: Arc<str>, name: Arc<str> },
    /// A person or bot asks to be let in, with this role.
    #[serde(rename = "participant.knocked")]
    ParticipantKnocked { participant: ParticipantId, kind: ActorKind, name: Arc<str>, role: Role },
    /// An owner declined that; who lets them in records `participant.joined`.
    #[serde(rename = "participant.refused")]
    ParticipantRefused { participant: ParticipantId },
    /// A person or bot is no longer in the session.
    #[serde(rename = "participant.left")]
    ParticipantLeft { participant: ParticipantId, reason: LeaveReason },
    /// Somebody's role changed.
    #[serde(rename = "participant.role_changed")]
    ParticipantRoleChanged { participant: ParticipantId, role: Role },
    /// Somebody's name was erased; with `content`, their messages and files as well.
    #[serde(rename = "participant.redacted")]
    ParticipantRedacted {
        participant: ParticipantId,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        content: bool,
    },
    /// A flow began to work on a message.
    #[serde(rename = "run.started")]
    RunStarted { run: RunId, flow: Arc<str>, input: MessageId, to: Vec<Target> },
    /// Where the run stands, derived from its outstanding work and gates.
    #[serde(rename = "run.state_changed")]
    RunStateChanged { run: RunId, from: Phase, to: Phase },
    /// The run ended well; `answer` is its final answer.
    #[serde(rename = "run.finished")]
    RunFinished {
        run: RunId,
        reason: FinishReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<MessageId>,
    },
    /// The run could not go on.
    #[serde(rename = "run.failed")]
    RunFailed { run: RunId, error: StepError },
    /// Somebody ended the run.
    #[serde(rename = "run.cancelled")]
    RunCancelled { run: RunId, reason: Arc<str> },
    /// A person or bot said something.
    #[serde(rename = "message.posted")]
    MessagePosted {
        message: MessageId,
        text: Arc<str>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
        /// Role in which the words were said, in a conversation elsewhere that its sender passes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relays: Option<Relay>,
    },
    /// Whom the message reaches: the receipt of its mentions.
    #[serde(rename = "message.routed")]
    MessageRouted {
        message: MessageId,
        to: Vec<Target>,
        reason: super::mention::RouteReason,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unresolved: Vec<Unresolved>,
        /// How it waits for a busy run; absent: it does not wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting: Option<Mode>,
    },
    /// Its author took it back before it was consumed.
    #[serde(rename = "message.withdrawn")]
    MessageWithdrawn { message: MessageId },
    /// A waiting message went into the run: into `step`, or, without one, as the words that begin a new round.
    #[serde(rename = "message.consumed")]
    MessageConsumed {
        message: MessageId,
        run: RunId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
    },
    /// An agent began to write: the item `message`, attempt 1; or started it again.
    #[serde(rename = "message.started")]
    MessageStarted {
        message: MessageId,
        run: RunId,
        step: StepId,
        agent: AgentId,
        /// What for.
        #[serde(default, skip_serializing_if = "Task::is_reply")]
        task: Task,
        attempt: u32,
        /// The attempt takes up work that a restart or a lost node left behind.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        recovered: bool,
    },
    /// The item is whole; `text` replaces every delta.
    #[serde(rename = "message.completed")]
    MessageCompleted {
        message: MessageId,
        run: RunId,
        step: StepId,
        agent: AgentId,
        attempt: u32,
        text: Arc<str>,
        /// How many tools it calls; as many `tool.proposed` follow.
        #[serde(default, skip_serializing_if = "super::message::is_zero")]
        calls: u32,
        /// Its agent has had as many turns as one task may take: the calls fail, and the task is over with these words.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        out_of_turns: bool,
        /// The model stopped at its token limit: the text is not whole.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    },
    /// The item ended early, with the text so far.
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
    /// The message was erased, with what its author made with it: calls, a plan, a decision, findings.
    #[serde(rename = "message.redacted")]
    MessageRedacted {
        message: MessageId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// A step began, with these agents at work side by side.
    #[serde(rename = "step.started")]
    StepStarted { step: StepId, run: RunId, agents: Vec<AgentId> },
    /// All its agents are done.
    #[serde(rename = "step.completed")]
    StepCompleted { step: StepId, run: RunId },
    /// Somebody stopped it before all its agents were done.
    #[serde(rename = "step.skipped")]
    StepSkipped { step: StepId, run: RunId, reason: AbortReason },
    /// One attempt of the item failed; at `retry_at` it is tried again, without one it was the last.
    #[serde(rename = "step.failed")]
    StepFailed {
        step: StepId,
        run: RunId,
        message: MessageId,
        agent: AgentId,
        attempt: u32,
        error: StepError,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
    },
    /// The session has a file, or a new version of one.
    #[serde(rename = "file.added")]
    FileAdded {
        file: FileId,
        name: Arc<str>,
        /// From 1; one more than there were of this name.
        version: u32,
        /// What the server takes it for.
        media_type: Arc<str>,
        bytes: u64,
        /// BLAKE3 of the content, in hexadecimal.
        digest: Arc<str>,
        /// The agent that made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentId>,
        /// The call that made it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
    },
    /// Somebody took a file out of the list; `restore_file` brings any version of it back.
    #[serde(rename = "file.removed")]
    FileRemoved {
        /// Its newest version.
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
    /// An agent wants to call a tool.
    #[serde(rename = "tool.proposed")]
    ToolProposed {
        call: CallId,
        run: RunId,
        step: StepId,
        /// The message that it came with; absent where a step of the plan is the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        agent: AgentId,
        #[serde(default, skip_serializing_if = "Task::is_reply")]
        task: Task,
        name: Arc<str>,
        /// As its author wrote them: JSON, if it did well.
        arguments: Arc<str>,
    },
    /// What the rules say about the call.
    #[serde(rename = "tool.judged")]
    ToolJudged { call: CallId, run: RunId, permission: Permission, idempotent: bool },
    /// The call was sent, with these arguments and no others.
    #[serde(rename = "tool.started")]
    ToolStarted { call: CallId, run: RunId, attempt: u32, rev: u32, digest: Arc<str> },
    /// The call has a result.
    #[serde(rename = "tool.completed")]
    ToolCompleted {
        call: CallId,
        run: RunId,
        attempt: u32,
        output: Arc<str>,
        /// The files that it made; each is in the log already.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// The call has none, and never will.
    #[serde(rename = "tool.failed")]
    ToolFailed { call: CallId, run: RunId, attempt: u32, error: StepError },
    /// The call was sent, and its result was lost.
    #[serde(rename = "tool.uncertain")]
    ToolUncertain { call: CallId, run: RunId, attempt: u32 },
    /// An agent made a plan, or a new one.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        run: RunId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        plan: Plan,
    },
    /// The plan is another one now: a new revision.
    #[serde(rename = "plan.edited")]
    PlanEdited { run: RunId, plan: Plan },
    /// A step of the plan has come further.
    #[serde(rename = "plan.step_changed")]
    PlanStepChanged {
        run: RunId,
        /// From 1.
        number: u32,
        state: StepState,
        #[serde(default, skip_serializing_if = "str::is_empty")]
        note: Arc<str>,
    },
    /// An agent decided how the run goes on.
    #[serde(rename = "decision.made")]
    DecisionMade { run: RunId, message: MessageId, agent: AgentId, decision: Judgement },
    /// The run has found something that has a shape.
    #[serde(rename = "output.produced")]
    OutputProduced { run: RunId, message: MessageId, output: serde_json::Value },
    /// An answer is not what was asked for.
    #[serde(rename = "output.rejected")]
    OutputRejected {
        run: RunId,
        message: MessageId,
        reason: Arc<str>,
        /// The agent is asked again; else the flow goes on with what it has for this case.
        again: bool,
    },
    /// The run waits for people.
    #[serde(rename = "gate.opened")]
    GateOpened { gate: Gate },
    /// Somebody voted; a later vote of theirs replaces it.
    #[serde(rename = "gate.voted")]
    GateVoted {
        gate: GateId,
        rev: u32,
        choice: Choice,
        /// The role that the vote counts as.
        role: Role,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<Arc<str>>,
        /// The message that holds the voter's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// Somebody changed what is decided on: earlier votes are void.
    #[serde(rename = "gate.revised")]
    GateRevised {
        gate: GateId,
        rev: u32,
        digest: Arc<str>,
        /// The arguments of the call, as they are now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<Arc<str>>,
        /// The plan, as it is now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<Plan>,
        /// When it expires from now on; absent: as before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline: Option<Timestamp>,
    },
    /// The outcome cannot change any more. `message` holds the words that decided it.
    #[serde(rename = "gate.decided")]
    GateDecided {
        gate: GateId,
        rev: u32,
        outcome: Outcome,
        votes: Vec<super::gate::Vote>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Whom the feedback sends back to work.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Target>,
    },
    /// Its time ran out before a decision.
    #[serde(rename = "gate.expired")]
    GateExpired { gate: GateId },
    /// The run ended around it.
    #[serde(rename = "gate.closed")]
    GateClosed { gate: GateId },
    /// Somebody acts on the run; `control` names this act in the two later phases.
    #[serde(rename = "control.requested")]
    ControlRequested {
        control: u64,
        run: RunId,
        verb: ControlVerb,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
        /// The words that came with an interrupt; the run goes on with them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// The orchestrator has begun to carry it out.
    #[serde(rename = "control.acknowledged")]
    ControlAcknowledged { control: u64, run: RunId, verb: ControlVerb },
    /// It is done: nothing that it was to stop still runs.
    #[serde(rename = "control.effective")]
    ControlEffective { control: u64, run: RunId, verb: ControlVerb },
    /// What one turn cost.
    #[serde(rename = "usage.recorded")]
    UsageRecorded {
        message: MessageId,
        run: RunId,
        agent: AgentId,
        /// The person or bot whose words the run works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        participant: Option<ParticipantId>,
        model: Arc<str>,
        input_tokens: u64,
        output_tokens: u64,
        /// Whether the figures are the server's own estimate, because the provider gave none.
        estimated: bool,
        /// Millionths of the currency that the prices are configured in; 0 where no price is.
        cost_micros: u64,
    },
}
