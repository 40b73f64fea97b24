//! Supervisor of background jobs. Without it, a job could panic and end unnoticed, while the node reports that it is
//! healthy.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;

use crate::backoff;

/// Maximum backoff after the first panic, in milliseconds. Each further panic doubles it.
const FIRST_PAUSE_MS: u64 = 100;
/// Upper bound of the backoff, in milliseconds.
const MAX_PAUSE_MS: u64 = 5_000;

/// Runs a job to completion. Restarts it after a panic, with backoff, because ending the process would take down all of
/// its sessions because of a single broken one.
pub(crate) async fn supervise<F: Future<Output = ()>>(what: &'static str, mut begin: impl FnMut() -> F) {
    let mut panics = 0;
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        panics += 1;
        tracing::error!(what, "background job panicked; restarting it");
        tokio::time::sleep(Duration::from_millis(backoff::delay_ms(panics, FIRST_PAUSE_MS, MAX_PAUSE_MS))).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn supervise_restarts_after_a_panic_only() {
        let started = AtomicU32::new(0);
        let panics_twice = || async {
            assert!(started.fetch_add(1, Relaxed) >= 2, "as it is meant to");
        };
        supervise("a test", panics_twice).await;
        assert_eq!(started.load(Relaxed), 3);
    }
}
