//! Author of rejected output. The event of a rejection follows the rejected message, but names only the message's id.

use crate::kernel::{AgentId, MessageId};

/// Latest complete message of an execution, with its author.
#[derive(Debug, Default)]
pub(super) struct LatestMessage(Option<(MessageId, AgentId)>);

impl LatestMessage {
    /// Sets the latest message.
    pub(super) fn set(&mut self, message: MessageId, author: &AgentId) {
        self.0 = Some((message, author.clone()));
    }

    /// Forgets the latest message. Returns its author if its id is `message`, otherwise `None`.
    pub(super) fn take_author(&mut self, message: MessageId) -> Option<AgentId> {
        self.0.take().filter(|(latest, _)| *latest == message).map(|(_, author)| author)
    }
}
