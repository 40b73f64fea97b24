//! Entries of the audit log.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::RequestOrigin;
use crate::identity::{Participant, ServerRole};
use crate::kernel::{ActorKind, ParticipantId, SessionId, Timestamp, first_chars, single_line};

/// Maximum number of characters in a string of an entry.
const MAX_TEXT_CHARS: usize = 200;
/// Maximum size of an entry's detail as JSON, in bytes.
const MAX_DETAIL_BYTES: usize = 2048;

/// Declares an enum with stable names, which are used in the database, on the wire and on the command line.
macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$about])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the name in the store and on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Returns the value with this name, or `None` if there is none.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}

named_enum! {
    /// Action that an entry records. New actions can be added; a name never changes its meaning.
    AuditAction {
        /// A participant signed in with a link, with a token, at the identity provider or through a sign-in proxy, or
        /// an attempt to do so failed.
        SignIn = "sign_in",
        /// A link that signs in an administrator was printed at the server's terminal; `subject` is its id.
        SignInLinkCreated = "sign_in_link_created",
        /// A participant ended their own sign-in.
        SignOut = "sign_out",
        /// A request or command was denied with 401, 403, `unknown_session`, `unknown_knowledge`, `unknown_team` or
        /// `unknown_execution`, or the equivalent on a socket.
        Denial = "denial",
        /// A token was created; `subject` is its id.
        TokenCreated = "token_created",
        /// A token was revoked; `subject` is its id.
        TokenRevoked = "token_revoked",
        /// One sign-in or all sign-ins of a participant were revoked, by the participant, by an administrator, or
        /// because the participant is no longer allowed to sign in; `subject` is the id of the sign-in, or `all`.
        DeviceRevoked = "device_revoked",
        /// An invitation link was created; `subject` is its id.
        LinkCreated = "link_created",
        /// An invitation link was used, or an attempt to use it failed; `subject` is its id.
        LinkUsed = "link_used",
        /// An invitation link was removed; `subject` is its id.
        LinkRemoved = "link_removed",
        /// An owner admitted or refused a participant who knocked; `subject` is their id.
        KnockDecided = "knock_decided",
        /// A participant was added to a session by a command, the owners were asked to add them (`asked` in the
        /// details), or a decision of the owners added them (`approved_by` in the details); `subject` is their id.
        ParticipantInvited = "participant_invited",
        /// The role of a participant in a session was changed; `subject` is their id.
        RoleChanged = "role_changed",
        /// A participant was removed from a session; `subject` is their id.
        ParticipantRemoved = "participant_removed",
        /// A participant was created at their first sign-in at the identity provider or through a sign-in proxy, or by
        /// an import; `subject` is their id.
        ParticipantCreated = "participant_created",
        /// The name of a participant was changed by an import; `subject` is their id.
        ParticipantRenamed = "participant_renamed",
        /// The server role of a participant was changed; `subject` is their id.
        ServerRoleChanged = "server_role_changed",
        /// A participant was disabled on the whole server; `subject` is their id.
        ParticipantDisabled = "participant_disabled",
        /// A participant was enabled again; `subject` is their id.
        ParticipantEnabled = "participant_enabled",
        /// A participant with a role in every session read a session that they are not in.
        SessionRead = "session_read",
        /// The log of a session was printed at the server's terminal.
        SessionExported = "session_exported",
        /// A backup of the database was created; `subject` is its file.
        BackupCreated = "backup_created",
        /// Settings of a session were changed.
        SettingsChanged = "settings_changed",
        /// A caller without a token used a guest door, or tried to; `subject` is the door.
        GuestDoor = "guest_door",
        /// An operator authorized an MCP server, or revoked the authorization; `subject` is its name.
        McpAuthorization = "mcp_authorization",
        /// Content was redacted; `subject` is the id of the message, file, session or participant.
        Redaction = "redaction",
        /// A participant created a team; `subject` is its id.
        TeamCreated = "team_created",
        /// A team was replaced by another version, or switched on or off; `subject` is its id.
        TeamReplaced = "team_replaced",
        /// A team was deleted; `subject` is its id.
        TeamDeleted = "team_deleted",
        /// The right of a participant to a team was granted, changed or revoked; `subject` is the id of the team.
        TeamShared = "team_shared",
    }
}

named_enum! {
    /// Outcome of an action.
    AuditOutcome {
        /// The action was carried out.
        Ok = "ok",
        /// Access was denied, or a sign-in or the use of a link failed.
        Denied = "denied",
    }
}

named_enum! {
    /// Kind of an actor.
    AuditActorKind {
        /// Person with an account.
        User = "user",
        /// Program with a token of its own.
        Bot = "bot",
        /// Person who joined with a link and chose their own name.
        Guest = "guest",
        /// Person at the server's terminal.
        Terminal = "terminal",
    }
}

/// Snapshot of an actor at the moment of the entry: names change, entries do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuditActor {
    /// Id of the participant. Absent for the person at the server's terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<ParticipantId>,
    /// Kind of the actor.
    pub kind: AuditActorKind,
    /// Name of the actor at that moment.
    pub name: Arc<str>,
}

impl From<&Participant> for AuditActor {
    fn from(who: &Participant) -> Self {
        let kind = match (who.kind, who.server_role) {
            (ActorKind::Bot, _) => AuditActorKind::Bot,
            (_, ServerRole::Guest) => AuditActorKind::Guest,
            _ => AuditActorKind::User,
        };
        Self { id: Some(who.id), kind, name: clean_text(&who.name) }
    }
}

/// Entry to add to the store, which sets its id and time.
#[derive(Debug, Clone)]
pub struct NewAuditEntry {
    pub(crate) action: AuditAction,
    pub(crate) outcome: AuditOutcome,
    pub(crate) actor: Option<AuditActor>,
    pub(crate) session: Option<SessionId>,
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) origin: RequestOrigin,
    detail: Map<String, Value>,
}

impl NewAuditEntry {
    /// Creates an entry for a successful `action`, with the address and request id of the current task.
    pub fn new(action: AuditAction) -> Self {
        Self {
            action,
            outcome: AuditOutcome::Ok,
            actor: None,
            session: None,
            subject: None,
            origin: RequestOrigin::current(),
            detail: Map::new(),
        }
    }

    /// Sets the outcome to denied.
    #[must_use]
    pub fn denied(mut self) -> Self {
        self.outcome = AuditOutcome::Denied;
        self
    }

    /// Sets the actor.
    #[must_use]
    pub fn by(mut self, who: &Participant) -> Self {
        self.actor = Some(who.into());
        self
    }

    /// Sets the person at the server's terminal as the actor.
    #[must_use]
    pub fn by_terminal(mut self) -> Self {
        let name = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        self.actor = Some(AuditActor { id: None, kind: AuditActorKind::Terminal, name: clean_text(&name) });
        self
    }

    /// Sets the session.
    #[must_use]
    pub fn session(mut self, session: SessionId) -> Self {
        self.session = Some(session);
        self
    }

    /// Sets the subject, which is an id or a name, never a secret. It is cut to 200 characters.
    #[must_use]
    pub fn subject(mut self, subject: impl Display) -> Self {
        self.subject = Some(clean_text(&subject.to_string()));
        self
    }

    /// Adds a detail. It must not contain a secret or the text of a message.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.detail.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the details as JSON of at most 2048 bytes, or `None` if there are no details.
    pub(crate) fn detail_json(&self) -> Option<String> {
        if self.detail.is_empty() {
            return None;
        }
        let bounded = self.detail.iter().map(|(name, value)| match value {
            Value::String(text) => (name.clone(), Value::from(&*clean_text(text))),
            other => (name.clone(), other.clone()),
        });
        let json = Value::Object(bounded.collect()).to_string();
        let bytes = json.len();
        Some(if bytes > MAX_DETAIL_BYTES { format!("{{\"dropped_bytes\":{bytes}}}") } else { json })
    }
}

/// Entry in the store.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Id of the entry. Later entries have higher ids.
    pub id: u64,
    /// Time of the entry by the database's clock.
    pub at: Timestamp,
    /// Recorded action, for example `sign_in`.
    pub action: AuditAction,
    /// Outcome of the action: `ok` or `denied`.
    pub outcome: AuditOutcome,
    /// Actor. Absent if the actor was not identified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<AuditActor>,
    /// Address of the client, for example `192.0.2.7`. Absent for actions at the server's terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Session that the action concerns, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Thing or person that the action concerns; see [`AuditAction`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Arc<str>>,
    /// Id of the request, as in the `x-request-id` header of its response and in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Arc<str>>,
    /// Further details, for example `{"role":"reviewer"}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Value>,
}

/// Cuts a string to fit an entry and replaces control characters, because databases cannot store NUL and a line break
/// would split a line of output in two.
fn clean_text(text: &str) -> Arc<str> {
    single_line(first_chars(text, MAX_TEXT_CHARS)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_bounded_whatever_it_is_given() {
        let entry = NewAuditEntry::new(AuditAction::Denial).subject("s\0\n".repeat(1_000));
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
        let origin = RequestOrigin { address: Some([192, 0, 2, 7].into()), request: Some("r1".into()) };
        let entry = origin.clone().scope(async { NewAuditEntry::new(AuditAction::SignIn) }).await;
        assert_eq!(entry.origin, origin);
        assert_eq!(NewAuditEntry::new(AuditAction::SignIn).origin, RequestOrigin::default());
    }
}
