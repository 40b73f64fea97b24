//! The laws of `AuditStore`, on every engine.

use std::net::IpAddr;
use std::sync::Arc;

use roundtable::audit::{
    AuditAction, AuditActorKind, AuditOutcome, AuditQuery, AuditStore, NewAuditEntry, RequestOrigin,
};
use roundtable::clock;
use roundtable::identity::{Participant, ServerRole};
use roundtable::kernel::ActorKind;

use crate::append_builders::new_session_id;
use crate::fresh_database::{FreshDatabase, laws};

laws! {
    an_entry_reads_back_as_it_was_written,
    entries_are_filtered_and_paged_newest_first,
    an_entry_is_never_changed,
    only_old_entries_and_excess_denials_are_swept,
}

type SharedAuditStore = Arc<dyn AuditStore>;

async fn open(fresh: &FreshDatabase) -> SharedAuditStore {
    fresh.open().await.audit
}

fn person(name: &str, kind: ActorKind, server_role: ServerRole) -> Participant {
    Participant::new(kind, name, server_role)
}

async fn all_ids(log: &SharedAuditStore) -> Vec<u64> {
    let query = AuditQuery { limit: 10_000, ..AuditQuery::default() };
    log.audit_entries(&query).await.expect("reads").into_iter().map(|entry| entry.id).collect()
}

async fn an_entry_reads_back_as_it_was_written(fresh: FreshDatabase) {
    let log = open(&fresh).await;
    let (guest, session) = (person("王'芳\" 🙂", ActorKind::User, ServerRole::Guest), new_session_id());
    let address: IpAddr = "2001:db8::7".parse().expect("an address");
    let origin = RequestOrigin { address: Some(address), request: Some("0190".into()) };
    let entry = async || {
        let entry = NewAuditEntry::new(AuditAction::LinkUsed).denied().by(&guest).session(session);
        entry.subject("a1b2").detail("role", "viewer").detail("max_uses", 3)
    };
    let before = clock::now();
    let entries = [origin.scope(entry()).await, NewAuditEntry::new(AuditAction::TokenCreated).by_terminal()];
    log.add_audit_entries(&entries).await.expect("writes");
    let query = AuditQuery { limit: 10, ..AuditQuery::default() };
    let read = open(&fresh).await.audit_entries(&query).await.expect("reads");
    let [terminal, entry] = &read[..] else { panic!("two entries: {read:?}") };
    let actor = entry.actor.as_ref().expect("an actor");
    assert_eq!((actor.id, actor.kind, &actor.name), (Some(guest.id), AuditActorKind::Guest, &guest.name));
    assert_eq!((entry.action, entry.outcome), (AuditAction::LinkUsed, AuditOutcome::Denied));
    assert_eq!((entry.address, entry.session), (Some(address), Some(session)));
    assert_eq!((entry.subject.as_deref(), entry.request.as_deref()), (Some("a1b2"), Some("0190")));
    assert_eq!(entry.detail, Some(serde_json::json!({ "role": "viewer", "max_uses": 3 })));
    assert!(entry.at.millis() + 5_000 > before.millis() && terminal.id > entry.id);
    assert_eq!(terminal.actor.as_ref().map(|actor| (actor.id, actor.kind)), Some((None, AuditActorKind::Terminal)));
    assert_eq!((terminal.address, terminal.session, terminal.detail.as_ref()), (None, None, None));
}

async fn entries_are_filtered_and_paged_newest_first(fresh: FreshDatabase) {
    let log = open(&fresh).await;
    let (ann, bob) =
        (person("Ann", ActorKind::User, ServerRole::Admin), person("Bob", ActorKind::Bot, ServerRole::Member));
    let (here, there) = (new_session_id(), new_session_id());
    let mut entries = vec![];
    for n in 0..200 {
        let (who, place) = (if n % 2 == 0 { &ann } else { &bob }, if n % 3 == 0 { here } else { there });
        let action = if n % 5 == 0 { AuditAction::SignIn } else { AuditAction::SessionRead };
        let entry = NewAuditEntry::new(action).by(who).session(place).subject(n % 7);
        entries.push(if n % 11 == 0 { entry.denied() } else { entry });
    }
    log.add_audit_entries(&entries).await.expect("writes");
    let count = async |query: AuditQuery| {
        let query = AuditQuery { limit: 1_000, ..query };
        log.audit_entries(&query).await.expect("reads").len()
    };
    let any = AuditQuery::default;
    assert_eq!(count(any()).await, 200);
    assert_eq!(count(AuditQuery { actor: Some(ann.id), ..any() }).await, 100);
    assert_eq!(count(AuditQuery { session: Some(here), ..any() }).await, 67);
    assert_eq!(count(AuditQuery { action: Some(AuditAction::SignIn), ..any() }).await, 40);
    assert_eq!(count(AuditQuery { outcome: Some(AuditOutcome::Denied), ..any() }).await, 19);
    assert_eq!(count(AuditQuery { subject: Some("0".into()), ..any() }).await, 29);
    let both = AuditQuery { actor: Some(bob.id), action: Some(AuditAction::SignIn), session: Some(there), ..any() };
    assert_eq!(count(both).await, 13);
    let now = clock::now();
    let hour = 3_600_000;
    assert_eq!(count(AuditQuery { since: Some(now.plus(hour)), ..any() }).await, 0);
    assert_eq!(count(AuditQuery { until: Some(now.plus(hour)), ..any() }).await, 200);
    let (mut before, mut pages) = (None, vec![]);
    loop {
        let page = log.audit_entries(&AuditQuery { before, limit: 70, ..any() }).await.expect("reads");
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        pages.extend(page.iter().map(|entry| entry.id));
    }
    assert_eq!(pages, all_ids(&log).await);
    assert!(pages.is_sorted_by(|a, b| a > b));
}

async fn an_entry_is_never_changed(fresh: FreshDatabase) {
    let log = open(&fresh).await;
    log.add_audit_entries(&[NewAuditEntry::new(AuditAction::SignIn)]).await.expect("writes");
    assert!(!fresh.accepts_sql("update audit set action = 'sign_out'").await, "the database refuses it");
    let entries = log.audit_entries(&AuditQuery { limit: 1, ..AuditQuery::default() }).await.expect("reads");
    assert_eq!(entries[0].action, AuditAction::SignIn);
}

async fn only_old_entries_and_excess_denials_are_swept(fresh: FreshDatabase) {
    let log = open(&fresh).await;
    let entry = |n: u32| {
        let entry = NewAuditEntry::new(AuditAction::SignIn).subject(n);
        if n.is_multiple_of(2) { entry.denied() } else { entry }
    };
    log.add_audit_entries(&(0..20).map(entry).collect::<Vec<_>>()).await.expect("writes");
    let ids = all_ids(&log).await;
    let now = clock::now();
    let long_ago = roundtable::kernel::Timestamp::from_millis(1_000);
    assert_eq!(log.remove_audit_entries(long_ago, 10).await.expect("sweeps"), 0);
    assert_eq!(log.remove_audit_entries(long_ago, 4).await.expect("sweeps"), 6, "the oldest denials");
    let left: Vec<_> =
        ids.iter().copied().enumerate().filter(|(n, _)| *n < 8 || n % 2 == 0).map(|(_, id)| id).collect();
    assert_eq!(all_ids(&log).await, left);
    assert_eq!(log.remove_audit_entries(now.plus(3_600_000), 100).await.expect("sweeps"), 14);
    // Numbers are never reused, so a gap at the end shows that something was removed.
    log.add_audit_entries(&[entry(1)]).await.expect("writes");
    assert!(all_ids(&log).await[0] > ids[0]);
}
