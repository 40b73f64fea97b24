//! The place of the server that serves a SQLite database: one server at a time, and where it listens, for the commands
//! beside it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::net::SocketAddr;

use anyhow::Context;

use crate::config::Config;
use crate::store;

/// The right to serve a database, held until the process ends. Two servers on one SQLite file would take the runs out of
/// each other's hands.
pub(super) struct Place(Option<File>);

impl Place {
    /// Take it, and say there that `address` is where the server listens. There is nothing to take where the database is no
    /// file.
    pub(super) fn take(config: &Config, address: SocketAddr) -> anyhow::Result<Self> {
        let Some(path) = store::lock_file(&config.database())? else { return Ok(Self(None)) };
        let cannot = || format!("cannot write {}", path.display());
        // Whoever comes second must not wipe out what the first has written.
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let mut file = opened.with_context(cannot)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => anyhow::bail!(
                "another server is serving this database ({} is locked); stop it first, or choose another folder with --data-dir",
                path.display()
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        file.set_len(0).and_then(|()| write!(file, "{address}")).with_context(cannot)?;
        Ok(Self(Some(file)))
    }

    /// Where the server of an existing database listens, if it said so; one that was killed cannot take its word back.
    pub(super) fn find(config: &Config) -> Option<SocketAddr> {
        let path = store::lock_file(&config.database()).ok()??;
        fs::read_to_string(path).ok()?.parse().ok()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = file.set_len(0);
        }
    }
}
