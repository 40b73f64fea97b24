//! A few connections of which the newest are served: whoever connects gets in, at the cost of the oldest.

use std::collections::VecDeque;

use tokio::task::AbortHandle;

/// Connections in the order in which they came.
#[derive(Debug)]
pub(super) struct Lane {
    max: usize,
    connections: VecDeque<AbortHandle>,
}

impl Lane {
    /// For so many connections at once.
    pub(super) fn new(max: usize) -> Self {
        Self { max, connections: VecDeque::new() }
    }

    /// Serve one more. A monitor asks at once when it has connected; what is ended for it has had its time. Were the new
    /// one refused instead, whoever holds all of them would keep monitors out.
    pub(super) fn spawn(&mut self, connection: impl Future<Output = ()> + Send + 'static) {
        self.connections.retain(|connection| !connection.is_finished());
        while self.connections.len() >= self.max
            && let Some(oldest) = self.connections.pop_front()
        {
            oldest.abort();
        }
        self.connections.push_back(tokio::spawn(connection).abort_handle());
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.connections.iter().for_each(AbortHandle::abort);
    }
}
