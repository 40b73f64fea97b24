//! Frames and commands that clients send.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use super::{CommandFrame, HelloFrame, JoinFrame, LeaveFrame, SignalFrame};
use crate::kernel::call::StandingTerms;
use crate::kernel::gate::{BatchedVote, Choice};
use crate::kernel::{
    FileId, GateId, MessageId, Mode, ParticipantId, PermissionId, PriorMessage, Role, RunId, Settings, StepId, Target,
    Timestamp,
};

/// One text frame from a client.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientFrame {
    /// Identifies the client if neither a cookie nor a header does, and names its program for the server's log.
    Hello(HelloFrame),
    /// Subscribes to a session.
    Join(JoinFrame),
    /// Unsubscribes from a session. The participant remains in it.
    Leave(LeaveFrame),
    /// Requests a change to a session.
    Command(CommandFrame),
    /// Sends an ephemeral notification about the client's participant. It can be lost.
    Signal(SignalFrame),
    /// Heartbeat; the server responds with `pong`.
    Ping {},
}

/// Recipient of a `say`, in place of the mentions in its text: an id, a name, `all`, `people` or `role:reviewer`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected the name of a recipient, such as \"all\", \"people\" or \"role:reviewer\", or a target, such as \
                 {\"kind\":\"participant\",\"id\":\"u_…\"}"
)]
pub enum Recipient {
    /// Recipient in the form that the server writes in `message.routed`.
    Target(Target),
    /// Recipient as a person writes it after the `@`, for example `role:reviewer`.
    Name(String),
}

/// Commands and their arguments: `do` is the name, `data` has the fields.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", content = "data", rename_all = "snake_case", deny_unknown_fields)]
pub enum CommandData {
    /// Sends a message to agents or people, or gives feedback.
    Say {
        /// Text of the message, at most `limits.max_text_bytes` bytes, for example `@all please continue`.
        text: Arc<str>,
        /// Recipients, at most 50. If absent, the mentions in the text decide.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Vec<Recipient>>,
        /// Time of delivery to a busy run: `queue` (default) at a later step, `steer` in the running step.
        #[serde(default)]
        mode: Mode,
        /// Files of the session that belong to the message, at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// Takes back a waiting message.
    Withdraw {
        /// Id of the message, for example `m_12`.
        message: MessageId,
    },
    /// Takes back your command that waits for an owner.
    WithdrawCommand {
        /// Id of the gate about it, for example `g_12`.
        gate: GateId,
    },
    /// Starts a run.
    Start {
        /// Name of the flow: the team's flow, for example `review`, or `structure`, which turns the results of earlier
        /// runs into output that matches `output_schema`. If absent, the team's flow.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flow: Option<Arc<str>>,
        /// Request that the run works on, at most `limits.max_text_bytes` bytes.
        input: Arc<str>,
        /// Files of the session that belong to the request, at most 20.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
        /// Messages of a conversation from elsewhere, oldest first, at most 50. Agents read them as text relayed by the
        /// sender.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<PriorMessage>,
        /// Data for prompt templates, as `{context.KEY}`, at most 65536 bytes of JSON in at most 16 levels, for example
        /// `{"region":"eu"}`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        context: Map<String, Value>,
        /// JSON Schema (2020-12) that the structured output of the run must match, at most 65536 bytes of JSON in at
        /// most 32 levels. If absent, the run has no such output.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output_schema: Option<Map<String, Value>>,
        /// Maximum duration of the run in seconds, 1 to 86400, after which it fails with `run_timeout`. If absent, no
        /// limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_seconds: Option<u32>,
    },
    /// Votes at a gate; `expect.rev` is required.
    Vote {
        /// Id of the gate, for example `g_12`.
        gate: GateId,
        /// The vote: `approve`, `reject` or `abstain`.
        choice: Choice,
        /// Changed subject of the gate: the arguments of a call, a plan, or a budget and model. Only with `approve`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<serde_json::Value>")]
        edit: Option<Box<RawValue>>,
        /// Comment for the agents. Required for `reject`, except at gates about a call, a budget, a rule or a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<Arc<str>>,
        /// Permission for later calls like this one, for example `{"arguments":"any","this_run":true}`. Only with
        /// `approve`, at a gate that asks whether a call may be made. It is decided on together with the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        standing: Option<StandingTerms>,
    },
    /// Votes at several gates at once, for example at waiting calls. Either all of the votes count, or none.
    VoteBatch {
        /// The votes, 1 to 64, each at a different gate, with the revision that you saw, for example
        /// `[{"gate":"g_12","rev":1,"choice":"approve"},{"gate":"g_13","rev":1,"choice":"reject"}]`.
        #[schemars(length(min = 1, max = 64))]
        votes: Vec<BatchedVote>,
    },
    /// Takes back your vote at an open gate. The comment of the vote stays in the conversation.
    WithdrawVote {
        /// Id of the gate, for example `g_12`.
        gate: GateId,
    },
    /// Comments on the subject of a gate at the revision `expect.rev` of the frame (a message of a feedback gate, a
    /// plan, or the arguments of a call), or on a session file. Agents read the comments of open threads if the gate is
    /// not approved.
    Comment {
        /// Id of the gate, for example `g_12`.
        gate: GateId,
        /// First comment of the thread to reply in. If absent, a thread starts at `path` and `line`, or in `file`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thread: Option<MessageId>,
        /// Newest version of a session file that the thread is about, for example `f_17`. If absent, the thread is
        /// about the subject of the gate.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<FileId>,
        /// JSON Pointer to a part of the plan or the arguments, for example `/items/0/action`. If absent, the whole
        /// subject.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Arc<str>>,
        /// Line of the text at `path` or of the file, starting at 1. If absent, no specific line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        line: Option<u32>,
        /// Text, at most 2000 characters.
        text: Arc<str>,
    },
    /// Resolves a thread of comments, or reopens it. Allowed only for the participant who started the thread and those
    /// who may approve at the gate.
    ResolveComment {
        /// Id of the gate, for example `g_12`.
        gate: GateId,
        /// First comment of the thread, for example `m_42`.
        thread: MessageId,
        /// True to resolve the thread, false to reopen it.
        resolved: bool,
    },
    /// Erases your own comment while the gate is open. A thread without any other comment no longer blocks the gate.
    DeleteComment {
        /// Id of the gate, for example `g_12`.
        gate: GateId,
        /// Message with the comment, for example `m_42`.
        comment: MessageId,
    },
    /// Lets another participant vote in your place while you are away. Nobody waits for your vote then, unless you vote
    /// yourself. Your delegate still has one vote, which counts in your role too.
    DelegateVotes {
        /// Id of the participant, `u_…`. If absent, you vote yourself again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<ParticipantId>,
        /// Time at which the delegation ends, at most a year from now, for example `2026-12-01T09:00:00Z`. If absent,
        /// it lasts until you end it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// Ends a standing permission, so that people are asked again.
    RevokePermission {
        /// Id of the permission, for example `a_31`.
        permission: PermissionId,
    },
    /// Proposes a rule that the votes suggest: a gate asks whether calls like these may be made without asking people.
    ProposeRule {
        /// Id of the suggestion, from `GET /api/v1/sessions/{session}/rule-suggestions`.
        #[schemars(length(max = 64))]
        suggestion: Arc<str>,
    },
    /// Answers a gate with text, or with a value that its schema accepts. Exactly one of `text` and `value` is set.
    Answer {
        /// Id of the gate, for example `g_12`.
        gate: GateId,
        /// Answer as text, at most `limits.max_text_bytes` bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Arc<str>>,
        /// Answer as a JSON value that matches the gate's `schema`, for example `{"years":5}`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<serde_json::Value>,
    },
    /// Pauses a run: nothing new starts in it.
    Pause {
        /// Id of the run, for example `r_7`.
        run: RunId,
    },
    /// Resumes a paused run.
    Resume {
        /// Id of the run, for example `r_7`.
        run: RunId,
    },
    /// Stops the output that is being written in a run.
    Interrupt {
        /// Id of the run, for example `r_7`.
        run: RunId,
        /// Step to stop. The command is rejected if this step has ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
        /// Message to stop. The command is rejected if this message is complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Text that the stopped agents continue with. If absent, people are asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Arc<str>>,
    },
    /// Ends a run.
    Cancel {
        /// Id of the run, for example `r_7`.
        run: RunId,
        /// Reason for the log, for example `wrong input`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// Adds a participant that the server knows.
    Invite {
        /// Id of the participant, `u_…`.
        participant: ParticipantId,
        /// Role in the session, for example `reviewer`.
        role: Role,
    },
    /// Changes the role of a participant.
    SetRole {
        /// Id of the participant, `u_…`.
        participant: ParticipantId,
        /// New role, for example `member`.
        role: Role,
    },
    /// Admits a participant who knocked, with the role of their link.
    Admit {
        /// Id of the participant, `u_…`.
        participant: ParticipantId,
    },
    /// Refuses a participant who knocked.
    Refuse {
        /// Id of the participant, `u_…`.
        participant: ParticipantId,
    },
    /// Removes a participant from the session.
    Remove {
        /// Id of the participant, `u_…`.
        participant: ParticipantId,
    },
    /// Leaves the session permanently.
    Leave {},
    /// Changes the title or the named settings.
    Set {
        /// New title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Arc<str>>,
        /// Settings to change, for example `{"max_parallel": 8}`. The others stay as they are.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Settings>")]
        settings: Option<Map<String, Value>>,
    },
    /// Removes a file from the session's list; its versions can be restored.
    RemoveFile {
        /// Name of the file, for example `report.md`.
        name: Arc<str>,
    },
    /// Makes an earlier version of a file its newest.
    RestoreFile {
        /// Id of the version, for example `f_12`.
        file: FileId,
    },
    /// Permanently erases a message, one version of a file, or a participant's name from the session. Exactly one of
    /// `message`, `file` and `participant` is set.
    Redact {
        /// Id of the message, for example `m_12`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// Id of the file version, for example `f_12`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<FileId>,
        /// Id of the participant, `u_…`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        participant: Option<ParticipantId>,
        /// True to erase everything that the participant wrote in the session too. Default false; only with
        /// `participant`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        content: bool,
        /// Reason for the log; only with `message` or `file`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// Closes the session: it accepts no further commands, except redactions.
    Close {
        /// Reason for the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
}

impl CommandData {
    /// Names of all commands, as they appear in `do`.
    pub const NAMES: &'static [&'static str] = &[
        "say",
        "withdraw",
        "withdraw_command",
        "start",
        "vote",
        "vote_batch",
        "withdraw_vote",
        "comment",
        "resolve_comment",
        "delete_comment",
        "delegate_votes",
        "answer",
        "revoke_permission",
        "propose_rule",
        "pause",
        "resume",
        "interrupt",
        "cancel",
        "invite",
        "set_role",
        "admit",
        "refuse",
        "remove",
        "leave",
        "set",
        "remove_file",
        "restore_file",
        "redact",
        "close",
    ];
}
