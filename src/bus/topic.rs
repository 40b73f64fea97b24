//! What news is about.

use crate::kernel::SessionId;

/// What news is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    /// One session, for those who follow it.
    Session(SessionId),
    /// Announcements, for every node.
    Everybody,
}
