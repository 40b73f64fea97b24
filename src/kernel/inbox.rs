//! Messages that wait for a busy run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MessageId, Mode, Target};

/// A message that waits. It stands among the messages as well; this is its place in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queued {
    /// Which.
    pub message: MessageId,
    /// For the next step boundary, or for the next model request of the running step.
    pub mode: Mode,
    /// For whom.
    pub to: Vec<Target>,
}
