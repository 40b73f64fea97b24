//! The one place where the program asks what time it is, outside the kernel.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::kernel::Timestamp;

/// Milliseconds of an hour.
pub(crate) const HOUR: u64 = 60 * 60 * 1000;
/// Milliseconds of a day.
pub(crate) const DAY: u64 = 24 * 60 * 60 * 1000;

/// This moment.
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    Timestamp::from_millis(u64::try_from(since).unwrap_or(u64::MAX))
}
