//! From a URL to a store.

use std::{path::PathBuf, str::FromStr, sync::Arc};

use sqlx::{Postgres, Sqlite, migrate::MigrateError, sqlite::SqliteConnectOptions};

use super::{Contents, EventStore, Leases, StoreSettings, Vitals, database::Database, engine::Engine};
use crate::audit::AuditStore;
use crate::identity::IdentityStore;
use crate::knowledge::KnowledgeStore;
use crate::quotas::QuotaStore;
use crate::redactions::RedactionRequests;

/// One database, as its two sides.
#[derive(Clone)]
pub struct Engines {
    /// The logs.
    pub events: Arc<dyn EventStore>,
    /// What is in files.
    pub contents: Arc<dyn Contents>,
    /// Knowledge bases, and what is searched.
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// The audit log.
    pub audit: Arc<dyn AuditStore>,
    /// Who somebody is.
    pub identities: Arc<dyn IdentityStore>,
    /// Which nodes live.
    pub leases: Arc<dyn Leases>,
    /// What quotas count.
    pub quotas: Arc<dyn QuotaStore>,
    /// Requests to redact.
    pub redactions: Arc<dyn RedactionRequests>,
    /// How it is.
    pub vitals: Arc<dyn Vitals>,
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Engines")
    }
}

/// Why a store cannot be opened, and what to do about it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OpenError {
    /// The URL names no database of a sort that is known.
    #[error(
        "database_url is not usable: {0}; write sqlite:///var/lib/roundtable/roundtable.db or postgres://user@host/name"
    )]
    Url(String),
    /// A file or directory cannot be made.
    #[error("cannot write to {}: {error}; let the server's user write there, or set data_dir to another directory", path.display())]
    Path {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: String,
    },
    /// There is no such file.
    #[error("there is no database at {}; name its folder with --data-dir, or the file with --database-url", .0.display())]
    Missing(PathBuf),
    /// The database does not let us in.
    #[error("cannot connect to the database: {0}; check that it runs and that database_url names it and its user")]
    Connect(String),
    /// A later version has changed the tables so that this one cannot use them.
    #[error(
        "the database was last used by a newer Roundtable, whose tables this version cannot use (migration {0} is unknown \
         here); run that version, or restore a backup from before the upgrade"
    )]
    Newer(i64),
    /// The tables were made by something else.
    #[error(
        "migration {0} in the database is not the one of this version; was the database made by a development version? \
         Use a new database"
    )]
    Foreign(i64),
    /// The tables cannot be brought up to date.
    #[error(
        "cannot bring the database's tables up to date: {0}; it must take what is written, and the server's user must be allowed to create tables in it"
    )]
    Migrate(String),
}

impl OpenError {
    pub(super) fn connect(error: sqlx::Error) -> Self {
        Self::Connect(match error {
            sqlx::Error::PoolTimedOut => "it does not answer".into(),
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

/// Open the database that `url` names, make it if it is a SQLite file that does not exist, and bring its tables up to date.
///
/// # Errors
/// Where that cannot be done; the words tell an operator what to do.
pub async fn open(url: &str, settings: &StoreSettings) -> Result<Engines, OpenError> {
    match url.split_once(':').map_or(url, |(scheme, _)| scheme) {
        "sqlite" => engines::<Sqlite>(url, settings).await,
        "postgres" | "postgresql" => engines::<Postgres>(url, settings).await,
        // Not the whole URL: it may hold a password.
        scheme => Err(OpenError::Url(format!("nothing is known of {:?}", scheme.chars().take(20).collect::<String>()))),
    }
}

/// Open a database that is there: reading from a mistyped path must not leave an empty database at it. PostgreSQL makes
/// none by itself.
///
/// # Errors
/// As [`open`], and where there is no such file.
pub async fn open_existing(url: &str, settings: &StoreSettings) -> Result<Engines, OpenError> {
    if url.starts_with("sqlite:")
        && let Ok(options) = SqliteConnectOptions::from_str(url)
        && !options.get_filename().exists()
    {
        return Err(OpenError::Missing(options.get_filename().to_owned()));
    }
    open(url, settings).await
}

async fn engines<E: Engine>(url: &str, settings: &StoreSettings) -> Result<Engines, OpenError>
where
    Database<E>: EventStore
        + Contents
        + KnowledgeStore
        + AuditStore
        + IdentityStore
        + Leases
        + QuotaStore
        + RedactionRequests
        + Vitals,
{
    let pools = E::connect(url, settings).await?;
    let database = Arc::new(Database::new(pools, settings));
    Ok(Engines {
        events: database.clone(),
        contents: database.clone(),
        knowledge: database.clone(),
        audit: database.clone(),
        identities: database.clone(),
        leases: database.clone(),
        quotas: database.clone(),
        redactions: database.clone(),
        vitals: database,
    })
}
