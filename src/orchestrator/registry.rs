//! The sessions that are live on this node.

use crate::kernel::{By, Command, SessionId};
use crate::protocol::Problem;

/// The sessions that are live on this node; a command for one that sleeps wakes it.
pub struct Orchestrators {}

impl Orchestrators {
    /// Hand a command to its session's orchestrator and wait for the answer: the seq of its last event, durable.
    pub async fn submit(&self, session: SessionId, by: By, command: Command) -> Result<u64, Problem> {
        let _ = (session, by, command);
        Err(Problem::internal("not built yet"))
    }
}
