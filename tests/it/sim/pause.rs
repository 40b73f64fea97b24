//! Time in the simulation. Its clock stands still and jumps ahead when every task waits, so a pause costs no real time.

use std::future::pending;
use std::time::Duration;

use tokio::time::timeout;

/// Lets this many milliseconds pass.
pub(super) async fn pause(millis: u64) {
    let _ = timeout(Duration::from_millis(millis), pending::<()>()).await;
}
