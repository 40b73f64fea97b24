//! Whether a client that comes back may go on from where it was.

use serde::Deserialize;

use super::{Feed, frame};
use crate::kernel::Timestamp;
use crate::store::StoreError;

/// Of an event's frame, when it happened.
#[derive(Deserialize)]
struct When {
    at: Timestamp,
}

impl Feed {
    /// Whether the log goes through this seq, with an event of this time where one is given. After a restored backup, or a
    /// failover to a replica that lacked commits, a log has other events under the same seqs: events are of the time at
    /// which they were decided, so two histories that agree on one agree on all before it.
    pub async fn goes_through(&self, seq: u64, at: Option<Timestamp>) -> Result<bool, StoreError> {
        if !self.covers(seq).await? {
            return Ok(false);
        }
        let (Some(at), Some(before)) = (at, seq.checked_sub(1)) else { return Ok(true) };
        let page = self.page(before, seq).await?;
        let json = frame::first(&page.framed).and_then(|(header, payload)| page.framed.get(header..header + payload));
        let when = json.and_then(|json| serde_json::from_slice::<When>(json).ok());
        Ok(when.is_some_and(|when| when.at == at))
    }
}
