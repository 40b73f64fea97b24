//! What acts under way will add to quotas.

use std::sync::Arc;

use uuid::Uuid;

use super::QuotaStore;

/// A reservation: what an act will add to a quota. It counts until the act is over.
#[must_use = "it counts only while it is held"]
pub struct QuotaReservation(Option<(Arc<dyn QuotaStore>, Uuid)>);

impl QuotaReservation {
    pub(super) fn new(store: Arc<dyn QuotaStore>, id: Uuid) -> Self {
        Self(Some((store, id)))
    }

    /// The act is over: what it has added counts itself. Whoever waits for this can use the whole rest of the quota next.
    pub async fn release(mut self) {
        if let Some((store, id)) = self.0.take() {
            give_back(store, id).await;
        }
    }
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        if let Some((store, id)) = self.0.take() {
            tokio::spawn(give_back(store, id));
        }
    }
}

async fn give_back(store: Arc<dyn QuotaStore>, id: Uuid) {
    // It runs out by itself.
    if let Err(error) = store.release(id).await {
        tracing::warn!(%error, "a reservation in a quota counts for some minutes more");
    }
}
