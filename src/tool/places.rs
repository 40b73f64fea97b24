//! Calls that run at once. Further ones wait for a place, and their time begins when they have it.
//!
//! Sessions take turns: the next place goes to the session that has waited longest for its turn, not to the call, and no
//! session holds more than its share. So a session with a hundred calls makes another one wait for one call, not for a
//! hundred.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{Place, ToolError};
use crate::kernel::SessionId;

/// How many calls of a tool run at once on a node, and how many wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QueueSettings {
    /// Calls that run at once; further ones wait, and sessions take turns.
    #[schemars(range(min = 1, max = 1000))]
    pub max_running: usize,
    /// Calls of one session that run at once.
    #[schemars(range(min = 1, max = 1000))]
    pub max_running_per_session: usize,
    /// Calls of one session that wait; a further one is refused.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_waiting_per_session: usize,
    /// Seconds that a call waits at most; this time does not count towards the call's own.
    #[schemars(range(min = 1, max = 3600))]
    pub max_wait_seconds: u64,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self { max_running: 4, max_running_per_session: 2, max_waiting_per_session: 100, max_wait_seconds: 600 }
    }
}

impl QueueSettings {
    /// So many calls at once, of whichever sessions.
    pub(super) fn of(max_running: usize) -> Self {
        Self { max_running, max_running_per_session: max_running, ..Self::default() }
    }
}

/// The places of a tool.
#[derive(Clone)]
pub(super) struct Places(Arc<Shared>);

struct Shared {
    settings: QueueSettings,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: usize,
    /// Those with calls that run or wait.
    sessions: HashMap<SessionId, Queue>,
    /// Those with calls that wait, the next one first.
    turns: VecDeque<SessionId>,
}

#[derive(Default)]
struct Queue {
    running: usize,
    waiting: VecDeque<oneshot::Sender<Taken>>,
}

/// A place that a call has, until this is dropped.
pub(super) struct Taken {
    shared: Arc<Shared>,
    session: SessionId,
}

impl Places {
    pub(super) fn new(settings: &QueueSettings) -> Self {
        Self(Arc::new(Shared { settings: settings.clone(), state: Mutex::default() }))
    }

    /// A place for this call.
    pub(super) async fn take(&self, at: &Place) -> Result<Taken, ToolError> {
        let unavailable = |words: String| ToolError::new("tool_unavailable", format!("it was not begun: {words}"));
        let QueueSettings { max_running, max_waiting_per_session, max_wait_seconds, .. } = self.0.settings;
        let turn = self.queue(at.session).ok_or_else(|| {
            unavailable(format!("{max_waiting_per_session} calls like this of this session wait; call it again later"))
        })?;
        match at.watch.held(timeout(Duration::from_secs(max_wait_seconds), turn)).await {
            Ok(Ok(taken)) => Ok(taken),
            Ok(Err(_)) => Err(unavailable("the server is stopping".into())),
            Err(_) => Err(unavailable(format!(
                "{max_running} calls like this run at once, and there was no place within {max_wait_seconds} s; try again \
                 later"
            ))),
        }
    }

    /// Join the queue of the session; none, where it is full.
    fn queue(&self, session: SessionId) -> Option<oneshot::Receiver<Taken>> {
        let (sender, turn) = oneshot::channel();
        {
            let State { sessions, turns, .. } = &mut *self.0.state.lock();
            let queue = sessions.entry(session).or_default();
            // Calls that were stopped meanwhile wait no more.
            queue.waiting.retain(|waiting| !waiting.is_closed());
            if queue.waiting.len() >= self.0.settings.max_waiting_per_session {
                return None;
            }
            queue.waiting.push_back(sender);
            if !turns.contains(&session) {
                turns.push_back(session);
            }
        }
        Shared::give(&self.0);
        Some(turn)
    }
}

impl Shared {
    /// Give all places that are free to those whose turn it is.
    fn give(shared: &Arc<Self>) {
        loop {
            let next = shared.state.lock().next(&shared.settings);
            let Some((waiting, session)) = next else { return };
            // Where nobody waits any more the place comes back, and is given to the next.
            let _ = waiting.send(Taken { shared: shared.clone(), session });
        }
    }
}

impl State {
    /// The call whose turn it is, counted as running; none, where no place is free for any.
    fn next(&mut self, settings: &QueueSettings) -> Option<(oneshot::Sender<Taken>, SessionId)> {
        while self.running < settings.max_running {
            let below = |session: &SessionId| {
                self.sessions.get(session).is_none_or(|queue| queue.running < settings.max_running_per_session)
            };
            let session = self.turns.iter().position(below).and_then(|at| self.turns.remove(at))?;
            let Some(queue) = self.sessions.get_mut(&session) else { continue };
            let waiting = std::iter::from_fn(|| queue.waiting.pop_front()).find(|waiting| !waiting.is_closed());
            if !queue.waiting.is_empty() {
                self.turns.push_back(session);
            }
            match waiting {
                Some(waiting) => {
                    queue.running += 1;
                    self.running += 1;
                    return Some((waiting, session));
                }
                None => self.forget_idle(session),
            }
        }
        None
    }

    fn forget_idle(&mut self, session: SessionId) {
        if self.sessions.get(&session).is_some_and(|queue| queue.running == 0 && queue.waiting.is_empty()) {
            self.sessions.remove(&session);
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        {
            let state = &mut *self.shared.state.lock();
            state.running -= 1;
            if let Some(queue) = state.sessions.get_mut(&self.session) {
                queue.running -= 1;
            }
            state.forget_idle(self.session);
        }
        Shared::give(&self.shared);
    }
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
