//! Every way to say no, in one table: code, family, HTTP status.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Rejection;

/// Who must act on an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// The session's state or the sender's rights say no: look, and decide again.
    Rejection,
    /// The request is not what the protocol describes: mend the client.
    Malformed,
    /// Not now: send the same again later.
    Unavailable,
    /// An incident: tell the operator its id.
    Internal,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $family:ident, $status:literal;)*) => {
        /// What went wrong, as clients can match on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Who must act.
            pub fn family(self) -> Family {
                match self { $(Self::$name => Family::$family,)* }
            }

            /// The HTTP status where HTTP carries it.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

impl Code {
    /// Whether somebody was denied something: told so, or told that it is not there because it is not theirs to see.
    pub fn is_denial(self) -> bool {
        matches!(self.status(), 401 | 403) || matches!(self, Self::UnknownSession | Self::UnknownKnowledge)
    }
}

codes! {
    /// No such session, or not yours to see.
    UnknownSession = "unknown_session", Rejection, 404;
    /// The session takes no further commands.
    SessionClosed = "session_closed", Rejection, 409;
    /// The sender is not in the session.
    NotAMember = "not_a_member", Rejection, 403;
    /// The sender's role does not allow it.
    Forbidden = "forbidden", Rejection, 403;
    /// A run is already under way.
    RunActive = "run_active", Rejection, 409;
    /// No run is under way.
    NoRun = "no_run", Rejection, 409;
    /// The run, step or item that the control names is over. Final: the same command is never accepted later.
    TargetOver = "target_over", Rejection, 409;
    /// Nothing is being written.
    NothingRunning = "nothing_running", Rejection, 409;
    /// The run is already paused.
    AlreadyPaused = "already_paused", Rejection, 409;
    /// The run is not paused.
    NotPaused = "not_paused", Rejection, 409;
    /// The same act is already on its way.
    AlreadyRequested = "already_requested", Rejection, 409;
    /// No such gate.
    UnknownGate = "unknown_gate", Rejection, 404;
    /// The gate was decided before.
    AlreadyDecided = "already_decided", Rejection, 409;
    /// The gate's run ended, or its time ran out.
    GateClosed = "gate_closed", Rejection, 409;
    /// The subject changed since the sender saw it.
    StaleRevision = "stale_revision", Rejection, 409;
    /// A vote against needs a comment.
    CommentRequired = "comment_required", Rejection, 422;
    /// The message is not waiting any more.
    NotWaiting = "not_waiting", Rejection, 409;
    /// Only the author may do this.
    NotTheAuthor = "not_the_author", Rejection, 403;
    /// Too many messages wait already.
    InboxFull = "inbox_full", Rejection, 409;
    /// No such participant here.
    UnknownParticipant = "unknown_participant", Rejection, 404;
    /// A session needs an owner.
    LastOwner = "last_owner", Rejection, 409;
    /// No such message in the session.
    UnknownMessage = "unknown_message", Rejection, 404;
    /// No such file in the session.
    UnknownFile = "unknown_file", Rejection, 404;
    /// The session holds as many files as it may.
    FilesFull = "files_full", Rejection, 409;
    /// No such knowledge base, or not yours to read.
    UnknownKnowledge = "unknown_knowledge", Rejection, 404;
    /// No such document in the knowledge base.
    UnknownDocument = "unknown_document", Rejection, 404;
    /// There are as many knowledge bases, or the base holds as much, as may be.
    KnowledgeFull = "knowledge_full", Rejection, 409;
    /// A participant or session has or uses as much as its quota allows.
    QuotaExceeded = "quota_exceeded", Rejection, 409;
    /// The session has no room for another participant.
    SessionFull = "session_full", Rejection, 409;
    /// The connection has joined as many sessions as it may.
    TooManySessions = "too_many_sessions", Rejection, 409;
    /// The connection has not joined the session.
    NotJoined = "not_joined", Rejection, 409;
    /// The invitation or sign-in link is unknown, used or expired.
    LinkInvalid = "link_invalid", Rejection, 410;

    /// Not JSON, or not of the protocol's shape.
    BadFrame = "bad_frame", Malformed, 400;
    /// A command that does not exist.
    UnknownCommand = "unknown_command", Malformed, 400;
    /// An argument is missing, unknown or out of bounds.
    InvalidArgument = "invalid_argument", Malformed, 400;
    /// Larger than the limit.
    TooLarge = "too_large", Malformed, 413;
    /// Not a text in UTF-8.
    NotText = "not_text", Malformed, 415;
    /// Binary frames carry nothing here.
    BinaryFrame = "binary_frame", Malformed, 400;
    /// Nobody said who this is.
    Unauthenticated = "unauthenticated", Malformed, 401;
    /// Said hello twice, or as somebody else.
    AlreadyAuthenticated = "already_authenticated", Malformed, 400;
    /// No such path.
    NotFound = "not_found", Malformed, 404;
    /// The path does not take this method.
    MethodNotAllowed = "method_not_allowed", Malformed, 405;
    /// The page or host is not one of this server's.
    WrongOrigin = "wrong_origin", Malformed, 403;

    /// Too fast; `retry_after_ms` says when.
    RateLimited = "rate_limited", Unavailable, 429;
    /// The session or the server has too much to do.
    Busy = "busy", Unavailable, 503;
    /// The database does not answer.
    StoreUnavailable = "store_unavailable", Unavailable, 503;
    /// The server is shutting down.
    ShuttingDown = "shutting_down", Unavailable, 503;
    /// The request took longer than its time-out.
    TimedOut = "timed_out", Unavailable, 504;

    /// An incident inside the server.
    Internal = "internal", Internal, 500;
}

/// An error as clients receive it, over the socket and over HTTP.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub code: Code,
    /// What it means and what to do.
    pub message: Arc<str>,
    /// When to send the same again, where that can help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What else helps: the decision, the current revision, the bytes that are accepted, the incident's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

/// An error on its way to a client.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {}", .0.code.as_str(), .0.message)]
pub struct Problem(pub Box<ErrorBody>);

impl Problem {
    /// An error with its words.
    pub fn new(code: Code, message: impl Into<Arc<str>>) -> Self {
        Self(Box::new(ErrorBody { code, message: message.into(), retry_after_ms: None, details: None }))
    }

    /// The same, with when to try again.
    #[must_use]
    pub fn retry_after(mut self, millis: u64) -> Self {
        self.0.retry_after_ms = Some(millis);
        self
    }

    /// The same, with what else helps.
    #[must_use]
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// More bytes than are accepted; `most` are.
    pub fn too_large(message: impl Into<Arc<str>>, most: usize) -> Self {
        Self::new(Code::TooLarge, message).details(serde_json::json!({ "most": most }))
    }

    /// An incident: the cause goes to the server's log under an id, the client gets the id and nothing else.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let incident = uuid::Uuid::now_v7().simple().to_string();
        tracing::error!(%incident, %cause, "internal error");
        Self::new(Code::Internal, format!("something went wrong in the server; tell its operator: incident {incident}"))
            .details(serde_json::json!({ "incident": incident }))
    }

    /// The code.
    pub fn code(&self) -> Code {
        self.0.code
    }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        let code = match &rejection {
            Rejection::UnknownSession => Code::UnknownSession,
            Rejection::SessionClosed => Code::SessionClosed,
            Rejection::NotAMember => Code::NotAMember,
            Rejection::Forbidden { .. } => Code::Forbidden,
            Rejection::Invalid(_) => Code::InvalidArgument,
            Rejection::RunActive => Code::RunActive,
            Rejection::NoRun => Code::NoRun,
            Rejection::TargetOver(_) => Code::TargetOver,
            Rejection::NothingRunning => Code::NothingRunning,
            Rejection::AlreadyPaused => Code::AlreadyPaused,
            Rejection::NotPaused => Code::NotPaused,
            Rejection::AlreadyRequested => Code::AlreadyRequested,
            Rejection::UnknownGate(_) => Code::UnknownGate,
            Rejection::AlreadyDecided { .. } => Code::AlreadyDecided,
            Rejection::GateClosed(_) => Code::GateClosed,
            Rejection::StaleRevision { .. } => Code::StaleRevision,
            Rejection::CommentRequired => Code::CommentRequired,
            Rejection::NotWaiting => Code::NotWaiting,
            Rejection::NotTheAuthor => Code::NotTheAuthor,
            Rejection::InboxFull { .. } => Code::InboxFull,
            Rejection::UnknownParticipant => Code::UnknownParticipant,
            Rejection::NobodyKnocks => Code::UnknownParticipant,
            Rejection::TooManyKnocks => Code::SessionFull,
            Rejection::LastOwner => Code::LastOwner,
            Rejection::UnknownMessage(_) => Code::UnknownMessage,
            Rejection::UnknownFile(_) | Rejection::UnknownFileName(_) => Code::UnknownFile,
            Rejection::FilesFull(_) => Code::FilesFull,
            Rejection::SessionFull => Code::SessionFull,
        };
        let problem = Self::new(code, rejection.to_string());
        match rejection {
            Rejection::AlreadyDecided { decision, .. } => problem.details(serde_json::json!({ "decision": decision })),
            Rejection::StaleRevision { current, .. } => {
                problem.details(serde_json::json!({ "current": { "rev": current } }))
            }
            Rejection::Forbidden { right, .. } => problem.details(serde_json::json!({ "right": right })),
            _ => problem,
        }
    }
}
