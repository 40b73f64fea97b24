//! Bare group commit: one task with one connection, which writes the rows of all waiting appends in one transaction.
//! These are the rows that the store writes, but nothing is checked: no fence, no head, no earlier receipt.

use std::str::FromStr;

use anyhow::{Context, ensure};
use roundtable::store::{Append, StoreSettings};
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgConnection, Postgres, QueryBuilder, Sqlite, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

/// An append, and the sender for its outcome.
type PendingBareAppend = (Append, oneshot::Sender<Result<(), String>>);

/// Maximum number of rows in one statement, as in the store. Each number of rows is a separate prepared statement.
const MAX_ROWS: usize = 64;
/// Maximum number of prepared statements that a connection caches, as in the store.
const MAX_PREPARED: usize = 512;

/// Queue of appends for the task.
#[derive(Clone)]
pub struct BareCommit(mpsc::Sender<PendingBareAppend>);

impl BareCommit {
    /// Connects to a database with the tables and sessions in place, and starts the task.
    pub async fn start(url: &str) -> anyhow::Result<Self> {
        let (sender, queue) = mpsc::channel(StoreSettings::default().max_waiting_appends);
        if url.starts_with("sqlite:") {
            tokio::spawn(run(sqlite(url).await?, queue));
        } else {
            tokio::spawn(run(postgres(url).await?, queue));
        }
        Ok(Self(sender))
    }

    /// Waits until the append is committed. A session must not have more than one append at a time.
    pub async fn append(&self, append: Append) -> anyhow::Result<()> {
        let (reply, outcome) = oneshot::channel();
        self.0.send((append, reply)).await.ok().context("the bare writer has ended")?;
        outcome.await?.map_err(anyhow::Error::msg)
    }
}

/// Connects with the options of the store's writing connection.
async fn sqlite(url: &str) -> anyhow::Result<SqliteConnection> {
    let options = SqliteConnectOptions::from_str(url)?
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .pragma("wal_autocheckpoint", "8192")
        .pragma("cache_size", "-16384")
        .pragma("secure_delete", "on")
        .statement_cache_capacity(MAX_PREPARED)
        .disable_statement_logging();
    options.connect().await.context("cannot open the database of the bare writer")
}

/// Connects with the durability and isolation of the store, but without its timeouts.
async fn postgres(url: &str) -> anyhow::Result<PgConnection> {
    let options = PgConnectOptions::from_str(url)?
        .options([("synchronous_commit", "on"), ("default_transaction_isolation", "read committed")])
        .statement_cache_capacity(MAX_PREPARED)
        .disable_statement_logging();
    options.connect().await.context("cannot connect to the database of the bare writer")
}

/// Writes appends until all senders are dropped.
async fn run(mut connection: impl BareConnection, mut queue: mpsc::Receiver<PendingBareAppend>) {
    let (max_appends, mut waiting) = (StoreSettings::default().max_batch_appends, vec![]);
    while queue.recv_many(&mut waiting, max_appends).await > 0 {
        let (batch, replies): (Vec<_>, Vec<_>) = waiting.drain(..).unzip();
        let outcome = connection.write(&batch).await.map_err(|error| format!("{error:#}"));
        for reply in replies {
            // If the receiver of the outcome is gone, another append has failed, and the scenario is ending.
            let _ = reply.send(outcome.clone());
        }
    }
}

/// A connection to either database.
trait BareConnection: Send + 'static {
    /// Writes the rows of a batch in one transaction.
    fn write(&mut self, batch: &[Append]) -> impl Future<Output = anyhow::Result<()>> + Send;
}

// A macro, because sqlx's generics would require a page of bounds.
macro_rules! bare_connection {
    ($connection:ty, $database:ty, $begin:literal, $now:literal) => {
        impl BareConnection for $connection {
            async fn write(&mut self, batch: &[Append]) -> anyhow::Result<()> {
                let (mut events, mut receipts) = (vec![], vec![]);
                for append in batch {
                    for recorded in append.events.iter() {
                        let frame = std::str::from_utf8(&recorded.frame)?;
                        events.push((append.session.0, recorded.event.seq.cast_signed(), frame));
                    }
                    receipts.extend(append.receipts.iter().map(|receipt| (append.session.0, receipt)));
                }
                let mut transaction = self.begin_with($begin).await?;
                for rows in events.chunks(MAX_ROWS) {
                    let mut insert = QueryBuilder::<$database>::new("insert into events (session, seq, frame) ");
                    insert.push_values(rows, |mut row, (session, seq, frame)| {
                        row.push_bind(session).push_bind(seq).push_bind(frame);
                    });
                    insert.build().execute(&mut *transaction).await?;
                }
                for rows in receipts.chunks(MAX_ROWS) {
                    let mut insert =
                        QueryBuilder::<$database>::new("insert into receipts (session, actor, command, seq) ");
                    insert.push_values(rows, |mut row, (session, receipt)| {
                        row.push_bind(session).push_bind(&*receipt.actor).push_bind(receipt.command.as_str());
                        row.push_bind(receipt.seq.cast_signed());
                    });
                    insert.build().execute(&mut *transaction).await?;
                }
                for appends in batch.chunks(MAX_ROWS) {
                    let mut update = QueryBuilder::<$database>::new(
                        "with fresh (id, head, title, title_folded, updated_at, unfinished, waiting, summary, run_by, \
                         created_by, retention_days, team) as (",
                    );
                    update.push_values(appends, |mut row, append| {
                        let (head, listing) = (append.expected + append.events.len() as u64, &append.listing);
                        row.push_bind(append.session.0).push_bind(head.cast_signed());
                        row.push_bind(&*listing.title).push_bind(listing.title.to_lowercase());
                        row.push_bind(listing.updated_at.millis().cast_signed()).push_bind(listing.unfinished);
                        row.push_bind(listing.waiting).push_bind(&*listing.summary);
                        row.push_bind(listing.run_by.map(|who| who.0));
                        let creator = append.events.first().and_then(|recorded| recorded.event.by.participant_id());
                        row.push_bind(creator.map(|who| who.0)).push_bind(listing.retention_days.map(i64::from));
                        row.push_bind(listing.team);
                    });
                    update.push(concat!(
                        ") update sessions set head = fresh.head, title = fresh.title, \
                         title_folded = fresh.title_folded, updated_at = fresh.updated_at, written_at = ",
                        $now,
                        ", unfinished = fresh.unfinished, waiting = fresh.waiting, summary = fresh.summary, \
                         run_by = fresh.run_by, retention_days = fresh.retention_days, team = fresh.team, \
                         created_by = coalesce(sessions.created_by, fresh.created_by) from fresh \
                         where sessions.id = fresh.id"
                    ));
                    let updated = update.build().execute(&mut *transaction).await?.rows_affected();
                    ensure!(updated == appends.len() as u64, "{updated} of {} sessions exist", appends.len());
                }
                Ok(transaction.commit().await?)
            }
        }
    };
}

bare_connection!(SqliteConnection, Sqlite, "begin immediate", "cast(unixepoch('subsec') * 1000 as integer)");
bare_connection!(PgConnection, Postgres, "begin", "(extract(epoch from clock_timestamp()) * 1000)::bigint");
