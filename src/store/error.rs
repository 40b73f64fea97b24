//! Errors of the store, by what their reader can do about them.

use std::sync::Arc;

/// Reason why an append did not happen. Nothing of it is visible then.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Another node has claimed the session, the session was removed, or the writer's own lease has expired. A new
    /// claim shows which.
    #[error("this writer does not hold the session")]
    Fenced,
    /// The log has another last event, so the writer's state is not the log's.
    #[error("the log is at {actual}")]
    Conflict {
        /// Seq of the log's last event.
        actual: u64,
    },
    /// The command was already applied. The seq is its first result.
    #[error("the command was already applied")]
    Repeated {
        /// Seq of the command's last event.
        seq: u64,
    },
    /// The store did not respond in time. The append possibly happened; read the head.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
}

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

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error::{ColumnDecode, ColumnIndexOutOfBounds, ColumnNotFound, Decode, Encode, TypeNotFound};
        match error {
            // Only the message: the rest names tables and hosts.
            sqlx::Error::Database(error) => Self::unavailable(error.message().to_owned()),
            Decode(_) | ColumnDecode { .. } => Self::corrupt(error),
            Encode(_) | ColumnIndexOutOfBounds { .. } | ColumnNotFound(_) | TypeNotFound { .. } => Self::misuse(error),
            error => Self::unavailable(error),
        }
    }
}
