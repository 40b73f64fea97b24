//! One session that a connection has joined.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;

use super::SocketContext as Server;
use super::write_buffer::WriteBuffer;
use crate::feed::{Cursor, Replay, ReplayStep};
use crate::identity::Participant;
use crate::kernel::{LeaveReason, Role, SessionId, Timestamp};
use crate::protocol::{Problem, ServerFrame};

/// One session that a connection has joined.
pub(super) struct Subscription {
    pub(super) id: SessionId,
    pub(super) cursor: Cursor,
    /// The replay to the feed. `None` once the cursor follows the feed.
    pub(super) replay: Option<Box<Replay>>,
    /// True if `caught_up` was sent.
    caught_up: bool,
    /// Reason for the end of the viewer's membership, which still has to be sent to the client.
    pub(super) ending: Option<LeaveReason>,
    /// True if the session has ended and the client has been notified.
    pub(super) over: bool,
}

/// A joined session, with the content of its `joined` frame.
pub(super) struct NewSubscription {
    pub(super) session: Subscription,
    role: Role,
    head: u64,
    snapshot: Option<(u64, Bytes)>,
}

/// Joins a session. Starts with a snapshot if `after` is missing or the log does not contain it.
pub(super) async fn join(
    server: Arc<Server>,
    who: Arc<Participant>,
    id: SessionId,
    after: Option<u64>,
    at: Option<Timestamp>,
) -> Result<NewSubscription, Problem> {
    server.reception.limits.join_everywhere(who.id).await?;
    let (feed, role) = server.access.feed(&who, id).await?;
    let mut cursor = Cursor::new(feed.clone(), Some((who.id, &who.actor())));
    if who.standing.role().is_some() {
        cursor = cursor.without_revocation();
    }
    let reached = match after {
        Some(after) => feed.goes_through(after, at).await?,
        None => false,
    };
    let (head, snapshot, replay) = match after {
        Some(after) if reached => {
            let replay = Replay::after(&mut cursor, after);
            (replay.head(), None, replay)
        }
        _ => {
            let start = feed.start_with_snapshot().await.map_err(Problem::from)?;
            let snapshot = start.snapshot.clone().map(|json| (start.seq, json));
            (start.seq, snapshot, Replay::from(&mut cursor, start))
        }
    };
    let session =
        Subscription { id, cursor, replay: Some(Box::new(replay)), caught_up: false, ending: None, over: false };
    Ok(NewSubscription { session, role, head, snapshot })
}

impl NewSubscription {
    /// Sends the `joined` frame.
    pub(super) fn say(&self, out: &mut WriteBuffer) {
        let you_can = self.role.rights().to_vec();
        let frame = ServerFrame::Joined { session: self.session.id, head: self.head, you_can, snapshot: None };
        let json = encode(&frame);
        let Some((seq, state)) = &self.snapshot else { return out.push_text(&json) };
        // All joining viewers share the encoded snapshot. Only the bytes around it are encoded for each.
        let mut before = json;
        before.pop();
        before.extend_from_slice(format!(",\"snapshot\":{{\"seq\":{seq},\"state\":").as_bytes());
        out.push_around(&before, state.clone(), b"}}");
    }
}

impl Subscription {
    /// Continues the replay. Returns whether something was sent.
    pub(super) fn poll(&mut self, out: &mut WriteBuffer, cx: &mut Context<'_>) -> bool {
        if let Some(reason) = self.ending.take() {
            self.removed(reason, out);
            return true;
        }
        let Some(replay) = &mut self.replay else { return false };
        match replay.poll(&mut self.cursor, cx) {
            Poll::Pending => return false,
            Poll::Ready(Ok(ReplayStep::Page(page))) => out.push_shared(page.framed),
            Poll::Ready(Ok(ReplayStep::Arrived(start))) => {
                self.replay = None;
                if !std::mem::replace(&mut self.caught_up, true) {
                    out.push_text(&encode(&ServerFrame::CaughtUp { session: self.id, through: start.seq }));
                }
                start.extras.iter().for_each(|framed| out.push_shared(framed.clone()));
            }
            Poll::Ready(Ok(ReplayStep::Removed(reason))) => self.removed(reason, out),
            Poll::Ready(Err(error)) => {
                let code = Problem::from(error).code();
                self.close(code.as_str(), "the database does not respond; join again later", out);
            }
        }
        true
    }

    /// Notifies the client that the viewer is no longer a participant.
    fn removed(&mut self, reason: LeaveReason, out: &mut WriteBuffer) {
        match reason {
            LeaveReason::Left => self.close("left", "you left the session", out),
            LeaveReason::Removed => self.close("removed", "you were removed from the session", out),
        }
    }

    fn close(&mut self, code: &str, message: &str, out: &mut WriteBuffer) {
        self.over = true;
        let frame = ServerFrame::Closing { session: self.id, code: code.into(), message: message.into() };
        out.push_text(&encode(&frame));
    }
}

/// Returns a frame as JSON.
pub(super) fn encode(frame: &ServerFrame) -> Vec<u8> {
    // serde_json only rejects maps with keys that are not strings, and no frame has one.
    serde_json::to_vec(frame).expect("a frame serialises: its keys are strings")
}
