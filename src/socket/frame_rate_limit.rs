//! Rate limit of one connection. Frames and bytes are counted as they are read, before parsing: a flood that is parsed
//! and then rejected would take CPU time from all others on the core. While a connection exceeds its budget, nothing is
//! read from it, and TCP holds the rest back at the sender.

use std::future::Future;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use governor::DefaultDirectRateLimiter;
use governor::clock::{Clock, DefaultClock};
use tokio::time::{Instant, Sleep};

use super::SocketSettings;
use crate::protocol::{Code, Problem};

/// Minimum pause in reading. A wake-up for each frame of a flood would cost more than the frame.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// Interval between two warnings. A client at the edge of its budget exceeds it many times a second.
const WARNING_INTERVAL: Duration = Duration::from_secs(5);

/// The budget of one connection.
pub(super) struct FrameRateLimiter {
    frames: DefaultDirectRateLimiter,
    bytes: DefaultDirectRateLimiter,
    clock: DefaultClock,
    pause: Option<Pin<Box<Sleep>>>,
    /// Start of the period in which the client has continuously sent more than was read.
    over_since: Option<Instant>,
    /// Time of the last warning.
    warned_at: Option<Instant>,
}

impl FrameRateLimiter {
    pub(super) fn new(settings: &SocketSettings) -> Self {
        Self {
            frames: settings.frame_rate_limit.direct(),
            bytes: settings.byte_rate_limit.direct(),
            clock: DefaultClock::default(),
            pause: None,
            over_since: None,
            warned_at: None,
        }
    }

    /// Returns ready if the connection can be read now. Otherwise the task is woken as soon as it can.
    pub(super) fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(pause) = &mut self.pause {
            std::task::ready!(pause.as_mut().poll(cx));
            self.pause = None;
        }
        Poll::Ready(())
    }

    pub(super) fn is_paused(&self) -> bool {
        self.pause.is_some()
    }

    /// Counts a frame of any kind.
    pub(super) fn frame(&mut self) {
        if let Err(not_until) = self.frames.check() {
            self.pause(not_until.wait_time_from(self.clock.now()));
        }
    }

    /// Counts bytes that were read.
    pub(super) fn bytes(&mut self, count: usize) {
        let Some(count) = u32::try_from(count).ok().and_then(NonZeroU32::new) else { return };
        match self.bytes.check_n(count) {
            Ok(Ok(())) => {}
            Ok(Err(not_until)) => self.pause(not_until.wait_time_from(self.clock.now())),
            // More bytes than a burst allows: `read_buffer_bytes` is larger than the rate permits.
            Err(_) => self.pause(MIN_PAUSE),
        }
    }

    fn pause(&mut self, wait: Duration) {
        self.over_since.get_or_insert_with(Instant::now);
        self.pause.get_or_insert_with(|| Box::pin(tokio::time::sleep(wait.max(MIN_PAUSE))));
    }

    /// Records that everything that the client has sent so far was read.
    pub(super) fn caught_up(&mut self) {
        self.over_since = None;
    }

    /// Returns a warning for a client that exceeds its budget, at most one per interval.
    pub(super) fn warning(&mut self, settings: &SocketSettings) -> Option<Problem> {
        let is_recent = self.warned_at.is_some_and(|at| at.elapsed() < WARNING_INTERVAL);
        if is_recent || self.over_since.is_none() {
            return None;
        }
        self.warned_at = Some(Instant::now());
        let message = format!(
            "this connection sends too fast: {} frames and {} bytes are read per second, and the rest waits; send less, \
             or the connection is closed (4503) after {} s",
            settings.frame_rate_limit.per_second, settings.byte_rate_limit.per_second, settings.max_flood_seconds
        );
        let ms = u64::try_from(MIN_PAUSE.as_millis()).unwrap_or_default();
        Some(Problem::new(Code::RateLimited, message).retry_after(ms))
    }

    /// Returns whether the client has exceeded its budget for the maximum time without a pause.
    pub(super) fn is_flooded(&self, settings: &SocketSettings) -> bool {
        self.over_since.is_some_and(|since| since.elapsed() >= Duration::from_secs(settings.max_flood_seconds))
    }
}
