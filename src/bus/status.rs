//! Whether the bus works.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::{sync::watch, time::Instant};

/// Whether the bus works now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BusStatus {
    /// News goes out and comes in.
    Up,
    /// It does not. The bus tries again by itself, without end.
    Down {
        /// Since when.
        since: Instant,
        /// What is wrong, for an operator; never a secret.
        why: Arc<str>,
    },
}

impl BusStatus {
    /// Whether it works.
    pub fn is_up(&self) -> bool {
        *self == Self::Up
    }
}

/// One of the two connections of a lane, all of which have to work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Publishing,
    Subscribing,
}

/// The status, made of two sides of each lane.
pub(super) struct Status {
    /// What is wrong with each.
    sides: Mutex<Vec<[Option<Arc<str>>; 2]>>,
    status: watch::Sender<BusStatus>,
}

impl Status {
    /// Nothing was tried yet.
    pub(super) fn connecting(lanes: usize) -> Self {
        let why: Arc<str> = "connecting for the first time".into();
        let down = BusStatus::Down { since: Instant::now(), why: why.clone() };
        Self { sides: Mutex::new(vec![[Some(why.clone()), Some(why)]; lanes]), status: watch::Sender::new(down) }
    }

    pub(super) fn watch(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    /// A side works, or this is wrong with it.
    pub(super) fn set(&self, (lane, side): (usize, Side), wrong: Option<Arc<str>>) {
        let mut sides = self.sides.lock();
        sides[lane][side as usize] = wrong;
        let wrong = sides.iter().flatten().flatten().next().cloned();
        self.status.send_if_modified(|status| {
            let next = match (wrong, &*status) {
                (None, _) => BusStatus::Up,
                (Some(why), BusStatus::Up) => BusStatus::Down { since: Instant::now(), why },
                (Some(why), BusStatus::Down { since, .. }) => BusStatus::Down { since: *since, why },
            };
            let changed = next != *status;
            match &next {
                BusStatus::Up if changed => tracing::info!("the bus works"),
                BusStatus::Down { why, .. } if changed => {
                    tracing::warn!(%why, "the bus does not work; it is tried again without end");
                }
                _ => {}
            }
            *status = next;
            changed
        });
    }
}
