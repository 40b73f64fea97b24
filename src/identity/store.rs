//! Where identities are kept.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::SecretHash;
use crate::kernel::{Actor, ActorKind, By, CommandId, ParticipantId, Role, SessionId, Timestamp};
use crate::store::StoreError;

/// A person or a bot that the server knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Participant {
    /// Their id, the same in every session.
    pub id: ParticipantId,
    /// A person or a bot.
    pub kind: ActorKind,
    /// The name that people read.
    pub name: Arc<str>,
    /// What they may do beyond the sessions they are in.
    pub standing: Standing,
}

impl Participant {
    /// The actor that the server stamps on what they do. A bot has its name from whoever made its token.
    pub fn actor(&self) -> Actor {
        let guest = self.standing == Standing::Guest && self.kind == ActorKind::User;
        Actor { guest, ..Actor::participant(self.id, self.kind, &self.name) }
    }

    /// What they do under this id, as the kernel knows its sender.
    pub fn sends(&self, id: CommandId) -> By {
        By::Participant { actor: self.actor(), id, standing: self.standing.role() }
    }

    /// Their role in a session that lists them as `listed`: the higher of that and what their standing gives.
    pub fn role(&self, listed: Option<Role>) -> Option<Role> {
        match (self.standing.role(), listed) {
            (Some(standing), Some(listed)) if listed.covers(standing) => Some(listed),
            (standing, listed) => standing.or(listed),
        }
    }
}

/// What somebody may do on the server as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Sees every session and may do there what an owner may; creates sessions; manages tokens.
    Admin,
    /// Creates sessions; sees those that they are in.
    Member,
    /// Sees the sessions that they were invited to.
    Guest,
}

impl Standing {
    /// The role that it gives in every session.
    pub fn role(self) -> Option<Role> {
        matches!(self, Self::Admin).then_some(Role::Owner)
    }

    /// The word in the store and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Member => "member",
            Self::Guest => "guest",
        }
    }

    /// The standing that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Admin, Self::Member, Self::Guest].into_iter().find(|standing| standing.as_str() == word)
    }
}

/// What a secret opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Programs and scripts, until revoked.
    Token,
    /// A signed-in browser.
    Cookie,
    /// Good for one sign-in.
    SignIn,
}

impl Grant {
    /// The word in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Cookie => "cookie",
            Self::SignIn => "signin",
        }
    }
}

/// A secret to be known to the store.
#[derive(Debug, Clone)]
pub struct NewCredential {
    /// Its hash.
    pub hash: SecretHash,
    /// What it opens.
    pub grant: Grant,
    /// Whose it is.
    pub participant: ParticipantId,
    /// For how long from now; absent: until it is revoked.
    pub lasts: Option<Duration>,
    /// The credential that it was made from: it ends with that one.
    pub origin: Option<SecretHash>,
}

/// The secret by which somebody was known: what is open by its right ends with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// Its hash.
    pub hash: SecretHash,
    /// What it opens.
    pub grant: Grant,
}

/// What is over since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The credentials, in no order; some may have been told before.
    pub credentials: Vec<SecretHash>,
    /// This moment by the database's clock, which all nodes share.
    pub now: Timestamp,
}

/// A token as `token list` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenListing {
    /// The first 12 hexadecimal digits of its hash: what `token revoke` takes.
    pub id: String,
    /// Whose it is.
    pub participant: Participant,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
}

/// An invitation to be known to the store.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// Where to.
    pub session: SessionId,
    /// As what.
    pub role: Role,
    /// Who invites.
    pub by: ParticipantId,
    /// For how long from now.
    pub lasts: Duration,
}

/// An open invitation to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// Where to.
    pub session: SessionId,
    /// As what.
    pub role: Role,
    /// Who invites.
    pub by: ParticipantId,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Participants, their credentials and invitations. Implemented by every store engine, under the same law suite.
///
/// What lasts begins, and is over, by the database's clock: on nodes whose clocks differ it ends at the same moment.
#[async_trait]
pub trait IdentityStore: Send + Sync + 'static {
    /// Add a participant.
    async fn add_participant(&self, participant: &Participant, at: Timestamp) -> Result<(), StoreError>;

    /// A participant by id.
    async fn participant(&self, id: ParticipantId) -> Result<Option<Participant>, StoreError>;

    /// The oldest participant of this kind and exactly this name.
    async fn participant_named(&self, name: &str, kind: ActorKind) -> Result<Option<Participant>, StoreError>;

    /// Those in the session who are guests: they chose their own name, which may be somebody else's too.
    async fn guests(&self, session: SessionId) -> Result<Vec<ParticipantId>, StoreError>;

    /// Change a participant's name.
    async fn rename(&self, id: ParticipantId, name: &str) -> Result<(), StoreError>;

    /// Add a credential.
    async fn add_credential(&self, credential: &NewCredential) -> Result<(), StoreError>;

    /// Whose credential this is, if it is known, of that sort and neither it nor its origin is over.
    async fn authenticate(&self, hash: SecretHash, grant: Grant) -> Result<Option<Participant>, StoreError>;

    /// Use up a credential: the same answer as `authenticate` once, `None` ever after, however two uses race.
    async fn redeem(&self, hash: SecretHash, grant: Grant) -> Result<Option<Participant>, StoreError>;

    /// Whether an administrator has a token or is signed in, so that nobody needs a first way in.
    async fn has_administrator(&self) -> Result<bool, StoreError>;

    /// Tokens in force, oldest first.
    async fn tokens(&self) -> Result<Vec<TokenListing>, StoreError>;

    /// Revoke the tokens whose id begins so, and all that was made from them; how many. Nothing begins with an empty prefix.
    async fn revoke_tokens(&self, id_prefix: &str) -> Result<u64, StoreError>;

    /// Remove one credential, as signing out does.
    async fn remove_credential(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Cookies and tokens that have ended since that moment by the database's clock, revoked or by their time, also with
    /// what they were made from. A revocation is remembered for a day.
    async fn ended(&self, since: Timestamp) -> Result<Ended, StoreError>;

    /// Add an invitation, which can be used until it ends; when that is.
    async fn add_invitation(&self, invitation: &NewInvitation) -> Result<Timestamp, StoreError>;

    /// The invitation, if it is known and not over.
    async fn invitation(&self, hash: SecretHash) -> Result<Option<Invitation>, StoreError>;

    /// The session's invitations that are not over, the first to end first.
    async fn invitations(&self, session: SessionId) -> Result<Vec<Invitation>, StoreError>;

    /// Remove one invitation: its link opens nothing any more.
    async fn remove_invitation(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Remove credentials and invitations that were over before `now`.
    async fn remove_ended(&self, now: Timestamp) -> Result<(), StoreError>;
}
