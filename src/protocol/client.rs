//! What clients send.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::kernel::gate::Choice;
use crate::kernel::{
    CommandId, Earlier, FileId, GateId, MessageId, Mode, ParticipantId, Role, RunId, SessionId, Settings, StepId,
    Target, Timestamp,
};

/// One text frame from a client.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ClientFrame {
    /// Who I am, where neither cookie nor header said so; and what I am, for the server's log.
    Hello {
        /// A token.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<String>,
        /// `name/version` of the client.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
    },
    /// Show me this session from now on.
    Join {
        /// Which.
        session: SessionId,
        /// The seq that I already have; absent: a snapshot, then live; 0: the whole log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u64>,
        /// The `at` of the event with that seq, as I have it. Where the log has another event there by now, as after a backup
        /// was restored, the answer begins with a snapshot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// Stop showing me this session. I stay its participant.
    Leave {
        /// Which.
        session: SessionId,
    },
    /// Change the session.
    Command(CommandFrame),
    /// Ephemeral news about me; may be lost.
    Signal {
        /// Where.
        session: SessionId,
        /// `typing` or `looking_at`.
        name: String,
        /// What about it, at most 1 KiB.
        #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
        data: serde_json::Value,
    },
    /// Are you there?
    Ping,
}

/// A request to change a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CommandFrame {
    /// Chosen by the client (a ULID or UUID); sending it again is safe and gets the first answer.
    pub id: CommandId,
    /// Where. Over REST the path says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// What: the name of the command.
    pub r#do: String,
    /// Its arguments, see [`CommandData`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub data: Option<Box<RawValue>>,
    /// What the sender believes; if it is no longer so, the command is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
}

/// What the sender of a command believes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The revision of the gate that the sender saw.
    pub rev: u32,
}

/// Whom a `say` is for, in place of the mentions in its text: ids, names, or `all`, `people`, `role:reviewer`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SayTo {
    /// As the server writes it in `message.routed`.
    Target(Target),
    /// As a person would write it after the `@`.
    Name(String),
}

/// The commands and their arguments: `do` is the name, `data` the fields.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", content = "data", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "each field carries the name that docs/protocol.md explains")]
pub enum CommandData {
    /// Say something to agents or people, or give feedback.
    Say {
        text: Arc<str>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Vec<SayTo>>,
        #[serde(default)]
        mode: Mode,
        /// Files of the session that come with the words.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
    },
    /// Take a waiting message back.
    Withdraw { message: MessageId },
    /// Begin a run.
    Start {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        flow: Option<Arc<str>>,
        input: Arc<str>,
        /// Files of the session that come with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<FileId>,
        /// A conversation that took place elsewhere, oldest first, at most 50 messages; agents read it as words that the
        /// sender passes on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<Earlier>,
    },
    /// Vote at a gate; `expect.rev` is required.
    Vote {
        gate: GateId,
        choice: Choice,
        /// What is decided on, changed: the arguments of a call, or a plan. Comes with `approve`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<serde_json::Value>")]
        edit: Option<Box<RawValue>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<Arc<str>>,
    },
    /// Answer a gate in words, or with a value that its schema accepts.
    Answer { gate: GateId, value: serde_json::Value },
    /// Let nothing new start in this run.
    Pause { run: RunId },
    /// End its pause.
    Resume { run: RunId },
    /// Stop what is being written in it.
    Interrupt {
        run: RunId,
        /// Refused once this step is over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<StepId>,
        /// Refused once this item is over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        item: Option<MessageId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Arc<str>>,
    },
    /// End the run.
    Cancel {
        run: RunId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// Bring a participant in, who is known to the server by id.
    Invite { participant: ParticipantId, role: Role },
    /// Change a participant's role.
    SetRole { participant: ParticipantId, role: Role },
    /// Let somebody in who asked to come in.
    Admit { participant: ParticipantId },
    /// Decline the request of somebody who asked to come in.
    Refuse { participant: ParticipantId },
    /// Remove a participant.
    Remove { participant: ParticipantId },
    /// Leave the session for good.
    Leave {},
    /// Change the title, or those of the settings that are named.
    Set {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<Arc<str>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Settings>")]
        settings: Option<Map<String, Value>>,
    },
    /// Take a file out of the session's list; its versions can be brought back.
    RemoveFile { name: Arc<str> },
    /// Make an earlier version of a file its newest.
    RestoreFile { file: FileId },
    /// Take the content of a message, of one version of a file, or a participant's name out of the session for good.
    Redact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<FileId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        participant: Option<ParticipantId>,
        /// With a participant: what they wrote in the session as well.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        content: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
    /// Take no further commands.
    Close {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Arc<str>>,
    },
}

impl CommandData {
    /// The name of every command.
    pub const NAMES: &'static [&'static str] = &[
        "say",
        "withdraw",
        "start",
        "vote",
        "answer",
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
