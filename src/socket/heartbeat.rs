//! Timeouts of a connection: identification, unanswered pings, and output that the client does not read.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::SocketSettings;
use crate::backoff;
use crate::protocol::CloseCode;

/// Maximum number of unanswered pings. If there are this many when the next ping is due, the connection is closed.
const MAX_MISSED_PONGS: u32 = 2;

/// The single timer of a connection.
pub(super) struct Heartbeat {
    timer: Pin<Box<Sleep>>,
    next_ping: Instant,
    /// Number of pings since the last message from the client.
    unanswered: u32,
    /// Time since which the socket has accepted nothing although output is waiting.
    blocked: Option<Instant>,
    hello: HelloState,
    /// Time at which the connection closes because the server stops.
    drain: Option<Instant>,
}

/// State of the client's identification.
#[derive(Clone, Copy)]
enum HelloState {
    /// The client has to identify itself by this time.
    Awaited(Instant),
    /// The client sent a token by this time, and the server is checking it. A slow check is not the client's fault.
    Examined(Instant),
    Known,
}

/// An event of the timer.
pub(super) enum HeartbeatAction {
    Ping,
    Close(CloseCode),
}

impl Heartbeat {
    pub(super) fn new(settings: &SocketSettings, known: bool) -> Self {
        let now = Instant::now();
        let next_ping = now + Duration::from_secs(settings.ping_seconds);
        let by = now + Duration::from_secs(settings.hello_seconds);
        let (hello, first) =
            if known { (HelloState::Known, next_ping) } else { (HelloState::Awaited(by), by.min(next_ping)) };
        let timer = Box::pin(tokio::time::sleep_until(first));
        Self { timer, next_ping, unanswered: 0, blocked: None, hello, drain: None }
    }

    /// Records a message from the client.
    pub(super) fn message_received(&mut self) {
        self.unanswered = 0;
    }

    /// Records that the client sent a token, which is being checked.
    pub(super) fn examined(&mut self) {
        if let HelloState::Awaited(by) = self.hello {
            self.hello = HelloState::Examined(by);
        }
    }

    /// Records that the token did not identify the client. The original deadline applies again. Returns whether that
    /// deadline has passed.
    pub(super) fn unknown(&mut self) -> bool {
        let HelloState::Examined(by) = self.hello else { return false };
        self.hello = HelloState::Awaited(by);
        let next = by.min(self.timer.deadline());
        self.timer.as_mut().reset(next);
        by <= Instant::now()
    }

    /// Records that the client is identified.
    pub(super) fn known(&mut self) {
        self.hello = HelloState::Known;
    }

    /// Records that the socket accepted something, or that no output is waiting.
    pub(super) fn moved(&mut self) {
        self.blocked = None;
    }

    /// Records that output is waiting and the socket does not accept it. The timer fires often enough to detect a stall
    /// in time.
    pub(super) fn blocked(&mut self) {
        self.blocked.get_or_insert_with(Instant::now);
    }

    /// Schedules the close during a shutdown, at a random moment within `spread`.
    pub(super) fn drain(&mut self, spread: Duration) {
        if self.drain.is_none() {
            let share = f64::from(backoff::random()) / f64::from(u32::MAX);
            let at = Instant::now() + spread.mul_f64(share);
            self.drain = Some(at);
            let next = at.min(self.timer.deadline());
            self.timer.as_mut().reset(next);
        }
    }

    /// Returns the next event that is due.
    pub(super) fn poll(&mut self, settings: &SocketSettings, cx: &mut Context<'_>) -> Option<HeartbeatAction> {
        while let Poll::Ready(()) = self.timer.as_mut().poll(cx) {
            let now = Instant::now();
            let hello = match self.hello {
                HelloState::Awaited(by) => Some(by),
                HelloState::Examined(_) | HelloState::Known => None,
            };
            let stall = self.blocked.map(|since| since + Duration::from_secs(settings.stall_seconds));
            for (at, code) in
                [(self.drain, CloseCode::GoingAway), (hello, CloseCode::Unauthenticated), (stall, CloseCode::TooSlow)]
            {
                if at.is_some_and(|at| at <= now) {
                    return Some(HeartbeatAction::Close(code));
                }
            }
            let ping = self.next_ping <= now;
            if ping {
                if self.unanswered >= MAX_MISSED_PONGS {
                    return Some(HeartbeatAction::Close(CloseCode::NoPong));
                }
                self.unanswered += 1;
                self.next_ping = now + Duration::from_secs(settings.ping_seconds);
            }
            let next = [self.drain, hello, stall].into_iter().flatten().fold(self.next_ping, Instant::min);
            self.timer.as_mut().reset(next);
            if ping {
                return Some(HeartbeatAction::Ping);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn closings_are_spread_over_their_time() {
        let (started, spread) = (Instant::now(), Duration::from_secs(10));
        let mut tenths = [0; 10];
        for _ in 0..500 {
            let mut liveness = Heartbeat::new(&SocketSettings::default(), true);
            liveness.drain(spread);
            let at = liveness.drain.expect("has its moment") - started;
            assert!(at <= spread, "nobody stays longer: {at:?}");
            tenths[usize::try_from(at.as_millis() / 1_001).expect("is small")] += 1;
            liveness.drain(Duration::ZERO);
            assert_eq!(liveness.drain, Some(started + at), "the moment stays");
        }
        // The expected count is 50 each. Counts outside this range occur by chance once in 10^9 runs.
        assert!(tenths.iter().all(|count| (10..110).contains(count)), "{tenths:?}");
    }
}
