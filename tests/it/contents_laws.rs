//! The laws of `ContentStore`, on every engine.

use std::sync::Arc;

use roundtable::files::{ContentStore, Upload};
use roundtable::identity::{ServerRole, create_participant};
use roundtable::kernel::{ActorKind, SessionId, Timestamp};
use uuid::Uuid;

use crate::{
    append_builders::{new_session_id, start_session},
    fresh_database::{FreshDatabase, laws},
};

laws! {
    content_reads_back_byte_for_byte_whole_and_in_slices,
    contents_belong_to_one_session_and_are_deleted_with_it,
    old_unreferenced_contents_are_removed,
    uploads_of_a_participant_are_bounded,
}

const LATER: Timestamp = Timestamp::MAX;

async fn read_all(contents: &dyn ContentStore, session: SessionId, digest: &str) -> Option<Vec<u8>> {
    contents.slice(session, digest, 0, 1 << 40).await.expect("reads")
}

async fn content_reads_back_byte_for_byte_whole_and_in_slices(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (session, _) = start_session(&engines.events).await;
    let content: Vec<u8> = (0..3_000_000u32).map(|n| (n * 31 / 7) as u8).collect();
    engines.contents.put(session, "d", &content).await.expect("keeps");
    engines.contents.put(session, "empty", b"").await.expect("keeps");
    engines.contents.put(session, "d", &content).await.expect("keeps it again");
    for engines in [engines.clone(), fresh.open().await] {
        assert!(read_all(&*engines.contents, session, "d").await == Some(content.clone()));
        assert_eq!(read_all(&*engines.contents, session, "empty").await, Some(vec![]));
        assert_eq!(read_all(&*engines.contents, session, "other").await, None);
        let slice = async |from, most| engines.contents.slice(session, "d", from, most).await.expect("reads");
        assert_eq!(slice(0, 3).await.as_deref(), Some(&content[..3]));
        assert_eq!(slice(1_999_999, 5).await.as_deref(), Some(&content[1_999_999..2_000_004]));
        assert_eq!(slice(2_999_999, 5).await.as_deref(), Some(&content[2_999_999..]));
        assert_eq!(slice(3_000_000, 5).await.as_deref(), Some(&[][..]));
    }
}

async fn contents_belong_to_one_session_and_are_deleted_with_it(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let ((one, _), (other, _)) = (start_session(&engines.events).await, start_session(&engines.events).await);
    engines.contents.put(one, "d", b"one").await.expect("keeps");
    engines.contents.put(other, "d", b"other").await.expect("keeps");
    assert_eq!(read_all(&*engines.contents, one, "d").await.as_deref(), Some(&b"one"[..]));
    assert!(engines.contents.put(new_session_id(), "d", b"x").await.is_err(), "there is no such session");
    engines.events.remove_expired(LATER).await.expect("removes");
    assert_eq!(read_all(&*engines.contents, one, "d").await, None);
    assert_eq!(read_all(&*engines.contents, other, "d").await, None);
}

async fn old_unreferenced_contents_are_removed(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let (session, _) = start_session(&engines.events).await;
    let contents = &*engines.contents;
    contents.put(session, "named", b"1").await.expect("keeps");
    contents.put(session, "lost", b"2").await.expect("keeps");
    let young = Timestamp::from_millis(1);
    assert!(contents.sessions_with_unreferenced(young).await.expect("looks").is_empty());
    assert_eq!(contents.delete_unreferenced(session, &[], young).await.expect("settles"), 0, "it is young");
    assert_eq!(contents.sessions_with_unreferenced(LATER).await.expect("looks"), [session]);
    let named: [Arc<str>; 1] = ["named".into()];
    assert_eq!(contents.delete_unreferenced(session, &named, LATER).await.expect("settles"), 1);
    assert_eq!(read_all(contents, session, "named").await.as_deref(), Some(&b"1"[..]));
    assert_eq!(read_all(contents, session, "lost").await, None);
    assert!(contents.sessions_with_unreferenced(LATER).await.expect("looks").is_empty(), "nothing is left to look at");
    contents.put(session, "named", b"1").await.expect("keeps");
    assert_eq!(contents.delete_unreferenced(session, &[], LATER).await.expect("settles"), 0, "what is named stays");
}

async fn uploads_of_a_participant_are_bounded(fresh: FreshDatabase) {
    let engines = fresh.open().await;
    let contents = &*engines.contents;
    let ann =
        create_participant(&*engines.identities, "Ann", ActorKind::User, ServerRole::Member).await.expect("enrols");
    let ben =
        create_participant(&*engines.identities, "Ben", ActorKind::User, ServerRole::Member).await.expect("enrols");
    let mut ids = vec![];
    for who in [&ben, &ann, &ann, &ann] {
        let upload = Upload { id: Uuid::now_v7(), owner: who.id, name: "a.md".into() };
        contents.add_upload(&upload, "digest", b"content", 2).await.expect("keeps");
        ids.push(upload.id);
    }
    let there = async |at: usize| contents.upload(ids[at]).await.expect("reads").is_some();
    assert_eq!((there(0).await, there(1).await, there(2).await, there(3).await), (true, false, true, true));
    let upload = contents.upload(ids[3]).await.expect("reads").expect("is there");
    assert_eq!((upload.owner, &*upload.name), (ann.id, "a.md"));
    assert_eq!(contents.upload_content(ids[3]).await.expect("reads").as_deref(), Some(&b"content"[..]));
    // Claimed uploads do not evict waiting ones, and vice versa.
    contents.take_upload(&upload, 1).await.expect("takes");
    for _ in 0..2 {
        let upload = Upload { id: Uuid::now_v7(), owner: ann.id, name: "b.md".into() };
        contents.add_upload(&upload, "digest", b"content", 2).await.expect("keeps");
        ids.push(upload.id);
    }
    let there = async |at: usize| contents.upload(ids[at]).await.expect("reads").is_some();
    assert_eq!((there(2).await, there(3).await, there(4).await, there(5).await), (false, true, true, true));
    let newest = contents.upload(ids[5]).await.expect("reads").expect("is there");
    contents.take_upload(&newest, 1).await.expect("takes");
    assert_eq!((there(3).await, there(4).await, there(5).await), (false, true, true));
    assert_eq!(contents.remove_uploads(LATER).await.expect("removes"), 3);
}
