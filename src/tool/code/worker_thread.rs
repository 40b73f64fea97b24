//! Blocking work on dedicated threads. The work ends early if its caller is cancelled.

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

/// Increment that is added to the nice value of worker threads. At normal priority, a slow pattern on every processor
/// would delay the interrupts of runs.
#[cfg(target_os = "linux")]
const NICE_INCREMENT: i32 = 10;

/// Signal that ends work before it is complete.
#[derive(Clone)]
pub(super) struct Deadline {
    flag: Arc<AtomicBool>,
    end: Instant,
}

impl Deadline {
    /// Returns a signal that ends the work after this time.
    pub(super) fn after(time: Duration) -> Self {
        Self { flag: Arc::default(), end: Instant::now() + time }
    }

    /// Returns whether the work must end now.
    pub(super) fn over(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.late()
    }

    /// Returns whether the time is up.
    pub(super) fn late(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Ends the work now, for example because it has found enough.
    pub(super) fn end(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }
}

/// Runs this work for at most `time` at a low priority. The work gets its own thread, because a thread that has lowered
/// its priority cannot raise it again.
pub(super) async fn run_on_thread<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce(&Deadline) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    // Ends the work when the caller is cancelled.
    struct DeadlineGuard(Deadline);
    impl Drop for DeadlineGuard {
        fn drop(&mut self) {
            self.0.end();
        }
    }
    let stop = Deadline::after(time);
    let _guard = DeadlineGuard(stop.clone());
    let broken = || ToolError::new("tool_failed", "the tool failed unexpectedly; try something else");
    let (sender, receiver) = oneshot::channel();
    let on_thread = move || {
        lower_priority();
        // This fails only if nobody is waiting for the result anymore.
        let _ = sender.send(work(&stop));
    };
    thread::Builder::new().name("code".into()).spawn(on_thread).map_err(|error| broken().caused_by(error))?;
    receiver.await.map_err(|_| broken().caused_by("the thread panicked"))?
}

/// Lowers the priority of this thread and of the threads that it starts. If that fails, the work runs at normal
/// priority.
fn lower_priority() {
    // Linux only: on other systems, the same call changes the priority of the whole process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICE_INCREMENT);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_ends_when_nobody_waits_for_it() {
        let (began, started) = tokio::sync::oneshot::channel();
        let (ended, end) = tokio::sync::oneshot::channel();
        let work = run_on_thread(Duration::from_secs(3600), move |stop| {
            let _ = began.send(());
            while !stop.over() {
                std::thread::yield_now();
            }
            let _ = ended.send(stop.late());
            Ok(())
        });
        tokio::select! {
            _ = work => panic!("the work runs for an hour"),
            started = started => started.expect("the work starts"),
        }
        assert!(!end.await.expect("the work ends"), "it ends because it was dropped, not because of its time");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn work_yields_to_the_rest_of_the_server() {
        let nice = || rustix::process::getpriority_process(None).expect("the priority is known");
        let usual = nice();
        let seen = run_on_thread(Duration::from_secs(60), move |_| Ok(thread::scope(|scope| scope.spawn(nice).join())));
        let seen = seen.await.expect("the work succeeds").expect("the thread ends");
        assert_eq!((seen, nice()), ((usual + NICE_INCREMENT).min(19), usual));
    }

    #[tokio::test]
    async fn work_that_breaks_down_is_an_answer() {
        let broken = run_on_thread(Duration::from_secs(1), |_| -> Result<(), _> { panic!("on purpose") });
        assert_eq!(broken.await.expect_err("the call fails").code, "tool_failed");
    }
}
