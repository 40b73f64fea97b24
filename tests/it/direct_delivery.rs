//! Frames that a feed writes to sockets itself.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use parking_lot::Mutex;
use roundtable::feed::{Cursor, DirectWrite, DirectWriter, Feed, LiveCopy, Viewer};
use roundtable::kernel::{Actor, Fact, MessageId, SessionId};

use crate::live::Live;
use crate::server::soon;

/// More viewers than a feed writes to before other tasks get a turn.
const VIEWERS: usize = 100;

/// A socket that takes everything.
#[derive(Default)]
struct Socket(Mutex<Vec<u8>>);

impl DirectWriter for Socket {
    fn write(&self, frames: &[u8]) -> DirectWrite {
        self.0.lock().extend_from_slice(frames);
        DirectWrite { bytes: frames.len(), is_complete: true }
    }
}

impl Socket {
    fn contains(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.0.lock()).contains(text)
    }
}

/// A viewer that has everything and sleeps.
async fn sleeping(feed: &Arc<Feed>) -> (Viewer, Arc<Socket>) {
    let (mut viewer, socket) = (Viewer::after(Cursor::new(feed.clone(), None), feed.head()), Arc::<Socket>::default());
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
    soon(caught_up).await;
    (viewer, socket)
}

/// Viewers of a session that have everything and sleep, and the session.
async fn scene() -> (Live, SessionId, Actor, Vec<(Viewer, Arc<Socket>)>) {
    let live = Live::plain().await;
    let (session, who, _client) = live.ready().await;
    let feed = live.scribe.feed(session).await;
    let mut viewers = vec![sleeping(&feed).await];
    // The first event after somebody joined wakes everyone.
    live.scribe.write(session, who.actor(), vec![posted("before")]).await;
    viewers.clear();
    for _ in 0..VIEWERS {
        viewers.push(sleeping(&feed).await);
    }
    (live, session, who.actor(), viewers)
}

fn posted(text: &str) -> Fact {
    Fact::MessagePosted { message: MessageId(3), text: text.into(), files: vec![], relays: None, request: None }
}

#[tokio::test]
async fn sleeping_viewers_get_every_frame_once_without_being_woken() {
    let (live, session, who, mut viewers) = scene().await;
    for text in ["first", "second"] {
        live.scribe.write(session, who.clone(), vec![posted(text)]).await;
        let delivered = async {
            while !viewers.iter().all(|(_, socket)| socket.contains(text)) {
                tokio::task::yield_now().await;
            }
        };
        soon(delivered).await;
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
    let (live, session, who, viewers) = scene().await;
    let feed = live.scribe.feed(session).await;
    let (_, secret) = live.scribe.append(session, who.clone(), vec![posted("the secret")]).await;
    let redacted = Fact::MessageRedacted { message: MessageId(3), reason: None };
    let (_, redaction) = live.scribe.append(session, who, vec![redacted]).await;
    // Nothing else runs in between: the first viewers have the text, and the others are still to be served.
    feed.publish(&secret);
    feed.publish(&redaction);
    let early = viewers.iter().filter(|(_, socket)| socket.contains("the secret")).count();
    assert!((1..VIEWERS).contains(&early), "{early}");
    for _ in 0..VIEWERS {
        tokio::task::yield_now().await;
    }
    assert_eq!(viewers.iter().filter(|(_, socket)| socket.contains("the secret")).count(), early);
}
