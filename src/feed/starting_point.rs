//! The moment of a feed at which a viewer starts.

use std::sync::Arc;

use bytes::Bytes;

/// One moment of a feed. The viewer follows the feed from this moment; everything earlier comes from the store or a
/// snapshot.
#[derive(Debug, Clone)]
pub(super) struct StartingPoint {
    /// Position after the newest frame of that moment.
    pub(super) position: u64,
    /// Seq of the newest event of that moment.
    pub(super) seq: u64,
    /// Partial texts of running messages, and presence, as frames.
    pub(super) extras: Arc<[Bytes]>,
}
