//! A viewer of a session on any available node. It reconnects with its last seq.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::observed_log::{Frame, ObservedLog};
use crate::socket::{Key, Socket};
use servers::random::Random;

/// Phase of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuitePhase {
    /// Faults are in progress.
    Faults,
    /// Everything is repaired, and no new work is started; viewers stay connected.
    Healed,
    /// The seed is over.
    Over,
}

/// Behavior of a viewer during faults.
#[derive(Debug, Clone, Copy)]
enum ViewerBehavior {
    Normal,
    /// Takes this many milliseconds for each frame.
    Slow(u64),
    /// Stops reading for a while, now and then.
    Stalling,
    /// Disconnects and reconnects.
    Reconnecting,
    /// Disconnects, discards everything, and reconnects with a snapshot.
    Resetting,
}

/// Waits until the seed is over.
pub async fn wait_until_over(phase: &mut watch::Receiver<SuitePhase>) {
    let _ = phase.wait_for(|phase| *phase == SuitePhase::Over).await;
}

pub struct WatchingClient {
    pub session: String,
    pub key: Key,
    pub addresses: Vec<SocketAddr>,
    pub random: Random,
    pub phase: watch::Receiver<SuitePhase>,
    /// Last seq that the viewer has received, for code that waits for it.
    pub progress: watch::Sender<u64>,
}

/// Time without data after which the connection counts as dead. The server pings every second.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

impl WatchingClient {
    /// Watches until the seed is over. Returns what it saw.
    pub async fn watch(mut self) -> ObservedLog {
        let mut observed = ObservedLog::default();
        let behavior = match self.random.between(0, 12) {
            0..4 => ViewerBehavior::Normal,
            4..6 => ViewerBehavior::Slow(self.random.between(2, 20)),
            6..8 => ViewerBehavior::Stalling,
            8..10 => ViewerBehavior::Reconnecting,
            _ => ViewerBehavior::Resetting,
        };
        while self.current_phase() != SuitePhase::Over {
            let address = self.addresses[self.random.index(self.addresses.len())];
            if matches!(behavior, ViewerBehavior::Resetting) && self.random.chance(60) {
                observed.reset();
            }
            match Socket::connect_and_join(address, &self.key, &self.session, observed.after()).await {
                Ok(socket) => {
                    observed.connections += 1;
                    self.follow(socket, &mut observed, behavior).await;
                }
                Err(_) => sleep(Duration::from_millis(self.random.between(20, 150))).await,
            }
        }
        observed
    }

    fn current_phase(&self) -> SuitePhase {
        *self.phase.borrow()
    }

    async fn follow(&mut self, mut socket: Socket, observed: &mut ObservedLog, behavior: ViewerBehavior) {
        let leave_at = Instant::now() + Duration::from_millis(self.random.between(200, 2_500));
        let mut phase = self.phase.clone();
        loop {
            let next = tokio::select! {
                next = timeout(IDLE_TIMEOUT, socket.next()) => next,
                () = wait_until_over(&mut phase) => return,
            };
            let Ok(Some(text)) = next else { return };
            let Ok(frame) = serde_json::from_str::<Frame>(&text) else {
                return observed.violations.push(format!("not a frame: {text}"));
            };
            observed.receive(&text, &frame);
            self.progress.send_replace(observed.seq());
            match frame.kind {
                // The node does not show the session, or no longer does: reconnect.
                "closing" => return,
                "error" if frame.id.is_none() => {
                    return sleep(Duration::from_millis(self.random.between(20, 150))).await;
                }
                _ => {}
            }
            if self.current_phase() == SuitePhase::Faults {
                match behavior {
                    ViewerBehavior::Slow(delay_ms) => sleep(Duration::from_millis(delay_ms)).await,
                    ViewerBehavior::Stalling if self.random.chance(1) => {
                        sleep(Duration::from_millis(self.random.between(300, 2_500))).await;
                    }
                    ViewerBehavior::Reconnecting | ViewerBehavior::Resetting if Instant::now() > leave_at => return,
                    _ => {}
                }
            }
        }
    }
}
