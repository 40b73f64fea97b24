//! Error of the store. Every module with an interface of the store returns it.

use std::sync::Arc;

/// Reason why the store did not do what was asked. Only [`StoreError::Unavailable`] and, after another look at the log,
/// [`StoreError::Conflict`] are worth a retry.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The database does not respond in time, or takes no writes. Whether a write happened is unknown.
    #[error("the store does not respond: {0}")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The log is not where the writer believes. The writer reads it again and decides again.
    #[error("the log has changed: {0}")]
    Conflict(Arc<str>),
    /// Stored data is damaged, or a newer version wrote it. A retry cannot succeed: an operator has to act.
    #[error("the store holds data that this version cannot read: {0}")]
    Corrupt(Arc<str>),
    /// The request itself is wrong, such as an append with a gap. This is a bug of the caller.
    #[error("the store rejected a request: {0}")]
    Misuse(Arc<str>),
}

impl StoreError {
    /// Creates the error of a store that does not respond.
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into().into())
    }

    /// Creates the error about data that cannot be read.
    pub fn corrupt(message: impl std::fmt::Display) -> Self {
        Self::Corrupt(message.to_string().into())
    }

    /// Creates the error about a wrong request.
    pub fn misuse(message: impl std::fmt::Display) -> Self {
        Self::Misuse(message.to_string().into())
    }

    /// Returns whether the same request can succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Conflict(_))
    }
}
