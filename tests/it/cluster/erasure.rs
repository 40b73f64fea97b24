//! A redaction reaches viewers on every node, and no node brings back what it erased.

use roundtable::feed::{Cursor, Feed, Viewer};
use roundtable::kernel::*;

use super::harness::{ClusterHarness, ClusterNode, fast_settings};
use crate::fresh_database::{FreshDatabase, laws};
use crate::run::harness::{owner, say};
use crate::server::with_timeout;

laws! {
    a_redaction_on_one_node_applies_to_all,
    content_redacted_while_unwatched_is_not_shown_later,
}

const SECRET: &str = "correct-horse-battery";

/// Returns the snapshot that a new viewer gets on this node.
async fn snapshot(node: &ClusterNode, session: SessionId) -> String {
    let feed: std::sync::Arc<Feed> = node.feeds.open(session).await.expect("opens");
    feed.catch_up().await.expect("reads");
    let (_viewer, snapshot) = Viewer::with_snapshot(Cursor::new(feed, None)).await.expect("reads");
    String::from_utf8_lossy(&snapshot).into_owned()
}

async fn a_redaction_on_one_node_applies_to_all(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    one.submit(session, "c1", say(&format!("@people it is {SECRET}"))).await.expect("accepted");
    let mut viewer = two.open_viewer(session).await;
    let posted = viewer.wait_for("message.posted").await;
    let Fact::MessagePosted { message, .. } = posted.fact else { panic!("was posted") };
    // Both nodes hold a state for new viewers that contains the secret.
    for node in [&one, &two] {
        assert!(snapshot(node, session).await.contains(SECRET));
    }
    let target = RedactionTarget::Message(message);
    two.submit(session, "c2", Command::Redact { target, reason: None }).await.expect("is brought to the owner");
    viewer.wait_for("message.redacted").await;
    for node in [&one, &two] {
        assert!(!snapshot(node, session).await.contains(SECRET), "nobody who comes later reads it");
    }
    let participant = owner().participant_id().expect("is a person");
    one.submit(session, "c3", say(&format!("@people once more: {SECRET}"))).await.expect("accepted");
    viewer
        .find(
            "the second time",
            |event| matches!(&event.fact, Fact::MessagePosted { text, .. } if text.contains(SECRET)),
        )
        .await;
    let target = RedactionTarget::Participant { participant, content: true };
    one.submit(session, "c4", Command::Redact { target, reason: None }).await.expect("accepted");
    viewer.wait_for("participant.redacted").await;

    // The node that owned the session shuts down; the next owner starts from the stored state.
    one.session_registry.shutdown().await;
    let three = cluster.add_node(fast_settings()).await;
    for (node, id) in [(&two, "c5"), (&three, "c6")] {
        node.submit(session, id, say("@people goes on")).await.expect("accepted");
    }
    let restored = three.session_registry.state(session).await.or(two.session_registry.state(session).await);
    let restored = serde_json::to_string(&restored.expect("one of them has it").snapshot()).expect("JSON");
    let log = serde_json::to_string(&cluster.log(session).await).expect("JSON");
    for held in [restored, log, snapshot(&two, session).await, snapshot(&three, session).await] {
        assert!(!held.contains(SECRET) && held.contains("goes on"), "{held}");
    }
}

async fn content_redacted_while_unwatched_is_not_shown_later(fresh: FreshDatabase) {
    let cluster = ClusterHarness::on(fresh).await;
    let (one, two) = (cluster.add_node(fast_settings()).await, cluster.add_node(fast_settings()).await);
    let session = one.session(["demo-fast", "demo-fast", "demo-fast"]).await;
    one.submit(session, "c1", say(&format!("@people it is {SECRET}"))).await.expect("accepted");
    let mut early = two.open_viewer(session).await;
    let posted = early.wait_for("message.posted").await;
    let Fact::MessagePosted { message, .. } = posted.fact else { panic!("was posted") };
    drop(early);
    // Wait until no viewer watches on that node any more.
    with_timeout(async {
        while !two.feeds.is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let target = RedactionTarget::Message(message);
    one.submit(session, "c2", Command::Redact { target, reason: None }).await.expect("accepted");
    let mut late = two.open_viewer(session).await;
    late.wait_for("message.redacted").await;
    assert!(
        !serde_json::to_string(&late.seen).expect("JSON").contains(SECRET),
        "not even what this node had read before"
    );
    cluster.assert_sees_whole_log(&mut late, session).await;
}
