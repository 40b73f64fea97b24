//! A redaction reaches viewers on every node, and no node brings back what it erased.

use roundtable::feed::{Cursor, Feed, Viewer};
use roundtable::kernel::*;

use super::harness::{ClusterHarness, ClusterNode, quick};
use crate::fresh_database::{Fresh, laws};
use crate::run::harness::{owner, say};
use crate::server::soon;

laws! {
    a_redaction_on_one_node_applies_to_all,
    content_redacted_while_unwatched_is_not_shown_later,
}

const SECRET: &str = "correct-horse-battery";

/// The snapshot that a new viewer gets on this node.
async fn snapshot(node: &ClusterNode, session: SessionId) -> String {
    let feed: std::sync::Arc<Feed> = node.feeds.open(session).await.expect("opens");
    feed.catch_up().await.expect("reads");
    let (_viewer, snapshot) = Viewer::with_snapshot(Cursor::new(feed, None)).await.expect("reads");
    String::from_utf8_lossy(&snapshot).into_owned()
}

async fn a_redaction_on_one_node_applies_to_all(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    one.does(session, "c1", say(&format!("@people it is {SECRET}"))).await.expect("accepted");
    let mut eye = two.eye(session).await;
    let posted = eye.until("message.posted").await;
    let Fact::MessagePosted { message, .. } = posted.fact else { panic!("was posted") };
    // Both nodes hold a state that contains it, for new viewers.
    for node in [&one, &two] {
        assert!(snapshot(node, session).await.contains(SECRET));
    }
    let target = RedactionTarget::Message(message);
    two.does(session, "c2", Command::Redact { target, reason: None }).await.expect("is brought to the owner");
    eye.until("message.redacted").await;
    for node in [&one, &two] {
        assert!(!snapshot(node, session).await.contains(SECRET), "nobody who comes later reads it");
    }
    let participant = owner().participant_id().expect("is a person");
    one.does(session, "c3", say(&format!("@people once more: {SECRET}"))).await.expect("accepted");
    eye.find(
        "the second time",
        |event| matches!(&event.fact, Fact::MessagePosted { text, .. } if text.contains(SECRET)),
    )
    .await;
    let target = RedactionTarget::Participant { participant, content: true };
    one.does(session, "c4", Command::Redact { target, reason: None }).await.expect("accepted");
    eye.until("participant.redacted").await;

    // The node that owned the session goes away; the next one begins with the stored state.
    one.session_registry.shutdown().await;
    let three = cluster.node(quick()).await;
    for (node, id) in [(&two, "c5"), (&three, "c6")] {
        node.does(session, id, say("@people goes on")).await.expect("accepted");
    }
    let restored = three.session_registry.state(session).await.or(two.session_registry.state(session).await);
    let restored = serde_json::to_string(&restored.expect("one of them has it").snapshot()).expect("JSON");
    let log = serde_json::to_string(&cluster.log(session).await).expect("JSON");
    for held in [restored, log, snapshot(&two, session).await, snapshot(&three, session).await] {
        assert!(!held.contains(SECRET) && held.contains("goes on"), "{held}");
    }
}

async fn content_redacted_while_unwatched_is_not_shown_later(fresh: Fresh) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.node(quick()).await, cluster.node(quick()).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    one.does(session, "c1", say(&format!("@people it is {SECRET}"))).await.expect("accepted");
    let mut early = two.eye(session).await;
    let posted = early.until("message.posted").await;
    let Fact::MessagePosted { message, .. } = posted.fact else { panic!("was posted") };
    drop(early);
    // No viewer watches on that node any more.
    soon(async {
        while !two.feeds.is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let target = RedactionTarget::Message(message);
    one.does(session, "c2", Command::Redact { target, reason: None }).await.expect("accepted");
    let mut late = two.eye(session).await;
    late.until("message.redacted").await;
    assert!(
        !serde_json::to_string(&late.seen).expect("JSON").contains(SECRET),
        "not even what this node had read before"
    );
    cluster.is_whole(&mut late, session).await;
}
