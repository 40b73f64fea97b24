//! Reservations in quotas, for operations in progress.

use std::sync::Arc;

use uuid::Uuid;

use super::QuotaStore;

/// Reservation of the amount that an operation will add to a quota. It counts until the operation is complete.
#[must_use = "it counts only while it is held"]
pub struct QuotaReservation(Option<(Arc<dyn QuotaStore>, Uuid)>);

impl QuotaReservation {
    pub(super) fn new(store: Arc<dyn QuotaStore>, id: Uuid) -> Self {
        Self(Some((store, id)))
    }

    /// Releases the reservation after the operation: the amount that it added now counts itself. Once this returns, the
    /// caller can use the whole rest of the quota.
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
    // The reservation expires by itself.
    if let Err(error) = store.release(id).await {
        tracing::warn!(%error, "quota reservation not released; it expires within minutes");
    }
}
