//! Messages that wait for a busy run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{MessageId, Mode, Target};

/// Entry of the queue of waiting messages. The message itself is in `messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueuedMessage {
    /// Id of the waiting message.
    pub message: MessageId,
    /// Delivery: with the next step (`queue`), or with the next model request of the running step (`steer`).
    pub mode: Mode,
    /// Recipients. Empty: the flow decides.
    pub to: Vec<Target>,
}
