//! An empty database of either engine, for one test.

use std::collections::BTreeSet;

use roundtable::{
    kernel::{SessionId, Timestamp},
    store::{self, StoreSettings, Stores},
};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;
use uuid::Uuid;

use crate::{postgres, server::with_timeout};

/// An empty database that is removed after the test.
pub struct FreshDatabase {
    /// URL to pass to `store::open`.
    pub url: String,
    _folder: Option<TempDir>,
}

impl FreshDatabase {
    /// Creates an empty database in a SQLite file.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("makes a folder");
        let url = format!("sqlite://{}/data/roundtable.db", folder.path().display());
        Self { url, _folder: Some(folder) }
    }

    /// Creates an empty database in the PostgreSQL cluster that all tests share.
    pub async fn postgres() -> Self {
        Self { url: postgres::fresh_database().await, _folder: None }
    }

    /// Creates an empty database in a cluster that belongs to the test.
    pub async fn on(cluster: &postgres::Cluster) -> Self {
        Self { url: cluster.fresh_database().await, _folder: None }
    }

    /// Opens another handle, as another process would.
    pub async fn open(&self) -> Stores {
        store::open(&self.url, &StoreSettings::default()).await.expect("opens")
    }

    /// Returns whether the database is a SQLite file.
    pub fn is_sqlite(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    /// Runs SQL directly on the database, bypassing the store.
    pub async fn execute_sql(&self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            connection.execute(sqlx::raw_sql(sql)).await.expect("is SQL");
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            connection.execute(sqlx::raw_sql(sql)).await.expect("is SQL");
        }
    }

    /// Returns whether the database accepts a statement.
    pub async fn accepts_sql(&self, sql: &str) -> bool {
        let sql = AssertSqlSafe(sql.to_owned());
        if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            connection.execute(sqlx::raw_sql(sql)).await.is_ok()
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            connection.execute(sqlx::raw_sql(sql)).await.is_ok()
        }
    }

    /// Returns the path of the SQLite file.
    pub fn file(&self) -> &str {
        self.url.strip_prefix("sqlite://").expect("is a file")
    }

    /// Drops the database while it is in use.
    pub async fn drop_database(&self) {
        let mut other = PgConnection::connect(&postgres::fresh_database().await).await.expect("connects");
        let (_, name) = self.url.split('?').next().and_then(|url| url.rsplit_once('/')).expect("a name");
        let sql = format!("drop database {name} with (force)");
        other.execute(AssertSqlSafe(sql)).await.expect("drops it");
    }

    /// Makes the database itself reject events with this text from now on.
    pub async fn refuse_frames_with(&self, text: &str) {
        self.execute_sql(&if self.is_sqlite() {
            format!(
                "create trigger refusal before insert on events when new.frame like '%\"{text}\"%' \
                 begin select raise(abort, 'refused'); end"
            )
        } else {
            format!("alter table events add constraint refusal check (frame not like '%\"{text}\"%')")
        })
        .await;
    }

    /// Makes transactions that contain an event with this text fail from now on, but not before their commit.
    pub async fn fail_commits_with(&self, text: &str) {
        self.execute_sql(&if self.is_sqlite() {
            format!(
                "create table nowhere (id integer primary key); \
                 create table late (id integer references nowhere (id) deferrable initially deferred); \
                 create trigger late_refusal after insert on events when new.frame like '%\"{text}\"%' \
                 begin insert into late values (1); end"
            )
        } else {
            format!(
                "create table nowhere (id bigint primary key); \
                 create table late (id bigint references nowhere (id) deferrable initially deferred); \
                 create function refuse_late() returns trigger language plpgsql as \
                 $$ begin insert into late values (1); return new; end $$; \
                 create trigger late_refusal after insert on events for each row \
                 when (new.frame like '%\"{text}\"%') execute function refuse_late()"
            )
        })
        .await;
    }

    /// Makes the database itself reject updates of events until [`FreshDatabase::allow_replaced_events`] is called.
    pub async fn refuse_replaced_events(&self) {
        self.execute_sql(if self.is_sqlite() {
            "create trigger no_replaced_events before update on events begin select raise(abort, 'refused'); end"
        } else {
            "create function refuse_replaced() returns trigger language plpgsql as \
             $$ begin raise exception 'refused'; end $$; \
             create trigger no_replaced_events before update on events for each row execute function refuse_replaced()"
        })
        .await;
    }

    /// Makes the database accept updates of events again.
    pub async fn allow_replaced_events(&self) {
        self.execute_sql(if self.is_sqlite() {
            "drop trigger no_replaced_events"
        } else {
            "drop trigger no_replaced_events on events"
        })
        .await;
    }

    /// Returns the ids of the rows of a table.
    pub async fn ids(&self, table: &str) -> BTreeSet<Uuid> {
        let sql = AssertSqlSafe(format!("select id from {table}"));
        let ids = if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            sqlx::query_scalar::<_, Uuid>(sql).fetch_all(&mut connection).await
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            sqlx::query_scalar::<_, Uuid>(sql).fetch_all(&mut connection).await
        };
        ids.expect("reads").into_iter().collect()
    }

    /// Returns the number of rows of a table.
    pub async fn count(&self, table: &str) -> i64 {
        let sql = AssertSqlSafe(format!("select count(*) from {table}"));
        if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            sqlx::query_scalar(sql).fetch_one(&mut connection).await.expect("counts")
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            sqlx::query_scalar(sql).fetch_one(&mut connection).await.expect("counts")
        }
    }

    /// Returns whether this text is anywhere in the database: in the bytes of a SQLite file and its write-ahead log, or
    /// in a column of PostgreSQL.
    pub async fn contains(&self, text: &str) -> bool {
        if self.is_sqlite() {
            let files = [self.file().to_owned(), format!("{}-wal", self.file())];
            let bytes: Vec<u8> = files.iter().filter_map(|file| std::fs::read(file).ok()).flatten().collect();
            return bytes.windows(text.len()).any(|window| window == text.as_bytes());
        }
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        let tables = "select tablename::text from pg_tables where schemaname = 'public'";
        let tables = sqlx::query_scalar::<_, String>(tables).fetch_all(&mut connection).await.expect("reads");
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        for table in tables {
            let sql = format!("select count(*) from {table} t where t::text like $1 or t::text like $2");
            let count = sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql));
            let count = count.bind(format!("%{text}%")).bind(format!("%{hex}%"));
            if count.fetch_one(&mut connection).await.expect("counts") > 0 {
                return true;
            }
        }
        false
    }

    /// Waits until the text is no longer in the database, because SQLite's files are scrubbed in the background.
    pub async fn wait_until_absent(&self, text: &str) {
        with_timeout(async {
            while self.contains(text).await {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    /// Blocks all other reads and writes of this table, as maintenance can. PostgreSQL only.
    pub async fn lock_table(&self, table: &str) -> WriteLock {
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        connection.execute("begin").await.expect("begins");
        let sql = AssertSqlSafe(format!("lock table {table} in access exclusive mode"));
        connection.execute(sql).await.expect("locks");
        WriteLock::Postgres(connection)
    }

    /// Locks the rows of these sessions. PostgreSQL only.
    pub async fn lock_sessions(&self, sessions: &[SessionId]) -> WriteLock {
        let ids: Vec<String> = sessions.iter().map(|session| format!("'{}'", session.0)).collect();
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        connection.execute("begin").await.expect("begins");
        let sql = format!("select id from sessions where id in ({}) for update", ids.join(","));
        connection.execute(AssertSqlSafe(sql)).await.expect("locks");
        WriteLock::Postgres(connection)
    }

    /// Backdates all writes on the database's clock too, not only on the writer's clock.
    pub async fn backdate_writes(&self) {
        self.execute_sql("update sessions set written_at = updated_at where head > 0").await;
    }

    /// Writes a row that refers to this session, without committing it. PostgreSQL only.
    pub async fn insert_uncommitted_reference(&self, session: SessionId) -> WriteLock {
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        connection.execute("begin").await.expect("begins");
        let sql = format!("insert into snapshots (session, seq, state) values ('{}', 0, '')", session.0);
        connection.execute(AssertSqlSafe(sql)).await.expect("writes");
        WriteLock::Postgres(connection)
    }

    /// Waits until this many statements are waiting for locks. PostgreSQL only.
    pub async fn wait_for_lock_waits(&self, statements: i64) {
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        let count =
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        let waiting = async {
            while sqlx::query_scalar::<_, i64>(count).fetch_one(&mut connection).await.expect("counts") < statements {}
        };
        with_timeout(waiting).await;
    }

    /// Closes all connections, as a failover does. PostgreSQL only.
    pub async fn drop_connections(&self) {
        let others = "select pg_terminate_backend(pid) from pg_stat_activity \
                      where datname = current_database() and pid <> pg_backend_pid()";
        self.execute_sql(others).await;
    }

    /// Sets the database's clock ahead by this interval. PostgreSQL only.
    pub async fn set_clock_ahead(&self, interval: &str) {
        self.set_clock_ahead_for_new_connections(interval).await;
        self.drop_connections().await;
    }

    /// Sets the database's clock ahead by this interval, but only for new connections. PostgreSQL only.
    pub async fn set_clock_ahead_for_new_connections(&self, interval: &str) {
        self.set_clock(&format!("pg_catalog.clock_timestamp() + interval '{interval}'")).await;
    }

    /// Stops the database's clock at this time. PostgreSQL only.
    pub async fn stop_clock(&self, at: Timestamp) {
        self.set_clock(&format!("to_timestamp({} / 1000.0)", at.millis())).await;
        self.drop_connections().await;
    }

    async fn set_clock(&self, clock: &str) {
        let set = "alter database %I set search_path = ahead, pg_catalog, public";
        self.execute_sql(&format!(
            "create schema if not exists ahead; \
             create or replace function ahead.clock_timestamp() returns timestamptz language sql as \
             $$ select {clock} $$; \
             do $$ begin execute format('{set}', current_database()); end $$"
        ))
        .await;
    }

    /// Simulates a failover to a server that accepts writes, or to one that does not. PostgreSQL only.
    pub async fn set_writable(&self, writes: bool) {
        let value = if writes { "off" } else { "on" };
        let set = format!("alter database %I set default_transaction_read_only = {value}");
        let alter = format!("do $$ begin execute format('{set}', current_database()); end $$");
        self.execute_sql(&format!("begin read write; {alter}; commit")).await;
        self.drop_connections().await;
    }

    /// Returns the size on disk of a table with its indexes, in bytes. PostgreSQL only.
    pub async fn table_bytes(&self, table: &str) -> u64 {
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        let size = sqlx::query_scalar::<_, i64>("select pg_total_relation_size($1::regclass)").bind(table);
        size.fetch_one(&mut connection).await.expect("has a size").unsigned_abs()
    }

    /// Returns the number of commits that have written to the log.
    pub async fn commits(&self) -> u64 {
        if self.is_sqlite() {
            let file = format!("{}-wal", self.url.trim_start_matches("sqlite://"));
            return commit_marks(&std::fs::read(file).expect("reads"));
        }
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        let count = "select count(distinct xmin::text) from events";
        sqlx::query_scalar::<_, i64>(count).fetch_one(&mut connection).await.expect("counts").unsigned_abs()
    }

    /// Blocks all other writes, as another process can.
    pub async fn lock(&self) -> WriteLock {
        if self.is_sqlite() {
            let mut connection = SqliteConnection::connect(&self.url).await.expect("connects");
            connection.execute("begin immediate").await.expect("locks");
            WriteLock::Sqlite(connection)
        } else {
            let mut connection = PgConnection::connect(&self.url).await.expect("connects");
            connection.execute("begin").await.expect("begins");
            connection.execute("lock table sessions in exclusive mode").await.expect("locks");
            WriteLock::Postgres(connection)
        }
    }
}

/// A connection with an open transaction that blocks other writes.
pub enum WriteLock {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl WriteLock {
    /// Releases the lock.
    pub async fn release(self) {
        match self {
            Self::Sqlite(mut connection) => drop(connection.execute("rollback").await.expect("unlocks")),
            Self::Postgres(mut connection) => drop(connection.execute("rollback").await.expect("unlocks")),
        }
    }
}

/// Returns the number of commits in SQLite's write-ahead log. A frame that ends a transaction contains the size of the
/// database after it.
fn commit_marks(wal: &[u8]) -> u64 {
    let number = |at: usize| wal.get(at..at + 4).map(|bytes| u32::from_be_bytes(bytes.try_into().expect("are four")));
    let Some(page) = number(8) else { return 0 };
    let frames = (32..).step_by(24 + page as usize).map_while(|frame| number(frame + 4));
    frames.filter(|size| *size > 0).count() as u64
}

/// Defines one test per law and engine.
macro_rules! laws {
    ($($law:ident),+ $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::fresh_database::FreshDatabase::sqlite().await).await;
            })+
        }

        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                super::$law(crate::fresh_database::FreshDatabase::postgres().await).await;
            })+
        }
    };
}
pub(crate) use laws;
