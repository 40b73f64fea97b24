//! Data of the servers: a separate database and, for several servers, a Redis. It is deleted when this process ends.

use anyhow::{Context, ensure};
use roundtable::store::{self, StoreSettings, Stores};
use servers::postgres::Cluster;
use servers::redis;
use tempfile::TempDir;

use crate::max_rate_server;

/// A database, and the other resources that the servers share.
pub struct Data {
    pub folder: TempDir,
    url: String,
    _postgres: Option<Cluster>,
    redis: Option<redis::Server>,
}

impl Data {
    /// Returns data in a SQLite file on disk.
    pub fn sqlite() -> anyhow::Result<Self> {
        Self::sqlite_in(tempfile::tempdir()?)
    }

    /// Returns data in a SQLite file in memory.
    pub fn in_memory() -> anyhow::Result<Self> {
        Self::sqlite_in(tempfile::tempdir_in("/dev/shm").context("no memory at /dev/shm")?)
    }

    fn sqlite_in(folder: TempDir) -> anyhow::Result<Self> {
        let url = format!("sqlite:{}", folder.path().join("roundtable.db").display());
        Ok(Self { folder, url, _postgres: None, redis: None })
    }

    /// Starts a PostgreSQL that waits for its disk, as in production.
    pub async fn postgres() -> anyhow::Result<Self> {
        let postgres = tokio::task::block_in_place(Cluster::durable);
        let url = postgres.fresh_database().await;
        Ok(Self { folder: tempfile::tempdir()?, url, _postgres: Some(postgres), redis: None })
    }

    /// Starts a PostgreSQL and a Redis, for several nodes.
    pub async fn shared() -> anyhow::Result<Self> {
        let redis = tokio::task::block_in_place(|| redis::Server::start(&[]));
        Ok(Self { redis: Some(redis), ..Self::postgres().await? })
    }

    /// Returns the location of the data, as settings of a server.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let redis = self.redis.iter().map(|redis| ("REDIS_URL", redis.url()));
        redis.chain([("DATABASE_URL", self.url.clone())]).collect()
    }

    /// Opens the database for direct writes.
    pub async fn open(&self) -> anyhow::Result<Stores> {
        Ok(store::open(&self.url, &StoreSettings::default()).await?)
    }

    /// Returns the size of the write-ahead log of the SQLite file, in bytes.
    pub fn wal_bytes(&self) -> anyhow::Result<u64> {
        Ok(std::fs::metadata(self.folder.path().join("roundtable.db-wal"))?.len())
    }

    /// Creates an administrator's token.
    pub async fn administrator(&self) -> anyhow::Result<String> {
        Ok(max_rate_server::person(&self.open().await?, "Loadtest").await?.1)
    }
}

/// Fails if the scenario needs its own server but a running one was given.
pub fn require_own_server(target: Option<&(String, String)>, reason: &str) -> anyhow::Result<()> {
    ensure!(target.is_none(), "{reason}: omit --url");
    Ok(())
}
