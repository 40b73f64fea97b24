//! Snapshots of a session for viewers that join: encoded once, shared by all viewers that join at about the same time.

use bytes::Bytes;
use tokio::sync::Mutex;

use super::{Feed, StartingPoint};
use crate::store_error::StoreError;

/// The newest encoded snapshot, shared by the next viewers. The lock is held during encoding, so that concurrent
/// viewers cause one encoding.
pub(super) type SnapshotCache = Mutex<Option<(StartingPoint, Bytes)>>;

impl Feed {
    /// Returns the current moment, or a slightly earlier one, as a starting point, with the snapshot at its seq as
    /// JSON. A thousand viewers that join at once share one encoding.
    pub(super) async fn start_with_snapshot(&self) -> Result<(StartingPoint, Bytes), StoreError> {
        let mut shared = self.snapshot.lock().await;
        if let Some((start, snapshot)) = &*shared
            && self.is_near(start)
        {
            return Ok((start.clone(), snapshot.clone()));
        }
        self.restore().await?;
        let (start, view) = {
            let mut core = self.core.write();
            let view = core.view().ok_or_else(|| StoreError::Conflict("the log advanced without this node".into()))?;
            (self.starting_point(&mut core), view)
        };
        let snapshot = Bytes::from(serde_json::to_vec(&view).map_err(StoreError::misuse)?);
        *shared = Some((start.clone(), snapshot.clone()));
        Ok((start, snapshot))
    }

    /// Returns whether the feed has gained no event and few bytes since `start`. A new event rules out reuse, because
    /// `caught_up` tells the viewer that it has every event of the log.
    fn is_near(&self, start: &StartingPoint) -> bool {
        let core = self.core.read();
        let near = core.ring.holds(start.position)
            && core.ring.end() - start.position <= self.settings.max_snapshot_reuse_bytes;
        near && core.ring.seq() == start.seq
    }
}
