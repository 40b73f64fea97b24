//! Where identities are kept.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Credential, CredentialUse, Ended, Grant, Invitation, NewCredential, NewInvitation, SecretHash};
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

/// A participant as administrators list them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantListing {
    /// Who.
    pub participant: Participant,
    /// When the server came to know them.
    pub created_at: Timestamp,
    /// Since when they are disabled, if they are.
    pub disabled_at: Option<Timestamp>,
    /// Last use of a credential of theirs that is still there.
    pub last_used_at: Option<Timestamp>,
}

/// Page of the list of participants.
#[derive(Debug, Clone, Default)]
pub struct ParticipantQuery {
    /// Only names that contain this.
    pub search: String,
    /// Only ids before this one: the next page.
    pub before: Option<ParticipantId>,
    /// At most this many, newest ids first.
    pub limit: u32,
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

    /// Those who are in the session and not disabled, with their standing.
    async fn standings(&self, session: SessionId) -> Result<Vec<(ParticipantId, Standing)>, StoreError>;

    /// Change a participant's name; false where they are unknown or disabled.
    async fn rename(&self, id: ParticipantId, name: &str) -> Result<bool, StoreError>;

    /// Add a credential.
    async fn add_credential(&self, credential: &NewCredential) -> Result<(), StoreError>;

    /// Whose credential this is, if it is known, of that sort, neither it nor its origin is over, and they are not disabled.
    async fn authenticate(&self, hash: SecretHash, grant: Grant) -> Result<Option<Participant>, StoreError>;

    /// Use up a credential: the same answer as `authenticate` once, `None` ever after, however two uses race.
    async fn redeem(&self, hash: SecretHash, grant: Grant) -> Result<Option<Participant>, StoreError>;

    /// Whether an administrator has a token or is signed in, so that nobody needs a first way in.
    async fn has_administrator(&self) -> Result<bool, StoreError>;

    /// Tokens in force, oldest first.
    async fn tokens(&self) -> Result<Vec<Credential>, StoreError>;

    /// Credentials in force, of a participant or of everybody, at most so many, last used first.
    async fn credentials(&self, of: Option<ParticipantId>, limit: u32) -> Result<Vec<Credential>, StoreError>;

    /// Write down that these were used now: each may end as long after that as it may be idle. One that is over stays so.
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError>;

    /// Revoke a participant's credential by its whole id, and all that was made from it; what it opened, if it was there.
    async fn revoke_credential(&self, of: ParticipantId, id: &str) -> Result<Option<Grant>, StoreError>;

    /// Revoke every cookie and every unused sign-in link of a participant; how many. Tokens stay.
    async fn sign_out_everywhere(&self, of: ParticipantId) -> Result<u64, StoreError>;

    /// Revoke the cookies and sign-in links whose id begins so; how many. Nothing begins with an empty prefix.
    async fn revoke_sign_ins(&self, id_prefix: &str) -> Result<u64, StoreError>;

    /// Refuse, or take again, every credential of a participant; whether the participant is known.
    async fn set_disabled(&self, id: ParticipantId, disabled: bool) -> Result<bool, StoreError>;

    /// Whether a participant is disabled.
    async fn is_disabled(&self, id: ParticipantId) -> Result<bool, StoreError>;

    /// Participants that the query lets through, newest ids first.
    async fn participants(&self, query: &ParticipantQuery) -> Result<Vec<ParticipantListing>, StoreError>;

    /// Revoke the tokens whose id begins so, and all that was made from them; how many. Nothing begins with an empty prefix.
    async fn revoke_tokens(&self, id_prefix: &str) -> Result<u64, StoreError>;

    /// Remove one credential, as signing out does.
    async fn remove_credential(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Cookies and tokens that have ended since that moment by the database's clock: revoked, by their time, with what they
    /// were made from, or because their owner was disabled. A revocation is remembered for a day.
    async fn ended(&self, since: Timestamp) -> Result<Ended, StoreError>;

    /// Add an invitation, which can be used until it ends; when that is.
    async fn add_invitation(&self, invitation: &NewInvitation) -> Result<Timestamp, StoreError>;

    /// Count one more use of an invitation; false where it is over or has no use left, however two uses race.
    async fn use_invitation(&self, hash: SecretHash) -> Result<bool, StoreError>;

    /// Take back a use that let nobody in.
    async fn give_use_back(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// The invitation, used up or not, if it is known, not over and of somebody who is not disabled.
    async fn invitation(&self, hash: SecretHash) -> Result<Option<Invitation>, StoreError>;

    /// The session's invitations that are not over and have a use left, the first to end first.
    async fn invitations(&self, session: SessionId) -> Result<Vec<Invitation>, StoreError>;

    /// Remove one invitation: its link opens nothing any more.
    async fn remove_invitation(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Remove credentials and invitations that were over before `now`.
    async fn remove_ended(&self, now: Timestamp) -> Result<(), StoreError>;
}
