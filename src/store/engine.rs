//! Differences between the two databases: connection, migration, and fragments of SQL.

use std::{path::PathBuf, str::FromStr, time::Duration};

use sqlx::{
    ConnectOptions as _, Connection as _, Database, Pool, Postgres, Sqlite,
    migrate::MigrateError,
    pool::PoolOptions,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use tokio::time::{Instant, sleep};

use super::{OpenError, StoreSettings, connection::DatabaseConnection, migrations, path};

// The options disable the library's statement log, which would log every slow statement with its full SQL. The
// operation timer in `telemetry` instead logs a series of slow operations only occasionally.

/// Maximum number of prepared statements that a connection caches. Each batch size is a separate statement.
const MAX_PREPARED: usize = 512;

/// Number of connections for the node's own use on PostgreSQL: two for its lease, one for the health check.
const OWN_CONNECTIONS: u32 = 3;

/// Number of connections for appends on PostgreSQL: one that writes, and one that might still be closing after a commit
/// without a reply.
const APPEND_CONNECTIONS: u32 = 2;

/// Maximum idle time within a transaction, where only a round trip separates two statements. The database ends the
/// transaction of a paused node, because its locks block other nodes.
const IDLE_TRANSACTION_TIMEOUT: &str = "1s";

/// Planner settings for appends, which find every row by its key. PostgreSQL keeps a plan that it made while a table
/// was almost empty, and such a plan reads the whole table.
const PLANS_BY_KEY: [(&str, &str); 3] =
    [("enable_seqscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off")];

/// Maximum time that a write other than an append waits for a row that another transaction has locked. Longer than
/// [`IDLE_TRANSACTION_TIMEOUT`].
const LOCK_TIMEOUT: &str = "2s";

/// A database that can store the log.
pub(super) trait Engine: Database<Connection: DatabaseConnection> {
    /// Statement that begins a writing transaction.
    const BEGIN: &'static str;
    /// Clause that locks the selected rows until the transaction ends.
    const LOCK: &'static str;
    /// Milliseconds since 1970 on the database's clock, the one clock that all nodes share.
    const NOW: &'static str;

    /// Expression that converts the terms of a passage, quoted and separated by spaces, to the stored form.
    const TERMS: &'static str;
    /// Condition under which the terms of a passage match the query `$1`.
    const MATCHES: &'static str;
    /// Sort order that puts better matches first.
    const BEST: &'static str;
    /// Quote around a query's term, operator between alternative terms, and operator between groups that must all
    /// match.
    const QUOTE: &'static str;
    const OR: &'static str;
    const AND: &'static str;

    /// True if other writes use the connection that writes appends. The connection is then returned to the pool after
    /// each batch, so that the other writes do not wait.
    const SHARES_APPEND_CONNECTION: bool;

    /// True if erased content has to be removed from the database's files; see [`super::scrub`].
    const SCRUBS: bool;

    /// Returns whether an error code concerns the values of a statement rather than the state of the database. The same
    /// statement without those values can then succeed.
    fn is_about_values(code: &str) -> bool;

    /// Connects and migrates the tables.
    fn connect(
        url: &str,
        settings: &StoreSettings,
    ) -> impl Future<Output = Result<ConnectionPools<Self>, OpenError>> + Send;
}

/// Connection pools, separated so that they do not delay each other. On PostgreSQL, appends share no connection with
/// other writes. The node's lease and health checks have their own connections.
#[derive(Debug)]
pub(super) struct ConnectionPools<E: Engine> {
    pub(super) appends: Pool<E>,
    pub(super) writes: Pool<E>,
    pub(super) reads: Pool<E>,
    pub(super) own: Pool<E>,
    /// Path of SQLite's write-ahead log. `None` on PostgreSQL.
    pub(super) wal_path: Option<PathBuf>,
}

impl Engine for Sqlite {
    // A transaction that starts with a read cannot be upgraded to a write transaction while another process writes.
    const BEGIN: &'static str = "begin immediate";
    const LOCK: &'static str = "";
    const NOW: &'static str = "cast(unixepoch('subsec') * 1000 as integer)";

    // The tokenizer ignores the quotes.
    const TERMS: &'static str = "terms";
    const MATCHES: &'static str = "passage_terms match $1";
    const BEST: &'static str = "bm25(passage_terms)";
    const QUOTE: &'static str = "\"";
    const OR: &'static str = " OR ";
    const AND: &'static str = " AND ";

    const SHARES_APPEND_CONNECTION: bool = true;

    const SCRUBS: bool = true;

    fn is_about_values(code: &str) -> bool {
        // Too big, constraint, mismatch. The low byte of an extended code is its kind.
        code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 18..=20))
    }

    async fn connect(url: &str, settings: &StoreSettings) -> Result<ConnectionPools<Self>, OpenError> {
        let options = SqliteConnectOptions::from_str(url).map_err(|error| OpenError::Url(error.to_string()))?;
        path::prepare(options.get_filename())?;
        let wal_path = path::wal(options.get_filename());
        let options = options
            .journal_mode(SqliteJournalMode::Wal)
            // Every commit reaches the disk before it is acknowledged. With NORMAL, a power failure loses the last
            // commits.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // Fewer checkpoints than by default: a page that many appends change is copied once per 32 MiB of log.
            .pragma("wal_autocheckpoint", "8192")
            .pragma("cache_size", "-16384")
            // Deleted and replaced content is overwritten with zeros. Otherwise, redacted text would remain in free
            // pages.
            .pragma("secure_delete", "on")
            .busy_timeout(Duration::from_millis(settings.sqlite_busy_ms))
            .statement_cache_capacity(MAX_PREPARED)
            .disable_statement_logging();
        let pool = || {
            PoolOptions::new()
                .acquire_timeout(settings.connect_timeout())
                .idle_timeout(None)
                .max_lifetime(None)
                // There is no network, so nothing could have closed the connection.
                .test_before_acquire(false)
        };
        let writes = first_connection(|| pool().max_connections(1).connect_with(options.clone()), settings).await;
        let writes = writes.map_err(OpenError::connect)?;
        migrate_sqlite(&writes).await?;
        let own = pool().max_connections(1).connect_lazy_with(options.clone());
        let reads = pool()
            .max_connections(settings.max_read_connections.max(1))
            .connect_with(options.pragma("query_only", "on"))
            .await
            .map_err(OpenError::connect)?;
        // A SQLite file has one writer at a time.
        Ok(ConnectionPools { appends: writes.clone(), writes, reads, own, wal_path: Some(wal_path) })
    }
}

/// Connects, retrying while another process opens the same new file. SQLite does not wait for the lock when it switches
/// to write-ahead logging.
async fn first_connection<F>(
    mut connect: impl FnMut() -> F,
    settings: &StoreSettings,
) -> Result<Pool<Sqlite>, sqlx::Error>
where
    F: Future<Output = Result<Pool<Sqlite>, sqlx::Error>>,
{
    let end = Instant::now() + Duration::from_millis(settings.sqlite_busy_ms);
    loop {
        match connect().await {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("5") && Instant::now() < end => {
                sleep(Duration::from_millis(10)).await;
            }
            other => return other,
        }
    }
}

/// Migrates in one transaction that locks the file first. Otherwise, two processes that start together could both
/// create the tables.
async fn migrate_sqlite(writes: &Pool<Sqlite>) -> Result<(), OpenError> {
    let migrated = async {
        let mut connection = writes.acquire().await?;
        let mut transaction = connection.begin_with(Sqlite::BEGIN).await?;
        migrations::apply(&migrations::SQLITE, &mut *transaction).await?;
        transaction.commit().await?;
        Ok::<_, MigrateError>(())
    };
    migrated.await.map_err(OpenError::migrate)
}

impl Engine for Postgres {
    const BEGIN: &'static str = "begin";
    // The lock that an update takes if it leaves the id unchanged. It blocks claims, appends and the removal of the
    // session, but not writes that only refer to the session, such as files and invitations.
    const LOCK: &'static str = " for no key update";
    // Not now(), which is the start of the transaction: the transaction might have waited for a lock since then.
    const NOW: &'static str = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

    // Not to_tsvector, whose parser would split the terms again.
    const TERMS: &'static str = "terms::tsvector";
    const MATCHES: &'static str = "passage_terms.terms @@ $1::tsquery";
    const BEST: &'static str = "ts_rank(passage_terms.terms, $1::tsquery) desc";
    const QUOTE: &'static str = "'";
    const OR: &'static str = " | ";
    const AND: &'static str = " & ";

    const SHARES_APPEND_CONNECTION: bool = false;

    // Vacuum removes dead rows, on the operator's schedule.
    const SCRUBS: bool = false;

    fn is_about_values(code: &str) -> bool {
        // Data exception, constraint, program limit, raised by a function.
        ["22", "23", "54", "P0"].iter().any(|class| code.starts_with(class))
    }

    async fn connect(url: &str, settings: &StoreSettings) -> Result<ConnectionPools<Self>, OpenError> {
        let timeout = format!("{}ms", settings.reply_ms.max(1));
        let options = PgConnectOptions::from_str(url)
            .map_err(|error| OpenError::Url(error.to_string()))?
            .application_name("roundtable")
            .options([
                // An operator can turn `synchronous_commit` off for the whole server, but our acknowledgements require
                // it.
                ("synchronous_commit", "on"),
                ("default_transaction_isolation", "read committed"),
                ("statement_timeout", &timeout),
                ("idle_in_transaction_session_timeout", IDLE_TRANSACTION_TIMEOUT),
            ])
            .statement_cache_capacity(MAX_PREPARED)
            .disable_statement_logging();
        let pool = |connections: u32| {
            PoolOptions::new().acquire_timeout(settings.connect_timeout()).max_connections(connections.max(1))
        };
        let own = pool(OWN_CONNECTIONS).connect_with(options.clone()).await.map_err(OpenError::connect)?;
        let mut connection = own.acquire().await.map_err(OpenError::connect)?;
        migrations::apply(&migrations::POSTGRES, &mut *connection).await.map_err(OpenError::migrate)?;
        drop(connection);
        let appends = pool(APPEND_CONNECTIONS).connect_lazy_with(options.clone().options(PLANS_BY_KEY));
        let writes = pool(settings.max_postgres_write_connections)
            .connect_lazy_with(options.clone().options([("lock_timeout", LOCK_TIMEOUT)]));
        let reads = pool(settings.max_read_connections).connect_lazy_with(options);
        Ok(ConnectionPools { appends, writes, reads, own, wal_path: None })
    }
}
