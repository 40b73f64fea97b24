//! Creation of participants and credentials.

use std::time::Duration;

use super::{CredentialKind, IdentityStore, NewCredential, Participant, Secret, ServerRole};
use crate::clock;
use crate::kernel::{ActorKind, ParticipantId};
use crate::store_error::StoreError;

/// Creates a credential and returns its secret. The credential is valid for `seconds` or, if this is `None`, until it
/// is revoked.
///
/// # Errors
/// Fails if the store does not respond.
pub async fn issue(
    store: &dyn IdentityStore,
    participant: ParticipantId,
    grant: CredentialKind,
    seconds: Option<u64>,
) -> Result<Secret, StoreError> {
    issue_with(store, participant, grant, |new| new.lasts = seconds.map(Duration::from_secs)).await
}

/// Creates a credential like [`issue`], with the fields that `fill` sets.
///
/// # Errors
/// Fails if the store does not respond.
pub async fn issue_with(
    store: &dyn IdentityStore,
    participant: ParticipantId,
    grant: CredentialKind,
    fill: impl FnOnce(&mut NewCredential),
) -> Result<Secret, StoreError> {
    let secret = Secret::random(grant.as_str());
    let mut credential = NewCredential::new(secret.hash(), grant, participant);
    fill(&mut credential);
    store.add_credential(&credential).await?;
    Ok(secret)
}

/// Creates a participant. Two participants can have the same name, because names are only displayed and ids identify
/// participants.
///
/// # Errors
/// Fails if the store does not respond.
pub async fn create_participant(
    store: &dyn IdentityStore,
    name: &str,
    kind: ActorKind,
    server_role: ServerRole,
) -> Result<Participant, StoreError> {
    let participant = Participant::new(kind, name, server_role);
    store.add_participant(&participant, clock::now()).await?;
    Ok(participant)
}

/// Returns the participant whose id is derived from `key`, and creates the participant if it is missing. Such a
/// participant is the person at the server's terminal, or a guest of the doors, whose identity survives restarts and
/// name changes.
///
/// # Errors
/// Fails if the store does not respond.
pub async fn ensure_participant(
    store: &dyn IdentityStore,
    key: &str,
    name: &str,
    server_role: ServerRole,
) -> Result<Participant, StoreError> {
    let hash = blake3::hash(format!("roundtable participant {key}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    let id = ParticipantId(uuid::Builder::from_custom_bytes(bytes).into_uuid());
    if let Some(known) = store.participant(id).await? {
        return Ok(known);
    }
    let participant = Participant { id, ..Participant::new(ActorKind::User, name, server_role) };
    match store.add_participant(&participant, clock::now()).await {
        Ok(()) => Ok(participant),
        // Two concurrent callers can both find no participant. The second one then fails to add the participant, and
        // returns the existing one.
        Err(error) => store.participant(id).await?.ok_or(error),
    }
}
