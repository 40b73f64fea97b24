//! Frames that a feed writes directly to sockets.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use parking_lot::Mutex;
use roundtable::feed::{Cursor, DirectWrite, DirectWriter, Feed, LiveCopy, Viewer};
use roundtable::kernel::{Actor, Fact, MessageId, SessionId};

use crate::server::with_timeout;
use crate::socket_harness::SocketHarness;

/// More viewers than a feed writes to before it yields to other tasks.
const VIEWERS: usize = 100;

/// A socket that accepts all frames.
#[derive(Default)]
struct RecordingSocket(Mutex<Vec<u8>>);

impl DirectWriter for RecordingSocket {
    fn write(&self, frames: &[u8]) -> DirectWrite {
        self.0.lock().extend_from_slice(frames);
        DirectWrite { bytes: frames.len(), is_complete: true }
    }
}

impl RecordingSocket {
    fn contains(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.0.lock()).contains(text)
    }
}

/// Returns a viewer that has caught up and sleeps.
async fn sleeping_viewer(feed: &Arc<Feed>) -> (Viewer, Arc<RecordingSocket>) {
    let (mut viewer, socket) =
        (Viewer::after(Cursor::new(feed.clone(), None), feed.head()), Arc::<RecordingSocket>::default());
    viewer.set_writer(socket.clone());
    let mut sent = vec![];
    let caught_up = poll_fn(|cx| {
        while let Poll::Ready(polled) = viewer.poll(cx, |framed| sent.extend_from_slice(&framed)) {
            polled.expect("the viewer follows");
        }
        if !String::from_utf8_lossy(&sent).contains("caught_up") {
            return Poll::Pending;
        }
        assert_eq!(viewer.copy(&mut vec![], usize::MAX >> 1, cx.waker()), LiveCopy::Nothing);
        Poll::Ready(())
    });
    with_timeout(caught_up).await;
    (viewer, socket)
}

/// Starts a session whose viewers have caught up and sleep.
async fn start_with_sleeping_viewers() -> (SocketHarness, SessionId, Actor, Vec<(Viewer, Arc<RecordingSocket>)>) {
    let harness = SocketHarness::start_with_defaults().await;
    let (session, who, _client) = harness.connect_owner().await;
    let feed = harness.orchestrator.feed(session).await;
    let mut viewers = vec![sleeping_viewer(&feed).await];
    // The first event after a participant joins wakes all viewers.
    harness.orchestrator.write(session, who.actor(), vec![message_posted("before")]).await;
    viewers.clear();
    for _ in 0..VIEWERS {
        viewers.push(sleeping_viewer(&feed).await);
    }
    (harness, session, who.actor(), viewers)
}

fn message_posted(text: &str) -> Fact {
    Fact::MessagePosted { message: MessageId(3), text: text.into(), files: vec![], relays: None, request: None }
}

#[tokio::test]
async fn sleeping_viewers_get_every_frame_once_without_being_woken() {
    let (harness, session, who, mut viewers) = start_with_sleeping_viewers().await;
    for text in ["first", "second"] {
        harness.orchestrator.write(session, who.clone(), vec![message_posted(text)]).await;
        let delivered = async {
            while !viewers.iter().all(|(_, socket)| socket.contains(text)) {
                tokio::task::yield_now().await;
            }
        };
        with_timeout(delivered).await;
    }
    for (viewer, socket) in &mut viewers {
        assert_eq!(String::from_utf8_lossy(&socket.0.lock()).matches(r#""type":"event""#).count(), 2);
        let copied = poll_fn(|cx| Poll::Ready(viewer.copy(&mut vec![], usize::MAX >> 1, cx.waker()))).await;
        assert_eq!(
            (copied, viewer.seq()),
            (LiveCopy::Nothing, viewer.feed().head()),
            "the viewer stands where its socket does"
        );
    }
}

#[tokio::test]
async fn a_redaction_ends_the_delivery_of_what_it_erases() {
    let (harness, session, who, viewers) = start_with_sleeping_viewers().await;
    let feed = harness.orchestrator.feed(session).await;
    let (_, secret) = harness.orchestrator.append(session, who.clone(), vec![message_posted("the secret")]).await;
    let redacted = Fact::MessageRedacted { message: MessageId(3), reason: None };
    let (_, redaction) = harness.orchestrator.append(session, who, vec![redacted]).await;
    // No other task runs in between: the first viewers have received the text, and the others have not been served yet.
    feed.publish(&secret);
    feed.publish(&redaction);
    let early = viewers.iter().filter(|(_, socket)| socket.contains("the secret")).count();
    assert!((1..VIEWERS).contains(&early), "{early}");
    for _ in 0..VIEWERS {
        tokio::task::yield_now().await;
    }
    assert_eq!(viewers.iter().filter(|(_, socket)| socket.contains("the secret")).count(), early);
}
