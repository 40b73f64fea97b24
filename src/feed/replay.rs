//! Replay from a seq in the store to the feed, for a viewer that joins, resumes or has fallen behind.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{Cursor, FramePage, StartingPoint};
use crate::kernel::LeaveReason;
use crate::store_error::StoreError;
use crate::telemetry::metrics;

type ReplayRead = Pin<Box<dyn Future<Output = Result<FramePage, StoreError>> + Send>>;

/// The replay of a viewer that is catching up with the feed. It reads events from the store up to one moment of the
/// feed, where the viewer's cursor continues.
pub(super) struct Replay {
    start: StartingPoint,
    through: u64,
    removed: Option<LeaveReason>,
    page: Option<ReplayRead>,
}

/// One step of a replay.
pub(super) enum ReplayStep {
    /// Events, in order.
    Page(FramePage),
    /// The viewer has everything up to this moment, and its cursor is positioned there. The extras come next, then the
    /// feed.
    Arrived(StartingPoint),
    /// The viewer was removed in the meantime, and has everything up to the removal.
    Removed(LeaveReason),
}

impl Replay {
    /// Creates the replay that catches `cursor` up with the feed, starting with the events after `after`.
    pub(super) fn after(cursor: &mut Cursor, after: u64) -> Self {
        metrics().replays.inc();
        cursor.replayed(after);
        Self::to(cursor, cursor.feed().start())
    }

    /// Creates the replay that catches `cursor` up with a feed that it has fallen out of.
    pub(super) fn resume(cursor: &mut Cursor) -> Self {
        metrics().overruns.inc();
        Self::to(cursor, cursor.feed().start())
    }

    /// Creates the replay of a cursor that has everything up to `start`, for example from a snapshot.
    pub(super) fn from(cursor: &mut Cursor, start: StartingPoint) -> Self {
        metrics().replays.inc();
        cursor.replayed(start.seq);
        Self::to(cursor, start)
    }

    /// Returns the seq of the newest event at the moment to which the viewer catches up.
    pub(super) fn head(&self) -> u64 {
        self.start.seq
    }

    fn to(cursor: &Cursor, start: StartingPoint) -> Self {
        // A viewer must not see events after their removal, even if the store has them.
        let removal = cursor.removal().filter(|(seq, _)| *seq <= start.seq);
        let through = removal.map_or(start.seq, |(seq, _)| seq);
        Self { through, removed: removal.map(|(_, reason)| reason), start, page: None }
    }

    /// Returns the next step.
    pub(super) fn poll(&mut self, cursor: &mut Cursor, cx: &mut Context<'_>) -> Poll<Result<ReplayStep, StoreError>> {
        if cursor.seq() < self.through {
            let (feed, after, through) = (cursor.feed().clone(), cursor.seq(), self.through);
            let fetch = || -> ReplayRead { Box::pin(async move { feed.page(after, through).await }) };
            let page = ready!(self.page.get_or_insert_with(fetch).as_mut().poll(cx));
            self.page = None;
            let page = page?;
            cursor.replayed(page.last);
            return Poll::Ready(Ok(ReplayStep::Page(page)));
        }
        if let Some(reason) = self.removed {
            return Poll::Ready(Ok(ReplayStep::Removed(reason)));
        }
        if !cursor.feed().core.read().ring.holds(self.start.position) {
            // The feed evicted this moment while the viewer read the store. Catch up to its current moment instead.
            *self = Self::to(cursor, cursor.feed().start());
            return self.poll(cursor, cx);
        }
        cursor.place(&self.start);
        Poll::Ready(Ok(ReplayStep::Arrived(self.start.clone())))
    }
}
