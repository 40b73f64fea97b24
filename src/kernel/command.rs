//! Requests to change a session. What clients send is `protocol`'s; these are serialisable for the way from one node of a
//! cluster to another only, and are never kept.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::call::Permission;
use super::gate::Choice;
use super::mention::Addressee;
use super::{
    Actor, CallId, CommandId, Earlier, FileId, FileName, FileRoom, GateId, Inquiry, MessageId, Mode, NewFile,
    ParticipantId, RedactionTarget, Role, RunId, SessionId, Settings, StepError, StepId, Team, Timestamp,
};

/// A command with what the server knows about its sender and the moment.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// When the server took it up; never earlier than the last event of the log.
    pub at: Timestamp,
    /// Who asks.
    pub by: By,
    /// What for.
    pub command: Command,
}

/// Who asks, as the server knows it.
#[derive(Debug, Clone)]
pub enum By {
    /// A person or a bot, through any door.
    Participant {
        /// Who.
        actor: Actor,
        /// The id that makes a repetition harmless.
        id: CommandId,
        /// The role that the server gives them where the session gives none: an administrator's is owner.
        standing: Option<Role>,
    },
    /// The orchestrator, with the result of work that the event `cause` asked for.
    Shell {
        /// The seq of that event; absent for the passing of time.
        cause: Option<u64>,
    },
}

/// A request to change a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each field carries the name that docs/protocol.md explains")]
pub enum Command {
    /// Bring the session into being; its sender becomes owner.
    Create { session: SessionId, title: Arc<str>, team: Team, settings: Settings },
    /// Come in with a role that an invitation or the server grants. Comes from the server's own doors, never off the wire.
    Enter { role: Role },
    /// Ask to come in with a role that an invitation grants. Comes from the server's own doors, never off the wire.
    Knock { role: Role },
    /// Go by another name in the session. Comes from the server's own doors, never off the wire.
    Rename { name: Arc<str> },
    /// Let somebody in who asked.
    Admit { participant: ParticipantId },
    /// Decline the request of somebody who asked to come in.
    Refuse { participant: ParticipantId },
    /// Leave.
    Leave,
    /// Say something: to agents, to people, or as feedback at an open gate; `files` come with the words.
    Say {
        text: Arc<str>,
        to: Option<Vec<Addressee>>,
        mode: Mode,
        #[serde(default)]
        files: Vec<FileId>,
    },
    /// Take a waiting message back.
    Withdraw { message: MessageId },
    /// Begin a run.
    Start {
        flow: Option<Arc<str>>,
        input: Arc<str>,
        #[serde(default)]
        files: Vec<FileId>,
        /// What was said elsewhere before it, oldest first.
        #[serde(default)]
        earlier: Vec<Earlier>,
    },
    /// Vote at a gate; `rev` is the revision that the voter saw, `edit` what they made of it, as they wrote it.
    Vote { gate: GateId, rev: u32, choice: Choice, comment: Option<Arc<str>>, edit: Option<Box<RawValue>> },
    /// Answer a gate in words, or with a value that its schema accepts, written as JSON.
    Answer { gate: GateId, text: Arc<str> },
    /// Let nothing new start.
    Pause { run: RunId },
    /// End a pause.
    Resume { run: RunId },
    /// Stop what is being written, now, if the run and the `step` or `item` named are under way; `text` says what to do
    /// instead.
    Interrupt { run: RunId, step: Option<StepId>, item: Option<MessageId>, text: Option<Arc<str>> },
    /// End the run.
    Cancel { run: RunId, reason: Option<Arc<str>> },
    /// Bring a participant in.
    Invite { participant: ParticipantId, kind: super::ActorKind, name: Arc<str>, role: Role },
    /// Change a participant's role.
    SetRole { participant: ParticipantId, role: Role },
    /// Remove a participant.
    Remove { participant: ParticipantId },
    /// Change the title, or those of the settings that are named.
    Set { title: Option<Arc<str>>, settings: Option<Map<String, Value>> },
    /// Add a file, or a new version of one. Comes from the server's own doors, which keep the content first.
    AddFile { file: NewFile, room: FileRoom },
    /// Take a file out of the session's list.
    RemoveFile { name: FileName },
    /// Make an earlier version of a file its newest.
    RestoreFile { file: FileId, room: FileRoom },
    /// Take something out of the log for good.
    Redact { target: RedactionTarget, reason: Option<Arc<str>> },
    /// Take no further commands.
    Close { reason: Arc<str> },

    /// From the shell: the turn ended, `truncated` where the model stopped at its token limit.
    #[serde(skip)]
    TurnCompleted {
        message: MessageId,
        attempt: u32,
        text: Arc<str>,
        calls: Vec<Wanted>,
        usage: Usage,
        truncated: bool,
    },
    /// From the shell: what the rules say about a call.
    #[serde(skip)]
    CallJudged { call: CallId, judged: Judged },
    /// From the shell: the call has a result, or will never have one.
    #[serde(skip)]
    CallEnded { call: CallId, attempt: u32, result: Result<Brought, StepError> },
    /// From the shell: the call wants to know something of people, and goes on with their answer.
    #[serde(skip)]
    CallAsks { call: CallId, attempt: u32, inquiry: Inquiry },
    /// From the shell: it does not any more.
    #[serde(skip)]
    CallAsksNoMore { call: CallId, attempt: u32 },
    /// From the shell: the attempt failed. `retry_in` in milliseconds, absent where trying again cannot help.
    #[serde(skip)]
    TurnFailed { attempt: u32, error: StepError, retry_in: Option<u64>, left: Unfinished },
    /// From the shell: it has begun to carry out the control.
    #[serde(skip)]
    Acknowledge { control: u64 },
    /// From the shell: what the control was to stop has stopped, and left this.
    #[serde(skip)]
    Stopped { control: u64, left: Vec<Unfinished> },
    /// From the shell: a title for the session, if somebody thought of one, and what that cost.
    #[serde(skip)]
    TitleMade { run: RunId, message: MessageId, title: Option<Arc<str>>, usage: Option<Usage> },
    /// From the shell: time has passed; whatever is due by now is done.
    #[serde(skip)]
    Due,
    /// From the shell: the session was taken up again after a restart or from another node.
    #[serde(skip)]
    Recover,
}

impl Command {
    /// What must go through whatever somebody said before.
    pub fn is_control(&self) -> bool {
        use Command::*;
        matches!(self, Vote { .. } | Answer { .. } | Pause { .. } | Resume { .. } | Interrupt { .. } | Cancel { .. })
    }
}

/// A call that a model wants to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The tool.
    pub name: Arc<str>,
    /// The arguments, as the model wrote them.
    pub arguments: Arc<str>,
}

/// What a call of a tool has brought.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Brought {
    /// What the agent reads.
    pub text: Arc<str>,
    /// Files that it made; their content is kept already.
    pub files: Vec<NewFile>,
    /// How many files the session may hold.
    pub room: FileRoom,
}

impl<T: Into<Arc<str>>> From<T> for Brought {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What the rules say about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Judged {
    /// There is such a tool, and the arguments are as it takes them.
    Known {
        /// What may be done with it.
        permission: Permission,
        /// Whether it can be made twice without harm.
        idempotent: bool,
        /// JSON Schema of its arguments.
        schema: Value,
    },
    /// It cannot be made, and why, for the agent.
    Impossible(StepError),
}

/// What an attempt leaves that did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The message that it was writing.
    pub message: MessageId,
    /// Its text so far.
    pub text: Arc<str>,
    /// What it cost, where it had begun to answer.
    pub usage: Option<Usage>,
}

/// What a turn cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// `provider/model` that answered.
    pub model: Arc<str>,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The figures are an estimate.
    pub estimated: bool,
    /// Millionths of the configured currency.
    pub cost_micros: u64,
}
