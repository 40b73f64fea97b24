//! Lock file of the server on a SQLite database. It admits one server at a time and contains the server's address for
//! other commands.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::net::SocketAddr;

use anyhow::Context;

use crate::config::Config;
use crate::store;

/// Exclusive right to serve a database, held until the process ends. Two servers on one SQLite file would take runs
/// from each other.
pub(super) struct DatabaseLock(Option<File>);

impl DatabaseLock {
    /// Locks the file and writes the address of the server to it. Without a database file, there is nothing to lock.
    ///
    /// # Errors
    /// Fails if another server holds the lock, or the file cannot be written.
    pub(super) fn take(config: &Config, address: SocketAddr) -> anyhow::Result<Self> {
        let Some(path) = store::lock_file(&config.database())? else { return Ok(Self(None)) };
        let cannot = || format!("cannot write {}", path.display());
        // Truncating here would erase the address that a running server has written.
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let mut file = opened.with_context(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => anyhow::bail!(
                "another server uses this database ({} is locked); stop it first, or choose another folder with --data-dir",
                path.display()
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        file.set_len(0).and_then(|()| write!(file, "{address}")).with_context(cannot)?;
        Ok(Self(Some(file)))
    }

    /// Returns the address that the server of an existing database has written, if any. The address remains in the file
    /// after the server is killed.
    pub(super) fn find(config: &Config) -> Option<SocketAddr> {
        let path = store::lock_file(&config.database()).ok()??;
        fs::read_to_string(path).ok()?.parse().ok()
    }
}

impl Drop for DatabaseLock {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = file.set_len(0);
        }
    }
}
