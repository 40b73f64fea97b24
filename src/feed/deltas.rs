//! Fragments of running messages: shown immediately to a few viewers, and gathered for many.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep_until};

use super::Feed;
use super::feed::FeedCore;
use super::running_messages::RemoteDelta;
use crate::bus::Urgency;
use crate::kernel::MessageId;
use crate::peer_messages::MessageText;
use crate::telemetry::metrics;

/// Time per viewer between two writes of fragments. A write takes a core 5 to 10 µs per viewer, so with a shorter
/// interval a fast model would occupy a core with writes of a few tokens each.
const INTERVAL_PER_VIEWER: Duration = Duration::from_micros(20);

/// Maximum time between two writes of fragments, so that text appears smoothly even in the largest sessions.
const MAX_INTERVAL: Duration = Duration::from_millis(100);

/// Minimum interval, because timers have a resolution of one millisecond. With fewer viewers, fragments are shown
/// immediately.
const MIN_INTERVAL: Duration = Duration::from_millis(1);

/// The time at which a feed next shows fragments.
#[derive(Default)]
pub(super) struct DeltaSchedule {
    /// Earliest time of the next write. `None` if there are few viewers.
    next: Option<Instant>,
    /// True if a task waits for that time.
    is_waiting: bool,
}

/// Returns the time between two writes of fragments to this many viewers. `None` if there are so few that fragments are
/// shown immediately.
fn interval(viewers: usize) -> Option<Duration> {
    let viewers = u32::try_from(viewers).unwrap_or(u32::MAX);
    Some(INTERVAL_PER_VIEWER.saturating_mul(viewers).min(MAX_INTERVAL)).filter(|interval| *interval >= MIN_INTERVAL)
}

impl Feed {
    /// Shows a fragment of a running message, immediately or together with those that follow it within a few
    /// milliseconds. Ignores the fragment unless the message is open with this attempt.
    pub fn delta(self: &Arc<Self>, message: MessageId, attempt: u32, text: &str) {
        let mut core = self.core.write();
        if core.running.local(message, attempt, text) && self.show_when_due(&mut core) {
            drop(core);
            self.deliver();
        }
    }

    /// Adds a fragment that a model on another node wrote.
    pub(super) fn take_delta(self: &Arc<Self>, message: MessageId, attempt: u32, at: u64, text: &str) -> RemoteDelta {
        let mut core = self.core.write();
        let taken = core.running.remote(message, attempt, at, text);
        if taken == RemoteDelta::New && self.show_when_due(&mut core) {
            drop(core);
            self.deliver();
        }
        taken
    }

    /// Returns the partial texts of all running messages, with the seq of the newest event at that moment.
    pub fn partials(&self) -> (u64, Vec<MessageText>) {
        let core = self.core.read();
        (core.ring.seq(), core.running.texts())
    }

    /// Returns a running message's attempt and its partial text. `None` if the message is not running.
    pub fn partial(&self, message: MessageId) -> Option<(u32, Arc<str>)> {
        self.core.read().running.partial(message)
    }

    /// Shows the gathered fragments if they are due, and otherwise schedules their delivery. Returns whether there is
    /// something to deliver.
    fn show_when_due(self: &Arc<Self>, core: &mut FeedCore) -> bool {
        if core.deltas.is_waiting {
            return false;
        }
        match core.deltas.next.filter(|next| Instant::now() < *next) {
            Some(next) if self.schedule_deltas(next) => {
                core.deltas.is_waiting = true;
                false
            }
            _ => self.show_deltas(core),
        }
    }

    /// Appends the gathered fragments to the feed. Called before anything that viewers must receive after them. Returns
    /// whether there is something to deliver.
    pub(super) fn show_deltas(&self, core: &mut FeedCore) -> bool {
        let gathered = core.running.take_gathered(self.session);
        for delta in &gathered {
            core.ring.push(&delta.json, None);
        }
        if gathered.is_empty() {
            return false;
        }
        core.deltas.next = interval(self.watchers.lock().len()).map(|interval| Instant::now() + interval);
        metrics().frames.add(["delta"], gathered.len() as u64);
        // Under the lock, so that other nodes receive the fragments of a message in order and before the message's end.
        for delta in gathered.into_iter().filter(|delta| delta.is_local) {
            self.broadcast(&Bytes::from(delta.json), Urgency::Soon);
        }
        true
    }

    fn schedule_deltas(self: &Arc<Self>, at: Instant) -> bool {
        // A turn can still produce text during the shutdown of the runtime.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return false };
        let feed = Arc::downgrade(self);
        runtime.spawn(async move {
            sleep_until(at).await;
            let Some(feed) = feed.upgrade() else { return };
            let mut core = feed.core.write();
            core.deltas.is_waiting = false;
            if feed.show_deltas(&mut core) {
                drop(core);
                feed.deliver();
            }
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_gathered_for_many_viewers_only() {
        let ms = |viewers| interval(viewers).map(|interval| interval.as_millis());
        assert_eq!([0, 1, 49].map(ms), [None; 3]);
        assert_eq!([50, 1_000, 5_000, usize::MAX].map(ms), [Some(1), Some(20), Some(100), Some(100)]);
    }
}
