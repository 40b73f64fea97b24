//! The person at the server's own terminal, who needs a first way in.

use super::{Grant, IdentityStore, Secret, Standing, check_name, issue, standing_participant};
use crate::store::StoreError;

/// A code that signs the person at the server's own terminal in as an administrator, once, within `minutes`.
pub async fn operator_code(store: &dyn IdentityStore, minutes: u64) -> Result<Secret, StoreError> {
    let name = ["USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
    let name = name.and_then(|name| check_name(&name).ok()).unwrap_or_else(|| "operator".into());
    let operator = standing_participant(store, &format!("operator {name}"), &name, Standing::Admin).await?;
    issue(store, operator.id, Grant::SignIn, Some(minutes * 60)).await
}
