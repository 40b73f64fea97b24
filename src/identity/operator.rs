//! The operator: the person at the server's terminal, who needs the first sign-in link.

use super::{CredentialKind, IdentityStore, Participant, Secret, ServerRole, check_name, ensure_participant, issue};
use crate::store_error::StoreError;

/// Returns the operator, who is an administrator, and creates their participant if it is missing.
///
/// # Errors
/// Fails if the store does not respond.
pub async fn operator(store: &dyn IdentityStore) -> Result<Participant, StoreError> {
    let name = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = name.and_then(|name| check_name(&name).ok()).unwrap_or_else(|| "operator".into());
    ensure_participant(store, &format!("operator {name}"), &name, ServerRole::Admin).await
}

/// Creates a code that signs the operator in. The code works once, within `minutes`.
///
/// # Errors
/// Fails if the store does not respond.
pub async fn operator_code(store: &dyn IdentityStore, minutes: u64) -> Result<Secret, StoreError> {
    issue(store, operator(store).await?.id, CredentialKind::SignIn, Some(minutes * 60)).await
}
