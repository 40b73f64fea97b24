//! Error codes of the protocol, in one table: code, family, HTTP status.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Rejection;

/// Kind of an error, which determines who must act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// The session's state or the sender's rights do not allow the request: look at the current state and decide again.
    Rejection,
    /// The request does not conform to the protocol: fix the client.
    Malformed,
    /// The request cannot be served now: retry it later.
    Unavailable,
    /// An internal error occurred: report the incident id to the operator.
    Internal,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $family:ident, $status:literal;)*) => {
        /// Error code for clients to match on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Code {
            $($(#[$doc])* #[serde(rename = $word)] $name,)*
        }

        impl Code {
            /// All error codes.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the name on the wire, for example `unknown_session`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// Returns the family, which determines who must act.
            pub fn family(self) -> Family {
                match self { $(Self::$name => Family::$family,)* }
            }

            /// Returns the HTTP status of a response with this code.
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* }
            }
        }
    };
}

impl Code {
    /// Returns whether the same request can succeed later. Clients read this as `retryable` and need no list of codes.
    pub fn is_retryable(self) -> bool {
        self.family() == Family::Unavailable
    }

    /// Returns whether access was denied, openly or by a response that hides what the caller has no right to see.
    pub fn is_denial(self) -> bool {
        matches!(self.status(), 401 | 403)
            || matches!(
                self,
                Self::UnknownSession | Self::UnknownKnowledge | Self::UnknownTeam | Self::UnknownExecution
            )
    }
}

codes! {
    /// The session does not exist, or you have no access to it.
    UnknownSession = "unknown_session", Rejection, 404;
    /// The session is closed and accepts no further commands.
    SessionClosed = "session_closed", Rejection, 409;
    /// The sender is not in the session.
    NotAMember = "not_a_member", Rejection, 403;
    /// The sender's role does not allow the request.
    Forbidden = "forbidden", Rejection, 403;
    /// The scope of the token does not allow the request.
    TokenScope = "token_scope", Rejection, 403;
    /// A run is already active.
    RunActive = "run_active", Rejection, 409;
    /// No run is active, or not the one that the command names; `details.run` is the id of the active run.
    NoRun = "no_run", Rejection, 409;
    /// The run, step or message that the control names has ended or never existed. The same command is never accepted
    /// later.
    TargetOver = "target_over", Rejection, 409;
    /// Nothing is being written, or not the step or message that the command names.
    NothingRunning = "nothing_running", Rejection, 409;
    /// The run is already paused.
    AlreadyPaused = "already_paused", Rejection, 409;
    /// The run is not paused.
    NotPaused = "not_paused", Rejection, 409;
    /// A control of this kind is already requested and not complete.
    AlreadyRequested = "already_requested", Rejection, 409;
    /// The session has no such gate.
    UnknownGate = "unknown_gate", Rejection, 404;
    /// The session has no such standing permission: it ended or was revoked, or never existed.
    UnknownPermission = "unknown_permission", Rejection, 404;
    /// The votes in the session suggest no such rule now, and none is proposed.
    UnknownSuggestion = "unknown_suggestion", Rejection, 404;
    /// The gate is already decided.
    AlreadyDecided = "already_decided", Rejection, 409;
    /// The gate's run ended, or the gate timed out.
    GateClosed = "gate_closed", Rejection, 409;
    /// The subject has changed since the sender saw it.
    StaleRevision = "stale_revision", Rejection, 409;
    /// The gate has no such thread of comments.
    UnknownThread = "unknown_thread", Rejection, 404;
    /// The gate has the maximum number of comments.
    CommentsFull = "comments_full", Rejection, 409;
    /// A vote against the subject needs a comment.
    CommentRequired = "comment_required", Rejection, 422;
    /// The message is not waiting.
    NotWaiting = "not_waiting", Rejection, 409;
    /// Only the author may do this.
    NotTheAuthor = "not_the_author", Rejection, 403;
    /// Too many messages are already waiting.
    InboxFull = "inbox_full", Rejection, 409;
    /// Too many of the sender's commands are already waiting for the owners.
    RequestsFull = "requests_full", Rejection, 409;
    /// The session has no such participant.
    UnknownParticipant = "unknown_participant", Rejection, 404;
    /// The session would have no owner left.
    LastOwner = "last_owner", Rejection, 409;
    /// The session has no such message.
    UnknownMessage = "unknown_message", Rejection, 404;
    /// The session has no such file.
    UnknownFile = "unknown_file", Rejection, 404;
    /// The session has reached its limit of file versions or bytes.
    FilesFull = "files_full", Rejection, 409;
    /// The knowledge base does not exist, or you have no read access to it.
    UnknownKnowledge = "unknown_knowledge", Rejection, 404;
    /// The knowledge base has no such document.
    UnknownDocument = "unknown_document", Rejection, 404;
    /// The limit of knowledge bases, or of documents or bytes in one, is reached.
    KnowledgeFull = "knowledge_full", Rejection, 409;
    /// The team does not exist, or you have no access to it.
    UnknownTeam = "unknown_team", Rejection, 404;
    /// The team is switched off.
    TeamInactive = "team_inactive", Rejection, 409;
    /// The team has executions in progress.
    TeamBusy = "team_busy", Rejection, 409;
    /// The execution does not exist, or you have no access to it.
    UnknownExecution = "unknown_execution", Rejection, 404;
    /// The execution is still in progress.
    ExecutionRunning = "execution_running", Rejection, 409;
    /// The execution exceeded its time limit.
    ExecutionTimeout = "execution_timeout", Rejection, 408;
    /// No output matched the schema of the caller.
    SchemaGenerationFailed = "schema_generation_failed", Rejection, 422;
    /// The run ended without the result that the request waits for: it was cancelled, or failed. The message says why.
    NoResult = "no_result", Rejection, 409;
    /// The `Idempotency-Key` was used for another request.
    IdempotencyKeyReused = "idempotency_key_reused", Rejection, 422;
    /// A participant or session has reached its quota.
    QuotaExceeded = "quota_exceeded", Rejection, 409;
    /// The session has no room for another participant.
    SessionFull = "session_full", Rejection, 409;
    /// The connection has joined the maximum number of sessions.
    TooManySessions = "too_many_sessions", Rejection, 409;
    /// The connection has not joined the session.
    NotJoined = "not_joined", Rejection, 409;
    /// The invitation or sign-in link is unknown, used or expired.
    LinkInvalid = "link_invalid", Rejection, 410;

    /// The frame or body is not JSON, or does not conform to the protocol.
    BadFrame = "bad_frame", Malformed, 400;
    /// The command does not exist.
    UnknownCommand = "unknown_command", Malformed, 400;
    /// An argument is missing, unknown or out of bounds.
    InvalidArgument = "invalid_argument", Malformed, 400;
    /// A team has errors; `details` lists them.
    InvalidTopology = "invalid_topology", Malformed, 400;
    /// The request is larger than the limit.
    TooLarge = "too_large", Malformed, 413;
    /// The content is not UTF-8 text.
    NotText = "not_text", Malformed, 415;
    /// The frame is binary; the protocol uses text frames only.
    BinaryFrame = "binary_frame", Malformed, 400;
    /// The path serves only WebSockets, over HTTP/1.1 and in version 13 of the protocol.
    UpgradeRequired = "upgrade_required", Malformed, 426;
    /// The request has no valid credential.
    Unauthenticated = "unauthenticated", Malformed, 401;
    /// The connection already has an identity.
    AlreadyAuthenticated = "already_authenticated", Malformed, 400;
    /// The path does not exist.
    NotFound = "not_found", Malformed, 404;
    /// The path does not support this method.
    MethodNotAllowed = "method_not_allowed", Malformed, 405;
    /// The origin of the page, or the host, is not this server's.
    WrongOrigin = "wrong_origin", Malformed, 403;

    /// A rate limit is exceeded; `retry_after_ms` says when to retry.
    RateLimited = "rate_limited", Unavailable, 429;
    /// The session or the server is overloaded.
    Busy = "busy", Unavailable, 503;
    /// The provider of a model does not respond, or does not serve requests now.
    ModelUnavailable = "model_unavailable", Unavailable, 503;
    /// The database does not respond.
    StoreUnavailable = "store_unavailable", Unavailable, 503;
    /// The server is shutting down.
    ShuttingDown = "shutting_down", Unavailable, 503;
    /// The request exceeded its timeout.
    TimedOut = "timed_out", Unavailable, 504;

    /// An internal error occurred in the server.
    Internal = "internal", Internal, 500;
}

/// Error as clients receive it, over the socket and over HTTP.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// Error code, for example `rate_limited`.
    pub code: Code,
    /// Explanation for people: what happened, then what to do.
    pub message: Arc<str>,
    /// True if the same request can succeed later. Example: true for `rate_limited`.
    pub retryable: bool,
    /// Milliseconds to wait before a retry. Absent if a retry does not help or can be immediate. With `quota_exceeded`,
    /// the time until the month ends, which only a person can wait for. Example: 1200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Additional data, depending on the code: the decision, the current revision, the accepted number of bytes, or the
    /// incident id, for example `{"max_bytes":65536}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<serde_json::Value>,
}

/// Error to send to a client.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}: {}", .0.code.as_str(), .0.message)]
pub struct Problem(pub Box<ErrorBody>);

impl Problem {
    /// Creates an error with a code and a message.
    pub fn new(code: Code, message: impl Into<Arc<str>>) -> Self {
        let (message, retryable) = (message.into(), code.is_retryable());
        Self(Box::new(ErrorBody { code, message, retryable, retry_after_ms: None, details: None }))
    }

    /// Sets the delay before a retry, in milliseconds.
    #[must_use]
    pub fn retry_after(mut self, ms: u64) -> Self {
        self.0.retry_after_ms = Some(ms);
        self
    }

    /// Sets the additional data.
    #[must_use]
    pub fn details(mut self, details: serde_json::Value) -> Self {
        self.0.details = Some(details);
        self
    }

    /// Creates the error for a participant id that the server does not know.
    pub fn unknown_participant() -> Self {
        Self::new(Code::UnknownParticipant, "the server has no participant with this id; check the id")
    }

    /// Creates a `too_large` error; `max_bytes` is the accepted number of bytes.
    pub fn too_large(message: impl Into<Arc<str>>, max_bytes: usize) -> Self {
        Self::new(Code::TooLarge, message).details(serde_json::json!({ "max_bytes": max_bytes }))
    }

    /// Creates an internal error. The cause goes to the server's log under an incident id; the client receives only the
    /// id.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let incident = uuid::Uuid::now_v7().simple().to_string();
        tracing::error!(%incident, %cause, "internal error");
        Self::new(Code::Internal, format!("internal error in the server; report incident {incident} to its operator"))
            .details(serde_json::json!({ "incident": incident }))
    }

    /// Returns the error code.
    pub fn code(&self) -> Code {
        self.0.code
    }
}

/// Returns the code of a rejection.
fn code_of(rejection: &Rejection) -> Code {
    match rejection {
        Rejection::InBatch { reason, .. } => code_of(reason),
        Rejection::UnknownSession => Code::UnknownSession,
        Rejection::SessionClosed => Code::SessionClosed,
        Rejection::NotAMember => Code::NotAMember,
        Rejection::Forbidden { .. } => Code::Forbidden,
        Rejection::BeyondToken { .. } => Code::TokenScope,
        Rejection::NeedsApproval { .. } => Code::Forbidden,
        Rejection::TooManyAsked { .. } => Code::RequestsFull,
        Rejection::Invalid(_) => Code::InvalidArgument,
        Rejection::RunActive => Code::RunActive,
        Rejection::NoRun | Rejection::OtherRun { .. } => Code::NoRun,
        Rejection::TargetOver(_) => Code::TargetOver,
        Rejection::NothingRunning | Rejection::UnknownTarget(_) => Code::NothingRunning,
        Rejection::AlreadyPaused => Code::AlreadyPaused,
        Rejection::NotPaused => Code::NotPaused,
        Rejection::AlreadyRequested | Rejection::AlreadyAsked => Code::AlreadyRequested,
        Rejection::UnknownGate(_) => Code::UnknownGate,
        Rejection::UnknownPermission(_) => Code::UnknownPermission,
        Rejection::UnknownSuggestion => Code::UnknownSuggestion,
        Rejection::AlreadyDecided { .. } => Code::AlreadyDecided,
        Rejection::GateClosed(_) | Rejection::GateExpired(_) => Code::GateClosed,
        Rejection::StaleRevision { .. } | Rejection::UnnamedRevision { .. } | Rejection::OldFileVersion { .. } => {
            Code::StaleRevision
        }
        Rejection::UnknownThread(_) => Code::UnknownThread,
        Rejection::CommentsFull { .. } => Code::CommentsFull,
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
    }
}

/// Returns the machine-readable details of a rejection, or null if there are none.
fn details_of(rejection: &Rejection) -> serde_json::Value {
    match rejection {
        Rejection::AlreadyDecided { decision, .. } => serde_json::json!({ "decision": decision }),
        Rejection::StaleRevision { current, .. } | Rejection::UnnamedRevision { current } => {
            serde_json::json!({ "current": { "rev": current } })
        }
        Rejection::OldFileVersion { file, newest } => {
            serde_json::json!({ "current": { "file": file, "version": newest } })
        }
        Rejection::OtherRun { active, .. } => serde_json::json!({ "run": active }),
        Rejection::Forbidden { right, .. } | Rejection::BeyondToken { right, .. } => {
            serde_json::json!({ "right": right })
        }
        Rejection::InBatch { gate, reason } => {
            let mut details = details_of(reason);
            details["gate"] = serde_json::json!(gate);
            details
        }
        _ => serde_json::Value::Null,
    }
}

impl From<Rejection> for Problem {
    fn from(rejection: Rejection) -> Self {
        let problem = Self::new(code_of(&rejection), rejection.to_string());
        match details_of(&rejection) {
            serde_json::Value::Null => problem,
            details => problem.details(details),
        }
    }
}
