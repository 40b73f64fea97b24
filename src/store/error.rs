//! Errors of the store, grouped by what the caller can do about them.

use crate::store_error::StoreError;

/// Reason why an append failed. Except after [`AppendError::Unavailable`], a failed append leaves nothing visible.
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
    /// The command was already applied. `seq` is its recorded result.
    #[error("the command was already applied")]
    Repeated {
        /// Seq of the last event that the command led to, or of the event before it if it led to none.
        seq: u64,
    },
    /// The store failed or did not respond in time. The append might have succeeded; read the head.
    #[error(transparent)]
    Unavailable(#[from] StoreError),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error::{ColumnDecode, ColumnIndexOutOfBounds, ColumnNotFound, Decode, Encode, TypeNotFound};
        match error {
            sqlx::Error::Database(error) if error.code().is_some_and(|code| is_about_damage(&code)) => {
                Self::corrupt(error.message())
            }
            sqlx::Error::Database(error) if error.code().is_some_and(|code| is_about_statement(&code)) => {
                Self::misuse(error.message())
            }
            // Only the message, because the rest contains names of tables and hosts.
            sqlx::Error::Database(error) => Self::unavailable(error.message().to_owned()),
            Decode(_) | ColumnDecode { .. } => Self::corrupt(error),
            Encode(_) | ColumnIndexOutOfBounds { .. } | ColumnNotFound(_) | TypeNotFound { .. } => Self::misuse(error),
            error => Self::unavailable(error),
        }
    }
}

/// Returns whether an error code reports a damaged file: SQLite's corrupt and not-a-database, PostgreSQL's XX001 and
/// XX002. If such an error counted as a database that does not respond, clients would retry forever.
fn is_about_damage(code: &str) -> bool {
    // The last two are read errors: a damaged file system, and a wrong checksum.
    matches!(code, "XX001" | "XX002")
        || of_sqlite(code).is_some_and(|code| matches!(code & 0xff, 11 | 26) || matches!(code, 8202 | 8458))
}

/// Returns whether an error code reports that the same statement would always fail: SQLite's error, too-big and
/// mismatch, PostgreSQL's data exceptions, syntax or access errors, and program limits. If such an error counted as a
/// database that does not respond, clients would retry forever, and the bug would stay hidden. A violated constraint is
/// not such an error, because the statement can succeed once the one that it collided with has ended.
fn is_about_statement(code: &str) -> bool {
    ["22", "42", "54"].iter().any(|class| code.len() == 5 && code.starts_with(class))
        || of_sqlite(code).is_some_and(|code| matches!(code & 0xff, 1 | 18 | 20))
}

/// Returns the numeric SQLite code. `None` for a PostgreSQL code, which has five characters. The low byte of an
/// extended SQLite code is its kind.
fn of_sqlite(code: &str) -> Option<u32> {
    Some(code).filter(|code| code.len() < 5).and_then(|code| code.parse().ok())
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection, SqliteConnection};

    use super::*;

    #[test]
    fn only_codes_of_damage_are_about_damage() {
        for code in ["11", "26", "267", "779", "8202", "8458", "XX001", "XX002"] {
            assert!(is_about_damage(code), "{code}");
        }
        // Busy, full, constraint; serialization, disk full, a number that would be SQLite's 11, internal.
        for code in ["5", "13", "19", "40001", "53100", "40203", "XX000"] {
            assert!(!is_about_damage(code), "{code}");
        }
    }

    #[test]
    fn only_codes_of_statements_are_about_statements() {
        for code in ["1", "18", "20", "22001", "42P01", "42501", "54000"] {
            assert!(is_about_statement(code), "{code}");
        }
        // Busy, constraint; a number that would be SQLite's error, unique violation, serialization, disk full.
        for code in ["5", "19", "2067", "40193", "23505", "40001", "53100"] {
            assert!(!is_about_statement(code), "{code}");
        }
    }

    #[tokio::test]
    async fn a_damaged_file_is_not_worth_a_retry() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("roundtable.db");
        std::fs::write(&file, [0x5a; 8192]).expect("writes");
        let url = format!("sqlite://{}", file.display());
        let read = async || {
            let mut connection = SqliteConnection::connect(&url).await?;
            sqlx::query("select count(*) from events").execute(&mut connection).await
        };
        let error = StoreError::from(read().await.expect_err("is no database"));
        assert!(matches!(error, StoreError::Corrupt(_)) && !error.is_retryable(), "{error:?}");
    }
}
