//! Requests to change a session. Commands are serialized only between nodes, never stored, and differ from client
//! frames.

mod envelope;
mod kind;
pub(super) mod rejection;
pub(super) mod report;
mod right;

pub use envelope::{CommandSender, Envelope};
pub use kind::CommandKind;
pub use right::CommandRight;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use super::call::StandingTerms;
use super::gate::{BatchedVote, Choice, CommentTarget};
use super::message::mention::Addressee;
use super::{
    AttemptError, CallCheck, CallId, CallOutput, FileId, FileLimits, FileName, GateId, Inquiry, MessageId,
    MessageRequest, Mode, NewFile, PartialMessage, ParticipantId, PermissionId, PriorMessage, ProposedCall,
    RedactionTarget, Role, RunId, SentRequests, Settings, StepId, StructuredOutputFile, Team, Timestamp, Usage,
};

/// A request to change a session.
#[allow(clippy::large_enum_variant, reason = "a command is built once for each request, and not stored")]
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Command {
    /// Create the session; its sender becomes its owner.
    Create {
        /// Title of the session.
        title: Arc<str>,
        /// Team of the session, complete.
        team: Team,
        /// Settings of the session, complete.
        settings: Settings,
    },
    /// Join with a role that an invitation or the server grants. Created by the server only, never read from a frame.
    Enter {
        /// Role to join with.
        role: Role,
    },
    /// Ask to join with a role that an invitation grants. Created by the server only, never read from a frame.
    Knock {
        /// Role to join with after admission.
        role: Role,
    },
    /// Change the sender's name in the session. Created by the server only, never read from a frame.
    Rename {
        /// New name.
        name: Arc<str>,
    },
    /// Admit a participant who knocked.
    Admit {
        /// Participant to admit.
        participant: ParticipantId,
    },
    /// Refuse a participant who knocked.
    Refuse {
        /// Participant to refuse.
        participant: ParticipantId,
    },
    /// Leave the session.
    Leave,
    /// Post a message to agents, to people, or as feedback at an open gate.
    Say {
        /// Text of the message. Must not be blank unless `files` is given.
        text: Arc<str>,
        /// Recipients. Absent: the mentions in the text.
        to: Option<Vec<Addressee>>,
        /// Delivery mode if a run is busy.
        mode: Mode,
        /// Files that belong to the message. At most 20.
        #[serde(default)]
        files: Vec<FileId>,
    },
    /// Withdraw a waiting message.
    Withdraw {
        /// Message to withdraw. Only its author can.
        message: MessageId,
    },
    /// Withdraw a command that the sender asked the owners to approve.
    WithdrawCommand {
        /// Gate about the command.
        gate: GateId,
    },
    /// Start a run.
    Start {
        /// Flow of the run: the flow of the team, or [`crate::flow::STRUCTURE`]. Absent: the flow of the team.
        flow: Option<Arc<str>>,
        /// Message that the run works on.
        input: Arc<str>,
        /// Files that belong to the message. At most 20.
        #[serde(default)]
        files: Vec<FileId>,
        /// Messages from another conversation that precede the input, oldest first. At most [`PriorMessage::MAX`].
        #[serde(default)]
        earlier: Vec<PriorMessage>,
        /// Data that a program sends with the message. Absent: none.
        #[serde(default)]
        request: Option<Arc<MessageRequest>>,
    },
    /// Vote at a gate.
    Vote {
        /// Gate to vote at.
        gate: GateId,
        /// Revision of the subject that the voter saw.
        rev: u32,
        /// Choice of the voter.
        choice: Choice,
        /// Comment of the voter. Required for a vote against, except at gates about a call, a budget, a rule or a
        /// command.
        comment: Option<Arc<str>>,
        /// Edited plan or arguments, exactly as the voter wrote them. Requires the `approve` choice.
        edit: Option<Box<RawValue>>,
        /// Permission for later calls like this one. Requires the `approve` choice, and a gate about a call.
        standing: Option<StandingTerms>,
    },
    /// Vote at several gates at once: either all of the votes count, or none do.
    VoteBatch {
        /// The votes, each at a different gate. 1 to [`BatchedVote::MAX`].
        votes: Vec<BatchedVote>,
    },
    /// Withdraw the sender's vote at an open gate.
    WithdrawVote {
        /// Gate that the sender voted at.
        gate: GateId,
    },
    /// Comment on the subject of a gate or on a file: start a thread, or reply in one.
    Comment {
        /// Gate to comment at.
        gate: GateId,
        /// Revision of the subject that the sender saw.
        rev: u32,
        /// Subject of the comment.
        target: CommentTarget,
        /// Text of the comment.
        text: Arc<str>,
    },
    /// Resolve a thread of comments, or open it again.
    ResolveComment {
        /// Gate of the thread.
        gate: GateId,
        /// First comment of the thread.
        thread: MessageId,
        /// True to resolve the thread, false to open it again.
        resolved: bool,
    },
    /// Delete the sender's own comment at an open gate.
    DeleteComment {
        /// Gate of the comment.
        gate: GateId,
        /// Message with the comment.
        comment: MessageId,
    },
    /// Let another participant vote on the sender's behalf, or end that delegation.
    DelegateVotes {
        /// Participant who votes on the sender's behalf. Absent: ends the delegation.
        to: Option<ParticipantId>,
        /// Time at which the delegation ends. Absent: when the sender ends it.
        until: Option<Timestamp>,
    },
    /// End a standing permission.
    RevokePermission {
        /// Permission to end.
        permission: PermissionId,
    },
    /// Propose a suggested call rule, which was learned from votes.
    ProposeRule {
        /// Id of the suggestion.
        suggestion: Arc<str>,
    },
    /// Answer a gate with text, or with a value that the schema of the gate accepts.
    Answer {
        /// Gate to answer.
        gate: GateId,
        /// Revision of the gate's subject that the sender saw. `None`: any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rev: Option<u32>,
        /// Answer: plain text, or a value as JSON.
        text: Arc<str>,
    },
    /// Pause a run: start nothing new.
    Pause {
        /// Run to pause.
        run: RunId,
    },
    /// End a pause.
    Resume {
        /// Run to resume.
        run: RunId,
    },
    /// Stop the current output of a run, if the run and the given `step` or `message` are in progress.
    Interrupt {
        /// Run to interrupt.
        run: RunId,
        /// Step to interrupt. Without it, any step.
        step: Option<StepId>,
        /// Message to interrupt. Without it, any message.
        message: Option<MessageId>,
        /// New input for the agents that are stopped.
        text: Option<Arc<str>>,
    },
    /// End a run.
    Cancel {
        /// Run to end.
        run: RunId,
        /// Reason for the log.
        reason: Option<Arc<str>>,
    },
    /// Add a participant that the server knows.
    Invite {
        /// Participant to add.
        participant: ParticipantId,
        /// Kind of participant: user or bot.
        kind: super::ActorKind,
        /// Name of the participant on the server.
        name: Arc<str>,
        /// Role to give. The sender's own role must cover it.
        role: Role,
        /// True if they are a guest on the server.
        guest: bool,
    },
    /// Change the role of a participant.
    SetRole {
        /// Participant whose role changes.
        participant: ParticipantId,
        /// New role.
        role: Role,
    },
    /// Remove a participant.
    Remove {
        /// Participant to remove.
        participant: ParticipantId,
    },
    /// Change the title, or the given settings.
    Set {
        /// New title. Absent: unchanged.
        title: Option<Arc<str>>,
        /// Settings to change, by name. Absent: unchanged.
        settings: Option<Map<String, Value>>,
    },
    /// Add a file, or a new version of one. Created by the server only, after it has stored the content.
    AddFile {
        /// File to add.
        file: NewFile,
        /// Limits on the files of the session.
        limits: FileLimits,
    },
    /// Remove a file from the session's list.
    RemoveFile {
        /// Name of the file.
        name: FileName,
    },
    /// Make an earlier version of a file the newest one.
    RestoreFile {
        /// Version to restore.
        file: FileId,
        /// Limits on the files of the session.
        limits: FileLimits,
    },
    /// Permanently erase content from the log.
    Redact {
        /// Content to erase.
        target: RedactionTarget,
        /// Reason for the log.
        reason: Option<Arc<str>>,
    },
    /// Close the session: it accepts no further commands.
    Close {
        /// Reason for the log. Can be empty.
        reason: Arc<str>,
    },
    /// From the orchestrator: a turn is complete.
    #[serde(skip)]
    TurnCompleted {
        /// Message that the turn wrote.
        message: MessageId,
        /// Attempt that ended, from 1.
        attempt: u32,
        /// Text of the message.
        text: Arc<str>,
        /// Tool calls in the message.
        calls: Vec<ProposedCall>,
        /// Usage of the attempt.
        usage: Usage,
        /// True if the model stopped at its token limit.
        truncated: bool,
        /// File with the structured output of the turn. `None` if the turn has no structured output, or the session has
        /// no files.
        output_file: Option<Box<StructuredOutputFile>>,
    },
    /// From the orchestrator: the decision of the rules about a call.
    #[serde(skip)]
    CallChecked {
        /// Call that was checked.
        call: CallId,
        /// Decision of the rules.
        check: CallCheck,
    },
    /// From the orchestrator: a call has a result, or will never have one.
    #[serde(skip)]
    CallEnded {
        /// Call that ended.
        call: CallId,
        /// Attempt that ended, from 1.
        attempt: u32,
        /// Result of the call, or the reason why it has none.
        result: Result<CallOutput, AttemptError>,
    },
    /// From the orchestrator: a call asks people a question and continues with their answer.
    #[serde(skip)]
    OpenInquiry {
        /// Call that asks.
        call: CallId,
        /// Attempt that asks, from 1.
        attempt: u32,
        /// Question of the call.
        inquiry: Inquiry,
    },
    /// From the orchestrator: a call withdraws its question.
    #[serde(skip)]
    WithdrawInquiry {
        /// Call that withdraws its question.
        call: CallId,
        /// Attempt that asked, from 1.
        attempt: u32,
    },
    /// From the orchestrator: an attempt failed.
    #[serde(skip)]
    TurnFailed {
        /// Attempt that failed, from 1.
        attempt: u32,
        /// Reason for the failure.
        error: AttemptError,
        /// Milliseconds until a retry. `None` if a retry cannot help.
        retry_in_ms: Option<u64>,
        /// Partial output of the attempt.
        left: PartialMessage,
    },
    /// From the orchestrator: execution of a control has begun.
    #[serde(skip)]
    Acknowledge {
        /// Seq of the control's `control.requested` event.
        control: u64,
    },
    /// From the orchestrator: everything that a control had to stop has stopped.
    #[serde(skip)]
    Stopped {
        /// Seq of the control's `control.requested` event.
        control: u64,
        /// Partial outputs of the stopped attempts.
        left: Vec<PartialMessage>,
    },
    /// From the orchestrator: a title for the session, or only the usage of a request that produced none.
    #[serde(skip)]
    TitleMade {
        /// Run that requested the title.
        run: RunId,
        /// Message that the title is made from.
        message: MessageId,
        /// Generated title. `None` if the model produced none.
        title: Option<Arc<str>>,
        /// Usage of the request. `None` if there was no response.
        usage: Option<Usage>,
    },
    /// From the orchestrator: time has passed, so do everything that is due.
    #[serde(skip)]
    DeadlineReached,
    /// From the orchestrator: the session was loaded after a restart or taken over from another node.
    #[serde(skip)]
    Recover {
        /// Requests to models that the last owner might have sent. `None` if unknown, in which case it might have sent
        /// all requests in progress.
        sent: Option<Arc<SentRequests>>,
    },
}
