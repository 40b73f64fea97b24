//! Small set of connections that always admits a new one, and closes the oldest one if it is full.

use std::collections::VecDeque;

use tokio::task::AbortHandle;

/// Connections in the order of their arrival.
#[derive(Debug)]
pub(super) struct NewestConnections {
    max: usize,
    connections: VecDeque<AbortHandle>,
}

impl NewestConnections {
    /// Creates a set of up to `max` concurrent connections.
    pub(super) fn new(max: usize) -> Self {
        Self { max, connections: VecDeque::new() }
    }

    /// Serves one more connection, and aborts the oldest if there are too many. A monitor sends its request right after
    /// it connects, so the oldest has had enough time. If new connections were rejected instead, a client that holds
    /// all slots would lock monitors out.
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

impl Drop for NewestConnections {
    fn drop(&mut self) {
        self.connections.iter().for_each(AbortHandle::abort);
    }
}
