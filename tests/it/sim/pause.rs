//! Time in the simulation. Its clock stands still and jumps ahead when everybody waits, so a pause costs none of ours.

use std::future::pending;
use std::time::Duration;

use tokio::time::timeout;

/// Let so many milliseconds pass.
pub(super) async fn pause(millis: u64) {
    let _ = timeout(Duration::from_millis(millis), pending::<()>()).await;
}
