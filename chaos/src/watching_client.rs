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
    /// Everything is repaired, and nobody begins anything new; viewers stay.
    Healed,
    /// The seed is over.
    Over,
}

/// Behavior of a viewer during faults.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Calm,
    /// Takes milliseconds for each frame.
    Slow(u64),
    /// Stops reading for a while, now and then.
    Stalled,
    /// Disconnects and reconnects.
    Restless,
    /// Disconnects, discards everything, and reconnects with a snapshot.
    Forgetful,
}

/// Waits until the seed is over.
pub async fn over(stage: &mut watch::Receiver<SuitePhase>) {
    let _ = stage.wait_for(|stage| *stage == SuitePhase::Over).await;
}

pub struct WatchingClient {
    pub session: String,
    pub key: Key,
    pub addresses: Vec<SocketAddr>,
    pub random: Random,
    pub stage: watch::Receiver<SuitePhase>,
    /// Last seq of the viewer, for those who wait for it.
    pub progress: watch::Sender<u64>,
}

/// Time without data after which the connection counts as dead. The server pings every second.
const SILENCE: Duration = Duration::from_secs(5);

impl WatchingClient {
    /// Watches until the seed is over. Returns what it saw.
    pub async fn watch(mut self) -> ObservedLog {
        let mut seen = ObservedLog::default();
        let manner = match self.random.between(0, 12) {
            0..4 => Manner::Calm,
            4..6 => Manner::Slow(self.random.between(2, 20)),
            6..8 => Manner::Stalled,
            8..10 => Manner::Restless,
            _ => Manner::Forgetful,
        };
        while self.now() != SuitePhase::Over {
            let address = self.addresses[self.random.index(self.addresses.len())];
            if matches!(manner, Manner::Forgetful) && self.random.chance(60) {
                seen.forget();
            }
            match Socket::joined(address, &self.key, &self.session, seen.after()).await {
                Ok(socket) => {
                    seen.connections += 1;
                    self.follow(socket, &mut seen, manner).await;
                }
                Err(_) => sleep(Duration::from_millis(self.random.between(20, 150))).await,
            }
        }
        seen
    }

    fn now(&self) -> SuitePhase {
        *self.stage.borrow()
    }

    async fn follow(&mut self, mut socket: Socket, seen: &mut ObservedLog, manner: Manner) {
        let leave = Instant::now() + Duration::from_millis(self.random.between(200, 2_500));
        let mut stage = self.stage.clone();
        loop {
            let next = tokio::select! {
                next = timeout(SILENCE, socket.next()) => next,
                () = over(&mut stage) => return,
            };
            let Ok(Some(text)) = next else { return };
            let Ok(frame) = serde_json::from_str::<Frame>(&text) else {
                return seen.wrong.push(format!("not a frame: {text}"));
            };
            seen.receive(&text, &frame);
            self.progress.send_replace(seen.seq());
            match frame.kind {
                // The session is not shown, or no longer: reconnect.
                "closing" => return,
                "error" if frame.id.is_none() => {
                    return sleep(Duration::from_millis(self.random.between(20, 150))).await;
                }
                _ => {}
            }
            if self.now() == SuitePhase::Faults {
                match manner {
                    Manner::Slow(millis) => sleep(Duration::from_millis(millis)).await,
                    Manner::Stalled if self.random.chance(1) => {
                        sleep(Duration::from_millis(self.random.between(300, 2_500))).await;
                    }
                    Manner::Restless | Manner::Forgetful if Instant::now() > leave => return,
                    _ => {}
                }
            }
        }
    }
}
