//! Authentication: maps a credential and the client's address to a participant with the limits of the credential.

use std::net::IpAddr;

use super::{CredentialProof, IdentityStore, Participant};
use crate::protocol::Problem;

/// Returns the owner of a credential, with the scope of the credential and the rights that remain within the scope.
/// Returns `None` if the credential is unknown, if it or its origin has ended, or if the owner is disabled.
///
/// # Errors
/// Fails with `token_scope` if the credential is not accepted from this address, or with the store's error.
pub async fn authenticate(
    store: &dyn IdentityStore,
    proof: CredentialProof,
    address: Option<IpAddr>,
) -> Result<Option<Participant>, Problem> {
    let Some(mut participant) = store.authenticate(proof.hash, proof.grant).await? else { return Ok(None) };
    if let Some(scope) = &participant.scope {
        scope.check_address(address)?;
        participant.server_role = scope.limited_server_role(participant.server_role);
    }
    Ok(Some(participant))
}
