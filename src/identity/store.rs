//! Interface of the store for identities.

use async_trait::async_trait;

use super::{
    Credential, CredentialKind, CredentialUse, EndedCredentials, Invitation, LastSignIn, NewCredential, NewInvitation,
    Participant, SecretHash, ServerRole, SignInMethod, TokenOrigin,
};
use crate::kernel::{ActorKind, ParticipantId, Role, SessionId, Timestamp};
use crate::store_error::StoreError;

/// Participant in a list for administrators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantRow {
    /// The participant.
    pub participant: Participant,
    /// Time when the participant was created.
    pub created_at: Timestamp,
    /// Time when the participant was disabled, if they are disabled.
    pub disabled_at: Option<Timestamp>,
    /// Time of the last use of one of their existing credentials. `None` if none was used.
    pub last_used_at: Option<Timestamp>,
    /// Their latest sign-in with a browser.
    pub last_sign_in: Option<LastSignIn>,
}

/// Filter and page of the list of participants.
#[derive(Debug, Clone, Default)]
pub struct ParticipantQuery {
    /// Text that names must contain. Empty for all names.
    pub search: String,
    /// Server role of the participants. `None` for every role.
    pub server_role: Option<ServerRole>,
    /// True for disabled participants, false for enabled ones, `None` for both.
    pub disabled: Option<bool>,
    /// Exclusive upper bound on the ids, which is the last id of the previous page.
    pub before: Option<ParticipantId>,
    /// Maximum number of participants, newest first.
    pub limit: u32,
}

/// Participants, their credentials and invitations. Every store engine implements this interface and passes the same
/// tests.
///
/// Lifetimes start and end by the database's clock, so that a credential expires at the same moment on all nodes, even
/// if their clocks differ.
#[async_trait]
pub trait IdentityStore: Send + Sync + 'static {
    /// Adds a participant.
    async fn add_participant(&self, participant: &Participant, at: Timestamp) -> Result<(), StoreError>;

    /// Returns the participant with this id, or `None` if there is none.
    async fn participant(&self, id: ParticipantId) -> Result<Option<Participant>, StoreError>;

    /// Returns the oldest participant of this kind with exactly this name.
    async fn participant_named(&self, name: &str, kind: ActorKind) -> Result<Option<Participant>, StoreError>;

    /// Returns the guests in the session. Guests choose their own names, so a guest's name can be the same as another
    /// participant's.
    async fn guests(&self, session: SessionId) -> Result<Vec<ParticipantId>, StoreError>;

    /// Returns the participants of the session who are not disabled, with their server role.
    async fn server_roles(&self, session: SessionId) -> Result<Vec<(ParticipantId, ServerRole)>, StoreError>;

    /// Changes a participant's server role and ends their sign-ins, because open connections have the old role.
    /// Lowering the role also revokes their tokens, which were created under the higher one. Returns the old role, or
    /// `None` if the participant is unknown.
    async fn set_server_role(
        &self,
        id: ParticipantId,
        server_role: ServerRole,
    ) -> Result<Option<ServerRole>, StoreError>;

    /// Changes the role that a participant has in every session and ends their sign-ins, because open connections have
    /// the old role. Lowering the role also revokes their tokens. Returns false if they already had the role.
    async fn set_session_role(&self, id: ParticipantId, role: Option<Role>) -> Result<bool, StoreError>;

    /// Changes a participant's name. Returns false if they are unknown or disabled.
    async fn rename(&self, id: ParticipantId, name: &str) -> Result<bool, StoreError>;

    /// Records that a participant has just signed in with a browser.
    async fn record_sign_in(&self, id: ParticipantId, method: SignInMethod) -> Result<(), StoreError>;

    /// Returns a participant's latest sign-in with a browser, or `None` if there is none.
    async fn last_sign_in(&self, id: ParticipantId) -> Result<Option<LastSignIn>, StoreError>;

    /// Adds a credential.
    async fn add_credential(&self, credential: &NewCredential) -> Result<(), StoreError>;

    /// Returns the owner of a credential of this kind. Returns `None` if the credential is unknown, if it or its origin
    /// has ended, or if the owner is disabled. [`super::authenticate`] also applies the scope.
    async fn authenticate(&self, hash: SecretHash, grant: CredentialKind) -> Result<Option<Participant>, StoreError>;

    /// Returns the token behind a credential: the token itself, or the token that a browser signed in with. Returns
    /// `None` if there is no such token.
    async fn token_origin(&self, hash: SecretHash) -> Result<Option<TokenOrigin>, StoreError>;

    /// Consumes a credential. Returns its owner only once, even if two uses race. Returns `None` afterwards, or if the
    /// credential is unknown or has expired, or if the owner is disabled.
    async fn redeem(&self, hash: SecretHash, grant: CredentialKind) -> Result<Option<Participant>, StoreError>;

    /// Returns whether an administrator has a token or is signed in. If there is none, the server prints a sign-in link
    /// at startup.
    async fn has_administrator(&self) -> Result<bool, StoreError>;

    /// Returns the valid tokens, oldest first.
    async fn tokens(&self) -> Result<Vec<Credential>, StoreError>;

    /// Returns up to `limit` valid credentials of the participant `of`, or of everyone if it is `None`, most recently
    /// used first.
    async fn credentials(&self, of: Option<ParticipantId>, limit: u32) -> Result<Vec<Credential>, StoreError>;

    /// Records uses at the current time. If a credential has a maximum time between uses, its use also postpones its
    /// expiry. A credential that has ended stays ended.
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError>;

    /// Revokes a participant's credential by its complete id, and all credentials created from it. Returns its kind, or
    /// `None` if it did not exist.
    async fn revoke_credential(&self, of: ParticipantId, id: &str) -> Result<Option<CredentialKind>, StoreError>;

    /// Revokes all cookies and unused sign-in links of a participant, and returns their number. Tokens stay valid.
    async fn sign_out_everywhere(&self, of: ParticipantId) -> Result<u64, StoreError>;

    /// Revokes the cookies and sign-in links whose id starts with a prefix, and returns their number. An empty prefix
    /// matches nothing.
    async fn revoke_sign_ins(&self, id_prefix: &str) -> Result<u64, StoreError>;

    /// Rejects all credentials of a participant, or accepts them again. Returns false if the participant is unknown.
    async fn set_disabled(&self, id: ParticipantId, disabled: bool) -> Result<bool, StoreError>;

    /// Returns whether a participant is disabled.
    async fn is_disabled(&self, id: ParticipantId) -> Result<bool, StoreError>;

    /// Returns the participants that match the query, newest first.
    async fn participants(&self, query: &ParticipantQuery) -> Result<Vec<ParticipantRow>, StoreError>;

    /// Revokes the tokens whose id starts with a prefix, and all credentials created from them, and returns their
    /// number. An empty prefix matches nothing.
    async fn revoke_tokens(&self, id_prefix: &str) -> Result<u64, StoreError>;

    /// Deletes one credential, for a sign-out.
    async fn remove_credential(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Returns the cookies and tokens that ended since a time of the database's clock: they were revoked or expired,
    /// their origin ended, or their owner was disabled. The store keeps a revocation for one day.
    async fn ended(&self, since: Timestamp) -> Result<EndedCredentials, StoreError>;

    /// Adds an invitation, and returns its time of expiry.
    async fn add_invitation(&self, invitation: &NewInvitation) -> Result<Timestamp, StoreError>;

    /// Counts one use of an invitation. Returns false if it is unknown or has ended, if no use is left, or if its
    /// creator is disabled. Two uses that race cannot both take the last use.
    async fn use_invitation(&self, hash: SecretHash) -> Result<bool, StoreError>;

    /// Restores a use of an invitation that did not admit anyone.
    async fn give_use_back(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Returns an invitation, even if no use is left. Returns `None` if it is unknown or has ended, or if its creator
    /// is disabled.
    async fn invitation(&self, hash: SecretHash) -> Result<Option<Invitation>, StoreError>;

    /// Returns the session's valid invitations with uses left, in order of expiry.
    async fn invitations(&self, session: SessionId) -> Result<Vec<Invitation>, StoreError>;

    /// Deletes one invitation. Its link stops working.
    async fn remove_invitation(&self, hash: SecretHash) -> Result<(), StoreError>;

    /// Deletes credentials and invitations that ended before `now`.
    async fn remove_ended(&self, now: Timestamp) -> Result<(), StoreError>;
}
