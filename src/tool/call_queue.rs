//! Queue for calls of a tool. A limited number of calls run at once. Further calls wait for a slot, and their timeout
//! starts when they get one.
//!
//! Sessions take turns: the next slot goes to the session that has waited longest for its turn, not to the oldest call,
//! and no session holds more than its share. If one session has a hundred calls, other sessions therefore wait for one
//! of them, not for all.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{CallContext, ToolError};
use crate::kernel::SessionId;

/// Limits on the concurrent and waiting calls of a tool on one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QueueSettings {
    /// Maximum number of calls that run at once. Further calls wait, and sessions take turns. Default 4, at most 1000.
    #[schemars(range(min = 1, max = 1000))]
    pub max_running: usize,
    /// Maximum number of calls of one session that run at once. Default 2, at most 1000.
    #[schemars(range(min = 1, max = 1000))]
    pub max_running_per_session: usize,
    /// Maximum number of waiting calls of one session. Further calls are rejected. Default 100, at most 10000.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_waiting_per_session: usize,
    /// Maximum number of seconds that a call waits. This time does not count toward the call's own timeout. Default
    /// 600, at most 3600.
    #[schemars(range(min = 1, max = 3600))]
    pub max_wait_seconds: u64,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self { max_running: 4, max_running_per_session: 2, max_waiting_per_session: 100, max_wait_seconds: 600 }
    }
}

impl QueueSettings {
    /// Returns settings that allow this many calls at once. One session can use all of these slots.
    pub(super) fn of(max_running: usize) -> Self {
        Self { max_running, max_running_per_session: max_running, ..Self::default() }
    }
}

/// Queue for the calls of a tool. Clones share the same slots.
#[derive(Clone)]
pub(super) struct CallQueue(Arc<CallQueueInner>);

struct CallQueueInner {
    settings: QueueSettings,
    state: Mutex<CallQueueState>,
}

#[derive(Default)]
struct CallQueueState {
    running: usize,
    /// Sessions with running or waiting calls.
    sessions: HashMap<SessionId, SessionQueue>,
    /// Sessions with waiting calls, in the order of their turns.
    turns: VecDeque<SessionId>,
}

#[derive(Default)]
struct SessionQueue {
    running: usize,
    waiting: VecDeque<oneshot::Sender<CallSlot>>,
}

/// A slot that a call holds until this value is dropped.
pub(super) struct CallSlot {
    shared: Arc<CallQueueInner>,
    session: SessionId,
}

impl CallQueue {
    pub(super) fn new(settings: &QueueSettings) -> Self {
        Self(Arc::new(CallQueueInner { settings: settings.clone(), state: Mutex::default() }))
    }

    /// Waits for a slot for this call.
    ///
    /// # Errors
    /// Fails with `tool_unavailable` if the queue of the session is full, the wait takes too long or the server stops.
    pub(super) async fn take(&self, at: &CallContext) -> Result<CallSlot, ToolError> {
        let unavailable =
            |message: String| ToolError::new("tool_unavailable", format!("the call did not start: {message}"));
        let QueueSettings { max_running, max_waiting_per_session, max_wait_seconds, .. } = self.0.settings;
        let turn = self.queue(at.session).ok_or_else(|| {
            unavailable(format!(
                "{max_waiting_per_session} calls of this tool already wait in this session; retry later"
            ))
        })?;
        match at.watch.pause_during(timeout(Duration::from_secs(max_wait_seconds), turn)).await {
            Ok(Ok(taken)) => Ok(taken),
            Ok(Err(_)) => Err(unavailable("the server is stopping".into())),
            Err(elapsed) => Err(unavailable(format!(
                "{max_running} calls of this tool run at once, and no slot became free within {max_wait_seconds} s; \
                 retry later"
            ))
            .caused_by(elapsed)),
        }
    }

    /// Joins the queue of the session. Returns `None` if the queue is full.
    fn queue(&self, session: SessionId) -> Option<oneshot::Receiver<CallSlot>> {
        let (sender, turn) = oneshot::channel();
        {
            let CallQueueState { sessions, turns, .. } = &mut *self.0.state.lock();
            let queue = sessions.entry(session).or_default();
            // Cancelled calls are no longer waiting and must not fill the queue.
            queue.waiting.retain(|waiting| !waiting.is_closed());
            if queue.waiting.len() >= self.0.settings.max_waiting_per_session {
                return None;
            }
            queue.waiting.push_back(sender);
            if !turns.contains(&session) {
                turns.push_back(session);
            }
        }
        CallQueueInner::give(&self.0);
        Some(turn)
    }
}

impl CallQueueInner {
    /// Gives all free slots to the calls whose turn it is.
    fn give(shared: &Arc<Self>) {
        loop {
            let next = shared.state.lock().next(&shared.settings);
            let Some((waiting, session)) = next else { return };
            // If the call was cancelled, sending fails and drops the slot, which then goes to the next call.
            let _ = waiting.send(CallSlot { shared: shared.clone(), session });
        }
    }
}

impl CallQueueState {
    /// Removes the call whose turn it is from its queue, counts it as running and returns it with its session. Returns
    /// `None` if no slot is free, or if no call waits in a session that is below its limit.
    fn next(&mut self, settings: &QueueSettings) -> Option<(oneshot::Sender<CallSlot>, SessionId)> {
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
                None => self.remove_if_idle(session),
            }
        }
        None
    }

    fn remove_if_idle(&mut self, session: SessionId) {
        if self.sessions.get(&session).is_some_and(|queue| queue.running == 0 && queue.waiting.is_empty()) {
            self.sessions.remove(&session);
        }
    }
}

impl Drop for CallSlot {
    fn drop(&mut self) {
        {
            let state = &mut *self.shared.state.lock();
            state.running -= 1;
            if let Some(queue) = state.sessions.get_mut(&self.session) {
                queue.running -= 1;
            }
            state.remove_if_idle(self.session);
        }
        CallQueueInner::give(&self.shared);
    }
}

#[cfg(test)]
#[path = "call_queue_tests.rs"]
mod tests;
