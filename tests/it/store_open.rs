//! Opening a store, and the messages that an operator gets if it fails.

use std::os::unix::fs::PermissionsExt;

use roundtable::{
    identity::{CredentialKind, Secret},
    store::{OpenError, StoreSettings, open},
};

use crate::{
    append_builders::{append, read_whole_log, start_session},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    a_database_can_be_opened_repeatedly,
    many_processes_can_open_a_new_database_at_once,
    a_compatible_newer_database_is_used,
    a_newer_database_is_left_alone,
    a_foreign_database_is_left_alone,
}

async fn open_error(url: &str) -> OpenError {
    let settings = StoreSettings { connect_ms: 2_000, ..StoreSettings::default() };
    open(url, &settings).await.expect_err("does not open")
}

async fn a_database_can_be_opened_repeatedly(fresh: FreshDatabase) {
    let (session, mut fence) = start_session(&fresh.open().await.events).await;
    for expected in 1..4 {
        let store = fresh.open().await.events;
        let higher = store.claim(session, None).await.expect("claims");
        assert!(higher > fence, "a claim outlives its process");
        fence = higher;
        store.append(append(session, fence, expected, &["again"])).await.expect("appends");
        assert_eq!(read_whole_log(&store, session).await.len() as u64, expected + 1);
    }
}

async fn many_processes_can_open_a_new_database_at_once(fresh: FreshDatabase) {
    let opened = futures_util::future::join_all((0..6).map(|_| fresh.open())).await;
    for engines in &opened {
        start_session(&engines.events).await;
        let nobody = engines.identities.authenticate(Secret::random("token").hash(), CredentialKind::Token);
        assert_eq!(nobody.await.expect("reads"), None);
    }
    assert_eq!(opened[0].events.list(crate::store_lists::all_sessions()).await.expect("lists").len(), 6);
}

/// SQL statement that records a migration of a later version.
const LATER: &str = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
    select 9999, 'later', success, checksum, 0 from _sqlx_migrations where version = 1;";

async fn a_compatible_newer_database_is_used(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    fresh.execute_sql(LATER).await;
    fresh.execute_sql("alter table sessions add column later integer; create table later (id integer);").await;
    // A running node keeps working, and so does a node that is restarted.
    start_session(&store).await;
    start_session(&fresh.open().await.events).await;
    start_session(&fresh.open().await.events).await;
}

async fn a_newer_database_is_left_alone(fresh: FreshDatabase) {
    drop(fresh.open().await);
    fresh.execute_sql(LATER).await;
    fresh.execute_sql("update compatibility set oldest = 9999").await;
    let error = open_error(&fresh.url).await;
    assert!(matches!(error, OpenError::Newer(9999)), "{error:?}");
    assert!(error.to_string().contains("newer Roundtable"), "{error}");
}

async fn a_foreign_database_is_left_alone(fresh: FreshDatabase) {
    drop(fresh.open().await);
    fresh.execute_sql("update _sqlx_migrations set checksum = '123' where version = 2").await;
    let error = open_error(&fresh.url).await;
    assert!(matches!(error, OpenError::Foreign(2)), "{error:?}");
}

#[tokio::test]
async fn the_database_file_is_private() {
    let fresh = FreshDatabase::sqlite().await;
    let store = fresh.open().await.events;
    start_session(&store).await;
    let file = std::path::Path::new(fresh.url.trim_start_matches("sqlite://"));
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("is there").permissions().mode() & 0o777;
    assert_eq!(mode(file.parent().expect("has one")), 0o700);
    for entry in file.parent().expect("has one").read_dir().expect("reads") {
        let path = entry.expect("reads").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[tokio::test]
async fn errors_tell_the_operator_what_to_do() {
    let folder = tempfile::tempdir().expect("makes a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "not a database, but a text that is longer than the header of one would be".repeat(20))
        .expect("writes");
    let cases = [
        ("mysql://root:secret@localhost/x".into(), "database_url"),
        ("roundtable.db".into(), "database_url"),
        (format!("sqlite://{}/below/roundtable.db", file.display()), "set data_dir"),
        (format!("sqlite://{}", file.display()), "file is not a database"),
        (format!("sqlite://{}", folder.path().display()), "cannot connect"),
        ("postgres://someone:secret@127.0.0.1:1/none".into(), "check that it runs"),
    ];
    for (url, text) in cases {
        let error = open_error(&url).await.to_string();
        assert!(error.contains(text), "{url} is answered: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
