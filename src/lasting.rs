//! Work that goes on for as long as the server. It must not end by a panic, unseen, while the node says that it is well.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;

use crate::retry;

/// Milliseconds before what panicked begins again, at most; each time doubles them.
const FIRST: u64 = 100;
/// Milliseconds that they grow to.
const MOST: u64 = 5_000;

/// Do this to its end. Where it panics it begins again, after a pause: to end the process would cost all its sessions for
/// one that is broken.
pub(crate) async fn lasting<F: Future<Output = ()>>(what: &'static str, mut begin: impl FnMut() -> F) {
    let mut panics = 0;
    while AssertUnwindSafe(begin()).catch_unwind().await.is_err() {
        panics += 1;
        tracing::error!(what, "panicked; it begins again");
        tokio::time::sleep(Duration::from_millis(retry::pause(panics, FIRST, MOST))).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_panics_begins_again_and_what_ends_has_ended() {
        let begun = AtomicU32::new(0);
        let panics_twice = || async {
            assert!(begun.fetch_add(1, Relaxed) >= 2, "as it is meant to");
        };
        lasting("a test", panics_twice).await;
        assert_eq!(begun.load(Relaxed), 3);
    }
}
