//! An identity store that responds slowly.

use std::sync::Arc;

use async_trait::async_trait;
use roundtable::identity::*;
use roundtable::kernel::{ActorKind, ParticipantId, Role, SessionId, Timestamp};
use roundtable::store_error::StoreError;
use tokio::sync::{Semaphore, watch};

/// An identity store that performs one lookup per permit. Once the semaphore is closed, every lookup fails.
pub struct SlowIdentityStore {
    inner: Arc<dyn IdentityStore>,
    /// Number of started lookups.
    pub lookups: watch::Sender<u64>,
    pub permits: Semaphore,
}

impl SlowIdentityStore {
    pub fn new(inner: Arc<dyn IdentityStore>) -> Arc<Self> {
        Arc::new(Self { inner, lookups: Default::default(), permits: Semaphore::new(0) })
    }
}

#[async_trait]
impl IdentityStore for SlowIdentityStore {
    async fn authenticate(&self, hash: SecretHash, grant: CredentialKind) -> Result<Option<Participant>, StoreError> {
        self.lookups.send_modify(|count| *count += 1);
        self.permits.acquire().await.map_err(|_| StoreError::unavailable("the store is closed"))?.forget();
        self.inner.authenticate(hash, grant).await
    }

    async fn token_origin(&self, hash: SecretHash) -> Result<Option<TokenOrigin>, StoreError> {
        self.inner.token_origin(hash).await
    }

    async fn add_participant(&self, participant: &Participant, at: Timestamp) -> Result<(), StoreError> {
        self.inner.add_participant(participant, at).await
    }

    async fn participant(&self, id: ParticipantId) -> Result<Option<Participant>, StoreError> {
        self.inner.participant(id).await
    }

    async fn participant_named(&self, name: &str, kind: ActorKind) -> Result<Option<Participant>, StoreError> {
        self.inner.participant_named(name, kind).await
    }

    async fn guests(&self, session: SessionId) -> Result<Vec<ParticipantId>, StoreError> {
        self.inner.guests(session).await
    }

    async fn server_roles(&self, session: SessionId) -> Result<Vec<(ParticipantId, ServerRole)>, StoreError> {
        self.inner.server_roles(session).await
    }

    async fn set_server_role(&self, id: ParticipantId, role: ServerRole) -> Result<Option<ServerRole>, StoreError> {
        self.inner.set_server_role(id, role).await
    }

    async fn set_session_role(&self, id: ParticipantId, role: Option<Role>) -> Result<bool, StoreError> {
        self.inner.set_session_role(id, role).await
    }

    async fn rename(&self, id: ParticipantId, name: &str) -> Result<bool, StoreError> {
        self.inner.rename(id, name).await
    }

    async fn add_credential(&self, credential: &NewCredential) -> Result<(), StoreError> {
        self.inner.add_credential(credential).await
    }

    async fn redeem(&self, hash: SecretHash, grant: CredentialKind) -> Result<Option<Participant>, StoreError> {
        self.inner.redeem(hash, grant).await
    }

    async fn has_administrator(&self) -> Result<bool, StoreError> {
        self.inner.has_administrator().await
    }

    async fn credentials(&self, of: Option<ParticipantId>, limit: u32) -> Result<Vec<Credential>, StoreError> {
        self.inner.credentials(of, limit).await
    }

    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError> {
        self.inner.record_uses(uses).await
    }

    async fn revoke_credential(&self, of: ParticipantId, id: &str) -> Result<Option<CredentialKind>, StoreError> {
        self.inner.revoke_credential(of, id).await
    }

    async fn sign_out_everywhere(&self, of: ParticipantId) -> Result<u64, StoreError> {
        self.inner.sign_out_everywhere(of).await
    }

    async fn revoke_sign_ins(&self, id_prefix: &str) -> Result<u64, StoreError> {
        self.inner.revoke_sign_ins(id_prefix).await
    }

    async fn set_disabled(&self, id: ParticipantId, disabled: bool) -> Result<bool, StoreError> {
        self.inner.set_disabled(id, disabled).await
    }

    async fn is_disabled(&self, id: ParticipantId) -> Result<bool, StoreError> {
        self.inner.is_disabled(id).await
    }

    async fn record_sign_in(&self, id: ParticipantId, method: SignInMethod) -> Result<(), StoreError> {
        self.inner.record_sign_in(id, method).await
    }

    async fn last_sign_in(&self, id: ParticipantId) -> Result<Option<LastSignIn>, StoreError> {
        self.inner.last_sign_in(id).await
    }

    async fn participants(&self, query: &ParticipantQuery) -> Result<Vec<ParticipantRow>, StoreError> {
        self.inner.participants(query).await
    }

    async fn use_invitation(&self, hash: SecretHash) -> Result<bool, StoreError> {
        self.inner.use_invitation(hash).await
    }

    async fn give_use_back(&self, hash: SecretHash) -> Result<(), StoreError> {
        self.inner.give_use_back(hash).await
    }

    async fn tokens(&self) -> Result<Vec<Credential>, StoreError> {
        self.inner.tokens().await
    }

    async fn revoke_tokens(&self, id_prefix: &str) -> Result<u64, StoreError> {
        self.inner.revoke_tokens(id_prefix).await
    }

    async fn remove_credential(&self, hash: SecretHash) -> Result<(), StoreError> {
        self.inner.remove_credential(hash).await
    }

    async fn ended(&self, since: Timestamp) -> Result<EndedCredentials, StoreError> {
        self.inner.ended(since).await
    }

    async fn add_invitation(&self, invitation: &NewInvitation) -> Result<Timestamp, StoreError> {
        self.inner.add_invitation(invitation).await
    }

    async fn invitation(&self, hash: SecretHash) -> Result<Option<Invitation>, StoreError> {
        self.inner.invitation(hash).await
    }

    async fn invitations(&self, session: SessionId) -> Result<Vec<Invitation>, StoreError> {
        self.inner.invitations(session).await
    }

    async fn remove_invitation(&self, hash: SecretHash) -> Result<(), StoreError> {
        self.inner.remove_invitation(hash).await
    }

    async fn remove_ended(&self, now: Timestamp) -> Result<(), StoreError> {
        self.inner.remove_ended(now).await
    }
}
