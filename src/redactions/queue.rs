//! Queue of redaction requests.

use std::sync::Arc;

use tokio::sync::Notify;

use super::{RedactionRequest, RedactionRequestTarget, RedactionStore};
use crate::kernel::{Actor, ParticipantId, REDACTED, SessionId};
use crate::store_error::StoreError;

/// Queue of redaction requests, with a notification for new ones.
#[derive(Clone)]
pub struct RedactionQueue {
    store: Arc<dyn RedactionStore>,
    wakeup: Arc<Notify>,
}

impl RedactionQueue {
    /// Returns the queue of the requests in this store.
    pub fn new(store: Arc<dyn RedactionStore>) -> Self {
        Self { store, wakeup: Arc::default() }
    }

    /// Stores a request, which this node executes immediately or any node executes later. Returns its number.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn request(&self, target: RedactionRequestTarget, by: &Actor) -> Result<u64, StoreError> {
        let id = self.store.request_redaction(target, by).await?;
        self.wakeup.notify_one();
        Ok(id)
    }

    /// Replaces a participant's name on the server, disables them and deletes their credentials and their rights to
    /// teams; with `content`, also their uploads and teams. Returns false if the participant is unknown.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn erase_identity(&self, participant: ParticipantId, content: bool) -> Result<bool, StoreError> {
        self.store.erase_identity(participant, REDACTED, content).await
    }

    /// Returns whether the log of a session mentions the participant.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn has_appeared(&self, session: SessionId, participant: ParticipantId) -> Result<bool, StoreError> {
        self.store.has_appeared(session, participant).await
    }

    /// Returns up to 100 outstanding requests with numbers greater than `after`, oldest first. Pass 0 for the first
    /// ones.
    ///
    /// # Errors
    /// Fails if the store does not respond.
    pub async fn requests(&self, after: u64) -> Result<Vec<RedactionRequest>, StoreError> {
        self.store.redaction_requests(after).await
    }

    /// Waits for a new request on this node.
    pub(crate) async fn changed(&self) {
        self.wakeup.notified().await;
    }

    /// Returns the store of the requests.
    pub(crate) fn store(&self) -> &dyn RedactionStore {
        &*self.store
    }
}
