//! Status of the bus.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::{sync::watch, time::Instant};

/// Status of the bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BusStatus {
    /// Messages are sent and received.
    Up,
    /// The bus is down. It reconnects indefinitely.
    Down {
        /// Start of the outage.
        since: Instant,
        /// The error, for an operator. Contains no secrets.
        reason: Arc<str>,
    },
}

impl BusStatus {
    /// Returns whether the bus is up.
    pub fn is_up(&self) -> bool {
        *self == Self::Up
    }
}

/// One of the two connections of a lane. The bus is up only if both connections of every lane work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneSide {
    Publishing,
    Subscribing,
}

/// The status of the bus, derived from both sides of each lane.
pub(super) struct BusStatusTracker {
    /// The error of each side of each lane. `None` if the side works.
    sides: Mutex<Vec<[Option<Arc<str>>; 2]>>,
    status: watch::Sender<BusStatus>,
}

impl BusStatusTracker {
    /// Creates the tracker with the status before the first connection.
    pub(super) fn connecting(lanes: usize) -> Self {
        let reason: Arc<str> = "connecting for the first time".into();
        let down = BusStatus::Down { since: Instant::now(), reason: reason.clone() };
        Self { sides: Mutex::new(vec![[Some(reason.clone()), Some(reason)]; lanes]), status: watch::Sender::new(down) }
    }

    pub(super) fn watch(&self) -> watch::Receiver<BusStatus> {
        self.status.subscribe()
    }

    /// Records that a side works if `problem` is `None`, or its error.
    pub(super) fn set(&self, (lane, side): (usize, LaneSide), problem: Option<Arc<str>>) {
        let mut sides = self.sides.lock();
        sides[lane][side as usize] = problem;
        let problem = sides.iter().flatten().flatten().next().cloned();
        self.status.send_if_modified(|status| {
            let next = match (problem, &*status) {
                (None, _) => BusStatus::Up,
                (Some(reason), BusStatus::Up) => BusStatus::Down { since: Instant::now(), reason },
                (Some(reason), BusStatus::Down { since, .. }) => BusStatus::Down { since: *since, reason },
            };
            let changed = next != *status;
            match &next {
                BusStatus::Up if changed => tracing::info!("the bus is up"),
                BusStatus::Down { reason, .. } if changed => {
                    tracing::warn!(%reason, "the bus is down; reconnecting");
                }
                _ => {}
            }
            *status = next;
            changed
        });
    }
}
