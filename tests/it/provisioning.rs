//! People who are created, changed and disabled by an import.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::StatusCode;
use roundtable::audit::{AuditAction, AuditQuery};
use roundtable::identity::{
    ExternalAccount, ExternalIdentityStore, LinkedParticipant, Participant, SecretHash, ServerRole,
};
use roundtable::kernel::{ParticipantId, Timestamp};
use roundtable::provisioning::Provisioner;
use roundtable::store_error::StoreError;
use serde_json::{Value, json};

use crate::command_line::{roundtable, run_command};
use crate::links::{link, secret};
use crate::server::{Person, Server, with_timeout};
use crate::socket_harness::WebSocketClient;

const PATH: &str = "/api/v1/people/import";

async fn import(server: &Server, by: &Person, body: Value) -> Vec<Value> {
    let (status, answer) = server.post(by, PATH, &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer["people"].as_array().expect("a list").clone()
}

async fn find_linked(server: &Server, subject: &str) -> Option<LinkedParticipant> {
    server.node.external.linked_participant(ExternalAccount::new("import", subject)).await.expect("reads")
}

async fn count(server: &Server, action: AuditAction) -> usize {
    with_timeout(server.node.audit.flush()).await;
    let query = AuditQuery { action: Some(action), limit: 100, ..AuditQuery::default() };
    server.node.audit.store().audit_entries(&query).await.expect("reads").len()
}

#[tokio::test]
async fn an_import_creates_changes_and_disables_and_is_idempotent() {
    let server = Server::start().await;
    let admin = server.person("Root", ServerRole::Admin).await;
    let list = json!({ "people": [{ "subject": "u1", "name": " Ann " }, { "subject": "u2", "name": "Bob", "role": "guest" }] });
    let trial = json!({ "people": list["people"], "dry_run": true });
    assert_eq!(
        import(&server, &admin, trial).await,
        [json!({ "outcome": "created" }), json!({ "outcome": "created" })]
    );
    assert_eq!(find_linked(&server, "u1").await, None);
    let created = import(&server, &admin, list.clone()).await;
    let ann = find_linked(&server, "u1").await.expect("is there");
    assert_eq!((&*ann.participant.name, ann.participant.server_role), ("Ann", ServerRole::Member));
    assert_eq!(created[0], json!({ "id": ann.participant.id, "outcome": "created" }));
    let again = import(&server, &admin, list).await;
    assert!(again.iter().all(|person| person["outcome"] == "unchanged"), "{again:?}");

    let changed = json!({ "people": [
        { "subject": "u1", "role": "admin", "active": false },
        { "subject": "u2", "name": "Robert" },
    ] });
    let changed = import(&server, &admin, changed).await;
    assert!(changed.iter().all(|person| person["outcome"] == "changed"), "{changed:?}");
    let ann = find_linked(&server, "u1").await.expect("is there");
    assert!(ann.disabled && ann.participant.server_role == ServerRole::Admin);
    assert_eq!(&*find_linked(&server, "u2").await.expect("is there").participant.name, "Robert");
    import(&server, &admin, json!({ "people": [{ "subject": "u1", "name": "Anna", "active": true }] })).await;
    let ann = find_linked(&server, "u1").await.expect("is there");
    assert!(!ann.disabled && &*ann.participant.name == "Anna");
    let actions = [
        AuditAction::ParticipantCreated,
        AuditAction::ServerRoleChanged,
        AuditAction::ParticipantDisabled,
        AuditAction::ParticipantRenamed,
    ];
    for (action, expected) in actions.into_iter().zip([2, 1, 1, 2]) {
        assert_eq!(count(&server, action).await, expected, "{action:?}");
    }
}

#[tokio::test]
async fn an_import_with_errors_changes_nothing_and_reports_all_errors() {
    let server = Server::start().await;
    let admin = server.person("Root", ServerRole::Admin).await;
    let list = json!({ "people": [
        { "subject": "u1", "name": "Ann" },
        { "subject": "", "name": "Bob" },
        { "subject": "u1", "name": "Eve" },
        { "subject": "u3", "name": "admin" },
        { "subject": "u4" },
    ] });
    let (status, refused) = server.post(&admin, PATH, &list).await;
    assert_eq!((status, &refused["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_argument")));
    let wrong = refused["details"]["errors"].as_array().expect("a list");
    let wrong: Vec<_> = wrong.iter().map(|error| (error["entry"].clone(), error["code"].clone())).collect();
    let expected = [(2, "invalid_subject"), (3, "duplicate_subject"), (4, "invalid_name"), (5, "name_required")];
    assert_eq!(wrong, expected.map(|(entry, code)| (json!(entry), json!(code))));
    assert_eq!(find_linked(&server, "u1").await, None);
    let many: Vec<_> = (0..501).map(|n| json!({ "subject": format!("u{n}"), "name": "Ann" })).collect();
    let (status, _) = server.post(&admin, PATH, &json!({ "people": many })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_new_name_that_resembles_one_in_a_session_of_the_person_is_refused() {
    let server = Server::start().await;
    let admin = server.person("Root", ServerRole::Admin).await;
    let people = [server.person("Ann", ServerRole::Member).await, server.person("Paul", ServerRole::Member).await];
    for (person, subject) in people.iter().zip(["u1", "u2"]) {
        let account = ExternalAccount::new("import", subject);
        assert!(server.node.external.link_participant(account, person.participant.id).await.expect("links"));
    }
    let [ann, paul] = people;
    let session = server.session(&ann, &json!({})).await;
    let made = link(&server, &ann, session, json!({ "role": "member" })).await;
    let (status, joined) = server.post(&paul, "/api/v1/invites/accept", &json!({ "secret": secret(&made) })).await;
    assert_eq!(status, StatusCode::OK, "{joined}");
    // The first name has a Cyrillic letter, and the second is in a different case. The third person shares no session
    // with anybody.
    let list = json!({ "people": [
        { "subject": "u1", "name": "P\u{430}ul" },
        { "subject": "u2", "name": "ANN" },
        { "subject": "u3", "name": "P\u{430}ul" },
    ] });
    let (status, refused) = server.post(&admin, PATH, &list).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{refused}");
    let wrong = refused["details"]["errors"].as_array().expect("a list");
    let wrong: Vec<_> = wrong.iter().map(|error| (error["entry"].clone(), error["code"].clone())).collect();
    assert_eq!(wrong, [1, 2].map(|entry| (json!(entry), json!("lookalike_name"))));
    assert_eq!(&*find_linked(&server, "u1").await.expect("is there").participant.name, "Ann");
    // Clients distinguish people with the same spelling by their ids.
    let list = json!({ "people": [{ "subject": "u1", "name": "Paul" }, { "subject": "u2", "name": "P\u{430}ula" }] });
    let renamed = import(&server, &admin, list).await;
    assert!(renamed.iter().all(|person| person["outcome"] == "changed"), "{renamed:?}");
}

#[tokio::test]
async fn participants_disabled_by_an_import_lose_their_sockets_within_a_second() {
    let server = Server::start().await;
    let admin = server.person("Root", ServerRole::Admin).await;
    let ann = server.person("Ann", ServerRole::Member).await;
    let account = ExternalAccount::new("import", "u1");
    assert!(server.node.external.link_participant(account, ann.participant.id).await.expect("links"));
    let mut socket = WebSocketClient::connect_to_server(&server, &ann).await;
    let started = std::time::Instant::now();
    import(&server, &admin, json!({ "people": [{ "subject": "u1", "active": false }] })).await;
    assert_eq!(socket.close_code().await, 4501);
    assert!(started.elapsed() < std::time::Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test]
async fn the_command_reads_csv_and_json() {
    let data = tempfile::tempdir().expect("a folder");
    run_command(&data, &["token", "create", "--name", "Root"]).await;
    let run = async |name: &str, text: &str, more: &[&str]| {
        std::fs::write(data.path().join(name), text).expect("writes");
        run_command(&data, &[&["people", "import", name], more].concat()).await
    };
    let csv = "subject,name,role,active\nu1,Ann,admin,\nu2,Bob,,false\n";
    assert_eq!(run("people.csv", csv, &["--dry-run"]).await, "would be created 2, changed 0, unchanged 0\n");
    assert_eq!(run("people.csv", csv, &[]).await, "created 2, changed 0, unchanged 0\n");
    let json = r#"[{ "subject": "u1", "role": "member" }, { "subject": "u2" }]"#;
    assert_eq!(run("people.json", json, &[]).await, "created 0, changed 1, unchanged 1\n");
    let listed = run_command(&data, &["participant", "list"]).await;
    let line = |name: &str| listed.lines().find(|line| line.ends_with(name)).expect("is listed").to_owned();
    assert!(line("Ann").contains("member") && !line("Bob").contains(" -  Bob"), "{listed}");
    let entries = run_command(&data, &["audit", "list"]).await;
    assert_eq!(entries.matches("participant_created").count(), 2, "{entries}");
    assert_eq!(entries.matches("server_role_changed").count(), 1, "{entries}");

    std::fs::write(data.path().join("bad.csv"), "subject,name\nu1,Ann\nu1,Ann\nu3,\n").expect("writes");
    let refused = with_timeout(roundtable(&data, &["people", "import", "bad.csv"]).output()).await.expect("runs");
    let stderr = String::from_utf8(refused.stderr).expect("text");
    assert!(!refused.status.success() && stderr.contains("entry 2") && stderr.contains("entry 3"), "{stderr}");
}

#[tokio::test]
async fn nobody_can_disable_themselves_by_an_import() {
    let server = Server::start().await;
    let admin = server.person("Root", ServerRole::Admin).await;
    let account = ExternalAccount::new("import", "u1");
    assert!(server.node.external.link_participant(account, admin.participant.id).await.expect("links"));
    let (status, _) = server.post(&admin, PATH, &json!({ "people": [{ "subject": "u1", "active": false }] })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

/// A store of external identities to which only one account can be added.
struct FailingIdentityStore {
    inner: Arc<dyn ExternalIdentityStore>,
    added: AtomicBool,
}

#[async_trait]
impl ExternalIdentityStore for FailingIdentityStore {
    async fn linked_participant(&self, account: ExternalAccount) -> Result<Option<LinkedParticipant>, StoreError> {
        self.inner.linked_participant(account).await
    }

    async fn add_linked_participant(
        &self,
        account: ExternalAccount,
        participant: &Participant,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        if self.added.swap(true, Ordering::SeqCst) {
            return Err(StoreError::unavailable("the database is gone"));
        }
        self.inner.add_linked_participant(account, participant, at).await
    }

    async fn link_participant(&self, account: ExternalAccount, id: ParticipantId) -> Result<bool, StoreError> {
        self.inner.link_participant(account, id).await
    }

    async fn begin_sign_in(&self, attempt: SecretHash, return_to: &str, lasts: Duration) -> Result<(), StoreError> {
        self.inner.begin_sign_in(attempt, return_to, lasts).await
    }

    async fn finish_sign_in(&self, attempt: SecretHash) -> Result<Option<String>, StoreError> {
        self.inner.finish_sign_in(attempt).await
    }

    async fn remove_expired_sign_ins(&self, now: Timestamp) -> Result<(), StoreError> {
        self.inner.remove_expired_sign_ins(now).await
    }
}

#[tokio::test]
async fn an_import_that_stops_halfway_leaves_audit_entries_of_its_changes() {
    let server = Server::start().await;
    let external = FailingIdentityStore { inner: server.node.external.clone(), added: AtomicBool::new(false) };
    let provisioner = Provisioner {
        identities: &*server.node.identities,
        external: &external,
        events: &*server.node.events,
        issuer: None,
        asker: None,
        trial: false,
    };
    let entry = |subject: &str| serde_json::from_value(json!({ "subject": subject, "name": "Ann" })).expect("an entry");
    let list = provisioner.apply(vec![entry("u1"), entry("u2")]).await.expect("reads").expect("has no errors");
    list.people.expect_err("it stopped");
    assert_eq!(list.audit.len(), 1, "{:?}", list.audit);
    assert!(find_linked(&server, "u1").await.is_some() && find_linked(&server, "u2").await.is_none());
}
