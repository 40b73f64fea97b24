//! Time in the simulation. The clock stands still, and jumps ahead when every task waits, so a pause takes no real
//! time.

use std::future::pending;
use std::time::Duration;

use tokio::time::timeout;

/// Lets this many milliseconds pass.
pub(super) async fn pause(millis: u64) {
    let _ = timeout(Duration::from_millis(millis), pending::<()>()).await;
}
