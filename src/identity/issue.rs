//! New participants and new secrets.

use std::time::Duration;

use uuid::Uuid;

use super::{Grant, IdentityStore, NewCredential, Participant, Secret, Standing};
use crate::clock;
use crate::kernel::{ActorKind, ParticipantId};
use crate::store::StoreError;

/// A secret that opens `grant` for somebody, known to the store from now on, for `seconds` or until revoked.
pub async fn issue(
    store: &dyn IdentityStore,
    participant: ParticipantId,
    grant: Grant,
    seconds: Option<u64>,
) -> Result<Secret, StoreError> {
    issue_with(store, participant, grant, |new| new.lasts = seconds.map(Duration::from_secs)).await
}

/// The same with further fields of the credential as `fill` sets them.
pub async fn issue_with(
    store: &dyn IdentityStore,
    participant: ParticipantId,
    grant: Grant,
    fill: impl FnOnce(&mut NewCredential),
) -> Result<Secret, StoreError> {
    let secret = Secret::random(grant.as_str());
    let mut credential = NewCredential::new(secret.hash(), grant, participant);
    fill(&mut credential);
    store.add_credential(&credential).await?;
    Ok(secret)
}

/// A new participant, known to the store from now on. Two may have one name: names are for reading, ids are for telling apart.
pub async fn enrol(
    store: &dyn IdentityStore,
    name: &str,
    kind: ActorKind,
    standing: Standing,
) -> Result<Participant, StoreError> {
    let participant = Participant { id: ParticipantId(Uuid::now_v7()), kind, name: name.into(), standing };
    store.add_participant(&participant, clock::now()).await?;
    Ok(participant)
}

/// The participant that always has the same id for `key`: the person at the server's own terminal, the guest of the
/// doors. They stay who they are over restarts, and whatever they call themselves since.
pub async fn standing_participant(
    store: &dyn IdentityStore,
    key: &str,
    name: &str,
    standing: Standing,
) -> Result<Participant, StoreError> {
    let hash = blake3::hash(format!("roundtable participant {key}").as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    let id = ParticipantId(uuid::Builder::from_custom_bytes(bytes).into_uuid());
    if let Some(known) = store.participant(id).await? {
        return Ok(known);
    }
    let participant = Participant { id, kind: ActorKind::User, name: name.into(), standing };
    match store.add_participant(&participant, clock::now()).await {
        Ok(()) => Ok(participant),
        // Two may look for them at once and find nobody; one of the two is too late to add them.
        Err(error) => store.participant(id).await?.ok_or(error),
    }
}
