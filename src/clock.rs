//! System clock. All modules outside the kernel read the time here.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::kernel::Timestamp;

/// One hour in milliseconds.
pub(crate) const HOUR: u64 = 60 * 60 * 1000;
/// One day in milliseconds.
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

/// Returns the current time.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    Timestamp::from_millis(u64::try_from(since).unwrap_or(u64::MAX))
}
