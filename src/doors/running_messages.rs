//! Messages that agents are writing, and how much of each a stream has sent.

use std::collections::HashMap;

use crate::kernel::MessageId;

/// The messages that are being written. `T` is the data that a door keeps for each, such as its agent.
pub(super) struct RunningMessages<T> {
    open: HashMap<MessageId, MessageAttempt<T>>,
}

/// One attempt at a message.
pub(super) struct MessageAttempt<T> {
    about: T,
    attempt: u32,
    /// Number of bytes of the text that were sent.
    sent: usize,
}

impl<T> MessageAttempt<T> {
    /// Returns whether a part of the text was sent.
    pub(super) fn is_partly_sent(&self) -> bool {
        self.sent > 0
    }
}

impl<T> RunningMessages<T> {
    pub(super) fn new() -> Self {
        Self { open: HashMap::new() }
    }

    /// Starts an attempt at a message. Returns the failed attempt before it, if there was one.
    pub(super) fn start(&mut self, message: MessageId, attempt: u32, about: T) -> Option<MessageAttempt<T>> {
        self.open.insert(message, MessageAttempt { about, attempt, sent: 0 })
    }

    /// Counts a fragment as sent. Returns the part of it that is new, or `None` if nothing is new or the fragment does
    /// not continue the text sent so far: a fragment can arrive twice, late or after a gap. The completed message
    /// supplies missing text.
    pub(super) fn delta<'t>(
        &mut self,
        message: MessageId,
        attempt: u32,
        at: u64,
        text: &'t str,
    ) -> Option<(&T, &'t str)> {
        let running = self.open.get_mut(&message).filter(|running| running.attempt == attempt)?;
        let known = running.sent.checked_sub(usize::try_from(at).ok()?)?;
        let new = text.get(known..).filter(|new| !new.is_empty())?;
        running.sent += new.len();
        Some((&running.about, new))
    }

    /// Ends a message with its whole text. Returns the door's data and the part of the text that was not sent, or
    /// `None` if the message is not being written.
    pub(super) fn end<'t>(&mut self, message: MessageId, text: &'t str) -> Option<(T, &'t str)> {
        let running = self.open.remove(&message)?;
        Some((running.about, text.get(running.sent..).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: MessageId = MessageId(3);

    #[test]
    fn a_text_is_sent_once_whatever_comes_twice_or_not_at_all() {
        let mut messages = RunningMessages::new();
        assert_eq!(messages.delta(MESSAGE, 1, 0, "before its start"), None);
        assert!(messages.start(MESSAGE, 1, "A").is_none());
        assert_eq!(messages.delta(MESSAGE, 1, 0, "测试"), Some((&"A", "测试")));
        assert_eq!(messages.delta(MESSAGE, 1, 0, "测试"), None);
        assert_eq!(messages.delta(MESSAGE, 1, 3, "试用"), Some((&"A", "用")));
        assert_eq!(messages.delta(MESSAGE, 1, 100, "after a gap"), None);
        assert_eq!(messages.end(MESSAGE, "测试用例"), Some(("A", "例")));
        assert_eq!(messages.end(MESSAGE, "测试用例"), None);
    }

    #[test]
    fn a_new_attempt_starts_at_the_beginning() {
        let mut messages = RunningMessages::new();
        messages.start(MESSAGE, 1, "A");
        assert!(messages.start(MESSAGE, 2, "A").is_some_and(|failed| !failed.is_partly_sent()));
        assert_eq!(messages.delta(MESSAGE, 1, 0, "late"), None);
        assert_eq!(messages.delta(MESSAGE, 2, 0, "half"), Some((&"A", "half")));
        assert!(messages.start(MESSAGE, 3, "A").is_some_and(|failed| failed.is_partly_sent()));
        assert_eq!(messages.end(MESSAGE, "whole"), Some(("A", "whole")));
    }
}
