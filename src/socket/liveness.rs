//! When a connection is given up: nobody said who it is, pings stay unanswered, it takes nothing.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::SocketBounds;
use crate::protocol::CloseCode;
use crate::retry;

/// Pings after which an answer is overdue.
const MISSED: u32 = 2;

/// The one timer of a connection.
pub(super) struct Liveness {
    timer: Pin<Box<Sleep>>,
    next_ping: Instant,
    /// Pings since the peer was last heard.
    unanswered: u32,
    /// Since when the socket takes nothing, though something waits.
    blocked: Option<Instant>,
    hello: Hello,
    /// When the connection ends because the server does.
    drain: Option<Instant>,
}

/// Whether the peer has still to say who it is.
#[derive(Clone, Copy)]
enum Hello {
    /// Until then.
    Awaited(Instant),
    /// It said something by then, and the server looks that up: however long this takes, it is not the peer that is late.
    Examined(Instant),
    Known,
}

/// What is due.
pub(super) enum Due {
    Ping,
    Close(CloseCode),
}

impl Liveness {
    pub(super) fn new(bounds: &SocketBounds, known: bool) -> Self {
        let now = Instant::now();
        let next_ping = now + Duration::from_secs(bounds.ping_seconds);
        let by = now + Duration::from_secs(bounds.hello_seconds);
        let (hello, first) = if known { (Hello::Known, next_ping) } else { (Hello::Awaited(by), by.min(next_ping)) };
        let timer = Box::pin(tokio::time::sleep_until(first));
        Self { timer, next_ping, unanswered: 0, blocked: None, hello, drain: None }
    }

    /// The peer was heard.
    pub(super) fn heard(&mut self) {
        self.unanswered = 0;
    }

    /// The peer said who it is, which is looked up.
    pub(super) fn examined(&mut self) {
        if let Hello::Awaited(by) = self.hello {
            self.hello = Hello::Examined(by);
        }
    }

    /// What it said made nobody known: the time it had at first goes on, and no more. Whether that is over.
    pub(super) fn unknown(&mut self) -> bool {
        let Hello::Examined(by) = self.hello else { return false };
        self.hello = Hello::Awaited(by);
        let next = by.min(self.timer.deadline());
        self.timer.as_mut().reset(next);
        by <= Instant::now()
    }

    /// The server knows who it is.
    pub(super) fn known(&mut self) {
        self.hello = Hello::Known;
    }

    /// The socket took something, or nothing waits for it.
    pub(super) fn moved(&mut self) {
        self.blocked = None;
    }

    /// Something waits and the socket does not take it. The timer comes by often enough to notice in time.
    pub(super) fn blocked(&mut self) {
        self.blocked.get_or_insert_with(Instant::now);
    }

    /// The server shuts down: end at a moment of one's own within `spread`.
    pub(super) fn drain(&mut self, spread: Duration) {
        if self.drain.is_none() {
            let share = f64::from(retry::chance()) / f64::from(u32::MAX);
            let at = Instant::now() + spread.mul_f64(share);
            self.drain = Some(at);
            let next = at.min(self.timer.deadline());
            self.timer.as_mut().reset(next);
        }
    }

    /// What is due now, one thing at a time.
    pub(super) fn poll(&mut self, bounds: &SocketBounds, cx: &mut Context<'_>) -> Option<Due> {
        while let Poll::Ready(()) = self.timer.as_mut().poll(cx) {
            let now = Instant::now();
            let hello = match self.hello {
                Hello::Awaited(by) => Some(by),
                Hello::Examined(_) | Hello::Known => None,
            };
            let stall = self.blocked.map(|since| since + Duration::from_secs(bounds.stall_seconds));
            for (at, code) in
                [(self.drain, CloseCode::GoingAway), (hello, CloseCode::Unauthenticated), (stall, CloseCode::TooSlow)]
            {
                if at.is_some_and(|at| at <= now) {
                    return Some(Due::Close(code));
                }
            }
            let ping = self.next_ping <= now;
            if ping {
                if self.unanswered >= MISSED {
                    return Some(Due::Close(CloseCode::NoPong));
                }
                self.unanswered += 1;
                self.next_ping = now + Duration::from_secs(bounds.ping_seconds);
            }
            let next = [self.drain, hello, stall].into_iter().flatten().fold(self.next_ping, Instant::min);
            self.timer.as_mut().reset(next);
            if ping {
                return Some(Due::Ping);
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
        let (begun, spread) = (Instant::now(), Duration::from_secs(10));
        let mut tenths = [0; 10];
        for _ in 0..500 {
            let mut liveness = Liveness::new(&SocketBounds::default(), true);
            liveness.drain(spread);
            let at = liveness.drain.expect("has its moment") - begun;
            assert!(at <= spread, "nobody stays longer: {at:?}");
            tenths[usize::try_from(at.as_millis() / 1_001).expect("is small")] += 1;
            liveness.drain(Duration::ZERO);
            assert_eq!(liveness.drain, Some(begun + at), "the moment stays");
        }
        // 50 are to be expected in each; so few or so many come by chance once in a thousand million times.
        assert!(tenths.iter().all(|count| (10..110).contains(count)), "{tenths:?}");
    }
}
