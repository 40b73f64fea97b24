//! Facts: the named content of events.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::call::{CallSourceKind, CallSources, Permission, Risk, StandingPermission, StandingTerms, unknown_risk};
use crate::gate::{Choice, CommandFailure, CommentPlace, Escalation, Gate, Outcome, Quorum, VoteDelegate};
use crate::plan::planner_decision::PlannerDecision;
use crate::plan::{Plan, PlanItemState};
use crate::run::control::ControlVerb;
use crate::schema::violation::SchemaViolation;
use crate::{
    AbortReason, ActorKind, AgentId, AttemptError, Budget, CallId, FileId, FinishReason, GateId, LeaveReason,
    MessageId, MessageRequest, Mode, ParticipantId, PermissionId, Phase, RelayRole, Role, RunId, Settings, StepId,
    Target, Task, Team, Timestamp, UnresolvedMention,
};

/// Content of an event, by name. The set is small and closed; clients ignore names and fields that they do not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", content = "data")]
pub enum Fact {
    /// The session was created, with its whole team and settings. Always seq 1.
    #[serde(rename = "session.created")]
    SessionCreated {
        /// Title of the session.
        title: Arc<str>,
        /// Team of the session, with all of its agents.
        team: Team,
        /// Settings of the session.
        settings: Settings,
    },
    /// The title or the settings changed; `settings` contains all settings, and `changed` names those that differ from
    /// before.
    #[serde(rename = "session.updated")]
    SessionUpdated {
        /// New title. Absent if it did not change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Arc<str>>,
        /// All settings after the change. Absent if none changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        settings: Option<Settings>,
        /// Names of the settings that changed. Example: `["max_parallel"]`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<Arc<str>>,
    },
    /// The session was closed and accepts no further commands.
    #[serde(rename = "session.closed")]
    SessionClosed {
        /// Reason that the participant gave. Can be empty. Example: `all cases are written`.
        reason: Arc<str>,
    },
    /// All content of the session was erased. It accepts no further commands.
    #[serde(rename = "session.redacted")]
    SessionRedacted {
        /// Reason that the participant gave. Absent if they gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// A person or bot joined the session with this role.
    #[serde(rename = "participant.joined")]
    ParticipantJoined {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
        /// Kind of participant: `user` or `bot`.
        kind: ActorKind,
        /// Display name. Example: `Ann`.
        name: Arc<str>,
        /// Role in the session. Example: `member`.
        role: Role,
        /// True for a guest, such as a person who joined through a link and chose their own name.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guest: bool,
        /// True if the name resembles an agent's name, or another participant's name with a different spelling.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lookalike: bool,
    },
    /// A person or bot changed their name from `from` to `name`.
    #[serde(rename = "participant.renamed")]
    ParticipantRenamed {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
        /// Name before the change.
        from: Arc<str>,
        /// Name after the change.
        name: Arc<str>,
    },
    /// A person or bot asks to join with this role.
    #[serde(rename = "participant.knocked")]
    ParticipantKnocked {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
        /// Kind of participant: `user` or `bot`.
        kind: ActorKind,
        /// Display name. Example: `Ann`.
        name: Arc<str>,
        /// Role that they get if they are admitted. Example: `viewer`.
        role: Role,
    },
    /// An owner refused a request to join. Admitting one records `participant.joined` instead.
    #[serde(rename = "participant.refused")]
    ParticipantRefused {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
    },
    /// A person or bot left the session or was removed.
    #[serde(rename = "participant.left")]
    ParticipantLeft {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
        /// Reason: `left` or `removed`.
        reason: LeaveReason,
    },
    /// The role of a participant changed to `role`.
    #[serde(rename = "participant.role_changed")]
    ParticipantRoleChanged {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
        /// New role. Example: `reviewer`.
        role: Role,
    },
    /// The name of a participant was erased; with `content`, their messages and files were erased as well.
    #[serde(rename = "participant.redacted")]
    ParticipantRedacted {
        /// Participant that the event is about. Example: `u_0190f3c07a1b7c3d8e5f60718293a4b5`.
        participant: ParticipantId,
        /// True if their messages and files were erased as well.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        content: bool,
    },
    /// A flow started working on the `input` message, which is addressed to `to`.
    #[serde(rename = "run.started")]
    RunStarted {
        /// Id of the new run. Example: `r_12`.
        run: RunId,
        /// Flow of the run. Example: `review`.
        flow: Arc<str>,
        /// Message that the run works on. Example: `m_11`.
        input: MessageId,
        /// Recipients of that message. Empty: the whole flow.
        to: Vec<Target>,
    },
    /// The phase of the run changed. It is derived from the outstanding work and the gates.
    #[serde(rename = "run.state_changed")]
    RunStateChanged {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Phase before the change. Example: `executing`.
        from: Phase,
        /// Phase after the change. Example: `waiting`.
        to: Phase,
    },
    /// The run ended successfully; `final_message` is the message with its result.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Reason for the end. Example: `completed`.
        reason: FinishReason,
        /// Message with the result of the run. Absent if there is none. Example: `m_42`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        final_message: Option<MessageId>,
    },
    /// The run failed with this error.
    #[serde(rename = "run.failed")]
    RunFailed {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Reason for the failure.
        error: AttemptError,
    },
    /// A participant ended the run.
    #[serde(rename = "run.cancelled")]
    RunCancelled {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Reason that the participant gave. Can be empty.
        reason: Arc<str>,
    },
    /// A person or bot posted a message, with the ids of its files.
    #[serde(rename = "message.posted")]
    MessagePosted {
        /// Id of the new message. Example: `m_42`.
        message: MessageId,
        /// Text of the message.
        text: Arc<str>,
        /// Files that belong to the message, at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
        /// Role of the author in the original conversation, if the sender relays the text. Example: `assistant`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        relays: Option<RelayRole>,
        /// Data that a program sent with the message. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request: Option<Arc<MessageRequest>>,
    },
    /// The recipients of a message were determined, for example from its mentions.
    #[serde(rename = "message.routed")]
    MessageRouted {
        /// Message that the event is about. Example: `m_42`.
        message: MessageId,
        /// Recipients. Empty: the flow decides.
        to: Vec<Target>,
        /// Reason for these recipients. Example: `mention`.
        reason: crate::message::mention::RouteReason,
        /// Mentions that match no name.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unresolved: Vec<UnresolvedMention>,
        /// Delivery mode of a message that waits for a busy run. Absent if it does not wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waiting: Option<Mode>,
    },
    /// The author withdrew the message before it was consumed.
    #[serde(rename = "message.withdrawn")]
    MessageWithdrawn {
        /// Message that the event is about. Example: `m_42`.
        message: MessageId,
    },
    /// A waiting message entered the run: in the step that `step` names or, without `step`, as the input of a new
    /// round.
    #[serde(rename = "message.consumed")]
    MessageConsumed {
        /// Message that the event is about. Example: `m_42`.
        message: MessageId,
        /// Run that consumed the message.
        run: RunId,
        /// Step that consumed the message. Absent if the message starts a round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
    },
    /// An agent started writing a message (attempt 1), or started it again with a higher attempt.
    #[serde(rename = "message.started")]
    MessageStarted {
        /// Message that the agent writes. Example: `m_42`.
        message: MessageId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Agent that writes. Example: `TestCase_Generator`.
        agent: AgentId,
        /// Purpose of the turn. Default: a reply.
        #[serde(default, skip_serializing_if = "Task::is_reply")]
        task: Task,
        /// Attempt, from 1. A higher one replaces the text of earlier attempts.
        attempt: u32,
        /// True if the attempt continues work after a restart or the loss of a node.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        recovered: bool,
    },
    /// The message is complete; `text` replaces all of its deltas.
    #[serde(rename = "message.completed")]
    MessageCompleted {
        /// Message that the event is about. Example: `m_42`.
        message: MessageId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Agent that wrote the message. Example: `TestCase_Generator`.
        agent: AgentId,
        /// Attempt, from 1.
        attempt: u32,
        /// Complete text.
        text: Arc<str>,
        /// Number of tool calls in the message; the same number of `tool.proposed` events follows. Default 0.
        #[serde(default, skip_serializing_if = "crate::message::is_zero")]
        calls: u32,
        /// True if the agent used all turns of its task: the calls fail, and the task ends with this text.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        out_of_turns: bool,
        /// True if the model stopped at its token limit, so the text is incomplete.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        truncated: bool,
    },
    /// The message ended early; `text` is the part that had been written.
    #[serde(rename = "message.aborted")]
    MessageAborted {
        /// Message that the event is about. Example: `m_42`.
        message: MessageId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Agent that wrote the message. Example: `TestCase_Generator`.
        agent: AgentId,
        /// Attempt, from 1.
        attempt: u32,
        /// Text that had been written when the message ended.
        text: Arc<str>,
        /// Reason for the end. Example: `interrupted`.
        reason: AbortReason,
    },
    /// A message was erased, along with everything that its author made with it: calls, a plan, a decision, findings.
    #[serde(rename = "message.redacted")]
    MessageRedacted {
        /// Message that was erased.
        message: MessageId,
        /// Reason that the participant gave. Absent if they gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// A step began; these agents work in it in parallel.
    #[serde(rename = "step.started")]
    StepStarted {
        /// Id of the new step. Example: `p_14`.
        step: StepId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Agents that work in the step, in parallel.
        agents: Vec<AgentId>,
    },
    /// All agents of the step are done.
    #[serde(rename = "step.completed")]
    StepCompleted {
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
    },
    /// The step was stopped before all of its agents were done.
    #[serde(rename = "step.skipped")]
    StepSkipped {
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Reason for the stop. Example: `interrupted`.
        reason: AbortReason,
    },
    /// One attempt at the message failed. The next attempt starts at `retry_at`. If `retry_at` is absent, this was the
    /// last attempt.
    #[serde(rename = "attempt.failed")]
    AttemptFailed {
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Message that the attempt wrote.
        message: MessageId,
        /// Agent of the message.
        agent: AgentId,
        /// Attempt that failed, from 1.
        attempt: u32,
        /// Reason for the failure.
        error: AttemptError,
        /// Time of the next attempt. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
        /// True if a retry of the same request cannot succeed, for example because it does not fit into the model's
        /// context.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        permanent: bool,
    },
    /// A file, or a new version of one, was added to the session.
    #[serde(rename = "file.added")]
    FileAdded {
        /// Version of the file. Example: `f_17`.
        file: FileId,
        /// Name of the file. Example: `report.md`.
        name: Arc<str>,
        /// Version number of the file, from 1, without gaps.
        version: u32,
        /// Media type that the server detected. Example: `text/markdown`.
        media_type: Arc<str>,
        /// Size of the content in bytes. Example: 2048.
        bytes: u64,
        /// BLAKE3 hash of the content, in hexadecimal.
        digest: Arc<str>,
        /// Agent that made the file. Absent if a participant added it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentId>,
        /// Tool call that made the file. Absent if a participant added it, or if it contains structured output.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallId>,
        /// Message whose structured output the file contains. Absent for other files. Example: `m_40`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// A participant removed a file from the list; `restore_file` restores any version of it.
    #[serde(rename = "file.removed")]
    FileRemoved {
        /// Newest version of the file.
        file: FileId,
        /// Name of the file. Example: `report.md`.
        name: Arc<str>,
    },
    /// The content of one version of a file was erased.
    #[serde(rename = "file.redacted")]
    FileRedacted {
        /// Version of the file. Example: `f_17`.
        file: FileId,
        /// Reason that the participant gave. Absent if they gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// An agent proposes a tool call.
    #[serde(rename = "tool.proposed")]
    ToolProposed {
        /// Id of the new call. Example: `t_21`.
        call: CallId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Step of the run. Example: `p_14`.
        step: StepId,
        /// Message that contains the call. Absent if the call is an item of the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Agent that proposes the call. Example: `Planner`.
        agent: AgentId,
        /// Task that the call is for. Default: a reply.
        #[serde(default, skip_serializing_if = "Task::is_reply")]
        task: Task,
        /// Name of the tool. Example: `web_search`.
        name: Arc<str>,
        /// Arguments as the model wrote them. Not necessarily valid JSON.
        arguments: Arc<str>,
        /// Sources that the agent could have read before it proposed the call.
        #[serde(default)]
        sources: Arc<CallSources>,
    },
    /// The rules allow the call or require approval. A call that the rules deny fails instead.
    #[serde(rename = "tool.checked")]
    ToolChecked {
        /// Call that the event is about. Example: `t_21`.
        call: CallId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Permission that the rules grant. Example: `ask`.
        permission: Permission,
        /// True if the call can safely be repeated.
        idempotent: bool,
        /// Risk of the call. Example: `medium`.
        #[serde(default = "unknown_risk")]
        risk: Risk,
        /// Kinds of source that the result represents for its readers. Empty: nothing in it comes from outside.
        #[serde(default = "CallSourceKind::unknown")]
        result_sources: BTreeSet<CallSourceKind>,
        /// Standing permission that allows the call. Absent if a rule does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<PermissionId>,
    },
    /// The call was sent, with exactly the arguments of revision `rev`; `digest` is their BLAKE3 hash.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// Call that the event is about. Example: `t_21`.
        call: CallId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Attempt, from 1. The result names the same attempt.
        attempt: u32,
        /// Revision of the arguments, from 1.
        rev: u32,
        /// BLAKE3 hash of the arguments, in hexadecimal.
        digest: Arc<str>,
    },
    /// The call has a result.
    #[serde(rename = "tool.completed")]
    ToolCompleted {
        /// Call that the event is about. Example: `t_21`.
        call: CallId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Attempt that succeeded, from 1; 0 if the call was never sent, because the kernel executed it or people
        /// answered it.
        attempt: u32,
        /// Result for the agent to read.
        output: Arc<str>,
        /// Files that the call made. The log already contains their `file.added` events.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// The call failed and will never have a result.
    #[serde(rename = "tool.failed")]
    ToolFailed {
        /// Call that the event is about. Example: `t_21`.
        call: CallId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Attempt that failed, from 1; 0 if the call was never sent.
        attempt: u32,
        /// Reason for the failure.
        error: AttemptError,
    },
    /// The call was sent and its result was lost, for example in a crash. Not recorded for calls that can safely be
    /// repeated.
    #[serde(rename = "tool.uncertain")]
    ToolUncertain {
        /// Call that the event is about. Example: `t_21`.
        call: CallId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Attempt whose result was lost, from 1.
        attempt: u32,
    },
    /// An agent made a plan, or a new version of it.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Message that contains the plan. Absent if the `plan` tool or the flow made the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// The plan, with all of its items.
        plan: Plan,
    },
    /// The plan was edited and has a new revision.
    #[serde(rename = "plan.edited")]
    PlanEdited {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// The plan after the edit, with all of its items.
        plan: Plan,
    },
    /// The state of a plan item changed.
    #[serde(rename = "plan.item_changed")]
    PlanItemChanged {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Number of the item in the plan, from 1.
        number: u32,
        /// New state of the item. Example: `completed`.
        state: PlanItemState,
        /// Note about the change. Can be empty.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        note: Arc<str>,
    },
    /// An agent decided how the run continues.
    #[serde(rename = "decision.made")]
    DecisionMade {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Message that contains the decision. Absent if a rule of the flow decided for the agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Agent that decided. Example: `Planner`.
        agent: AgentId,
        /// Action with its reason.
        decision: PlannerDecision,
    },
    /// The run produced structured output.
    #[serde(rename = "output.produced")]
    OutputProduced {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Message that contains the output.
        message: MessageId,
        /// The output, as JSON; null if it was erased.
        output: serde_json::Value,
    },
    /// A model's output does not have the requested structure.
    #[serde(rename = "output.rejected")]
    OutputRejected {
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Message that contains the output.
        message: MessageId,
        /// Error in the output.
        reason: Arc<str>,
        /// Violations of the schema that the caller of the run gave, at most 20. Absent for other structures.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        violations: Vec<SchemaViolation>,
        /// True if the agent is asked again. If false, the flow continues with its fallback, or the run fails if the
        /// schema is the caller's.
        again: bool,
    },
    /// A gate opened: a question for people to decide or answer.
    #[serde(rename = "gate.opened")]
    GateOpened {
        /// The gate, with its question.
        gate: Box<Gate>,
    },
    /// A participant voted. A later vote by the same participant replaces this one.
    #[serde(rename = "gate.voted")]
    GateVoted {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
        /// Revision that the vote is about, from 1.
        rev: u32,
        /// Choice of the voter. Example: `approve`.
        choice: Choice,
        /// Role with which the vote counts. Example: `member`.
        role: Role,
        /// Comment of the voter. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<Arc<str>>,
        /// Message that contains the voter's text. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// A participant withdrew their vote.
    #[serde(rename = "gate.vote_withdrawn")]
    GateVoteWithdrawn {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
    },
    /// A participant commented on the subject of a gate or on a file. The message contains the text of the comment.
    #[serde(rename = "gate.commented")]
    GateCommented {
        /// Message with the comment. Example: `m_42`.
        message: MessageId,
        /// Gate, thread and place of the comment.
        place: CommentPlace,
    },
    /// A participant resolved a thread of comments, or opened it again.
    #[serde(rename = "gate.thread_changed")]
    GateThreadChanged {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
        /// First comment of the thread. Example: `m_42`.
        thread: MessageId,
        /// True if the thread is resolved, false if it is open again.
        resolved: bool,
    },
    /// The gate was not decided in time, so another quorum decides it from now on.
    #[serde(rename = "gate.escalated")]
    GateEscalated {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
        /// Votes that decide the gate now.
        quorum: Quorum,
    },
    /// The subject of a gate was edited, so earlier votes are void.
    #[serde(rename = "gate.revised")]
    GateRevised {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
        /// New revision, from 2.
        rev: u32,
        /// BLAKE3 hash of the new subject, in hexadecimal.
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
        /// Remaining escalations, with their new times. Absent if none remain.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        escalations: Vec<Escalation>,
        /// Standing permission that is decided on together with the call. Absent if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<StandingTerms>,
        /// Budget of the session after an approval. Absent at gates of other kinds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<Budget>,
        /// Model that all agents use after an approval, as `provider/model`. Absent if none is proposed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Arc<str>>,
    },
    /// The outcome of a gate is final. `message` is the message that decided it, if there is one.
    #[serde(rename = "gate.decided")]
    GateDecided {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
        /// Revision that was decided on, from 1.
        rev: u32,
        /// Outcome of the gate. Example: `approved`.
        outcome: Outcome,
        /// Votes that led to the decision.
        votes: Vec<crate::gate::Vote>,
        /// Message that decided the gate. Absent if votes without comments did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Agents that continue with the feedback. Empty: the flow decides.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        to: Vec<Target>,
        /// Reason why an approved command was not carried out. Absent if it was, and at gates of other kinds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<CommandFailure>,
        /// Comments of open threads, which the agents read. Empty if the gate was approved.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        comments: Vec<MessageId>,
    },
    /// A participant delegated their votes to another participant, or ended the delegation.
    #[serde(rename = "votes.delegated")]
    VotesDelegated {
        /// Participant who is represented.
        participant: ParticipantId,
        /// Participant who votes on their behalf. Absent: the delegation ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delegate: Option<VoteDelegate>,
    },
    /// People who approved a call also allowed later calls like it.
    #[serde(rename = "permission.granted")]
    PermissionGranted {
        /// The permission.
        permission: StandingPermission,
    },
    /// A standing permission was revoked or expired, so people are asked again.
    #[serde(rename = "permission.revoked")]
    PermissionRevoked {
        /// Permission that ended. Example: `a_31`.
        permission: PermissionId,
        /// True if the permission was not revoked but expired before a call that it allowed was sent, as in a paused
        /// run.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        expired: bool,
    },
    /// A gate reached its deadline without a decision.
    #[serde(rename = "gate.expired")]
    GateExpired {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
    },
    /// A gate was closed without a decision, because nothing waits for it any longer.
    #[serde(rename = "gate.closed")]
    GateClosed {
        /// Gate that the event is about. Example: `g_30`.
        gate: GateId,
    },
    /// A control of the run was requested. The same `control` identifies it in `control.acknowledged` and
    /// `control.effective`.
    #[serde(rename = "control.requested")]
    ControlRequested {
        /// Id of the control: the seq of this event. Example: 57.
        control: u64,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Kind of control. Example: `pause`.
        verb: ControlVerb,
        /// Reason that the participant gave. Absent if they gave none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
        /// Message that came with an interrupt; the run continues with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
    },
    /// The orchestrator has begun to execute the control.
    #[serde(rename = "control.acknowledged")]
    ControlAcknowledged {
        /// Seq of the `control.requested` event of this control. Example: 57.
        control: u64,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Kind of control. Example: `pause`.
        verb: ControlVerb,
    },
    /// The control is complete: nothing that it had to stop is still running.
    #[serde(rename = "control.effective")]
    ControlEffective {
        /// Seq of the `control.requested` event of this control. Example: 57.
        control: u64,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Kind of control. Example: `pause`.
        verb: ControlVerb,
    },
    /// Tokens and cost of one attempt at a turn.
    #[serde(rename = "usage.recorded")]
    UsageRecorded {
        /// Message that the attempt wrote; for a title, the message that it is made from.
        message: MessageId,
        /// Run that the event belongs to. Example: `r_12`.
        run: RunId,
        /// Agent that used the model; `session.title` for the generation of a title.
        agent: AgentId,
        /// Participant whose message the run works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        participant: Option<ParticipantId>,
        /// Model that responded, as `provider/model`. Example: `openai/gpt-4o`.
        model: Arc<str>,
        /// Tokens in the request. Example: 1200.
        input_tokens: u64,
        /// Tokens in the response. Example: 300.
        output_tokens: u64,
        /// True if the server estimated the numbers, because the provider reported none.
        estimated: bool,
        /// Cost in millionths of the configured currency; 0 without a configured price. Example: 1500.
        cost_micros: u64,
    },
}
