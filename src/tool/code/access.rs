//! Access checks for the code bases of a session, made at each call.

use std::sync::Arc;

use super::CodeSettings;
use crate::identity::IdentityStore;
use crate::store_error::StoreError;
use crate::tool::CallContext;

/// Checks at each call that the session's team may have a code base and that at least one participant in the session
/// may read it. Without these checks, a session would keep access to a code base after the configuration revoked it or
/// its last reader left.
#[derive(Clone)]
pub struct CodeAccess {
    settings: Arc<CodeSettings>,
    identities: Arc<dyn IdentityStore>,
}

impl CodeAccess {
    /// Returns access checks with these settings, for participants in this store.
    pub fn new(settings: &CodeSettings, identities: Arc<dyn IdentityStore>) -> Self {
        Self { settings: Arc::new(settings.clone()), identities }
    }

    /// Returns those of the call's code bases that the session's team may have and that at least one participant in the
    /// session may read.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn readable(&self, place: &CallContext) -> Result<Vec<Arc<str>>, StoreError> {
        if place.code.is_empty() {
            return Ok(vec![]);
        }
        let people = self.identities.server_roles(place.session).await?;
        let readable = |name: &Arc<str>| self.settings.is_readable_in(name, &place.team, &people);
        Ok(place.code.iter().filter(|name| readable(name)).cloned().collect())
    }
}
