//! What the two databases do differently: how to connect, how to migrate, and two words of SQL.

use std::{str::FromStr, time::Duration};

use sqlx::{
    Connection as _, Database, Pool, Postgres, Sqlite,
    migrate::MigrateError,
    pool::PoolOptions,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use tokio::time::{Instant, sleep};

use super::{OpenError, StoreSettings, connection::Connection, migrations, path};

/// Statements that one connection keeps prepared: each length of a batch is a statement of its own.
const PREPARED: usize = 512;

/// Connections of a node's own on PostgreSQL: two for its lease, one for the look at the database.
const OWN: u32 = 3;

/// Those of its appends: one writes, and another may be on its way out, after a commit that had no answer.
const APPENDS: u32 = 2;

/// How long a transaction may stand still: only a round trip lies between two of its statements. The database ends that of
/// a node that is paused, as the others cannot have the rows that it has locked.
const STANDS_STILL: &str = "1s";

/// How long a write other than an append waits for a row that another transaction has locked: a little longer than that.
const LOCKED: &str = "2s";

/// A database that can keep the log.
pub(super) trait Engine: Database<Connection: Connection> {
    /// Begins a transaction that will write.
    const BEGIN: &'static str;
    /// Locks the rows that a select gives until the transaction ends.
    const LOCK: &'static str;
    /// Milliseconds since 1970 by the database's own clock, the one clock that all nodes share.
    const NOW: &'static str;

    /// How the terms of a passage, quoted and parted by blanks, are kept.
    const TERMS: &'static str;
    /// Whether the terms of a passage fit the query `$1`.
    const MATCHES: &'static str;
    /// The order in which the database has the better ones first.
    const BEST: &'static str;
    /// What stands around a term of a query, between terms of which one is enough, and between those parts of which each must fit.
    const QUOTE: &'static str;
    const OR: &'static str;
    const AND: &'static str;

    /// Whether what a commit erases has to be cleared away from the files of the database: see [`super::scrub`].
    const SCRUBS: bool;

    /// Whether an error with this code is about the values of a statement, and not about the state of the database: the
    /// same statement without those values may do.
    fn is_about_values(code: &str) -> bool;

    /// Connect and bring the tables up to date.
    fn connect(url: &str, settings: &StoreSettings) -> impl Future<Output = Result<Pools<Self>, OpenError>> + Send;
}

/// Connections for appends, which on PostgreSQL wait behind no other write; those for all other writes; those that read; and
/// the node's own, which both its lease and the looks at the database have to themselves.
#[derive(Debug)]
pub(super) struct Pools<E: Engine> {
    pub(super) appends: Pool<E>,
    pub(super) writes: Pool<E>,
    pub(super) reads: Pool<E>,
    pub(super) own: Pool<E>,
}

impl Engine for Sqlite {
    // A transaction that begins by reading cannot become a writing one while another process writes: it would fail.
    const BEGIN: &'static str = "begin immediate";
    const LOCK: &'static str = "";
    const NOW: &'static str = "cast(unixepoch('subsec') * 1000 as integer)";

    // The tokenizer passes over the quotes.
    const TERMS: &'static str = "terms";
    const MATCHES: &'static str = "passage_terms match $1";
    const BEST: &'static str = "bm25(passage_terms)";
    const QUOTE: &'static str = "\"";
    const OR: &'static str = " OR ";
    const AND: &'static str = " AND ";

    const SCRUBS: bool = true;

    fn is_about_values(code: &str) -> bool {
        // Too big, constraint, mismatch; the low byte of an extended code is its kind.
        code.parse::<u32>().is_ok_and(|code| matches!(code & 0xff, 18..=20))
    }

    async fn connect(url: &str, settings: &StoreSettings) -> Result<Pools<Self>, OpenError> {
        let options = SqliteConnectOptions::from_str(url).map_err(|error| OpenError::Url(error.to_string()))?;
        path::prepare(options.get_filename())?;
        let options = options
            .journal_mode(SqliteJournalMode::Wal)
            // Every commit reaches the disk before it is acknowledged: with NORMAL a power cut takes the last ones back.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // Rarer checkpoints than by default: a page that many appends change is carried over once, for 32 MiB of log.
            .pragma("wal_autocheckpoint", "8192")
            .pragma("cache_size", "-16384")
            // What is deleted or replaced is overwritten with zeros: a redacted text must not lie about in free pages.
            .pragma("secure_delete", "on")
            .busy_timeout(Duration::from_millis(settings.sqlite_busy_ms))
            .statement_cache_capacity(PREPARED);
        let pool = || {
            PoolOptions::new()
                .acquire_timeout(settings.connect())
                .idle_timeout(None)
                .max_lifetime(None)
                // There is no network that could have cut the connection.
                .test_before_acquire(false)
        };
        let writes = first_connection(|| pool().max_connections(1).connect_with(options.clone()), settings).await;
        let writes = writes.map_err(OpenError::connect)?;
        migrate_sqlite(&writes).await?;
        let own = pool().max_connections(1).connect_lazy_with(options.clone());
        let reads = pool()
            .max_connections(settings.readers.max(1))
            .connect_with(options.pragma("query_only", "on"))
            .await
            .map_err(OpenError::connect)?;
        // A file has one writer at a time.
        Ok(Pools { appends: writes.clone(), writes, reads, own })
    }
}

/// Connect, and again while another process that opens the same new file holds it: the change to a write-ahead log is the
/// one statement that SQLite does not wait for a lock with.
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

/// In one transaction that locks the file first: two processes that start together must not both create the tables.
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
    // As an update of other columns than the id locks them, so that nothing waits that only refers to the session: its
    // files and invitations. Claims, appends and whoever removes it do.
    const LOCK: &'static str = " for no key update";
    // Not now(): that is when the transaction began, which may have waited for a lock since.
    const NOW: &'static str = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

    // Not to_tsvector: its parser would take the terms apart once more.
    const TERMS: &'static str = "terms::tsvector";
    const MATCHES: &'static str = "passage_terms.terms @@ $1::tsquery";
    const BEST: &'static str = "ts_rank(passage_terms.terms, $1::tsquery) desc";
    const QUOTE: &'static str = "'";
    const OR: &'static str = " | ";
    const AND: &'static str = " & ";

    // Dead rows go with the next vacuum; its schedule is the operator's.
    const SCRUBS: bool = false;

    fn is_about_values(code: &str) -> bool {
        // Data exception, constraint, program limit, raised by a function.
        ["22", "23", "54", "P0"].iter().any(|class| code.starts_with(class))
    }

    async fn connect(url: &str, settings: &StoreSettings) -> Result<Pools<Self>, OpenError> {
        let timeout = format!("{}ms", settings.answer_ms.max(1));
        let options = PgConnectOptions::from_str(url)
            .map_err(|error| OpenError::Url(error.to_string()))?
            .application_name("roundtable")
            .options([
                // An operator may have turned it off for the whole server; our acknowledgements must mean it.
                ("synchronous_commit", "on"),
                ("default_transaction_isolation", "read committed"),
                ("statement_timeout", &timeout),
                ("idle_in_transaction_session_timeout", STANDS_STILL),
            ])
            .statement_cache_capacity(PREPARED);
        let pool = |connections: u32| {
            PoolOptions::new().acquire_timeout(settings.connect()).max_connections(connections.max(1))
        };
        let appends = pool(APPENDS).connect_with(options.clone()).await.map_err(OpenError::connect)?;
        let mut connection = appends.acquire().await.map_err(OpenError::connect)?;
        migrations::apply(&migrations::POSTGRES, &mut *connection).await.map_err(OpenError::migrate)?;
        drop(connection);
        let writes =
            pool(settings.postgres_writers).connect_lazy_with(options.clone().options([("lock_timeout", LOCKED)]));
        let reads = pool(settings.readers).connect_lazy_with(options.clone());
        let own = pool(OWN).connect_lazy_with(options);
        Ok(Pools { appends, writes, reads, own })
    }
}
