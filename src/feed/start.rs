//! Where a viewer begins, as one moment of the feed.

use std::sync::Arc;

use bytes::Bytes;

/// One moment of a feed: from here on its bytes are followed, and what was before comes from elsewhere.
#[derive(Debug, Clone)]
pub struct Start {
    /// The position behind the newest frame of that moment.
    pub position: u64,
    /// The seq of its newest event.
    pub seq: u64,
    /// What running items had written and who was watching, as frames.
    pub extras: Arc<[Bytes]>,
    /// The snapshot at `seq` as JSON, if the viewer starts with one.
    pub snapshot: Option<Bytes>,
}
