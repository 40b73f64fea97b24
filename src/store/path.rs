//! Location of a SQLite file.

use std::{
    fs::{DirBuilder, OpenOptions},
    io::ErrorKind,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    str::FromStr,
};

use sqlx::sqlite::SqliteConnectOptions;

use super::OpenError;

/// Creates the file and its parent directory, readable only by their owner: the log contains people's messages and the
/// hashes of their secrets. SQLite creates its other files, such as the write-ahead log, with the mode of this file.
pub(super) fn prepare(file: &Path) -> Result<(), OpenError> {
    let refused =
        |path: &Path, error: std::io::Error| OpenError::Path { path: path.to_owned(), error: error.to_string() };
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| refused(folder, error))?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(file) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(refused(file, error)),
    }
}

/// Returns the path of the write-ahead log of a database (SQLite, "The WAL File Format").
pub(super) fn wal(file: &Path) -> PathBuf {
    let mut wal = file.as_os_str().to_owned();
    wal.push("-wal");
    wal.into()
}

/// Returns the lock file next to the database, with symlinks and relative paths resolved. `None` if the database is not
/// a file. Creates the database file if it does not exist.
///
/// # Errors
/// Fails if the URL does not name a file, or the file cannot be created.
pub fn lock_file(url: &str) -> Result<Option<PathBuf>, OpenError> {
    if !url.starts_with("sqlite:") {
        return Ok(None);
    }
    let options = SqliteConnectOptions::from_str(url).map_err(|error| OpenError::Url(error.to_string()))?;
    let file = options.get_filename();
    prepare(file)?;
    let real = file.canonicalize().map_err(|error| OpenError::Path { path: file.into(), error: error.to_string() })?;
    let mut name = real.into_os_string();
    name.push(".lock");
    Ok(Some(name.into()))
}
