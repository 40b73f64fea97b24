//! The person at the server's own terminal, who needs a first way in.

use super::{Grant, IdentityStore, Participant, Secret, Standing, check_name, issue, standing_participant};
use crate::store::StoreError;

/// The person at the server's own terminal, an administrator.
pub async fn operator(store: &dyn IdentityStore) -> Result<Participant, StoreError> {
    let name = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = name.and_then(|name| check_name(&name).ok()).unwrap_or_else(|| "operator".into());
    standing_participant(store, &format!("operator {name}"), &name, Standing::Admin).await
}

/// A code that signs the operator in, once, within `minutes`.
pub async fn operator_code(store: &dyn IdentityStore, minutes: u64) -> Result<Secret, StoreError> {
    issue(store, operator(store).await?.id, Grant::SignIn, Some(minutes * 60)).await
}
