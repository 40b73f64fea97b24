//! Work that blocks, beside the runtime, and its end when nobody waits for it any more.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::tool::ToolError;

/// When work is to end before it is done.
#[derive(Clone)]
pub(super) struct Stop {
    flag: Arc<AtomicBool>,
    end: Instant,
}

impl Stop {
    /// That ends the work after this time.
    pub(super) fn after(time: Duration) -> Self {
        Self { flag: Arc::default(), end: Instant::now() + time }
    }

    /// Whether it is to end now.
    pub(super) fn over(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.late()
    }

    /// Whether its time is over.
    pub(super) fn late(&self) -> bool {
        Instant::now() >= self.end
    }

    /// There is enough.
    pub(super) fn end(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}

/// Do this for so long at most.
pub(super) async fn blocking<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    struct Dropped(Stop);
    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.end();
        }
    }
    let stop = Stop::after(time);
    let _dropped = Dropped(stop.clone());
    let broken = |_| ToolError::new("tool_failed", "the tool broke down; try something else");
    tokio::task::spawn_blocking(move || work(&stop)).await.map_err(broken)?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_ends_when_nobody_waits_for_it() {
        let (began, begun) = tokio::sync::oneshot::channel();
        let (ended, end) = tokio::sync::oneshot::channel();
        let work = blocking(Duration::from_secs(3600), move |stop| {
            let _ = began.send(());
            while !stop.over() {
                std::thread::yield_now();
            }
            let _ = ended.send(stop.late());
            Ok(())
        });
        tokio::select! {
            _ = work => panic!("it goes on for an hour"),
            begun = begun => begun.expect("begins"),
        }
        assert!(!end.await.expect("ends"), "by being dropped, not by its time");
    }

    #[tokio::test]
    async fn work_that_breaks_down_is_an_answer() {
        let broken = blocking(Duration::from_secs(1), |_| -> Result<(), _> { panic!("on purpose") });
        assert_eq!(broken.await.expect_err("fails").code, "tool_failed");
    }
}
