//! Errors of the store, grouped by what the caller can do about them.

use crate::store_error::StoreError;

/// Reason why an append failed. A failed append leaves nothing visible.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Another node has claimed the session, the session was removed, or the writer's own lease has expired. A new
    /// claim shows which.
    #[error("this writer does not hold the session")]
    Fenced,
    /// The log ends with a different event, so the writer's state does not match the log.
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
    /// The store did not respond in time. The append might have succeeded; read the head.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error::{ColumnDecode, ColumnIndexOutOfBounds, ColumnNotFound, Decode, Encode, TypeNotFound};
        match error {
            // Only the message: the rest contains names of tables and hosts.
            sqlx::Error::Database(error) => Self::unavailable(error.message().to_owned()),
            Decode(_) | ColumnDecode { .. } => Self::corrupt(error),
            Encode(_) | ColumnIndexOutOfBounds { .. } | ColumnNotFound(_) | TypeNotFound { .. } => Self::misuse(error),
            error => Self::unavailable(error),
        }
    }
}
