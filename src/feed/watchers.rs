//! The connections to wake when a feed grows.

use std::task::Waker;

use tokio_util::sync::DropGuard;

/// The connections that watch a feed, in one dense list: under load the feed walks it for every event.
///
/// Other nodes are followed while there are any. Both stand behind one lock: whoever comes while the last one goes comes
/// either before it, and nothing ends, or after it, and begins anew.
#[derive(Default)]
pub(super) struct Watchers {
    slots: Vec<Slot>,
    free: Vec<usize>,
    following: Option<DropGuard>,
}

#[derive(Default)]
struct Slot {
    waker: Option<Waker>,
    /// It has seen everything and sleeps. One that is awake looks by itself before it sleeps, so waking it costs nothing.
    parked: bool,
}

impl Watchers {
    /// One more; `follow` begins to follow other nodes, where there are any.
    pub(super) fn add(&mut self, follow: impl FnOnce() -> Option<DropGuard>) -> usize {
        if self.following.is_none() {
            self.following = follow();
        }
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        })
    }

    /// One less. With the last one the following of other nodes ends: it is handed out, to be dropped.
    pub(super) fn remove(&mut self, key: usize) -> Option<DropGuard> {
        self.slots[key] = Slot::default();
        self.free.push(key);
        if self.free.len() == self.slots.len() { self.following.take() } else { None }
    }

    pub(super) fn are_following(&self) -> bool {
        self.following.is_some()
    }

    /// The connection has seen everything; wake it once when there is more.
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

    /// Everybody who comes says how they would follow; whether that is in force afterwards.
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
        assert!(watchers.are_following() && !again.is_cancelled(), "who comes then begins anew");
    }
}
