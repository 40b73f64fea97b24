//! Checks whether a reconnecting client can continue from its position.

use std::sync::Arc;

use serde::Deserialize;

use super::{Feed, frame};
use crate::kernel::Timestamp;
use crate::store_error::StoreError;

/// Timestamp in an event's frame.
#[derive(Deserialize)]
struct EventTime {
    at: Timestamp,
}

impl Feed {
    /// Returns whether the log contains this seq, with an event of this time if one is given. After a restored backup,
    /// or a failover to a replica that lacked commits, a log can have other events under the same seqs. The time of an
    /// event is the time of its decision, so two histories that agree on one event agree on all events before it.
    pub async fn goes_through(self: &Arc<Self>, seq: u64, at: Option<Timestamp>) -> Result<bool, StoreError> {
        if !self.covers(seq).await? {
            return Ok(false);
        }
        let (Some(at), Some(before)) = (at, seq.checked_sub(1)) else { return Ok(true) };
        let page = self.page(before, seq).await?;
        let json = frame::first_frame_lengths(&page.framed)
            .and_then(|(header, payload)| page.framed.get(header..header + payload));
        let when = json.and_then(|json| serde_json::from_slice::<EventTime>(json).ok());
        Ok(when.is_some_and(|when| when.at == at))
    }
}
