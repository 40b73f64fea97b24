//! Error of the store, returned by every module that defines an interface of the store.

use std::sync::Arc;

/// Reason why a request to the store failed. Only [`StoreError::Unavailable`] and, after the log is read again,
/// [`StoreError::Conflict`] are worth a retry.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The database does not respond in time, or does not accept writes. Whether a write happened is unknown.
    #[error("the store does not respond: {0}")]
    Unavailable(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// The log does not end where the writer expects. The writer reads it again and decides again.
    #[error("the log has changed: {0}")]
    Conflict(Arc<str>),
    /// Stored data is damaged, or a newer version wrote it. A retry cannot succeed: an operator has to act.
    #[error("the stored data is damaged, or a newer version wrote it; restore a backup, or upgrade: {0}")]
    Corrupt(Arc<str>),
    /// The request itself is wrong, such as an append with a gap. This is a bug in the caller.
    #[error("the store rejected a request: {0}")]
    Misuse(Arc<str>),
}

impl StoreError {
    /// Creates the error of a store that does not respond.
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unavailable(source.into().into())
    }

    /// Creates the error for data that cannot be read.
    pub fn corrupt(message: impl std::fmt::Display) -> Self {
        Self::Corrupt(message.to_string().into())
    }

    /// Creates the error for a wrong request.
    pub fn misuse(message: impl std::fmt::Display) -> Self {
        Self::Misuse(message.to_string().into())
    }

    /// Returns whether the same request can succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Conflict(_))
    }
}
