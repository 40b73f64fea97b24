//! The laws of `EventStore` for lists, membership and expiry, on every engine.

use std::collections::BTreeSet;

use roundtable::{
    kernel::{ParticipantId, Role, SessionId},
    store::{AppendError, Listing, SessionListing, SessionQuery},
};

use crate::{
    append_builders::{
        AppendExt, append, listing, new_participant_id, new_session_id, parse_command_id, read_whole_log,
        start_session, timestamp,
    },
    fresh_database::{FreshDatabase, laws},
};

laws! {
    a_list_shows_the_state_after_the_last_append,
    a_participant_sees_only_their_own_sessions,
    a_list_continues_where_it_stopped,
    a_search_finds_titles_in_any_case,
    outstanding_work_is_found,
    an_unused_session_expires_with_its_data,
}

/// Returns a query for all sessions.
pub fn all_sessions() -> SessionQuery {
    SessionQuery {
        asker: crate::append_builders::new_participant_id(),
        everybody: true,
        search: None,
        before: None,
        limit: 1000,
    }
}

fn sessions_of(participant: ParticipantId) -> SessionQuery {
    SessionQuery { asker: participant, everybody: false, ..all_sessions() }
}

fn session_ids(listed: &[SessionListing]) -> Vec<SessionId> {
    listed.iter().map(|listed| listed.session).collect()
}

async fn a_list_shows_the_state_after_the_last_append(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (one, fence) = start_session(&store).await;
    let left = Listing {
        title: "支付接口".into(),
        updated_at: timestamp(77),
        unfinished: true,
        waiting: true,
        summary: r#"{"gates":1}"#.into(),
        run_by: Some(crate::append_builders::new_participant_id()),
        retention_days: Some(30),
        team: Some(uuid::Uuid::from_u128(7)),
    };
    store.append(append(one, fence, 1, &["a", "b"]).with_listing(left.clone())).await.expect("appends");
    let listed = store.list(all_sessions()).await.expect("lists");
    assert_eq!(listed, [SessionListing { session: one, head: 3, role: None, listing: left }]);
}

async fn a_participant_sees_only_their_own_sessions(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let (one, fence) = start_session(&store).await;
    let (two, other) = start_session(&store).await;
    let (ada, bob) = (new_participant_id(), new_participant_id());
    let joined =
        append(one, fence, 1, &["joined"]).with_member(ada, Some(Role::Owner)).with_member(bob, Some(Role::Viewer));
    store.append(joined).await.expect("appends");
    store.append(append(two, other, 1, &["joined"]).with_member(ada, Some(Role::Bot))).await.expect("appends");
    let listed = store.list(sessions_of(bob)).await.expect("lists");
    assert_eq!((session_ids(&listed), listed[0].role), (vec![one], Some(Role::Viewer)));
    let listed = store.list(sessions_of(ada)).await.expect("lists");
    assert_eq!(listed.len(), 2);
    assert!(
        listed.iter().all(|listed| listed.role == Some(if listed.session == one { Role::Owner } else { Role::Bot }))
    );

    // A reader of all sessions sees their own role in each.
    let all = store.list(SessionQuery { everybody: true, ..sessions_of(bob) }).await.expect("lists");
    let mut roles: Vec<_> = all.iter().map(|listed| (listed.session, listed.role)).collect();
    roles.sort_by_key(|(session, _)| *session);
    assert_eq!(roles, [(one, Some(Role::Viewer)), (two, None)]);

    // Within one append, the last change wins.
    let changed =
        append(one, fence, 2, &["changed"]).with_member(bob, Some(Role::Member)).with_member(ada, Some(Role::Viewer));
    store.append(changed.with_member(ada, None)).await.expect("appends");
    assert_eq!(store.role(one, bob).await.expect("reads"), Some(Role::Member));
    assert_eq!(store.role(one, ada).await.expect("reads"), None);
    assert_eq!(session_ids(&store.list(sessions_of(ada)).await.expect("lists")), [two]);
    assert!(store.list(sessions_of(new_participant_id())).await.expect("lists").is_empty());
}

async fn a_list_continues_where_it_stopped(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let ada = new_participant_id();
    let mut expected = Vec::new();
    for n in 0..23 {
        let (session, fence) = start_session(&store).await;
        // Each group of three is changed at the same time.
        let changed =
            append(session, fence, 1, &["x"]).with_member(ada, Some(Role::Owner)).with_listing(listing("t", n / 3));
        store.append(changed).await.expect("appends");
        expected.push((timestamp(n / 3), session));
    }
    expected.sort();
    expected.reverse();
    for query in [all_sessions(), sessions_of(ada)] {
        let (mut seen, mut before) = (Vec::new(), None);
        loop {
            let page = store.list(SessionQuery { before, limit: 5, ..query.clone() }).await.expect("lists");
            let Some(last) = page.last() else { break };
            assert!(page.len() <= 5 && seen.len() < expected.len(), "a list repeats itself");
            before = Some((last.listing.updated_at, last.session));
            seen.extend(page.iter().map(|listed| (listed.listing.updated_at, listed.session)));
        }
        assert_eq!(seen, expected);
    }
}

async fn a_search_finds_titles_in_any_case(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let titles = ["Zahlung ÄNDERN", "支付接口的测试用例", "100% done", "100 percent", "ПЛАТЕЖ_1", "a!b"];
    for title in titles {
        let (session, fence) = start_session(&store).await;
        store.append(append(session, fence, 1, &["x"]).with_listing(listing(title, 5))).await.expect("appends");
    }
    let found = [
        ("ändern", vec![titles[0]]),
        ("接口", vec![titles[1]]),
        ("0%", vec![titles[2]]),
        ("платеж_", vec![titles[4]]),
        ("_", vec![titles[4]]),
        ("A!B", vec![titles[5]]),
        ("100", vec![titles[2], titles[3]]),
        ("nowhere", vec![]),
        ("' or 1=1 --", vec![]),
    ];
    for (search, mut titles) in found {
        let query = SessionQuery { search: Some(search.into()), ..all_sessions() };
        let listed = store.list(query).await.expect("lists");
        let mut seen: Vec<&str> = listed.iter().map(|listed| &*listed.listing.title).collect();
        seen.sort_unstable();
        titles.sort_unstable();
        assert_eq!(seen, titles, "{search}");
    }
}

async fn outstanding_work_is_found(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let mut expected = BTreeSet::new();
    for n in 1..6 {
        let (session, fence) = start_session(&store).await;
        let unfinished = n != 4;
        let left = Listing { unfinished, ..listing("t", n) };
        store.append(append(session, fence, 1, &["x"]).with_listing(left)).await.expect("appends");
        expected.extend(unfinished.then_some(session));
    }
    let found = store.orphans(None, 100).await.expect("reads");
    assert_eq!((found.len(), BTreeSet::from_iter(found)), (4, expected));
    assert_eq!(store.orphans(None, 2).await.expect("reads").len(), 2);
}

async fn an_unused_session_expires_with_its_data(fresh: FreshDatabase) {
    let store = fresh.open().await.events;
    let ada = new_participant_id();
    let mut sessions = Vec::new();
    for n in 0..20 {
        let (session, fence) = start_session(&store).await;
        let left = Listing { unfinished: n == 0, waiting: n == 1, ..listing("t", if n == 2 { 100 } else { 99 }) };
        let last = append(session, fence, 1, &["x"]).with_receipt("u_1", "c_1").with_member(ada, Some(Role::Owner));
        store.append(last.with_listing(left)).await.expect("appends");
        store.save_snapshot(session, 2, "state".into()).await.expect("saves");
        sessions.push((session, fence));
    }
    let claimed = new_session_id();
    store.claim(claimed, None).await.expect("claims");
    let removed = store.remove_expired(timestamp(100)).await.expect("removes");
    assert_eq!(removed, 0, "written just now, by a node whose clock is far behind");
    fresh.backdate_writes().await;
    assert_eq!(store.remove_expired(timestamp(100)).await.expect("removes"), 17);
    let mut left = session_ids(&store.list(sessions_of(ada)).await.expect("lists"));
    left.sort();
    let (kept, deleted) = sessions.split_at(3);
    assert_eq!(left, kept.iter().map(|(session, _)| *session).collect::<Vec<_>>());
    for &(session, fence) in deleted {
        assert!(read_whole_log(&store, session).await.is_empty());
        assert_eq!(store.head(session).await.expect("reads"), 0);
        assert_eq!(store.snapshot(session).await.expect("reads"), None);
        assert_eq!(store.receipt(session, "u_1", &parse_command_id("c_1")).await.expect("reads"), None);
        assert_eq!(store.role(session, ada).await.expect("reads"), None);
        let answer = store.append(append(session, fence, 2, &["too late"])).await;
        assert!(matches!(answer, Err(AppendError::Fenced)), "{answer:?}");
    }
    assert_eq!(store.remove_expired(timestamp(100)).await.expect("removes"), 0);
    assert!(store.claim(claimed, None).await.expect("claims").0 == 2, "what was claimed just now is not old");
}
