//! Reservations in quotas, for operations in progress.

use std::sync::Arc;

use tracing::Instrument;
use uuid::Uuid;

use super::QuotaStore;

/// Reservation of the amounts that an operation will add to quotas. It counts until the operation is complete.
#[must_use = "it counts only while it is held"]
pub struct QuotaReservation {
    store: Arc<dyn QuotaStore>,
    ids: Vec<Uuid>,
}

impl QuotaReservation {
    pub(super) fn new(store: Arc<dyn QuotaStore>, id: Uuid) -> Self {
        Self { store, ids: vec![id] }
    }

    /// Adds another reservation of the same operation.
    pub(super) fn and(mut self, mut other: Self) -> Self {
        self.ids.append(&mut other.ids);
        self
    }

    /// Releases the reservation. Call this after the operation, when the amounts that it added count themselves. Once
    /// this returns, the caller can use all that remains of the quotas.
    pub async fn release(mut self) {
        give_back(self.store.clone(), std::mem::take(&mut self.ids)).await;
    }
}

impl Drop for QuotaReservation {
    fn drop(&mut self) {
        if !self.ids.is_empty() {
            tokio::spawn(give_back(self.store.clone(), std::mem::take(&mut self.ids)).in_current_span());
        }
    }
}

async fn give_back(store: Arc<dyn QuotaStore>, ids: Vec<Uuid>) {
    for id in ids {
        // An error is only logged, because the reservation expires by itself.
        if let Err(error) = store.release(id).await {
            tracing::warn!(%error, "quota reservation not released; it expires within minutes");
        }
    }
}
