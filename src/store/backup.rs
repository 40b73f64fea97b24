//! Backup of a SQLite database, even while a server is using it.

use std::{
    fs::{File, OpenOptions},
    io::ErrorKind,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    str::FromStr,
};

use sqlx::{ConnectOptions, Connection, Sqlite, sqlite::SqliteConnectOptions};

use super::{OpenError, StoreSettings, audit, erasures};
use crate::audit::NewAuditEntry;

/// Reason why a backup failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database is PostgreSQL.
    #[error("the database is PostgreSQL; use pg_dump (see Backup in docs/operations.md)")]
    Postgres,
    /// The database does not exist or cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The target file exists. A backup overwrites nothing.
    #[error("{} already exists; choose a new file name", .0.display())]
    There(std::path::PathBuf),
    /// The copy could not be written.
    #[error("cannot write the copy: {0}; check the free space and that the folder is writable")]
    Write(String),
}

impl From<sqlx::Error> for BackupError {
    fn from(error: sqlx::Error) -> Self {
        Self::Write(error.to_string())
    }
}

impl From<std::io::Error> for BackupError {
    fn from(error: std::io::Error) -> Self {
        Self::Write(error.to_string())
    }
}

/// Writes all committed data to a new file while the server keeps running. On success, the copy is a single compact
/// file on disk, and the audit log has `entry`; on failure, there is no copy. Changes nothing else, not even the
/// tables, so a newer version can back up the database before an upgrade.
///
/// # Errors
/// Fails if the database is not SQLite, does not exist or cannot be opened, or if the copy cannot be written.
pub async fn backup(url: &str, settings: &StoreSettings, to: &Path, entry: &NewAuditEntry) -> Result<(), BackupError> {
    if !url.starts_with("sqlite:") {
        return Err(BackupError::Postgres);
    }
    let options = SqliteConnectOptions::from_str(url).map_err(|error| OpenError::Url(error.to_string()))?;
    if !options.get_filename().exists() {
        return Err(OpenError::Missing(options.get_filename().to_owned()).into());
    }
    let busy = std::time::Duration::from_millis(settings.sqlite_busy_ms);
    let mut connection = options.busy_timeout(busy).connect().await?;
    let name = to.to_str().ok_or_else(|| BackupError::Write("its name is not valid UTF-8".into()))?;
    reserve(to)?;
    let made = async {
        sqlx::query("vacuum into ?").bind(name).execute(&mut connection).await?;
        // Text that is redacted but not yet replaced must not survive in the copy.
        let copy = SqliteConnectOptions::new().filename(to).pragma("secure_delete", "on");
        let mut copy = copy.connect().await?;
        erasures::replace_in_copy(&mut copy).await?;
        copy.close().await?;
        File::open(to)?.sync_all()?;
        // A database created before the audit log existed does not have this table.
        let audited = "select 1 from sqlite_master where type = 'table' and name = 'audit'";
        if sqlx::query(audited).fetch_optional(&mut connection).await?.is_some() {
            audit::add::<Sqlite>(&mut connection, entry).await?;
        }
        Ok(connection.close().await?)
    };
    made.await.inspect_err(|_| drop(std::fs::remove_file(to)))
}

/// Creates an empty file for SQLite to write into. The copy contains people's messages, so it must be readable only by
/// its owner from the first byte.
fn reserve(to: &Path) -> Result<(), BackupError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(to) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(BackupError::There(to.to_owned())),
        Err(error) => Err(error.into()),
    }
}
