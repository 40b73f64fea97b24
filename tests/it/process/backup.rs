//! Backups of a database in use, and servers on these backups, as described in docs/operations.md.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tokio::process::Command;

use super::server::ServerProcess;
use super::viewer::{ViewerState, event};
use crate::fresh_database::FreshDatabase;
use crate::postgres;

const FAST: [(&str, &str); 2] = [("ROUNDTABLE_DEMO__TOKENS_PER_SECOND", "100000"), ("ROUNDTABLE_DEMO__DELAY_MS", "0")];

/// Starts a session and waits for its gate. Returns the session and its log.
async fn start_session_at_gate(server: &ServerProcess) -> (String, Vec<Value>) {
    let session = server.create().await;
    let mut viewer = server.viewer().await;
    viewer.join(&session, 0).await;
    viewer.command(&session, "c1", "say", json!({ "text": "write test cases for refunds" })).await;
    viewer.wait_for(&mut ViewerState::default(), event("gate.opened")).await.expect("asks people");
    let log = server.log(&session).await;
    (session, log)
}

/// Checks that a server on the copy has the copied log, and continues from there. A viewer who has seen later events
/// starts over.
async fn check_copy_continues(copy: FreshDatabase, session: &str, log: &[Value], lost: &ViewerState) {
    let restored = ServerProcess::start_on(copy, &FAST).await;
    assert!(restored.log(session).await.starts_with(log), "the copy has the log");
    let seen = approve(&restored, session).await;
    assert!(seen.seq() >= lost.seq(), "its history has grown past what was lost");
    let known = ViewerState { events: log.to_vec() };
    for (whose, begins_anew) in [(&known, false), (&seen, false), (lost, true)] {
        let joined = restored.viewer().await.rejoin(session, whose).await;
        assert_eq!(joined["snapshot"].is_object(), begins_anew, "{joined}");
    }
}

/// Approves the run and follows it to its end. Returns the events.
async fn approve(server: &ServerProcess, session: &str) -> ViewerState {
    let (mut viewer, mut seen) = (server.viewer().await, ViewerState::default());
    viewer.join(session, 0).await;
    viewer.command(session, "c2", "say", json!({ "text": "approve" })).await;
    viewer.wait_for(&mut seen, event("run.finished")).await.expect("finishes");
    seen
}

#[tokio::test]
async fn a_sqlite_database_is_copied_while_the_server_runs() {
    let server = ServerProcess::start(&FAST).await;
    let (session, log) = start_session_at_gate(&server).await;
    let copy = FreshDatabase::sqlite().await;
    let to = std::path::Path::new(copy.file());
    std::fs::create_dir_all(to.parent().expect("a folder")).expect("makes it");
    let made = server.run_command_output(&["backup", copy.file()]).await;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert_eq!(to.metadata().expect("is there").permissions().mode() & 0o777, 0o600, "nobody else may read it");
    let again = server.run_command_output(&["backup", copy.file()]).await;
    let text = String::from_utf8_lossy(&again.stderr);
    assert!(!again.status.success() && text.contains("already exists"), "nothing is overwritten: {text}");

    // The copy does not contain later events.
    let lost = approve(&server, &session).await;
    check_copy_continues(copy, &session, &log, &lost).await;
}

#[tokio::test]
async fn a_backup_is_private_from_its_first_byte() {
    let server = ServerProcess::start(&FAST).await;
    let folder = tempfile::tempdir().expect("makes a folder");
    let to = folder.path().join("copy.db");
    let seen = to.clone();
    let first = tokio::task::spawn_blocking(move || {
        let end = std::time::Instant::now() + crate::server::TIMEOUT;
        while std::time::Instant::now() < end {
            if let Ok(file) = seen.metadata() {
                return file.permissions().mode() & 0o777;
            }
        }
        panic!("there is no copy");
    });
    let made = server.run_command_output(&["backup", to.to_str().expect("text")]).await;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert_eq!(first.await.expect("sees it"), 0o600);
}

#[tokio::test]
async fn a_copy_that_does_not_fit_leaves_nothing_behind() {
    let server = ServerProcess::start(&FAST).await;
    let folder = tempfile::tempdir().expect("makes a folder");
    let to = folder.path().join("copy.db");
    let made = server.run_on_full_disk(&["backup", to.to_str().expect("text")]).await;
    let text = String::from_utf8_lossy(&made.stderr);
    assert!(!made.status.success() && text.contains("check the free space"), "{text}");
    assert!(!to.exists(), "the next try would say that it already exists");
    let again = server.run_command_output(&["backup", to.to_str().expect("text")]).await;
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
}

#[tokio::test]
async fn a_postgres_database_is_dumped_while_the_server_runs() {
    let server = ServerProcess::start_on(FreshDatabase::postgres().await, &FAST).await;
    let (session, log) = start_session_at_gate(&server).await;
    let refused = server.run_command_output(&["backup", "copy.db"]).await;
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && text.contains("pg_dump"), "{text}");

    let folder = tempfile::tempdir().expect("makes a folder");
    let dump = folder.path().join("roundtable.dump");
    let mut make = Command::new(postgres::program("pg_dump"));
    make.args(["--format=custom", "--file"]).arg(&dump).arg(&server.database().url);
    assert!(make.status().await.expect("runs").success());
    let copy = FreshDatabase::postgres().await;
    let mut restore = Command::new(postgres::program("pg_restore"));
    restore.args(["--exit-on-error", "--no-owner", "--dbname", &copy.url]).arg(&dump);
    assert!(restore.status().await.expect("runs").success());
    check_copy_continues(copy, &session, &log, &approve(&server, &session).await).await;
}

#[tokio::test]
async fn redacted_content_is_in_no_export_and_no_copy() {
    const SECRET: &str = "correct-horse-battery";
    let server = ServerProcess::start(&FAST).await;
    let session = server.create().await;
    let (mut viewer, mut seen) = (server.viewer().await, ViewerState::default());
    viewer.join(&session, 0).await;
    let text = format!("@people it is {SECRET}");
    viewer.command(&session, "c1", "say", json!({ "text": text })).await;
    let posted = viewer.wait_for(&mut seen, event("message.posted")).await.expect("is said");
    viewer.command(&session, "c2", "say", json!({ "text": "@people this stays" })).await;
    viewer.wait_for(&mut seen, event("message.posted")).await.expect("is said");
    let folder = tempfile::tempdir().expect("makes a folder");
    // Makes a backup and an export. Returns the content of both.
    let copies = async |name: &str| {
        let to = folder.path().join(name);
        let made = server.run_command_output(&["backup", to.to_str().expect("text")]).await;
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let export = server.run_command_output(&["export", &session]).await;
        assert!(export.status.success(), "{}", String::from_utf8_lossy(&export.stderr));
        [std::fs::read(to).expect("is there"), export.stdout].map(|copy| String::from_utf8_lossy(&copy).into_owned())
    };
    for copy in copies("before.db").await {
        assert!(copy.contains(SECRET) && copy.contains("this stays"));
    }
    viewer.command(&session, "c3", "redact", json!({ "message": posted["data"]["message"] })).await;
    viewer.wait_for(&mut seen, event("message.redacted")).await.expect("is redacted");
    for copy in copies("after.db").await {
        assert!(!copy.contains(SECRET) && copy.contains("this stays"));
    }
}
