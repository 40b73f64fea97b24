//! Which of a session's code bases a call may still read.

use std::sync::Arc;

use super::CodeSettings;
use crate::identity::IdentityStore;
use crate::store::StoreError;
use crate::tool::Place;

/// Looks at each call whether somebody in the session is a reader of a code base: what the configuration took away, or who
/// left, must not go on through a session that was given it before.
#[derive(Clone)]
pub struct CodeAccess {
    settings: Arc<CodeSettings>,
    identities: Arc<dyn IdentityStore>,
}

impl CodeAccess {
    /// By these settings, for participants of this store.
    pub fn new(settings: &CodeSettings, identities: Arc<dyn IdentityStore>) -> Self {
        Self { settings: Arc::new(settings.clone()), identities }
    }

    /// Those of the call's code bases that somebody in its session may read.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn readable(&self, place: &Place) -> Result<Vec<Arc<str>>, StoreError> {
        if place.code.is_empty() {
            return Ok(vec![]);
        }
        let people = self.identities.standings(place.session).await?;
        let readable = |name: &Arc<str>| self.settings.is_readable_in(name, &place.team, &people);
        Ok(place.code.iter().filter(|name| readable(name)).cloned().collect())
    }
}
