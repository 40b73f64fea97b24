//! One entry of the audit log.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Origin;
use crate::identity::{Participant, Standing};
use crate::kernel::{ActorKind, ParticipantId, SessionId, Timestamp};

/// Characters of one text in an entry, at most.
const MAX_TEXT_CHARS: usize = 200;
/// Bytes of an entry's detail as JSON, at most.
const MAX_DETAIL_BYTES: usize = 2048;

/// An enum whose words are stable: they are in the database, on the wire and on the command line.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name { $($(#[$about])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word in the store and on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The one that a word names.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}

words! {
    /// Subject of an entry. New ones may be added; a word never changes its meaning.
    AuditAction {
        /// Somebody signed in with a link or a token, or tried to.
        SignIn = "sign_in",
        /// A link that signs an administrator in was printed at the server's terminal; `subject` is its id.
        SignInLinkCreated = "sign_in_link_created",
        /// Somebody ended their own sign-in.
        SignOut = "sign_out",
        /// A request or command was refused with 401, 403, `unknown_session` or `unknown_knowledge`, or its equal on a socket.
        Refusal = "refusal",
        /// A token was made; `subject` is its id.
        TokenCreated = "token_created",
        /// A token was revoked; `subject` is its id.
        TokenRevoked = "token_revoked",
        /// A sign-in was ended by its owner elsewhere or by an administrator; `subject` is its id.
        DeviceRevoked = "device_revoked",
        /// A link into a session was made; `subject` is its id.
        LinkCreated = "link_created",
        /// A link into a session was used, or somebody tried to; `subject` is its id.
        LinkUsed = "link_used",
        /// A link into a session was removed; `subject` is its id.
        LinkRemoved = "link_removed",
        /// An owner admitted or refused somebody who knocked; `subject` is the visitor.
        KnockAnswered = "knock_answered",
        /// Somebody was brought into a session by command; `subject` is their id.
        ParticipantInvited = "participant_invited",
        /// Somebody's role in a session was changed; `subject` is their id.
        RoleChanged = "role_changed",
        /// Somebody was removed from a session; `subject` is their id.
        ParticipantRemoved = "participant_removed",
        /// Somebody was disabled on the whole server; `subject` is their id.
        ParticipantDisabled = "participant_disabled",
        /// Somebody was enabled again; `subject` is their id.
        ParticipantEnabled = "participant_enabled",
        /// An administrator read a session that they are not in.
        SessionRead = "session_read",
        /// The log of a session was printed at the server's terminal.
        SessionExported = "session_exported",
        /// A copy of the database was made; `subject` is its file.
        BackupCreated = "backup_created",
        /// Settings of a session were changed.
        SettingsChanged = "settings_changed",
        /// A caller without a token came in through a guest door, or tried to; `subject` is the door.
        GuestDoor = "guest_door",
        /// An operator authorized an MCP server, or withdrew that; `subject` is its name.
        McpAuthorization = "mcp_authorization",
        /// Content was redacted; `subject` says which.
        Redaction = "redaction",
    }
}

words! {
    /// Outcome of what an entry is about.
    AuditOutcome {
        /// It was done.
        Ok = "ok",
        /// It was refused.
        Refused = "refused",
    }
}

words! {
    /// Kind of an actor.
    AuditActorKind {
        /// A person with an account.
        User = "user",
        /// A program.
        Bot = "bot",
        /// A person who came by a link and named themselves.
        Guest = "guest",
        /// Somebody at the server's own terminal.
        Terminal = "terminal",
    }
}

/// Snapshot of an actor at the moment of the entry: names change, entries do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditActor {
    /// The participant's id; absent at the server's own terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ParticipantId>,
    /// The kind.
    pub kind: AuditActorKind,
    /// The name that they had.
    pub name: Arc<str>,
}

impl From<&Participant> for AuditActor {
    fn from(who: &Participant) -> Self {
        let kind = match (who.kind, who.standing) {
            (ActorKind::Bot, _) => AuditActorKind::Bot,
            (_, Standing::Guest) => AuditActorKind::Guest,
            _ => AuditActorKind::User,
        };
        Self { id: Some(who.id), kind, name: short(&who.name) }
    }
}

/// An entry on its way to the store, which adds id and time.
#[derive(Debug, Clone)]
pub struct NewAuditEntry {
    pub(crate) action: AuditAction,
    pub(crate) outcome: AuditOutcome,
    pub(crate) actor: Option<AuditActor>,
    pub(crate) session: Option<SessionId>,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) origin: Origin,
    detail: Map<String, Value>,
}

impl NewAuditEntry {
    /// An entry that `action` was done, with the address and request id of the current task.
    pub fn new(action: AuditAction) -> Self {
        Self {
            action,
            outcome: AuditOutcome::Ok,
            actor: None,
            session: None,
            subject: None,
            origin: Origin::current(),
            detail: Map::new(),
        }
    }

    /// The same, refused.
    #[must_use]
    pub fn refused(mut self) -> Self {
        self.outcome = AuditOutcome::Refused;
        self
    }

    /// The same with its actor.
    #[must_use]
    pub fn by(mut self, who: &Participant) -> Self {
        self.actor = Some(who.into());
        self
    }

    /// The same with the person at the server's own terminal as its actor.
    #[must_use]
    pub fn by_terminal(mut self) -> Self {
        let name = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        self.actor = Some(AuditActor { id: None, kind: AuditActorKind::Terminal, name: short(&name) });
        self
    }

    /// The same with its session.
    #[must_use]
    pub fn session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// The same with its subject, at most 200 characters: an id or a name, never a secret.
    #[must_use]
    pub fn subject(mut self, subject: impl Display) -> Self {
        self.subject = Some(short(&subject.to_string()));
        self
    }

    /// The same with one more detail. Never a secret and never a message's text.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(name.to_owned(), value.into());
        self
    }

    /// The detail as JSON, within 2048 bytes; absent where there is none.
    pub(crate) fn detail_json(&self) -> Option<String> {
        if self.detail.is_empty() {
            return None;
        }
        let bounded = self.detail.iter().map(|(name, value)| match value {
            Value::String(text) => (name.clone(), Value::from(&*short(text))),
            other => (name.clone(), other.clone()),
        });
        let json = Value::Object(bounded.collect()).to_string();
        let bytes = json.len();
        Some(if bytes > MAX_DETAIL_BYTES { format!("{{\"dropped_bytes\":{bytes}}}") } else { json })
    }
}

/// An entry as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditEntry {
    /// Its number; higher ones were written later.
    pub id: u64,
    /// When it was written, by the database's clock.
    pub at: Timestamp,
    /// Its subject matter.
    pub action: AuditAction,
    /// Its outcome.
    pub outcome: AuditOutcome,
    /// Who did it; absent where nobody was identified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<AuditActor>,
    /// The client's address; absent at the server's own terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The session that it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The thing or person that it concerns: see [`AuditAction`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Arc<str>>,
    /// The request's id, as its answer and the server's log have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<str>>,
    /// Further details.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

/// Text that fits an entry: neither database keeps a NUL, and a line break would make two lines of one.
fn short(text: &str) -> Arc<str> {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TEXT_CHARS).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_bounded_whatever_it_is_given() {
        let entry = NewAuditEntry::new(AuditAction::Refusal).subject("s\0\n".repeat(1_000));
        let entry = entry.detail("path", "x".repeat(100_000));
        assert_eq!(entry.subject.as_deref().map(|text| text.chars().count()), Some(MAX_TEXT_CHARS));
        assert!(entry.subject.as_deref().is_some_and(|text| !text.contains(['\0', '\n'])));
        let text = entry.detail_json().expect("there is one");
        assert!(text.len() < 300, "a long text is cut: {} bytes", text.len());
        let entry = entry.detail("list", (0..2_000).collect::<Vec<u32>>());
        assert!(entry.detail_json().is_some_and(|text| text.contains("dropped_bytes") && text.len() < 100));
    }

    #[tokio::test]
    async fn an_entry_has_the_origin_of_the_task_that_makes_it() {
        let origin = Origin { address: Some([192, 0, 2, 7].into()), request: Some("r1".into()) };
        let entry = origin.clone().scope(async { NewAuditEntry::new(AuditAction::SignIn) }).await;
        assert_eq!(entry.origin, origin);
        assert_eq!(NewAuditEntry::new(AuditAction::SignIn).origin, Origin::default());
    }
}
