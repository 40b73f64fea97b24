//! History in the database itself: the logs, and the claims and writes, which triggers record with the process that
//! made them.

use std::collections::BTreeMap;

use roundtable::kernel::SessionId;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};

/// Triggers that record the claims and writes of each process, which a setting of its connection identifies. The fence
/// should have stopped a writer that did not create the current fence.
const TRIGGERS: &str = "
create table chaos_claims (session uuid, fence bigint, process text);
create table chaos_writes (session uuid, seq bigint, fence bigint, process text);
create function chaos_claimed() returns trigger language plpgsql as $$ begin
    insert into chaos_claims values (new.id, new.fence, current_setting('chaos.process', true)); return null;
end $$;
create function chaos_wrote() returns trigger language plpgsql as $$ begin
    insert into chaos_writes select new.session, new.seq, fence, current_setting('chaos.process', true)
        from sessions where id = new.session;
    return null;
end $$;
create trigger chaos_claimed after insert or update of fence on sessions for each row execute function chaos_claimed();
create trigger chaos_wrote after insert on events for each row execute function chaos_wrote();
";

const FOREIGN_WRITES: &str = "
select w.seq, w.fence, w.process, c.process from chaos_writes w
left join chaos_claims c on c.session = w.session and c.fence = w.fence
where w.session = $1 and w.process is distinct from c.process order by w.seq";

/// Receipt of a command: actor, command, seq.
pub type Receipt = (String, String, u64);

/// A session in the database.
#[derive(Debug, Default)]
pub struct StoredLog {
    pub frames: Vec<String>,
    pub receipts: Vec<Receipt>,
    /// Writes by a process that was not the session's owner.
    pub foreign_writes: Vec<String>,
    pub claims: i64,
    /// The stored snapshot.
    pub snapshot: String,
}

/// Creates a database with this name, and drops an earlier one.
pub async fn create_database(url: &str, name: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(url).await?;
    connection.execute(AssertSqlSafe(format!("drop database if exists {name} with (force)"))).await?;
    connection.execute(AssertSqlSafe(format!("create database {name}"))).await?;
    connection.close().await
}

/// Records claims and writes from now on.
pub async fn install_triggers(database: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(database).await?;
    connection.execute(sqlx::raw_sql(TRIGGERS)).await?;
    connection.close().await
}

/// Ends all connections except its own.
pub async fn end_connections(database: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnection::connect(database).await?;
    let all = "select pg_terminate_backend(pid) from pg_stat_activity \
               where datname = current_database() and pid <> pg_backend_pid()";
    connection.execute(all).await?;
    connection.close().await
}

/// Returns the head of every session, and whether it has unfinished work.
pub async fn heads(database: &str) -> Result<BTreeMap<String, (u64, bool)>, sqlx::Error> {
    let mut connection = PgConnection::connect(database).await?;
    let rows = sqlx::query("select id, head, unfinished from sessions").fetch_all(&mut connection).await?;
    let heads = rows.iter().map(|row| {
        let (id, head): (_, i64) = (row.try_get(0)?, row.try_get(1)?);
        Ok((SessionId(id).to_string(), (head as u64, row.try_get(2)?)))
    });
    let heads = heads.collect::<Result<_, sqlx::Error>>();
    connection.close().await?;
    heads
}

/// Returns a session with everything that the checks need.
pub async fn read_log(database: &str, session: SessionId) -> Result<StoredLog, sqlx::Error> {
    let mut connection = PgConnection::connect(database).await?;
    let frames = "select frame from events where session = $1 order by seq";
    let frames = sqlx::query_scalar(frames).bind(session.0).fetch_all(&mut connection).await?;
    let receipts = sqlx::query("select actor, command, seq from receipts where session = $1");
    let mut stored = StoredLog { frames, ..StoredLog::default() };
    for row in receipts.bind(session.0).fetch_all(&mut connection).await? {
        stored.receipts.push((row.try_get(0)?, row.try_get(1)?, row.try_get::<i64, _>(2)? as u64));
    }
    for row in sqlx::query(FOREIGN_WRITES).bind(session.0).fetch_all(&mut connection).await? {
        let (seq, fence): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let (writer, owner): (Option<String>, Option<String>) = (row.try_get(2)?, row.try_get(3)?);
        stored.foreign_writes.push(format!("seq {seq} under fence {fence} of {owner:?} was written by {writer:?}"));
    }
    let claims = sqlx::query_scalar("select count(*) from chaos_claims where session = $1");
    stored.claims = claims.bind(session.0).fetch_one(&mut connection).await?;
    let snapshot = sqlx::query_scalar("select state from snapshots where session = $1").bind(session.0);
    let snapshot: Option<Vec<u8>> = snapshot.fetch_optional(&mut connection).await?;
    stored.snapshot = snapshot.map(|state| String::from_utf8_lossy(&state).into_owned()).unwrap_or_default();
    connection.close().await?;
    Ok(stored)
}
