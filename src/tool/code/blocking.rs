//! Blocking work on threads of its own, which ends when nobody waits for it any more.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::sync::oneshot;

use crate::tool::ToolError;

/// Added to the nice value of the threads that search. At the usual priority a few slow patterns on a machine with as many processors
/// make every interrupt wait for its turn behind them.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;

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

/// Does this work for at most `time`, at a low priority: on a thread of its own, since a thread that has lowered its
/// priority cannot raise it again.
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
    let broken = || ToolError::new("tool_failed", "the tool broke down; try something else");
    let (sender, receiver) = oneshot::channel();
    let on_thread = move || {
        lower_priority();
        // Nobody waits any more where this fails.
        let _ = sender.send(work(&stop));
    };
    thread::Builder::new().name("code".into()).spawn(on_thread).map_err(|_| broken())?;
    receiver.await.map_err(|_| broken())?
}

/// Lowers the priority of this thread and of those that it starts. Where that fails, the work goes on as it was.
fn lower_priority() {
    // Linux alone: elsewhere the same call is about the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICE);
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

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn work_yields_to_the_rest_of_the_server() {
        let nice = || rustix::process::getpriority_process(None).expect("is known");
        let usual = nice();
        let seen = blocking(Duration::from_secs(60), move |_| Ok(thread::scope(|scope| scope.spawn(nice).join())));
        let seen = seen.await.expect("works").expect("its threads, too");
        assert_eq!((seen, nice()), ((usual + NICE).min(19), usual));
    }

    #[tokio::test]
    async fn work_that_breaks_down_is_an_answer() {
        let broken = blocking(Duration::from_secs(1), |_| -> Result<(), _> { panic!("on purpose") });
        assert_eq!(broken.await.expect_err("fails").code, "tool_failed");
    }
}
