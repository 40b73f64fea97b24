//! The connections to wake when a feed grows.

use std::task::Waker;

use tokio_util::sync::DropGuard;

/// The connections that watch a feed, in one dense list that the feed iterates for every event.
///
/// Other nodes are followed while the list is not empty. One lock guards both. If a viewer joins while the last one
/// leaves, either the join comes first and following continues, or the leave comes first and following restarts.
#[derive(Default)]
pub(super) struct Watchers {
    slots: Vec<WatcherSlot>,
    free: Vec<usize>,
    following: Option<DropGuard>,
}

#[derive(Default)]
struct WatcherSlot {
    waker: Option<Waker>,
    /// True if the connection has seen everything and sleeps. An awake connection checks for frames before it sleeps
    /// and needs no wake-up.
    parked: bool,
}

impl Watchers {
    /// Adds a connection. `follow` starts following other nodes, if there are any.
    pub(super) fn add(&mut self, follow: impl FnOnce() -> Option<DropGuard>) -> usize {
        if self.following.is_none() {
            self.following = follow();
        }
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(WatcherSlot::default());
            self.slots.len() - 1
        })
    }

    /// Removes a connection. With the last one, following ends: the guard is returned for the caller to drop.
    pub(super) fn remove(&mut self, key: usize) -> Option<DropGuard> {
        self.slots[key] = WatcherSlot::default();
        self.free.push(key);
        if self.len() == 0 { self.following.take() } else { None }
    }

    /// Returns the number of connections.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn are_following(&self) -> bool {
        self.following.is_some()
    }

    /// Parks a connection that has seen everything. It is woken once when there is more.
    pub(super) fn park(&mut self, key: usize, waker: &Waker) {
        let slot = &mut self.slots[key];
        if !slot.waker.as_ref().is_some_and(|known| known.will_wake(waker)) {
            slot.waker = Some(waker.clone());
        }
        slot.parked = true;
    }

    pub(super) fn wake(&mut self) {
        for slot in &mut self.slots {
            if std::mem::take(&mut slot.parked)
                && let Some(waker) = &slot.waker
            {
                waker.wake_by_ref();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::Watchers;

    /// Adds a viewer with its own `follow` token, and returns whether that token is in use afterwards.
    fn come(watchers: &mut Watchers) -> (usize, CancellationToken) {
        let ended = CancellationToken::new();
        (watchers.add(|| Some(ended.clone().drop_guard())), ended)
    }

    #[test]
    fn others_are_followed_while_somebody_watches() {
        let mut watchers = Watchers::default();
        let (first, following) = come(&mut watchers);
        let (second, needless) = come(&mut watchers);
        assert!(watchers.are_following() && !needless.is_cancelled());
        assert!(watchers.remove(first).is_none() && !following.is_cancelled(), "somebody still watches");
        let (third, _) = come(&mut watchers);
        assert!(watchers.remove(second).is_none());
        drop(watchers.remove(third));
        assert!(following.is_cancelled() && !watchers.are_following(), "nobody watches");
        let (_, again) = come(&mut watchers);
        assert!(watchers.are_following() && !again.is_cancelled(), "the next viewer starts following again");
    }
}
