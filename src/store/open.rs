//! Opening a store from a URL.

use std::{path::PathBuf, str::FromStr, sync::Arc};

use sqlx::{Postgres, Sqlite, migrate::MigrateError, sqlite::SqliteConnectOptions};

use super::database::Database;
use super::engine::Engine;
use super::{DatabaseHealth, EventStore, LeaseStore, StoreSettings};
use crate::agent::teams::{ExecutionStore, TeamStore};
use crate::audit::AuditStore;
use crate::files::ContentStore;
use crate::identity::{ExternalIdentityStore, IdentityStore};
use crate::kernel::first_chars;
use crate::knowledge::KnowledgeStore;
use crate::quotas::QuotaStore;
use crate::redactions::RedactionStore;

/// The interfaces of one database.
#[derive(Clone)]
pub struct Stores {
    /// The logs.
    pub events: Arc<dyn EventStore>,
    /// The contents of files.
    pub contents: Arc<dyn ContentStore>,
    /// Knowledge bases and the search index.
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// The audit log.
    pub audit: Arc<dyn AuditStore>,
    /// Participants and credentials.
    pub identities: Arc<dyn IdentityStore>,
    /// Accounts of participants at an identity provider.
    pub external: Arc<dyn ExternalIdentityStore>,
    /// Leases of nodes.
    pub leases: Arc<dyn LeaseStore>,
    /// Counters of quotas.
    pub quotas: Arc<dyn QuotaStore>,
    /// Redaction requests.
    pub redactions: Arc<dyn RedactionStore>,
    /// Teams that participants created.
    pub teams: Arc<dyn TeamStore>,
    /// Executions of the teams that participants created.
    pub executions: Arc<dyn ExecutionStore>,
    /// Health checks.
    pub vitals: Arc<dyn DatabaseHealth>,
}

impl std::fmt::Debug for Stores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engines")
    }
}

/// Reason why a store cannot be opened. The message says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OpenError {
    /// The URL does not refer to a supported database.
    #[error(
        "database_url is not usable: {0}; write sqlite:///var/lib/roundtable/roundtable.db or postgres://user@host/name"
    )]
    Url(String),
    /// A file or directory cannot be created.
    #[error("cannot write to {}: {error}; let the server's user write there, or set data_dir to another directory", path.display())]
    Path {
        /// Path of the file or directory.
        path: PathBuf,
        /// The operating system's error message.
        error: String,
    },
    /// The SQLite file does not exist.
    #[error("there is no database at {}; name its folder with --data-dir, or the file with --database-url", .0.display())]
    Missing(PathBuf),
    /// The database does not accept the connection.
    #[error("cannot connect to the database: {0}; check that it runs and that database_url names it and its user")]
    Connect(String),
    /// A later version has changed the tables, and this version can no longer use them.
    #[error(
        "the database was last used by a newer Roundtable, whose tables this version cannot use (migration {0} is unknown \
         here); run that version, or restore a backup from before the upgrade"
    )]
    Newer(i64),
    /// A migration recorded in the database differs from this version's, or was not completed.
    #[error(
        "migration {0} in the database differs from this version's; was the database created by a development version? \
         Use a new database"
    )]
    Foreign(i64),
    /// The migrations failed.
    #[error(
        "cannot migrate the database's tables: {0}; the database must be writable, and its user must be allowed to \
         create tables"
    )]
    Migrate(String),
}

impl OpenError {
    pub(super) fn connect(error: sqlx::Error) -> Self {
        Self::Connect(match error {
            sqlx::Error::PoolTimedOut => "it does not respond".into(),
            sqlx::Error::Database(error) => error.message().to_owned(),
            other => other.to_string(),
        })
    }

    pub(super) fn migrate(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMissing(version) => Self::Newer(version),
            MigrateError::VersionMismatch(version) | MigrateError::Dirty(version) => Self::Foreign(version),
            other => Self::Migrate(other.to_string()),
        }
    }
}

/// Opens the database at `url` and migrates its tables. Creates a SQLite file if it does not exist.
///
/// # Errors
/// Fails if the database cannot be opened or migrated. The message tells an operator what to do.
pub async fn open(url: &str, settings: &StoreSettings) -> Result<Stores, OpenError> {
    match url.split_once(':').map_or(url, |(scheme, _)| scheme) {
        "sqlite" => engines::<Sqlite>(url, settings).await,
        "postgres" | "postgresql" => engines::<Postgres>(url, settings).await,
        // Not the whole URL, which can contain a password.
        scheme => Err(OpenError::Url(format!("unknown scheme {:?}", first_chars(scheme, 20)))),
    }
}

/// Opens an existing database. A command that reads from a mistyped path must not create an empty database there.
/// PostgreSQL creates no database by itself.
///
/// # Errors
/// Fails if the file does not exist, and whenever [`open`] fails.
pub async fn open_existing(url: &str, settings: &StoreSettings) -> Result<Stores, OpenError> {
    if url.starts_with("sqlite:")
        && let Ok(options) = SqliteConnectOptions::from_str(url)
        && !options.get_filename().exists()
    {
        return Err(OpenError::Missing(options.get_filename().to_owned()));
    }
    open(url, settings).await
}

async fn engines<E: Engine>(url: &str, settings: &StoreSettings) -> Result<Stores, OpenError>
where
    Database<E>: EventStore
        + ContentStore
        + KnowledgeStore
        + AuditStore
        + IdentityStore
        + ExternalIdentityStore
        + LeaseStore
        + QuotaStore
        + RedactionStore
        + TeamStore
        + ExecutionStore
        + DatabaseHealth,
{
    let pools = E::connect(url, settings).await?;
    let database = Arc::new(Database::new(pools, settings));
    Ok(Stores {
        events: database.clone(),
        contents: database.clone(),
        knowledge: database.clone(),
        audit: database.clone(),
        identities: database.clone(),
        external: database.clone(),
        leases: database.clone(),
        quotas: database.clone(),
        redactions: database.clone(),
        teams: database.clone(),
        executions: database.clone(),
        vitals: database,
    })
}
