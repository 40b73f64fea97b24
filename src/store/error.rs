//! Errors of the store, by what their reader can do about them.

use crate::store_error::StoreError;

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
