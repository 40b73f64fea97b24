//! The connections to wake when a feed grows.

use std::task::Waker;

/// The connections that watch a feed, in one dense list: under load the feed walks it for every event.
#[derive(Default)]
pub(super) struct Watchers {
    slots: Vec<Slot>,
    free: Vec<usize>,
}

#[derive(Default)]
struct Slot {
    waker: Option<Waker>,
    /// It has seen everything and sleeps. One that is awake looks by itself before it sleeps, so waking it costs nothing.
    parked: bool,
}

impl Watchers {
    pub(super) fn add(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        })
    }

    pub(super) fn remove(&mut self, key: usize) {
        self.slots[key] = Slot::default();
        self.free.push(key);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
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
