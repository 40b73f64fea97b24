//! Warnings about slow operations. One place for all of them, so that they look alike, share one setting and do not
//! fill the log when everything is slow.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::log_streak::LogStreak;

/// Maximum number of bytes in a detail, such as a statement, in a log line.
const MAX_DETAIL_BYTES: usize = 100;

/// Kind of an operation whose duration is watched. Each kind has its own rate limit of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind {
    /// Wait for a connection to the database.
    StoreConnection,
    /// Statement of the database, other than an append.
    StoreStatement,
    /// Commit of a batch of appends.
    StoreAppend,
    /// Command, from its arrival to its result.
    Command,
    /// Command that another node executes.
    Forward,
    /// Batch of messages to other nodes.
    BusPublish,
}

impl OperationKind {
    const COUNT: usize = Self::BusPublish as usize + 1;

    fn as_str(self) -> &'static str {
        match self {
            Self::StoreConnection => "store connection",
            Self::StoreStatement => "store statement",
            Self::StoreAppend => "store append",
            Self::Command => "command",
            Self::Forward => "forward",
            Self::BusPublish => "bus publish",
        }
    }
}

/// Timer of an operation in progress. When it is dropped, it logs a warning if the operation took too long, so that
/// operations that fail or are cancelled count too.
#[derive(Debug)]
#[must_use = "dropping it ends the operation"]
pub struct OperationTimer {
    kind: OperationKind,
    detail: Cow<'static, str>,
    started: Instant,
    log: &'static SlowOperationLog,
}

impl OperationTimer {
    /// Starts the timer of an operation of this kind.
    pub fn start(kind: OperationKind) -> Self {
        Self::with_detail(kind, "")
    }

    /// Starts the timer of an operation whose log line names a detail. The detail must not contain user data.
    pub fn with_detail(kind: OperationKind, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::in_log(&LOG, kind, detail.into())
    }

    fn in_log(log: &'static SlowOperationLog, kind: OperationKind, detail: Cow<'static, str>) -> Self {
        Self { kind, detail, started: Instant::now(), log }
    }
}

impl Drop for OperationTimer {
    fn drop(&mut self) {
        self.log.observe(self.kind, &self.detail, self.started.elapsed());
    }
}

/// Sets the duration from which operations of this process count as slow. Zero turns the warnings off.
pub(super) fn set_limit(ms: u64) {
    LOG.limit_ms.store(ms, Relaxed);
}

// Off until the log is started, as in a simulation: the log throttle draws random numbers, and the simulation's plans
// must be reproducible.
static LOG: SlowOperationLog = SlowOperationLog::new(0);

/// Slow operations so far.
#[derive(Debug)]
struct SlowOperationLog {
    /// Duration from which an operation counts as slow, in milliseconds. Zero if no operation does.
    limit_ms: AtomicU64,
    kinds: [Mutex<LogStreak>; OperationKind::COUNT],
}

impl SlowOperationLog {
    const fn new(limit_ms: u64) -> Self {
        Self {
            limit_ms: AtomicU64::new(limit_ms),
            kinds: [const { Mutex::new(LogStreak::new()) }; OperationKind::COUNT],
        }
    }

    fn observe(&self, kind: OperationKind, detail: &str, took: Duration) {
        let limit = self.limit_ms.load(Relaxed);
        if limit == 0 || took < Duration::from_millis(limit) {
            return;
        }
        let Some(slow) = self.kinds[kind as usize].lock().add() else { return };
        let (operation, duration_ms) = (kind.as_str(), u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        let detail = &detail[..detail.floor_char_boundary(MAX_DETAIL_BYTES)];
        let detail = (!detail.is_empty()).then_some(detail);
        tracing::warn!(operation, detail, duration_ms, slow, "slow operation");
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::super::captured_log::CapturedLog;
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    async fn take(log: &'static SlowOperationLog, kind: OperationKind, ms: u64) {
        let timer = OperationTimer::in_log(log, kind, "select 1".into());
        advance(Duration::from_millis(ms)).await;
        drop(timer);
    }

    #[tokio::test(start_paused = true)]
    async fn slow_operations_are_logged_and_a_series_of_them_seldom() {
        static SLOW: SlowOperationLog = SlowOperationLog::new(1_000);
        let lines = CapturedLog::json();
        take(&SLOW, OperationKind::StoreStatement, 999).await;
        assert_eq!(lines.count("slow operation"), 0, "not slow");
        take(&SLOW, OperationKind::StoreStatement, 1_000).await;
        let line = lines.only("slow operation");
        assert_eq!((&line["level"], &line["operation"]), (&"WARN".into(), &"store statement".into()));
        assert_eq!(
            (&line["detail"], &line["duration_ms"], &line["slow"]),
            (&"select 1".into(), &1_000.into(), &1.into())
        );
        for _ in 0..100 {
            take(&SLOW, OperationKind::StoreStatement, 1_000).await;
        }
        assert!((2..10).contains(&lines.count("slow operation")), "{}", lines.text());
        take(&SLOW, OperationKind::Command, 1_000).await;
        assert_eq!(lines.count("\"command\""), 1, "each kind has its own limit");

        advance(10 * MINUTE).await;
        let before = lines.count("slow operation");
        take(&SLOW, OperationKind::StoreStatement, 5_000).await;
        assert_eq!(lines.count("slow operation"), before + 1, "a new series is logged at once");
    }

    #[tokio::test(start_paused = true)]
    async fn no_line_is_written_when_warnings_are_off() {
        static OFF: SlowOperationLog = SlowOperationLog::new(0);
        let lines = CapturedLog::json();
        take(&OFF, OperationKind::BusPublish, 100_000).await;
        assert_eq!(lines.text(), "");
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_detail_is_cut() {
        static CUT: SlowOperationLog = SlowOperationLog::new(1_000);
        let lines = CapturedLog::json();
        let timer = OperationTimer::in_log(&CUT, OperationKind::Forward, "é".repeat(99).into());
        advance(MINUTE).await;
        drop(timer);
        assert_eq!(lines.only("slow operation")["detail"], "é".repeat(50));
    }
}
