//! Whether the bus works.

use std::sync::Arc;

use tokio::time::Instant;

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
