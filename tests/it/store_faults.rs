//! The store when the database is slow, rejects statements or disconnects, on every engine.

use std::{future::pending, sync::mpsc::channel, thread, time::Duration};

use futures_util::future::{join, join_all, join3};
use roundtable::node_id::NodeId;
use roundtable::store::{AppendError, ClaimError, LiveNode, StoreSettings, open};

use tempfile::TempDir;
use tokio::io::copy_bidirectional;
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::{
    append_builders::{AppendExt, append, new_session_id, parse_command_id, read_whole_log, start_session},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    appends_that_wait_share_one_commit,
    a_command_that_is_sent_concurrently_counts_once,
    a_failed_commit_is_not_acknowledged,
    a_hanging_database_is_an_error,
    a_full_queue_makes_callers_wait_and_loses_none,
}

async fn appends_that_wait_share_one_commit(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let sessions = join_all((0..101).map(|_| start_session(&store))).await;
    let (before, busy) = (fresh.commits().await, fresh.lock().await);
    // The first append finds the database locked; the others queue behind it.
    let appends = sessions.iter().map(|&(session, fence)| store.append(append(session, fence, 1, &["said"])));
    let (answers, ()) = join(join_all(appends), busy.release()).await;
    answers.into_iter().for_each(|answer| answer.expect("appends"));
    let commits = fresh.commits().await - before;
    assert!((1..=2).contains(&commits), "101 appends took {commits} commits");
}

async fn a_command_that_is_sent_concurrently_counts_once(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let ((first, other), (session, fence)) = (start_session(&store).await, start_session(&store).await);
    let busy = fresh.lock().await;
    // All other appends are collected in one batch behind the first.
    let ahead = store.append(append(first, other, 1, &["ahead"]));
    let say = |_| store.append(append(session, fence, 1, &["said", "routed"]).with_receipt("u_1", "c_1"));
    let (ahead, answers, ()) = join3(ahead, join_all((0..10).map(say)), busy.release()).await;
    ahead.expect("appends");
    let (applied, repeats): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(applied.len(), 1);
    for answer in repeats {
        assert!(matches!(answer, Err(AppendError::Repeated { seq: 3 })), "{answer:?}");
    }
    assert_eq!(read_whole_log(&store, session).await.len(), 3);
}

async fn a_failed_commit_is_not_acknowledged(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let sessions = join_all((0..20).map(|_| start_session(&store))).await;
    fresh.fail_commits_with("unwelcome").await;
    for (session, fence) in sessions {
        let answers = join(
            store.append(append(session, fence, 1, &["unwelcome"]).with_receipt("u_1", "c_1")),
            store.append(append(session, fence, 1, &["welcome"]).with_receipt("u_1", "c_2")),
        );
        let (unwelcome, welcome) = answers.await;
        assert!(matches!(unwelcome, Err(AppendError::Unavailable(_))), "{unwelcome:?}");
        let log = read_whole_log(&store, session).await;
        assert_eq!(log.len(), if welcome.is_ok() { 2 } else { 1 }, "{welcome:?}");
        assert_eq!(store.receipt(session, "u_1", &parse_command_id("c_1")).await.expect("reads"), None);
        // The store still works afterwards.
        store.append(append(session, fence, log.len() as u64, &["welcome"])).await.expect("appends");
    }
}

async fn a_hanging_database_is_an_error(fresh: FreshDatabase) {
    let (session, fence) = start_session(&fresh.open().await.events).await;
    let short = StoreSettings { reply_ms: 300, connect_ms: 300, sqlite_busy_ms: 200, ..StoreSettings::default() };
    let store = open(&fresh.url, &short).await.expect("opens").events;
    let busy = fresh.lock().await;
    let appends = join_all((0..3).map(|_| store.append(append(session, fence, 1, &["said"]))));
    for answer in appends.await {
        assert!(matches!(answer, Err(AppendError::Unavailable(_))), "{answer:?}");
    }
    store.claim(session, None).await.expect_err("cannot write");
    assert_eq!(store.head(session).await.expect("can be read"), 1);
    busy.release().await;
    let store = fresh.open().await.events;
    let fence = store.claim(session, None).await.expect("claims");
    let head = store.head(session).await.expect("reads");
    assert!(head <= 2, "at most one of them happened: each expected the same head");
    store.append(append(session, fence, head, &["said"])).await.expect("appends");
}

async fn a_full_queue_makes_callers_wait_and_loses_none(fresh: FreshDatabase) {
    let narrow = StoreSettings {
        max_waiting_appends: 1,
        max_batch_appends: 3,
        max_read_connections: 1,
        ..StoreSettings::default()
    };
    let store = open(&fresh.url, &narrow).await.expect("opens").events;
    let sessions = join_all((0..10).map(|_| start_session(&store))).await;
    for expected in 1..10 {
        let appends =
            sessions.iter().map(|&(session, fence)| store.append(append(session, fence, expected, &["said"])));
        join_all(appends).await.into_iter().for_each(|answer| answer.expect("appends"));
    }
    for (session, _) in sessions {
        assert_eq!(read_whole_log(&store, session).await.len(), 10);
    }
}

#[tokio::test]
async fn a_lost_connection_costs_one_answer_and_not_the_store() {
    let fresh = FreshDatabase::postgres().await;
    let store = fresh.open().await.events;
    let (session, mut fence) = start_session(&store).await;
    for _ in 0..5 {
        fresh.drop_connections().await;
        let log = read_head_with_retry(&store, session).await;
        let answer = store.append(append(session, fence, log, &["said"])).await;
        assert!(matches!(answer, Ok(()) | Err(AppendError::Unavailable(_))), "{answer:?}");
        fence = store.claim(session, None).await.expect("claims");
    }
    let log = read_whole_log(&store, session).await.len() as u64;
    store.append(append(session, fence, log, &["said"])).await.expect("appends");
}

#[tokio::test]
async fn an_abandoned_statement_does_not_hold_a_connection() {
    let fresh = FreshDatabase::postgres().await;
    let one = StoreSettings { max_read_connections: 1, connect_ms: 3_000, ..StoreSettings::default() };
    let store = open(&fresh.url, &one).await.expect("opens");
    let (session, _) = start_session(&store.events).await;
    let silent = fresh.lock_table("sessions").await;
    tokio::select! {
        head = store.events.head(session) => panic!("it hangs: {head:?}"),
        // The read is dropped here, as if the client had hung up.
        () = fresh.wait_for_lock_waits(1) => {}
    }
    let snapshot = store.events.snapshot(session).await.expect("there is a connection for others");
    assert_eq!(snapshot, None);
    silent.release().await;
}

#[tokio::test]
async fn a_lease_is_renewed_while_all_other_statements_wait() {
    let fresh = FreshDatabase::postgres().await;
    let short = StoreSettings { max_postgres_write_connections: 2, connect_ms: 3_000, ..StoreSettings::default() };
    let store = open(&fresh.url, &short).await.expect("opens");
    let node = LiveNode { node: NodeId::fresh(), name: "n".into(), version: "1".into(), bus: None };
    store.leases.renew(&node, Duration::from_secs(60)).await.expect("begins");
    let busy = fresh.lock().await;
    let claims = async { join_all((0..4).map(|_| store.events.claim(new_session_id(), Some(node.node)))).await };
    let renewed = async {
        fresh.wait_for_lock_waits(2).await;
        let renewed = store.leases.renew(&node, Duration::from_secs(60)).await;
        busy.release().await;
        renewed
    };
    let (_, renewed) = join(claims, renewed).await;
    renewed.expect("is not behind the claims");
}

#[tokio::test]
async fn appends_continue_while_claims_wait_for_rows_of_a_paused_node() {
    let fresh = FreshDatabase::postgres().await;
    let short = StoreSettings { max_postgres_write_connections: 2, connect_ms: 3_000, ..StoreSettings::default() };
    let (paused, store) = (fresh.open().await, open(&fresh.url, &short).await.expect("opens"));
    let (session, fence) = start_session(&store.events).await;
    let mut left = vec![];
    for _ in 0..4 {
        left.push(start_session(&paused.events).await.0);
    }
    let locked = fresh.lock_sessions(&left).await;
    let claims = join_all(left.iter().map(|session| store.events.claim(*session, None)));
    let appended = async {
        fresh.wait_for_lock_waits(2).await;
        store.events.append(append(session, fence, 1, &["said"])).await
    };
    let (claims, appended) = join(claims, appended).await;
    appended.expect("is not behind the claims");
    for claim in claims {
        // The claims do not wait for the statement timeout, and have not taken effect, so they can be retried.
        let Err(ClaimError::Unavailable(why)) = claim else { panic!("{claim:?}") };
        assert!(why.to_string().contains("lock timeout") || why.to_string().contains("timed out"), "{why}");
    }
    locked.release().await;
    store.events.claim(left[0], None).await.expect("is free");
}

#[test]
fn a_node_that_freezes_in_a_transaction_does_not_keep_its_locks() {
    let runtime = || Builder::new_current_thread().enable_all().build().expect("a runtime");
    let healthy = runtime();
    let fresh = &healthy.block_on(FreshDatabase::postgres());
    let short = StoreSettings { reply_ms: 5_000, ..StoreSettings::default() };
    let store = healthy.block_on(open(&fresh.url, &short)).expect("opens").events;
    let (session, fence) = healthy.block_on(start_session(&store));
    let locked = healthy.block_on(fresh.lock_sessions(&[session]));
    thread::scope(|scope| {
        let ((stands, still), (go_on, goes)) = (channel(), channel::<()>());
        scope.spawn(move || {
            runtime().block_on(async {
                let paused = fresh.open().await.events;
                let stand_still = async {
                    fresh.wait_for_lock_waits(1).await;
                    stands.send(()).expect("is heard");
                    // Blocks the whole runtime, as SIGSTOP would: the append gets the row lock next, and then makes no
                    // progress.
                    let _ = goes.recv();
                };
                join(paused.append(append(session, fence, 1, &["said"])), stand_still).await
            })
        });
        still.recv().expect("waits for the row");
        healthy.block_on(locked.release());
        let claimed = healthy.block_on(store.claim(session, None));
        go_on.send(()).expect("waits");
        claimed.expect("the database has ended its transaction");
    });
}

#[tokio::test]
async fn appends_do_not_wait_for_rows_that_reference_their_session() {
    let fresh = FreshDatabase::postgres().await;
    let short = StoreSettings { reply_ms: 3_000, ..StoreSettings::default() };
    let store = open(&fresh.url, &short).await.expect("opens").events;
    let (session, fence) = start_session(&store).await;
    // A file or an invitation that is being written.
    let busy = fresh.insert_uncommitted_reference(session).await;
    store.append(append(session, fence, 1, &["said"])).await.expect("appends");
    busy.release().await;
}

#[tokio::test]
async fn a_connection_that_goes_silent_when_returned_blocks_nobody() {
    let fresh = FreshDatabase::postgres().await;
    let way = PostgresProxy::start(&fresh).await;
    let one = StoreSettings { max_read_connections: 1, reply_ms: 300, connect_ms: 5_000, ..StoreSettings::default() };
    let store = open(&way.url, &one).await.expect("opens").events;
    let (session, _) = start_session(&store).await;
    // The test's only thread has not had a chance to check the health of the connection yet.
    store.head(session).await.expect("reads");
    way.silence();
    assert_eq!(store.head(session).await.expect("has another connection"), 1);
}

/// A proxy to PostgreSQL whose connections can go silent, as if the machine of PostgreSQL vanished without notice.
struct PostgresProxy {
    url: String,
    silent: watch::Sender<u64>,
    _folder: TempDir,
}

impl PostgresProxy {
    async fn start(fresh: &FreshDatabase) -> Self {
        let folder = tempfile::tempdir().expect("makes a folder");
        let (url, there) = fresh.url.split_once("?host=").expect("a socket");
        let (url, there) = (format!("{url}?host={}", folder.path().display()), format!("{there}/.s.PGSQL.5432"));
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).expect("listens");
        let silent = watch::Sender::new(0);
        let silences = silent.clone();
        tokio::spawn(async move {
            while let Ok((mut here, _)) = listener.accept().await {
                let mut silenced = silences.subscribe();
                let there = there.clone();
                tokio::spawn(async move {
                    let mut there = UnixStream::connect(there).await.expect("is there");
                    tokio::select! {
                        biased;
                        _ = silenced.changed() => pending().await,
                        _ = copy_bidirectional(&mut here, &mut there) => {}
                    }
                });
            }
        });
        Self { url, silent, _folder: folder }
    }

    /// Silences the existing connections.
    fn silence(&self) {
        self.silent.send_modify(|times| *times += 1);
    }
}

#[tokio::test]
async fn a_busy_connection_pool_is_not_a_silent_database() {
    let fresh = FreshDatabase::postgres().await;
    let one = StoreSettings { max_read_connections: 1, connect_ms: 3_000, ..StoreSettings::default() };
    let store = open(&fresh.url, &one).await.expect("opens");
    let (session, fence) = start_session(&store.events).await;
    let slow = fresh.lock_table("events").await;
    let reading = store.events.read(session, 0, 10);
    let others = async {
        fresh.wait_for_lock_waits(1).await;
        store.events.head(session).await.expect_err("has no connection in time");
        store.vitals.check().await.expect("the database is well");
        slow.release().await;
    };
    let (read, ()) = join(reading, others).await;
    assert_eq!(read.expect("was slow").len(), 1);
    assert_eq!(store.events.head(session).await.expect("goes on"), 1);
    store.events.append(append(session, fence, 1, &["said"])).await.expect("appends");
}

#[tokio::test]
async fn a_read_only_database_is_unhealthy_until_it_is_writable() {
    let fresh = FreshDatabase::postgres().await;
    let store = fresh.open().await;
    let (session, fence) = start_session(&store.events).await;
    fresh.set_writable(false).await;
    let refused = async || store.events.append(append(session, fence, 1, &["said"])).await.expect_err("is read-only");
    assert!(matches!(refused().await, AppendError::Unavailable(_)));
    for _ in 0..2 {
        store.vitals.check().await.expect_err("answers, and takes nothing");
    }
    fresh.set_writable(true).await;
    let before = fresh.table_bytes("nodes").await;
    store.vitals.check().await.expect("is well");
    // A full disk still accepts compressed data and reused pages.
    let after = fresh.table_bytes("nodes").await;
    assert!(after >= before + 65_536, "what was tried needs pages of its own: {before}, {after}");
    store.vitals.check().await.expect("is well");
    assert_eq!(fresh.table_bytes("nodes").await, after, "and is tried once");
    store.events.append(append(session, fence, 1, &["said"])).await.expect("appends");
}

/// Returns the head. If a connection was just cut, the first read can fail and is retried.
async fn read_head_with_retry(
    store: &std::sync::Arc<dyn roundtable::store::EventStore>,
    session: roundtable::kernel::SessionId,
) -> u64 {
    match store.head(session).await {
        Ok(head) => head,
        Err(_) => store.head(session).await.expect("reads"),
    }
}
