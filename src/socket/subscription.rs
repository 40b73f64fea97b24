//! One session that a connection has joined.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;

use super::SocketContext as Server;
use super::connection_log::ConnectionLog;
use super::write_buffer::WriteBuffer;
use crate::feed::{Cursor, Viewer};
use crate::identity::Participant;
use crate::kernel::{Right, Role, SessionId, Timestamp};
use crate::protocol::{Problem, ServerFrame};

/// One session that a connection has joined.
pub(super) struct Subscription {
    pub(super) id: SessionId,
    pub(super) viewer: Viewer,
    /// True if the subscription has ended and the client has been notified.
    pub(super) over: bool,
}

/// A joined session, with the content of its `joined` frame.
pub(super) struct NewSubscription {
    pub(super) subscription: Subscription,
    granted_role: Option<Role>,
    /// Rights that the participant has, and those that they must ask the owners for.
    rights: (Vec<Right>, Vec<Right>),
    /// Snapshot at the viewer's head, as JSON.
    snapshot: Option<Bytes>,
}

/// Joins a session. Starts with a snapshot if `after` is missing, or if the log does not contain that seq or has
/// another time than `at` there.
pub(super) async fn join(
    server: Arc<Server>,
    who: Arc<Participant>,
    id: SessionId,
    after: Option<u64>,
    at: Option<Timestamp>,
) -> Result<NewSubscription, Problem> {
    server.dispatcher.limits.join_everywhere(&*who).await?;
    let (feed, role) = server.access.feed(&who, id).await?;
    let mut cursor = Cursor::new(feed.clone(), Some((who.id, &who.actor())));
    if who.granted_role().is_some() {
        cursor = cursor.without_revocation();
    }
    let reached = match after {
        Some(after) => feed.goes_through(after, at).await?,
        None => false,
    };
    let (viewer, snapshot) = match after {
        Some(after) if reached => (Viewer::after(cursor, after), None),
        _ => {
            let (viewer, snapshot) = Viewer::with_snapshot(cursor).await?;
            (viewer, Some(snapshot))
        }
    };
    let rights = feed.rights_of(role).await?;
    Ok(NewSubscription {
        subscription: Subscription { id, viewer, over: false },
        granted_role: who.role(None),
        rights,
        snapshot,
    })
}

impl NewSubscription {
    /// Sends the `joined` frame.
    pub(super) fn say(&self, out: &mut WriteBuffer) {
        let (you_can, you_can_ask) = self.rights.clone();
        let Subscription { id: session, viewer, .. } = &self.subscription;
        let head = viewer.head();
        let granted_role = self.granted_role;
        let frame = ServerFrame::Joined { session: *session, head, granted_role, you_can, you_can_ask, snapshot: None };
        let json = frame.encode();
        let Some(state) = &self.snapshot else { return out.push_text(&json) };
        // All joining viewers share the encoded snapshot. Only the bytes around it are encoded for each.
        let mut before = json;
        before.pop();
        before.extend_from_slice(format!(",\"snapshot\":{{\"seq\":{head},\"state\":").as_bytes());
        out.push_around(&before, state.clone(), b"}}");
    }
}

impl Subscription {
    /// Sends the frames that precede the live ones. Returns whether something was sent.
    pub(super) fn poll(&mut self, out: &mut WriteBuffer, log: ConnectionLog, cx: &mut Context<'_>) -> bool {
        match self.viewer.poll(cx, |framed| out.push_shared(framed)) {
            Poll::Pending => return false,
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err(end)) => {
                self.over = true;
                log.subscription_ended(self.id, &end);
                out.push_text(&end.closing(self.id).encode());
            }
        }
        true
    }
}
