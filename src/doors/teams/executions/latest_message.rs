//! The author of rejected output: the event of a rejection follows the message and names only its id.

use crate::kernel::{AgentId, MessageId};

/// Latest complete message of an execution, with its author.
#[derive(Debug, Default)]
pub(super) struct LatestMessage(Option<(MessageId, AgentId)>);

impl LatestMessage {
    /// Sets the latest message.
    pub(super) fn set(&mut self, message: MessageId, author: &AgentId) {
        self.0 = Some((message, author.clone()));
    }

    /// Returns the author if this is the latest message, and forgets it.
    pub(super) fn take_author(&mut self, message: MessageId) -> Option<AgentId> {
        self.0.take().filter(|(latest, _)| *latest == message).map(|(_, author)| author)
    }
}
