//! A copy of a SQLite database that a server may be using.

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

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// It is another sort of database.
    #[error("the database is a PostgreSQL, which has tools for this: see Backup in docs/operations.md (pg_dump)")]
    Postgres,
    /// The database is not there.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Nothing is overwritten.
    #[error("{} is there already; name a file that is not", .0.display())]
    There(std::path::PathBuf),
    /// The copy could not be made.
    #[error("cannot write the copy: {0}; is there room, and may the folder be written?")]
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

/// Write everything that is committed into a new file, while the server goes on. The copy is one file, compact, and on
/// the disk when this is done; the audit log then has `entry`, or there is no copy. Nothing else is changed, tables included:
/// a copy may be made before an upgrade, by the newer program.
///
/// # Errors
/// Where there is nothing to copy, or nowhere to copy it to.
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
    let name = to.to_str().ok_or_else(|| BackupError::Write("its name is not text".into()))?;
    reserve(to)?;
    let made = async {
        sqlx::query("vacuum into ?").bind(name).execute(&mut connection).await?;
        // What is redacted by now but not replaced yet must not live on in the copy.
        let copy = SqliteConnectOptions::new().filename(to).pragma("secure_delete", "on");
        let mut copy = copy.connect().await?;
        erasures::replace_in_copy(&mut copy).await?;
        copy.close().await?;
        File::open(to)?.sync_all()?;
        // A database from before there was an audit log has none.
        let audited = "select 1 from sqlite_master where type = 'table' and name = 'audit'";
        if sqlx::query(audited).fetch_optional(&mut connection).await?.is_some() {
            audit::add::<Sqlite>(&mut connection, entry).await?;
        }
        Ok(connection.close().await?)
    };
    made.await.inspect_err(|_| drop(std::fs::remove_file(to)))
}

/// An empty file, which SQLite then writes into: the copy holds what people said, and nobody but its owner may read it
/// from its first byte on.
fn reserve(to: &Path) -> Result<(), BackupError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(to) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(BackupError::There(to.to_owned())),
        Err(error) => Err(error.into()),
    }
}
